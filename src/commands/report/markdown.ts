/** Markdown in which what others wrote cannot end its own block. */

import { escapeInvisible } from "../../base/quote";

const longest = 200;

/** A value as code, such as an address or a name. Also in a cell of a table. */
export function code(text: string): string {
  const short = escapeInvisible(text.length > longest ? `${text.slice(0, longest)}…` : text).replaceAll("|", "\\|");
  const ticks = "`".repeat(longestRun(short) + 1);
  return ticks.length > 1 || short.trim() === "" ? `${ticks} ${short} ${ticks}` : `${ticks}${short}${ticks}`;
}

/** A value as plain text. Also in a cell of a table. */
export const plain = (text: string) =>
  escapeInvisible(text).replace(/[|<>`@#&\\*~[\]]/g, (char) => `&#${char.charCodeAt(0)};`);

const longestRun = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

/** A block of lines, each without a line break of its own. */
export function fence(language: string, lines: string[]): string {
  const clean = lines.map(escapeInvisible);
  const ticks = "`".repeat(Math.max(3, ...clean.map((line) => longestRun(line) + 1)));
  return [`${ticks}${language}`, ...clean, ticks].join("\n");
}

export const details = (summary: string, content: string) =>
  `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;

export const table = (header: string[], rows: string[][]): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** A comment that readers do not see. */
export const hidden = (text: string) => `<!-- ${text.replace(/[^\w./ :-]/g, "").replaceAll("--", "-")} -->`;
