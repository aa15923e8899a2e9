/** What the command prints: text or JSON. */

import { wrap } from "../io";
import { describeTotals, type Inventory, listFindings, toTables, unlisted } from "./tables";

/** Hides secrets, and what a terminal would not print as it is. */
export type Clean = (text: string) => string;

export function formatText(inventory: Inventory, clean: Clean): string {
  const tables = toTables(inventory).map(({ title, header, rows }) => {
    const cells = [header.map((each) => each.toUpperCase()), ...rows.map((row) => row.map(clean))];
    return [title, "", ...align(cells)].join("\n");
  });
  const findings = listFindings(inventory).map((message) => `- ${clean(message)}`);
  const blocks = [
    ...(findings.length > 0 ? [["What needs attention", "", ...findings].join("\n")] : []),
    ...tables,
    [...describeTotals(inventory), ...wrap(unlisted)].join("\n"),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** Pads every column but the last. */
function align(rows: string[][]): string[] {
  const widths = rows.map((row) => row.map(measureWidth));
  const columns = rows[0]!.map((_, column) => widths.reduce((most, row) => Math.max(most, row[column]!), 0));
  return rows.map((row, index) =>
    row
      .map((cell, column) => cell + " ".repeat(columns[column]! - widths[index]![column]!))
      .join("  ")
      .trimEnd(),
  );
}

const narrow = /^[\x20-\x7e]$/;
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Returns the number of columns of a string on a screen. */
function measureWidth(text: string): number {
  let columns = 0;
  for (const char of text) columns += narrow.test(char) ? 1 : wide.test(char) ? 2 : /\p{M}/u.test(char) ? 0 : 1;
  return columns;
}

export const formatJson = (inventory: Inventory, clean: Clean): string =>
  `${JSON.stringify(
    {
      baseUrl: inventory.baseUrl,
      time: new Date(inventory.time).toISOString(),
      lines: inventory.left,
      totals: describeTotals(inventory),
    },
    (_, value) => (typeof value === "string" ? clean(value) : value),
    2,
  )}\n`;
