/** Values in messages. */

import type { Json } from "./json";

const longest = 80;

/** A value of the program's or the service's, fit for a terminal. */
export function quote(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(quote).join(", ")}]`;
  const short = typeof value === "string" && value.length > longest ? `${value.slice(0, longest)}…` : value;
  return escapeInvisible(JSON.stringify(short));
}

/** Escapes line ends, control characters, what has no shape, and what changes the order of the text: `\u{202e}`. */
export const escapeInvisible = (text: string) =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (odd) => `\\u{${odd.codePointAt(0)!.toString(16)}}`);

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
