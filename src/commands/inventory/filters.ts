/** Which lines are left. */

import { hasNoTunnel, type Line } from "./lines";

export interface Filters {
  unmanaged?: boolean;
  open?: boolean;
  noTunnel?: boolean;
  /** Created since then, in milliseconds since the epoch. */
  since?: number;
}

/** Whether a line passes all filters. A gap always does: what is not known may be anything. */
export function isLeft(line: Line, { unmanaged, open, noTunnel, since }: Filters): boolean {
  if (line.kind === "gap") return true;
  const isAddress = line.kind === "address";
  if (open && !(isAddress && (line.who === "anyone" || line.who === "unknown"))) return false;
  if (noTunnel && !(isAddress && hasNoTunnel(line))) return false;
  if (!isAddress && line.kind !== "credential") return true;
  if (unmanaged && line.managedBy?.length !== 0) return false;
  // A time that is missing or invalid is not known to be earlier.
  return since === undefined || !(Date.parse(line.createdAt ?? "") < since);
}

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds in `10m`; undefined if it is no such duration. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * units[unit]!;
}

/** What identifies a line in a file of ignored lines. The id of a tunnel changes with each start of its agent. */
function wordsOf(line: Line): string[] {
  if (line.kind === "credential") return [line.id];
  if (line.kind !== "address") return [line.kind, line.id];
  return [
    ...(line.type === "Tunnel" ? [] : [line.id]),
    ...(line.address === undefined ? [] : [line.address]),
    line.who,
  ];
}

/** One word: neither a space nor a comment. */
const toWord = (text: string) => text.replace(/[\s\p{C}#%]/gu, (odd) => `%${odd.codePointAt(0)!.toString(16)}`);

/** An entry of a file of ignored lines. */
export const toEntry = (line: Line): string => [...new Set(wordsOf(line).map(toWord))].join(" ");

/** Whether a line has all words of one of these entries. */
export function createIgnore(content: string): (line: Line) => boolean {
  const entries = content
    .split(/\r?\n/)
    .map((each) =>
      each
        .replace(/(^|\s)#.*$/, "")
        .trim()
        .split(/\s+/)
        .filter(Boolean),
    )
    .filter((words) => words.length > 0);
  const byFirst = new Map<string, string[][]>();
  for (const words of entries) byFirst.set(words[0]!, [...(byFirst.get(words[0]!) ?? []), words]);
  return (line) => {
    const words = new Set([...wordsOf(line), line.id].map(toWord));
    return [...words].some((word) => byFirst.get(word)?.some((entry) => entry.every((each) => words.has(each))));
  };
}
