/** Markdown in which what others wrote cannot end its own block. */

import { escapeInvisible } from "../../base/quote";

const shorten = (text: string, longest: number) => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** The first items that fit into so many characters, and how many others there are. */
export function takeFitting(items: string[], most: number): { shown: string[]; rest: number } {
  let length = 0;
  const isFull = ({ length: own }: string) => {
    length += own + 2;
    return length > most;
  };
  const end = items.findIndex(isFull);
  return end < 0 ? { shown: items, rest: 0 } : { shown: items.slice(0, end), rest: items.length - end };
}

/** A value as code, such as an address or a name. Also in a cell of a table. */
export function code(text: string): string {
  const short = escapeInvisible(shorten(text, 200)).replaceAll("|", "\\|");
  const ticks = "`".repeat(longestRun(short) + 1);
  return ticks.length > 1 || short.trim() === "" ? `${ticks} ${short} ${ticks}` : `${ticks}${short}${ticks}`;
}

/** A value as plain text. Also in a cell of a table. */
export const plain = (text: string) =>
  escapeInvisible(shorten(text, 500)).replace(/[|<>`@#&\\*~[\]]/g, (char) => `&#${char.charCodeAt(0)};`);

const longestRun = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

/** A block of lines, each without a line break of its own: as many as fit. */
export function fence(language: string, lines: string[], most = Number.POSITIVE_INFINITY): string {
  const { shown, rest } = takeFitting(
    lines.map((line) => escapeInvisible(shorten(line, 2_000))),
    most,
  );
  // Only a line of nothing but backticks can end a block.
  const ticks = "`".repeat(
    Math.max(3, ...shown.filter((line) => /^ *`+ *$/.test(line)).map((line) => line.length + 1)),
  );
  return [`${ticks}${language}`, ...shown, ...(rest > 0 ? [`… ${rest} more lines are not shown.`] : []), ticks].join(
    "\n",
  );
}

export const details = (summary: string, content: string) =>
  `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;

/** The rows of a table that fit, and how many others there are. */
export function table(header: string[], rows: string[][], most: number): { text: string; rest: number } {
  const toLine = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const { shown, rest } = takeFitting(rows.map(toLine), most);
  return { text: [toLine(header), toLine(header.map(() => "---")), ...shown].join("\n"), rest };
}

/** A comment that readers do not see. */
export const hidden = (text: string) =>
  `<!-- ${shorten(text, 300)
    .replace(/[^\w./ :-]/g, "")
    .replaceAll("--", "-")} -->`;
