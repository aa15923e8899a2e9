/** The list of `--accept`: the public addresses that may be open to anyone. */

import { joinWithAnd, quote } from "../../base/quote";
import { hostportProblem } from "../../definitions/fields/formats";
import { type Listed, parseList } from "../listFile";
import { type AddressChange, listAddressChanges } from "./addresses";
import { listEdgeChanges } from "./edges";
import type { OpenedAddress } from "./opened";
import type { Step } from "./preview";

/** The addresses of a file. */
export interface AcceptedList {
  file: string;
  entries: Listed[];
}

/** Reads addresses exactly as messages print them. A wildcard stands only for itself. */
export const parseAccepted = (text: string, file: string): AcceptedList => ({
  file,
  entries: parseList(text, file, addressProblem),
});

function addressProblem(entry: string): string | undefined {
  if (/^edghts_[\w-]+\/edghtsrt_[\w-]+$/.test(entry)) return undefined;
  const problem = hostportProblem(entry);
  if (problem && /^edg(tcp|tls|hts)_/.test(entry))
    return 'must be a hostport or, for a route of an HTTPS edge, "edghts_…/edghtsrt_…"';
  const normalized = entry.toLowerCase();
  return problem ?? (entry === normalized ? undefined : `is not normalized; use ${quote(normalized)}`);
}

export const accepts = ({ entries }: AcceptedList, address: string | undefined): boolean =>
  entries.some(({ entry }) => entry === address);

/** What a list says of openings: first come those that it accepts. An address that the preview does not know is in none. */
export function review(opened: OpenedAddress[], list: AcceptedList): OpenedAddress[] {
  const reviewed = opened.map((each) => {
    const isAccepted = accepts(list, each.address);
    if (isAccepted) return { ...each, isAccepted, message: `${each.message.slice(0, -1)}, accepted in ${list.file}.` };
    return { ...each, isAccepted, message: isListable(each) ? each.message : `${each.message} ${hostportsFix}` };
  });
  return reviewed.sort((a, b) => Number(b.isAccepted) - Number(a.isAccepted));
}

const isListable = ({ address }: OpenedAddress) => address !== undefined && !addressProblem(address);

/** Why the check fails, and what to do. An address that cannot be listed has a fix of its own. */
export function adviseRejected(rejected: OpenedAddress[], file = "a file for --accept"): string[] {
  const addresses = rejected.filter(isListable).map(({ address }) => address!);
  if (addresses.length === 0) return [];
  const them = addresses.length > 1 ? "them" : "it";
  return [`Failed. Restrict ${joinWithAnd(addresses)}, or add ${them} to ${file}.`];
}

const hostportsFix = "Declare its hostports as plain strings.";

/** A sentence for each address that is not open after the change: an old line would let it open again unseen. */
export function findUnused({ file, entries }: AcceptedList, previews: Step[][]): string[] {
  const all = previews.flatMap((steps) => listAddressChanges(listEdgeChanges(steps)));
  const isOpen = ({ opens, after }: AddressChange) =>
    opens !== false || after?.who === "anyone" || after?.who === "unknown";
  const open = new Set(all.filter(isOpen).map(({ address }) => address));
  return entries
    .filter(({ entry }) => !open.has(entry))
    .map(({ entry, line }) => `${file}, line ${line}: ${entry} is not open after this change. Remove the line.`);
}
