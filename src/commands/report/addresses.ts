/** The table and the picture of a report: who can connect to the public addresses that change, or that have drifted. */

import { isObject } from "../../base/json";
import { type AddressChange, type Connection, severity } from "../exposure/addresses";
import { describeReason, describeResource, describeWho, knownOfRoutes } from "../exposure/messages";
import type { Drift } from "./drift";
import { type Limit, shorten } from "./limit";
import { code, fence, plain, table } from "./markdown";
import { type Drawn, drawPicture } from "./picture";

/** What the table may take of the whole. */
const tableShare = 0.3;

/** An address that changes, that has drifted, or both. */
interface Row {
  change?: AddressChange;
  drift?: Drift;
}

/** A row for each public address of which something changes, and for each that is open now because of drift. */
export function writeAddresses(
  changes: AddressChange[],
  drifts: Drift[],
  deploying: string,
  where: string,
  { most, measure }: Limit,
): string[] {
  const driftOf = (change: AddressChange) => drifts.find(({ drift }) => keyOf(drift) === keyOf(change));
  const ofChanges: Row[] = changes
    .map((change) => ({ change, drift: driftOf(change) }))
    .filter(({ change, drift }) => drift || isShown(change));
  const others = drifts.filter(({ drift }) => !changes.some((change) => keyOf(change) === keyOf(drift)));
  const rows = [...ofChanges, ...others.map((drift) => ({ drift }))].sort((a, b) => rank(b) - rank(a));
  if (rows.length === 0) return [];
  const cells = rows.map((row) => toCells(row, deploying));
  const header = ["Public address", "Before", "After", "Edge", "Why"];
  const write = (shown: string[][], left: number) =>
    table(header, shown) + (left > 0 ? `\n\n${left} more addresses are in ${where}.` : "");
  const picture = drawPicture(rows.map((row) => draw(row, deploying)));
  return [
    shorten(cells, { most: most * tableShare, measure }, write),
    ...(picture ? [fence("mermaid", picture.split("\n"))] : []),
    unreadable,
  ];
}

const unreadable = `The API does not show what IP policies and certificate authorities contain. ${knownOfRoutes}`;

const keyOf = ({ address, before, after }: AddressChange) => address ?? (after ?? before)?.change.resource.urn;

/** What opens comes first, then what is open now. */
const rank = ({ change, drift }: Row) => (change ? severity(change) * 3 : 0) + (drift ? severity(drift.drift) : 0);

/** Whether something of an address changes. */
function isShown({ before, after, opens }: AddressChange): boolean {
  const shown = (connection?: Connection) => connection && JSON.stringify(toDrawn(connection));
  return opens !== false || shown(before) !== shown(after);
}

const backendOf = ({ edge }: Connection): string => {
  const { backend } = edge;
  return isObject(backend) && typeof backend.backendId === "string" ? backend.backendId : "not known";
};

const toDrawn = (connection: Connection) => ({
  who: describeWho(connection.who, connection.edge),
  edge: describeResource(connection.change.resource),
  backend: backendOf(connection),
});

function toCells(row: Row, deploying: string): string[] {
  const { change, drift } = row;
  const { address, after } = last(row);
  const opens = change !== undefined && change.opens !== false;
  const [before, now] = [change && whoBefore(change), drift && whoAfter(drift.drift)];
  const reasons = [
    ...(drift ? [describeDrift(drift, deploying, describeReason(drift.drift))] : []),
    ...(opens ? [describeReason(change)] : []),
  ];
  return [
    code(address ?? "not known yet"),
    now ? `**${now}**` : plain(before!),
    opens ? `**${whoAfter(change)}**` : plain(whoAfter({ ...last(row), opens: false })),
    after ? code(describeResource(after.change.resource)) : "",
    plain(reasons.join("; ")),
  ];
}

/** What is said of an address after the deployment: what the change opens, else what becomes of the drift. */
const last = ({ change, drift }: Row): AddressChange =>
  change && (change.opens !== false || !drift) ? change : (drift!.restored ?? drift!.drift);

/** That an address is open now, and what becomes of that. */
function describeDrift({ drift, restored }: Drift, deploying: string, reason?: string): string {
  const now = `${drift.opens === true ? "open" : "might be open"} now, because of drift${reason ? ` (${reason})` : ""}`;
  return `${now}; ${deploying} ${(restored?.opens ?? false) === false ? "closes it" : "leaves it open"}`;
}

const whoBefore = ({ before }: AddressChange) => (before ? describeWho(before.who, before.edge) : "nobody");

function whoAfter({ after, opens }: AddressChange): string {
  if (opens !== false) return opens === true ? "anyone" : "might be anyone";
  return after ? describeWho(after.who, after.edge) : "nobody";
}

function draw({ change, drift }: Row, deploying: string): Drawn {
  const most = change && (!drift || severity(change) > severity(drift.drift)) ? change : drift!.drift;
  return {
    ...toDrawn(most.after ?? most.before!),
    who: whoAfter(most),
    address: most.address ?? "not known yet",
    note: drift ? describeDrift(drift, deploying) : `before: ${whoBefore(most)}`,
    isOpen: most.opens !== false,
  };
}
