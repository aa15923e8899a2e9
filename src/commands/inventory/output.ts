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
  const widths = rows[0]!.map((_, column) => rows.reduce((most, row) => Math.max(most, row[column]!.length), 0));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}

export const formatJson = (inventory: Inventory, clean: Clean): string =>
  `${JSON.stringify(
    {
      baseUrl: inventory.baseUrl,
      time: new Date(inventory.time).toISOString(),
      lines: inventory.shown,
      totals: describeTotals(inventory),
    },
    (_, value) => (typeof value === "string" ? clean(value) : value),
    2,
  )}\n`;
