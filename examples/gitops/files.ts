/** Reads a folder with one YAML file per resource. Reports all mistakes at once, each with its file, line and column. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { check } from "pulumi-tunnel-edge/checks";
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

/** A resource as its file declares it. The file's name is the resource's name. */
export interface Declared {
  name: string;
  type: string;
  args: Record<string, unknown>;
  options: pulumi.CustomResourceOptions;
}

/** Messages for the YAML parser's errors, by their codes. */
const syntaxErrors: Record<string, string> = {
  DUPLICATE_KEY: "the argument is declared twice; remove one of the two",
  TAG_RESOLVE_FAILED: "tags, which begin with !, are not supported; write the value itself",
  MULTIPLE_DOCS: "a file declares one resource; move what follows to another file",
};

/** The resources in a folder. Throws a pulumi.RunError that lists all mistakes, if there are any. */
export function readFiles(folder: string): Declared[] {
  const mistakes: { file: string; line: number; col: number; message: string }[] = [];
  const claims = new Map<string, string>();
  const files = readdirSync(folder).filter((base) => !base.startsWith("."));

  function readFile(base: string): Declared[] {
    const file = `${basename(folder)}/${base}`;
    const lineCounter = new LineCounter();
    const document = parseDocument(readFileSync(join(folder, base), "utf8"), { lineCounter, prettyErrors: false });
    const position = (offset: number) => (offset === 0 ? { line: 1, col: 1 } : lineCounter.linePos(offset));
    const report = (offset: number, message: string) => mistakes.push({ file, ...position(offset), message });

    const name = /^([a-z0-9-]+)\.yaml$/.exec(base)?.[1];
    if (!name) report(0, "a file name must be lowercase letters, digits and hyphens, then .yaml; rename the file");
    const errors = [...document.errors, ...document.warnings];
    for (const { code, message, pos } of errors) report(pos[0], syntaxErrors[code] ?? message);
    if (!name || errors.length > 0) return [];
    if (!isMap(document.contents)) {
      report(0, "a file must have a type, such as `type: TcpEdge`, and arguments");
      return [];
    }

    const { type, formerly, import: id, ...args } = document.toJS();
    const problems = check(type, args);
    const formerlyProblem = formerly === undefined ? undefined : checkFormerly(formerly, files);
    if (formerlyProblem) problems.push({ path: ["formerly"], message: formerlyProblem });
    if (id !== undefined && typeof id !== "string")
      problems.push({ path: ["import"], message: "import must be an id" });
    for (const [key, value] of Object.entries(args)) {
      // In a program, null declares nothing. In a file, it is probably a mistake.
      if (value === null) problems.push({ path: [key], message: `${key} has no value; add one, or remove it` });
    }
    for (const { path, message } of problems) report(findOffset(document, path), message);
    if (problems.length > 0) return [];

    // Checks are about one resource. Values that two resources cannot share are checked here.
    const claim = (path: (string | number)[], label: string, value: string) => {
      const offset = findOffset(document, path);
      const key = `${path[0]} ${value.toLowerCase()}`;
      const other = claims.get(key);
      if (other) report(offset, `${label}: "${value}" is already used in ${other}; remove one of the two`);
      else claims.set(key, `${file}:${position(offset).line}`);
    };
    for (const [index, each] of (args.hostports ?? []).entries())
      claim(["hostports", index], `hostports[${index}]`, each);
    if (formerly !== undefined) claim(["formerly"], "formerly", formerly);
    return [{ name, type, args, options: { import: id, ...(formerly && { aliases: [{ name: formerly }] }) } }];
  }

  const declared = files.sort().flatMap(readFile);
  if (mistakes.length === 0) return declared;
  const sorted = mistakes.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.col - b.col);
  const lines = sorted.map(({ file, line, col, message }) => `${file}:${line}:${col}: ${message}`);
  throw new pulumi.RunError(`The files have mistakes (${lines.length}), so nothing was changed:\n${lines.join("\n")}`);
}

/** What is wrong with the earlier name of a file. */
function checkFormerly(name: unknown, files: string[]): string | undefined {
  if (typeof name !== "string" || !/^[a-z0-9-]+$/.test(name))
    return "formerly must be the file's earlier name, without .yaml";
  return files.includes(`${name}.yaml`)
    ? `formerly: ${name}.yaml still exists; remove it, or remove formerly`
    : undefined;
}

/** Where a path leads: to an argument's name, an item of a list or, if it is missing, to what should contain it. */
function findOffset(document: Document, path: (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0; // behind comments at the beginning
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node)
      ? node.items.find((each) => isScalar(each.key) && String(each.key.value) === key)
      : undefined;
    const place = pair ? pair.key : isSeq(node) ? node.items[Number(key)] : undefined;
    if (!isNode(place)) break;
    offset = place.range?.[0] ?? offset;
    node = pair ? pair.value : place;
  }
  return offset;
}
