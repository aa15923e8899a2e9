/** Where the program is written: into a new project, or into a file of an existing one. */

import fs from "node:fs";
import path from "node:path";
import { readExistingProject } from "./existingProject";
import { readImportedNames } from "./importedNames";
import type { Program, ProgramOptions, Syntax } from "./program";
import { createProjectFiles, projectFileNames } from "./projectFiles";
import { formatFileSummary, formatProjectSummary } from "./summary";

export interface Target {
  /** What the program must be like. */
  program: Pick<ProgramOptions, "file" | "syntax" | "usedNames" | "importedNames">;
  /** Writes the program; returns what the user does next. */
  write(program: Program, protect: boolean, notes: string[]): string;
}

const { name: self, version, peerDependencies } = require("../../../package.json");

/** Writes a project into this directory. Existing files are overwritten only by force. */
export function createNewProject(out: string, syntax: Syntax, force: boolean): Target {
  assertNoOverwrite(out, projectFileNames(syntax), force);
  const file = syntax === "yaml" ? "Pulumi.yaml" : undefined;
  return {
    program: { file, syntax, importedNames: readImportedNames(out) },
    write(program, protect, notes) {
      const dependencies = { ...peerDependencies, [self]: `^${version}` };
      const files = createProjectFiles({ syntax, project: toProjectName(out), dependencies, protect }, program);
      assertNoOverwrite(out, [...files.keys()], force);
      try {
        fs.mkdirSync(out, { recursive: true });
        writeAll([...files].map(([file, text]) => [path.join(out, file), text]));
      } catch (error) {
        throw new Error(`Cannot write to ${out} (${codeOf(error)}). Choose another directory with --out.`);
      }
      return formatProjectSummary(out, syntax, program, notes);
    },
  };
}

/** Adds a file to the project in this directory. */
export function openExistingProject(dir: string): Target {
  const project = readExistingProject(dir, [self, ...Object.keys(peerDependencies)]);
  const file = path.basename(project.file);
  const importedNames = Object.values(readImportedNames(dir)).flatMap(Object.values);
  return {
    program: { file, syntax: project.syntax, usedNames: [...project.strings, ...importedNames] },
    write(program, _, notes) {
      try {
        writeAll([[project.file, program.files.get(file)!]]);
      } catch (error) {
        throw new Error(`Cannot write ${project.file} (${codeOf(error)}).`);
      }
      return formatFileSummary(project, program, notes);
    },
  };
}

/** Writes all files or none: what was written before the disk was full would block the next run. */
function writeAll(files: [file: string, text: string][]): void {
  const partOf = (file: string) => `${file}.part`;
  const begun: string[] = [];
  try {
    for (const [file, text] of files) {
      fs.closeSync(fs.openSync(partOf(file), "w"));
      begun.push(partOf(file));
      fs.writeFileSync(partOf(file), text);
    }
    for (const [file] of files) fs.renameSync(partOf(file), file);
  } finally {
    for (const part of begun) fs.rmSync(part, { force: true });
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

function assertNoOverwrite(out: string, files: string[], force: boolean): void {
  const existing = files.filter((file) => fs.existsSync(path.join(out, file)));
  if (force || existing.length === 0) return;
  throw new Error(
    `${path.join(out, existing[0]!)} already exists. Choose another directory with --out, or overwrite it with --force.`,
  );
}

/** Returns the directory's name without the characters that are not valid in the name of a project or package. */
function toProjectName(out: string): string {
  const name = path
    .basename(path.resolve(out))
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
  // The program's configuration needs another namespace than the settings.
  return name === "" || name === "tunnel-edge" ? "tunnel-edge-import" : name;
}
