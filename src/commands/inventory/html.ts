/** The inventory as a page: one static file, without a script and without anything from elsewhere. */

import type { Clean } from "./output";
import { describeTotals, type Inventory, listFindings, type Table, toTables, unlisted } from "./tables";

export function formatHtml(inventory: Inventory, clean: Clean): string {
  const show = (text: string) => escapeHtml(clean(text));
  const address = `<code>${show(inventory.baseUrl)}</code>`;
  const time = new Date(inventory.time).toISOString();
  const findings = listFindings(inventory).map((message) => `<li>${markCode(show(message))}</li>`);
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<title>Inventory of ${show(inventory.baseUrl)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<h1>Inventory of ${address}</h1>`,
    `<p class="soft">At <time datetime="${time}">${time.slice(0, 16).replace("T", " ")} UTC</time>.</p>`,
    `<p>${describeTotals(inventory).map(show).map(markCode).join(" ")}</p>`,
    ...(findings.length > 0
      ? ['<section class="attention">', "<h2>What needs attention</h2>", "<ul>", ...findings, "</ul>", "</section>"]
      : []),
    ...toTables(inventory).flatMap((table) => formatTable(table, show)),
    `<p class="soft">${show(unlisted)}</p>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** A table. On a phone each row is a card, in which every cell names its column. */
function formatTable({ title, header, rows, codes, levels }: Table, show: Clean): string[] {
  const formatCell = (cell: string, column: number) => {
    const name = column === 0 ? "th" : "td";
    const text = cell !== "" && codes[column] ? `<code>${show(cell)}</code>` : show(cell);
    const scope = column === 0 ? ' scope="row"' : "";
    return `<${name}${scope} data-column="${show(header[column]!)}"><span>${text}</span></${name}>`;
  };
  return [
    `<h2>${show(title)}</h2>`,
    "<table>",
    `<thead><tr>${header.map((each) => `<th scope="col">${show(each)}</th>`).join("")}</tr></thead>`,
    "<tbody>",
    ...rows.map(
      (row, index) => `<tr${levels[index] ? ` class="${levels[index]}"` : ""}>${row.map(formatCell).join("")}</tr>`,
    ),
    "</tbody>",
    "</table>",
  ];
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Commands in messages, which are between backticks. */
const markCode = (html: string) => html.replace(/`([^`]+)`/g, "<code>$1</code>");

const style = `
:root { --ink: #1b2129; --soft: #57616c; --paper: #fff; --line: #dce2e8; --head: #f4f6f8; --anyone: #ffe3df;
  --anyone-ink: #a01c12; --unknown: #fff3cd; --unknown-ink: #6b4e00; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e7ebef; --soft: #9ba7b4; --paper: #12161a; --line: #2e3842; --head: #1a2026; --anyone: #431a17;
    --anyone-ink: #ffaca1; --unknown: #3a2f0b; --unknown-ink: #f0d47c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 100rem; padding: 1rem 1.25rem 3rem; font: 15px/1.45 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
h1 { font-size: 1.3rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; }
.soft { color: var(--soft); }
code { font: .87em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.attention { margin: 1rem 0; padding: .1rem 1rem .6rem; border: 1px solid var(--line); border-left: .3rem solid var(--anyone-ink);
  overflow-wrap: anywhere; }
.attention ul { margin: 0; padding-left: 1.1rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  font-weight: 400; overflow-wrap: anywhere; }
thead th { background: var(--head); font-weight: 600; white-space: nowrap; }
tbody th { min-width: 13rem; }
[data-column="Edge"], [data-column="Backend"] { min-width: 6.7rem; }
[data-column="Age"] { white-space: nowrap; }
.anyone { background: var(--anyone); }
.unknown { background: var(--unknown); }
.anyone [data-column="Who can connect"] { color: var(--anyone-ink); font-weight: 600; }
.unknown [data-column="Who can connect"] { color: var(--unknown-ink); font-weight: 600; }
@media screen and (max-width: 50rem) {
  table, tbody, tr, th, td { display: block; }
  thead { display: none; }
  tr { margin-bottom: .7rem; padding: .3rem .2rem; border: 1px solid var(--line); border-radius: .4rem; }
  tbody th, td { display: flex; gap: .8rem; min-width: 0; padding: .15rem .6rem; border: 0; }
  [data-column]::before { content: attr(data-column); flex: 0 0 7.5rem; color: var(--soft); font-weight: 400; }
  .anyone [data-column]::before, .unknown [data-column]::before { color: var(--ink); }
  [data-column]:has(span:empty) { display: none; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 9pt; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .anyone [data-column="Who can connect"]::before { content: "⚠ "; }
}
`;
