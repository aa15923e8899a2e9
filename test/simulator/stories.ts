/**
 * Runs that matter only together: what goes wrong in one decides what the next may do. At random they would meet too
 * rarely. Each takes two runs of a scenario, and leaves to chance what is not part of it.
 */
import type { EdgeModel, Model } from "./model";
import type { Fault } from "./network";
import type { Random } from "./random";
import type { PlannedRun } from "./scenario";

type Story = (first: PlannedRun, second: PlannedRun, random: Random) => void;

const refusal = (on: Fault["on"], times = 1): Fault => ({
  kind: "rejected",
  processed: "never",
  status: 400,
  body: "error",
  on,
  skip: 0,
  times,
  ms: 0,
});
const forbidden = (on: Fault["on"], times: number): Fault => ({
  ...refusal(on, times),
  kind: "forbidden",
  status: 403,
});
const lost = (on: Fault["on"], skip = 0): Fault => ({
  kind: "resetAfter",
  processed: "before",
  on,
  skip,
  times: 1,
  ms: 0,
});
const slow = (on: Fault["on"]): Fault => ({ kind: "slow", processed: "before", on, skip: 0, times: 1, ms: 4_000 });

/** A plain `pulumi up`, with these faults. */
const plainUp = (run: PlannedRun, faults: Fault[]): void => {
  Object.assign(run, { kind: "up", refresh: false, faults, continueOnError: false });
  for (const option of ["targets", "replace", "disruption", "outsider", "rateLimit"] as const) delete run[option];
};

/** The TCP edge of both programs whose restriction moves. */
function moveRestriction({ model: from }: PlannedRun, { model: to }: PlannedRun, random: Random): EdgeModel[] {
  const name = random.pick(from.edges.filter(({ kind }) => kind === "tcp"))?.name;
  return [from, to].flatMap(({ edges }) => edges.filter((edge) => edge.name === name));
}

/** The second program is the first one's, with a change. */
const copyModel = (first: PlannedRun, second: PlannedRun): Model => {
  second.model = structuredClone(first.model);
  return second.model;
};

export const stories: Record<string, Story> = {
  /** A restriction moves into its edge, while its resource cannot be deleted; then the program goes back. */
  takenBack: (first, second, random) => {
    const before = copyModel(first, second);
    const [moved, back] = moveRestriction(first, second, random);
    if (!moved || !back) return;
    Object.assign(back, { module: "separate", ignores: random.once(2) });
    Object.assign(moved, { ...structuredClone(back), module: "own" });
    if (random.once(3)) moved.policyIds = ["ipp_wide"];
    plainUp(first, [forbidden(random.pick(["read", "DELETE"]), 4)]);
    plainUp(second, random.once(2) ? [refusal("PUT")] : []);
    if (random.once(2)) second.disruption = { kind: "interrupt", after: random.int(1, 2) };
    if (random.once(4)) second.targets = [before.edges.indexOf(back)];
  },
  /** A restriction moves into its edge, which refuses it. */
  refusedMove: (first, second, random) => {
    copyModel(first, second);
    const [separate, moved] = moveRestriction(first, second, random);
    if (!separate || !moved) return;
    Object.assign(separate, { module: "separate" });
    Object.assign(moved, { ...structuredClone(separate), module: "own" });
    plainUp(first, []);
    plainUp(second, [refusal(random.pick(["PUT", "PATCH", "write"]))]);
    second.continueOnError = true;
  },
  /** A restriction moves out of its edge, whose own call takes long. */
  racedMove: (first, second, random) => {
    copyModel(first, second);
    const [own, separate] = moveRestriction(first, second, random);
    if (!own || !separate) return;
    Object.assign(own, { module: "own" });
    Object.assign(separate, { ...structuredClone(own), module: "separate", ignores: false, literal: true });
    plainUp(first, []);
    plainUp(second, [slow(random.pick(["DELETE", "write"]))]);
    second.parallel = 8;
  },
  /** The response to a command is lost, and the next program sends another. */
  lostCommand: (first, second) => {
    first.model.command = { trigger: 1, commands: ["restart"] };
    copyModel(first, second).command = { trigger: 2, commands: ["restart"] };
    plainUp(first, [lost("POST")]);
    plainUp(second, []);
  },
  /** Two keys with the same content are created, one slowly, and the response to the other is lost. */
  sameKeys: (first, second, random) => {
    const keys = ["k0", "k1"].map((name) => ({ name, description: "same", keeper: 0 }));
    first.model.keys = [];
    copyModel(first, second).keys = keys;
    plainUp(first, []);
    plainUp(second, random.once(2) ? [slow("POST"), lost("POST", 0)] : [lost("POST"), slow("POST")]);
    second.parallel = 8;
  },
  /** A restriction goes, and its namesake under another parent appears for another edge. */
  namesakes: (first, second, random) => {
    const [one, two] = first.model.edges.filter(({ kind }) => kind === "tcp");
    if (!one || !two) return;
    Object.assign(one, { module: "separate", separate: { name: "r", component: "A" } });
    Object.assign(two, { module: "own" });
    const [kept, other] = copyModel(first, second).edges.filter(({ kind }) => kind === "tcp");
    Object.assign(kept!, { separate: { name: "other", component: random.pick(["", "A"]) } });
    Object.assign(other!, { module: "separate", separate: { name: "r", component: "B" } });
    plainUp(first, []);
    plainUp(second, []);
  },
};

/** Tells a story in two neighbouring runs of one stack. */
export function tell(runs: PlannedRun[], random: Random): void {
  const places = runs.slice(0, -1).flatMap((run, at) => (at > 0 && runs[at + 1]!.stack === run.stack ? [at] : []));
  if (places.length === 0) return;
  const at = random.pick(places);
  const name = random.pick(Object.keys(stories));
  const [first, second] = [runs[at]!, runs[at + 1]!];
  stories[name]!(first, second, random);
  first.changes = [];
  second.changes = [name];
}
