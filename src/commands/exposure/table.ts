/** The table and the picture of a comment: who can connect to the public addresses that change, or that have drifted. */

import { isObject } from "../../base/json";
import { type AcceptedList, accepts } from "./accepted";
import { type AddressChange, type Connection, severity } from "./addresses";
import type { Drift } from "./drift";
import { code, fence, plain, table } from "./markdown";
import { describeReason, describeResource, describeWho, routesNote } from "./messages";
import { type Drawn, drawPicture } from "./picture";

interface Row {
  cells: string[];
  drawn: Drawn;
}

const header = ["Public address", "Before", "After", "Edge", "Why"];
const unreadable = `The API does not show the contents of IP policies and certificate authorities. ${routesNote}`;

/** A row for each public address of which something changes, and for each that is open now because of drift. */
export function writeTable(
  changes: AddressChange[],
  drifts: Drift[],
  list: AcceptedList | undefined,
  most: number,
): string[] {
  const shown = changes.filter(isShown).sort((a, b) => severity(b) - severity(a));
  const rows = [...shown.map((change) => rowOf(change, list)), ...drifts.map(toDriftRow)];
  if (rows.length === 0) return [];
  const cells = rows.map((row) => row.cells);
  const { text, rest } = table(header, cells, most);
  const picture = drawPicture(rows.map(({ drawn }) => drawn));
  return [
    text,
    ...(rest > 0 ? [`${rest} more are not shown. Without \`--markdown\`, each address that opens has a line.`] : []),
    ...(picture ? [fence("mermaid", picture.split("\n"))] : []),
    unreadable,
  ];
}

/** Whether something of an address changes. */
function isShown({ before, after, opens }: AddressChange): boolean {
  const drawn = (connection?: Connection) => connection && JSON.stringify(drawConnection(connection));
  return opens !== false || drawn(before) !== drawn(after);
}

const drawConnection = (connection: Connection) => {
  const { backend } = connection.edge;
  return {
    who: describeConnection(connection),
    edge: describeResource(connection.change.resource),
    backend: isObject(backend) && typeof backend.backendId === "string" ? backend.backendId : "not known",
  };
};

const describeConnection = (connection?: Connection) =>
  connection ? describeWho(connection.who, connection.edge) : "nobody";

function describeAfter({ after, opens }: AddressChange): string {
  if (opens === false) return describeConnection(after);
  return opens === true ? "anyone" : "might be anyone";
}

const emphasize = (text: string, isOpen: boolean) => (isOpen ? `**${plain(text)}**` : plain(text));
const edgeOf = ({ after }: AddressChange) => (after ? code(describeResource(after.change.resource)) : "");
const nameOf = ({ address = "not known yet" }: AddressChange) => address;

function rowOf(change: AddressChange, list?: AcceptedList): Row {
  const isOpen = change.opens !== false;
  const accepted = isOpen && list && accepts(list, change.address) ? ` (accepted in ${plain(list.file)})` : "";
  const before = describeConnection(change.before);
  return {
    cells: [
      code(nameOf(change)),
      plain(before),
      emphasize(describeAfter(change), isOpen),
      edgeOf(change),
      isOpen ? `${plain(describeReason(change))}${accepted}` : "",
    ],
    drawn: draw(change, `before: ${before}`),
  };
}

/** That an address is open now, and what becomes of that. */
function toDriftRow({ drift, restored }: Drift): Row {
  const now = drift.opens === true ? "open now" : "might be open now";
  const end = `deploying ${!restored || restored.opens === false ? "closes it" : "leaves it open"}`;
  return {
    cells: [
      code(nameOf(drift)),
      emphasize(describeAfter(drift), true),
      plain(describeConnection(restored?.after)),
      edgeOf(drift),
      `${now}, because of drift (${plain(describeReason(drift))}); ${end}`,
    ],
    drawn: draw(drift, `${now}, because of drift; ${end}`),
  };
}

const draw = (change: AddressChange, note: string): Drawn => ({
  ...drawConnection(change.after ?? change.before!),
  who: describeAfter(change),
  address: nameOf(change),
  note,
  isOpen: change.opens !== false,
});
