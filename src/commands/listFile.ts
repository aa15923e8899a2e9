/** Files with a list, such as what may be open: one entry on each line, and `#` begins a comment. */

import { quote } from "../base/quote";

/** An entry, and the number of its line. */
export interface Listed {
  entry: string;
  line: number;
}

/** What a reviewer does not see, in an entry or in a comment. Spaces and tabs may stand around both. */
const invisible = /(?![ \t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The entries of a file. `findProblem` describes what is wrong with one, without quoting it. Anything other than an
 * entry or a comment throws, so that reviewers see everything that has an effect.
 */
export function parseList(text: string, file: string, findProblem: (entry: string) => string | undefined): Listed[] {
  const entries = new Map<string, number>();
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    const fail = (problem: string) => new Error(`${file}, line ${line}: ${problem}.`);
    const hidden = invisible.exec(content)?.[0];
    if (hidden) throw fail(`contains the invisible character ${codeOf(hidden)}; remove it`);
    const entry = content.replace(/#.*/, "").trim();
    if (entry === "") continue;
    const problem = findProblem(entry);
    const hint = /\s/.test(entry) ? ". A comment begins with #" : "";
    if (problem) throw fail(`${quote(entry)} ${problem}${hint}`);
    if (entries.has(entry)) throw fail(`${quote(entry)} is already on line ${entries.get(entry)}; remove one`);
    entries.set(entry, line);
  }
  return [...entries].map(([entry, line]) => ({ entry, line }));
}

const codeOf = (char: string) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
