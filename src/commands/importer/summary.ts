/** What the command prints when it has written its files. */

import { quoteForShell } from "../../base/quote";
import { plural } from "../io";
import type { ExistingProject } from "./existingProject";
import type { Program, Syntax } from "./program";
import { getNextSteps, pluginLines, pluginNote } from "./projectFiles";
import { wrap } from "./source";

/** The summary of a new project in this directory. */
export function formatProjectSummary(out: string, syntax: Syntax, program: Program, notes: string[]): string {
  return formatSummary(`Wrote ${out}, a Pulumi project for`, program, notes, [
    ...(syntax === "yaml" ? pluginSteps : []),
    "Next steps, explained in its README.md:",
    "",
    ...indent([`cd ${quoteForShell(out)}`, ...getNextSteps(syntax, program.secrets)]),
  ]);
}

/** The summary of a file that was added to a project. */
export function formatFileSummary(project: ExistingProject, program: Program, notes: string[]): string {
  const { file, syntax, entry, importLine, packages, usesPlugin } = project;
  const { secrets } = program;
  return formatSummary(`Wrote ${file}, with declarations of`, program, notes, [
    ...(importLine === undefined
      ? wrap(`Remove the objects that ${entry} already manages. Then move each section into that of ${entry}.`)
      : [
          `Remove the objects that your program already manages. Then add this line to ${entry}:`,
          "",
          ...indent([importLine]),
        ]),
    "",
    ...(syntax === "yaml" && !usesPlugin ? pluginSteps : []),
    "Next steps:",
    "",
    ...indent([
      ...(packages.length > 0 ? [`npm install ${packages.join(" ")}`] : []),
      ...secrets.map(({ key }) => `pulumi config set --secret ${key}`),
      "pulumi up",
      "npx pulumi-tunnel-edge import --remove import",
    ]),
  ]);
}

const pluginSteps = [...wrap(pluginNote), "", ...pluginLines.map((line) => `  ${line}`), ""];

function formatSummary(start: string, { parts }: Program, notes: string[], steps: string[]): string {
  const count = parts.reduce((total, part) => total + part.count, 0);
  const rows = parts.map((part) => ({
    name: part.importable.definition.displayName,
    count: String(part.count),
    files: part.files.length > 2 ? `${part.files[0]} … ${part.files.at(-1)}` : part.files.join(", "),
  }));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const countWidth = Math.max(...rows.map((row) => row.count.length));
  return [
    `${start} ${plural(count, "existing object")}:`,
    "",
    ...indent(rows.map((row) => `${row.name.padEnd(nameWidth)}  ${row.count.padStart(countWidth)}  ${row.files}`)),
    "",
    ...notes.flatMap((note) => wrap(note)),
    "",
    ...steps,
    "",
  ].join("\n");
}

const indent = (lines: string[]) => lines.map((line) => `  ${line}`);
