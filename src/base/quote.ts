/** Values and names in messages. */

import type { Json } from "./json";

const longest = 80;

/** A value of the program's or the service's, fit for a terminal. */
export function quote(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(quote).join(", ")}]`;
  const short = typeof value === "string" && value.length > longest ? `${value.slice(0, longest)}…` : value;
  return escapeInvisible(JSON.stringify(short));
}

/**
 * Escapes line ends, control characters, and characters without a shape or that change the order of the text:
 * `\u{202e}`.
 */
export const escapeInvisible = (text: string, escapeCode = (hex: string) => `\\u{${hex}}`) =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (odd) => escapeCode(odd.codePointAt(0)!.toString(16)));

/** `"a", "b" or "c"`. */
export function alternatives(words: readonly string[]): string {
  const quoted = words.map(quote);
  const last = quoted.pop()!;
  return quoted.length > 0 ? `${quoted.join(", ")} or ${last}` : last;
}

/** `a, b and c`. */
export const joinWithAnd = (items: readonly string[]) =>
  items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${items.at(-1)}` : items.join("");

/** `policy.inbound[0].name`, as a program would write it. */
export const nameOf = (path: PropertyKey[]) =>
  path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      return /^[\w$-]{1,80}$/.test(String(key)) ? `${index ? "." : ""}${String(key)}` : `[${quote(String(key))}]`;
    })
    .join("");

/** A word of a command to paste into a shell. */
export const quoteForShell = (text: string) => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The known name that a misspelled name is closest to, if one is close enough. */
export function nearest(name: string, known: string[]): string | undefined {
  const farthest = (candidate: string) => Math.max(2, candidate.length / 3);
  const [best] = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= farthest(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= farthest(best.candidate) ? best.candidate : undefined;
}

/** The number of letters to insert, delete, replace or swap with their neighbour to turn one word into another. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      rows[i]![j] = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, replaced);
      // Before the first letter there is none, which equals no letter.
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) rows[i]![j] = Math.min(rows[i]![j]!, rows[i - 2]![j - 2]! + 1);
    }
  }
  return rows[a.length]![b.length]!;
}
