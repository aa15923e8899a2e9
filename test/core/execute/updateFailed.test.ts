/** What the state records after an update failed: nothing that is still to be sent or removed is forgotten. */
import type { JsonObject } from "../../../src/base/json";
import { stateAfterFailure } from "../../../src/core/execute/update";
import { planUpdate } from "../../../src/core/plan/plan";
import { newState, type State } from "../../../src/core/state";
import { tcpEdge } from "../../../src/definitions/tcpEdge";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const policy = { inbound: [{ actions: [{ type: "deny" }] }] };
const restricted = ["description", "ipRestriction.ipPolicyIds"];

/** A failed update of an edge, from what its state has to what the program declares. */
interface Failure {
  values: JsonObject;
  managed: string[];
  ignored?: string[];
  desired: JsonObject;
  /** What the calls that succeeded have left. */
  known: JsonObject;
  /** What was not known before, and still is not. */
  unknown?: string[];
  /** What a GET shows. */
  found?: JsonObject;
  /** What the call is about whose response was lost. */
  pending?: string[];
}

const old = { values: { description: "old", ipRestriction }, managed: restricted };

const rows: [string, Failure, Partial<State>][] = [
  [
    "a rejected call after one that succeeded: what the first has sent",
    { ...old, desired: { description: "new" }, known: { description: "new", ipRestriction } },
    { values: { description: "new", ipRestriction }, managed: [...restricted], unconfirmed: [] },
  ],
  [
    "a lost call, and nothing can be read: what was sent is not confirmed",
    { ...old, desired: { description: "new", ipRestriction }, known: old.values, pending: ["description"] },
    { values: old.values, managed: restricted, unconfirmed: ["description"] },
  ],
  [
    "a lost call that took effect",
    {
      ...old,
      desired: { description: "new", ipRestriction },
      known: old.values,
      found: { description: "new", ipRestriction },
      pending: ["description"],
    },
    { values: { description: "new", ipRestriction }, managed: restricted, unconfirmed: [] },
  ],
  [
    "a lost call that does not show yet: it may still take effect",
    {
      ...old,
      desired: { description: "new", ipRestriction },
      known: old.values,
      found: old.values,
      pending: ["description"],
    },
    { values: old.values, managed: restricted, unconfirmed: ["description"] },
  ],
  [
    "a lost removal that took effect: the module is still to be removed from what is managed",
    {
      ...old,
      desired: { description: "old" },
      known: old.values,
      found: { description: "old" },
      pending: ["ipRestriction"],
    },
    { values: { description: "old" }, managed: restricted, unconfirmed: [] },
  ],
  [
    "a lost removal that does not show yet",
    { ...old, desired: { description: "old" }, known: old.values, found: old.values, pending: ["ipRestriction"] },
    { values: old.values, managed: restricted, unconfirmed: ["ipRestriction"] },
  ],
  [
    "what was not confirmed before, and nothing can be read",
    { ...old, desired: { description: "new", ipRestriction }, known: old.values, unknown: ["ipRestriction"] },
    { unconfirmed: ["ipRestriction"] },
  ],
  [
    "what was not confirmed before, and can be read now",
    {
      ...old,
      desired: { description: "new", ipRestriction },
      known: old.values,
      unknown: ["ipRestriction"],
      found: old.values,
    },
    { unconfirmed: [] },
  ],
  [
    "a module that is newly declared: the old and the new together",
    { ...old, desired: { policy }, known: { ...old.values, policy } },
    { managed: [...restricted, "policy.inbound"] },
  ],
  [
    "what is ignored now is not managed",
    { ...old, ignored: ["description"], desired: { ipRestriction }, known: old.values },
    { managed: ["ipRestriction.ipPolicyIds"], ignored: ["description"] },
  ],
];

test.each(rows)(
  "%s",
  (_, { values, managed, ignored = [], desired, known, unknown = [], found, pending = [] }, expected) => {
    const saved = newState({ id: "edgtcp_1", values, managed });
    const plan = planUpdate(tcpEdge, saved, desired);
    const update = { before: saved, desired, ignored, plan };
    const progress = { values: known, unconfirmed: new Set(unknown) };
    expect(stateAfterFailure(tcpEdge, update, progress, found, pending)).toMatchObject(expected);
  },
);

test("a module that goes with its edge still does", () => {
  const saved = newState({ id: "edgtcp_1", values: {}, managed: [], withEdge: true });
  const update = { before: saved, desired: {}, ignored: [], plan: planUpdate(tcpEdge, saved, {}) };
  const state = stateAfterFailure(tcpEdge, update, { values: {}, unconfirmed: new Set() }, undefined, []);
  expect(state.withEdge).toBe(true);
});
