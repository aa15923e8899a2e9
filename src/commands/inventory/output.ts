/** What the command prints: text, Markdown or JSON. */

import { measureWidth, wrap } from "../importer/source";
import { code, fence, plain, table } from "../report/markdown";
import { drawPicture } from "../report/picture";
import type { AddressLine } from "./lines";
import {
  describeTotals,
  describeTunnels,
  type Inventory,
  listAddresses,
  listFindings,
  toTables,
  unlisted,
} from "./tables";

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

export function formatMarkdown(inventory: Inventory, clean: Clean): string {
  const { baseUrl, time } = inventory;
  const findings = listFindings(inventory).map((message) => `- ${plain(clean(message))}`);
  const picture = draw(listAddresses(inventory.left), clean);
  const blocks = [
    `### Inventory of ${code(baseUrl)}`,
    describeTotals(inventory).map(plain).join(" "),
    ...(findings.length > 0 ? [`**What needs attention**\n\n${findings.join("\n")}`] : []),
    ...(picture ? [fence("mermaid", picture.split("\n"))] : []),
    ...toTables(inventory).map(({ title, header, rows, codes }) => {
      const format = (cell: string, column: number) => (cell === "" ? "" : codes[column] ? code(cell) : plain(cell));
      return `**${title}**\n\n${table(
        header,
        rows.map((row) => row.map(clean).map(format)),
      )}`;
    }),
    unlisted,
    `At ${new Date(time).toISOString()}.`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** A picture of all addresses or, if that is too long, of those that anyone can reach. */
function draw(addresses: AddressLine[], clean: Clean): string | undefined {
  const isOpen = ({ who }: AddressLine) => who === "anyone" || who === "unknown";
  const drawn = (lines: AddressLine[]) =>
    drawPicture(
      lines.map((line) => ({
        who: clean(line.connects),
        address: clean(line.address!),
        edge: clean(line.type === "Tunnel" ? "no edge" : `${line.type} ${line.id}`),
        backend: clean(
          [line.backend?.id, describeTunnels(line)].filter(Boolean).join(": ") ||
            (line.tunnels ? "no backend" : "not known"),
        ),
        isOpen: isOpen(line),
      })),
    );
  const reachable = addresses.filter(({ address }) => address !== undefined);
  return drawn(reachable) ?? drawn(reachable.filter(isOpen));
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
