/** Which lines are shown. */

import { type Listed, parseList } from "../listFile";
import { isOpen, type Line } from "./lines";

export interface Selection {
  unmanaged?: boolean;
  open?: boolean;
  /** The file of `--ignore`, and what it lists. */
  ignored?: { file: string; entries: Listed[] };
}

/** The entries of a file: ids and public addresses. A secret address, which is shown as `[secret]`, is none. */
export const parseIgnored = (text: string, file: string): Selection["ignored"] => ({
  file,
  entries: parseList(text, file, (entry) =>
    /\s|^\[secret\]/.test(entry) ? "is neither an id nor a public address" : undefined,
  ),
});

/** All lines, those that are shown, and how many the file leaves out. An entry that hides no line is a line, too. */
export function selectLines(lines: Line[], selection: Selection): { all: Line[]; shown: Line[]; ignored: number } {
  const { file = "", entries = [] } = selection.ignored ?? {};
  const listed = new Set(entries.map(({ entry }) => entry));
  const selected = lines.filter((line) => isSelected(line, selection));
  const shown = selected.filter((line) => !listed.has(entryOf(line) ?? ""));
  for (const line of selected) listed.delete(entryOf(line) ?? "");
  // A tunnel without an edge comes and goes with its agent.
  const rest = entries.filter(({ entry }) => listed.has(entry) && !entry.includes("://"));
  const unused = rest.map(({ entry, line }): Line => {
    const fix = lines.some((each) => each.id === entry && isOpen(each))
      ? "Instead of an edge, list the address that anyone may connect to."
      : "Remove it, so that it does not hide one later.";
    return { kind: "unused", id: entry, message: `${file}, line ${line}: ${entry} hides no line. ${fix}` };
  });
  return { all: [...lines, ...unused], shown: [...shown, ...unused], ignored: selected.length - shown.length };
}

/** Whether the options select a line. A gap may hide anything, so it is always shown. */
function isSelected(line: Line, { unmanaged, open }: Selection): boolean {
  if (line.kind === "gap") return true;
  if (open && !isOpen(line)) return false;
  return !unmanaged || !("managedBy" in line) || line.managedBy?.length === 0;
}

/**
 * The entry of a file that leaves a line out. Of an open address it is the address. An id may be listed because no stack
 * manages its edge, and must not hide that somebody opens it. A tunnel has another id with each start of its agent.
 */
function entryOf(line: Line): string | undefined {
  if (line.kind === "pending" || line.kind === "shared") return undefined;
  return isOpen(line) ? (line.address ?? line.id) : line.id;
}
