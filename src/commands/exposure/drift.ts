/** What is open now because of drift: the preview with `--refresh` knows what the service has, the other one what it had. */

import { equal } from "../../base/json";
import { unknownValue } from "../../core/unknown";
import { type AddressChange, listAddressChanges } from "./addresses";
import { type EdgeChange, listEdgeChanges } from "./edges";
import { type Edge, hasHidden } from "./model";
import type { Step } from "./preview";

/** A public address that drift has opened. */
export interface Drift {
  /** From what the last deployment left to what is there now. */
  drift: AddressChange;
  /** From what the last deployment left to what the next one leaves. */
  restored?: AddressChange;
}

/** The addresses that are more open now than the last deployment left them. */
export function listDrift(withoutRefresh: Step[], withRefresh: Step[]): Drift[] {
  const [recorded, found] = [listEdgeChanges(withoutRefresh), listEdgeChanges(withRefresh)];
  const now = recorded.map((was) => {
    const same = found.find(({ id, before }) => before && id === was.id);
    return { ...without(was, "after"), ...(same && { after: readNow(was, same) }) };
  });
  const next = found.map((each) => {
    const was = each.id !== undefined && recorded.find(({ id }) => id === each.id)?.before;
    return { ...without(each, "before"), ...(was && { before: was }) };
  });
  const restored = listAddressChanges(next);
  return listAddressChanges(now)
    .filter(({ opens }) => opens !== false)
    .map((drift) => ({ drift, restored: restored.find(({ address }) => address === drift.address) }));
}

function without(change: EdgeChange, side: "before" | "after"): EdgeChange {
  const { [side]: _, ...rest } = change;
  return rest;
}

/** What an edge has now. A hidden value is what it was, if both previews show that the same becomes of it. */
function readNow(was: EdgeChange, now: EdgeChange): Edge {
  const isSame = (name: string) => equal(was.after?.[name] ?? null, now.after?.[name] ?? null);
  return Object.fromEntries(
    Object.entries(now.before!).map(([name, value]) => [
      name,
      hasHidden(value) && !isSame(name) ? unknownValue : value,
    ]),
  );
}
