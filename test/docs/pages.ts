/** The pages and source files that users read, and the examples in them. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "../support/root";

const skipped = /(^|\/)(node_modules|\.work|dist|\.git)(\/|$)/;

/** The files of a folder whose names end like this, by their paths from the root. */
export const filesIn = (folder: string, ending: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith(ending) && !skipped.test(file));

/** Every Markdown page of the repository, by its path from the root. */
export const pages = (): string[] => [
  ...readdirSync(root).filter((file) => file.endsWith(".md")),
  ...["docs", "dev", "examples", "bench", "test", ".github"].flatMap((folder) => filesIn(folder, ".md")),
];

export const read = (file: string) => readFileSync(join(root, file), "utf8");

/** What is wrong in each page, or other file, with its path. */
export const findInPages = (find: (file: string) => string[], files = pages()): string[] =>
  files.flatMap((file) => find(file).map((found) => `${file}: ${found}`));

/** The shell commands in a page. */
export const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^ *```(?:sh|bash|zsh|shell|console)\n([\s\S]*?)^ *```/gm)].flatMap(([, block]) =>
    block!.trimEnd().split("\n"),
  );

/** Whether a command has a comment, before or after it: an interactive zsh takes `#` for an argument. */
export const hasComment = (command: string): boolean => /(^|\s)#/.test(command.replace(/'[^']*'|"[^"]*"/g, "x"));

export interface Example {
  /** The file and line of its first line. */
  place: string;
  code: string;
}

/** Every TypeScript example, in pages and in the comments of the source. */
export function examples(): Example[] {
  const inPages = pages().flatMap((file) => examplesIn(file, read(file), /^/));
  const inSource = filesIn("src", ".ts").flatMap((file) => examplesIn(file, read(file), /^\s*\* ?/));
  return [...inPages, ...inSource];
}

function examplesIn(file: string, text: string, margin: RegExp): Example[] {
  const found: Example[] = [];
  let example: Example | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const content = line.replace(margin, "");
    if (!example && margin.test(line) && /^\s*```ts\s*$/.test(content)) {
      example = { place: `${relative(root, join(root, file))}:${index + 2}`, code: "" };
    } else if (example && /^\s*```\s*$/.test(content)) {
      found.push(example);
      example = undefined;
    } else if (example) {
      example.code += `${content}\n`;
    }
  }
  return found;
}

/** The first code of a language in a page. */
export const codeIn = (page: string, language: string) =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(read(page))![1]!;

/** Every example of the plugin's schema in a language. */
export function examplesOfSchema(language: string): string[] {
  const { resources, functions, provider } = JSON.parse(read("plugin/schema.json"));
  const described = [...Object.values({ ...resources, ...functions }), provider] as { description: string }[];
  const blocks = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g");
  return described.flatMap(({ description }) => [...description.matchAll(blocks)].map(([, code]) => code!));
}
