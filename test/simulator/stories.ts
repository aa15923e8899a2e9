/**
 * Runs that matter only together: what goes wrong in one decides what the next may do. At random they would meet too
 * rarely. Each takes some neighbouring runs of one stack, and leaves to chance what is not part of it.
 */
import type { EdgeModel, Model } from "./model";
import type { Fault } from "./network";
import type { Random } from "./random";
import type { PlannedRun } from "./scenario";

/** Takes as many runs as it has parameters for them. */
type Story = (random: Random, first: PlannedRun, second: PlannedRun, third: PlannedRun) => void;

const fault = (kind: Fault["kind"], on: Fault["on"], more: Partial<Fault> = {}): Fault => ({
  kind,
  processed: "never",
  on,
  skip: 0,
  times: 1,
  ms: 0,
  ...more,
});
const refusal = (on: Fault["on"], path?: string): Fault =>
  fault("rejected", on, { status: 400, body: "error", ...(path !== undefined && { path }) });
const forbidden = (on: Fault["on"], times: number, path?: string): Fault =>
  fault("forbidden", on, { status: 403, body: "error", times, ...(path !== undefined && { path }) });
const lost = (on: Fault["on"], path?: string): Fault =>
  fault("resetAfter", on, { processed: "before", ...(path !== undefined && { path }) });
/** A gateway gives up on each attempt, and the service executes it later. */
const late = (on: Fault["on"]): Fault =>
  fault("badGateway", on, { status: 504, body: "html", processed: "later", ms: 8_000, times: 4 });
const slow = (on: Fault["on"]): Fault => fault("slow", on, { processed: "before", ms: 4_000 });

/** What a run has beside its program, its command and its faults. */
export const options = [
  "targets",
  "replace",
  "replaceEdge",
  "protect",
  "retries",
  "disruption",
  "outsider",
  "rateLimit",
  "disk",
] as const;

/** A plain `pulumi up`, with these faults. */
const plainUp = (run: PlannedRun, faults: Fault[] = []): void => {
  Object.assign(run, { kind: "up", refresh: false, faults, continueOnError: false });
  for (const option of options) delete run[option];
};

/** The programs of all runs are that of the first one, with changes. */
const copyModel = (first: PlannedRun, ...others: PlannedRun[]): Model[] => {
  for (const run of others) run.model = structuredClone(first.model);
  return [first, ...others].map(({ model }) => model);
};

/** The same TCP edge in each of the models, all else being equal. */
function copyEdge(random: Random, first: PlannedRun, ...others: PlannedRun[]): EdgeModel[] {
  const index = random.pick(tcpEdges(first.model).map(({ at }) => at));
  return copyModel(first, ...others).map(({ edges }) => edges[index]!);
}

const tcpEdges = ({ edges }: Model) => edges.flatMap((edge, at) => (edge.kind === "tcp" ? [{ edge, at }] : []));

export const stories: Record<string, Story> = {
  /** A restriction moves into its edge, while its resource cannot be deleted; then the program goes back. */
  takenBack: (random, first, second, third) => {
    const [separate, moved, back] = copyEdge(random, first, second, third);
    Object.assign(separate!, { module: "separate", ignores: random.once(2) });
    Object.assign(moved!, { ...structuredClone(separate), module: "own" });
    Object.assign(back!, structuredClone(separate));
    if (random.once(3)) moved!.policyIds = ["ipp_wide"];
    plainUp(first);
    plainUp(second, [forbidden(random.pick(["read", "DELETE"]), 4)]);
    plainUp(third, random.once(2) ? [refusal("PUT", "/ip_restriction")] : []);
    if (random.once(3)) third.disruption = { kind: "interrupt", after: random.int(1, 2) };
    if (random.once(4)) third.targets = [third.model.edges.indexOf(back!)];
  },
  /** A restriction moves into its edge, which refuses it. */
  refusedMove: (random, first, second) => {
    const [separate, moved] = copyEdge(random, first, second);
    Object.assign(separate!, { module: "separate" });
    Object.assign(moved!, { ...structuredClone(separate), module: "own" });
    plainUp(first);
    plainUp(second, [refusal(random.pick(["PUT", "PATCH", "write"]))]);
    second.continueOnError = true;
  },
  /** A restriction moves out of its edge, whose own call takes long. */
  racedMove: (random, first, second) => {
    const [own, separate] = copyEdge(random, first, second);
    Object.assign(own!, { module: "own" });
    Object.assign(separate!, { ...structuredClone(own), module: "separate", ignores: false, literal: true });
    plainUp(first);
    plainUp(second, [random.pick([slow, late])(random.pick(["DELETE", "write"]))]);
    second.parallel = 8;
  },
  /** Another protection takes the place of a restriction, and the edge refuses it. */
  refusedExchange: (random, first, second) => {
    const [separate, exchanged] = copyEdge(random, first, second);
    Object.assign(separate!, { module: "separate", policy: false });
    Object.assign(exchanged!, { ...structuredClone(separate), module: "none", policy: true });
    plainUp(first);
    plainUp(second, [refusal("PATCH")]);
    second.continueOnError = true;
  },
  /**
   * A change fails, but is executed: late, or before its retry is rejected. Then the program goes back, or the
   * restriction moves.
   */
  undone: (random, first, second, third) => {
    const [before, changed, after] = copyEdge(random, first, second, third);
    Object.assign(before!, { module: random.pick(["own", "separate"]), policyIds: ["ipp_a"] });
    Object.assign(changed!, { ...structuredClone(before), policyIds: ["ipp_b"] });
    if (random.once(2)) changed!.description = before!.description === "a" ? "b" : "a";
    Object.assign(after!, structuredClone(before));
    if (random.once(3)) after!.module = before!.module === "own" ? "separate" : "own";
    plainUp(first);
    plainUp(second, random.once(2) ? [late("write")] : [lost("write"), refusal("write")]);
    plainUp(third);
  },
  /** The service ignores one of two protections and does not show it, and mostly cannot be asked. */
  unconfirmed: (random, first, second, third) => {
    const index = random.int(0, first.model.edges.length - 1);
    const models = copyModel(first, second, third);
    const isBare = [true, false, random.once(2)];
    for (const [run, { edges }] of models.entries()) {
      const edge = edges[index]!;
      const own =
        edge.kind === "tcp" ? { module: isBare[run] ? "none" : "own", policy: !isBare[run] } : { policy: false };
      const policyIds = isBare[run] ? ["ipp_a"] : ["ipp_a", "ipp_b"];
      Object.assign(edge, { module: "none", ...own, policyIds, mutualTls: !isBare[run], upstream: false });
    }
    if (random.once(3)) models[0]!.edges.splice(index, 1);
    plainUp(first);
    const omitted = fault("omittedProtection", "write", { processed: "before", path: "/edges" });
    plainUp(second, random.once(4) ? [omitted] : [omitted, forbidden("read", 4, "/edges")]);
    plainUp(third);
  },
  /** Nobody knows whether the agent got a command, and the next program sends another, or the same. */
  lostCommand: (random, first, second) => {
    const path = "/tunnel_sessions";
    first.model.command = { trigger: 100, commands: ["restart"] };
    const [, next] = copyModel(first, second);
    next!.command!.trigger += random.int(0, 1);
    const isLate = random.once(2);
    plainUp(
      first,
      isLate
        ? [fault("badGateway", "POST", { status: 504, body: "html", processed: "later", ms: 8_000, path })]
        : [lost("POST", path), fault("refused", "read", { path, times: 50, skip: 1 })],
    );
    plainUp(second);
  },
  /** An edge moves to another parent while something else fails, so that both are in the state; then all is destroyed. */
  sharedEdge: (random, first, second, third) => {
    const [before, ...after] = copyEdge(random, first, second, third);
    before!.component = "";
    for (const edge of after) Object.assign(edge, { ...structuredClone(before), component: "A", imports: true });
    first.model.keys = [];
    for (const { model } of [second, third]) model.keys = [{ name: "k0", description: "same", keeper: 0 }];
    plainUp(first);
    plainUp(second, [refusal("POST", "/api_keys")]);
    plainUp(third);
    third.kind = "destroy";
    if (random.once(2)) third.disruption = { kind: "interrupt", after: random.int(1, 3) };
  },
  /** The address is wrong, and the service's own response seems to prove it. */
  falseProof: (random, first, second) => {
    copyModel(first, second);
    plainUp(first);
    plainUp(second, [forbidden("read", 1, "/api_keys"), fault("wrongPath", "any", { times: 1_000 })]);
    second.kind = random.pick(["refresh", "destroy"]);
  },
  /** Two keys with the same content are created, one slowly, and the response to the other is lost. */
  sameKeys: (random, first, second) => {
    const [before, after] = copyModel(first, second);
    before!.keys = [];
    after!.keys = ["k0", "k1"].map((name) => ({ name, description: "same", keeper: 0 }));
    plainUp(first);
    plainUp(second, random.once(2) ? [slow("POST"), lost("POST")] : [lost("POST"), slow("POST")]);
    second.parallel = 8;
  },
  /** A key or an edge is created halfway, and a hook asks for it again. */
  retriedCreate: (random, first, second) => {
    const [edge, again] = copyEdge(random, first, second);
    Object.assign(again!, { module: "own", imports: false });
    first.model.edges = first.model.edges.filter((each) => each !== edge);
    first.model.keys = [];
    second.model.keys = [{ name: "k0", description: "same", keeper: 0 }];
    const ignored = fault("ignoredProtection", "POST", { processed: "before", path: "/edges" });
    plainUp(first);
    plainUp(second, [random.pick([ignored, lost("POST", "/edges/tcp"), lost("POST", "/api_keys")])]);
    if (random.once(3)) second.faults.push(forbidden("read", random.int(1, 2)));
    second.retries = random.int(1, 3);
  },
  /**
   * A restriction gets another name and parent while something else fails, so that both are in the state. Then a
   * namesake under another parent appears for another edge.
   */
  namesakes: (random, first, second, third) => {
    const [one, two] = random.shuffle(tcpEdges(first.model).map(({ at }) => at));
    if (two === undefined) return;
    const name = random.pick(["r", "s"]);
    const [components, keys] = [random.shuffle(["", "A", "B"] as const), ["k0", "k1", "k2"]];
    for (const [index, { edges }] of copyModel(first, second, third).entries()) {
      Object.assign(edges[one!]!, {
        module: "separate",
        separate: { name: index === 0 ? "before" : name, component: components[0] },
      });
      Object.assign(edges[two]!, {
        module: index < 2 ? "own" : "separate",
        separate: { name, component: components[1] },
      });
    }
    second.model.keys = keys.map((key) => ({ name: key, description: key, keeper: 9 }));
    plainUp(first);
    plainUp(second, [refusal("POST", "/api_keys")]);
    plainUp(third);
  },
};

/** Further ones, which are told apart, so that all else stays as it was. */
export const furtherStories: Record<string, Story> = {
  /** Nobody knows whether a module was set, because its edge cannot be read either. */
  unreadableModule: (random, first, second, third) => {
    const [bare, set, after] = copyEdge(random, first, second, third);
    Object.assign(bare!, { module: "none", policy: false });
    for (const edge of [set, after]) Object.assign(edge!, { ...structuredClone(bare), module: "separate" });
    const times = 50;
    const isExecuted = random.once(3);
    plainUp(first);
    plainUp(second, [
      fault("resetAfter", "PUT", { processed: isExecuted ? "before" : "never", path: "/ip_restriction", times }),
      forbidden("read", times, "/edges"),
    ]);
    plainUp(third);
    if (random.once(3)) after!.module = "none";
  },
  /** A gateway answers for the service that there is no such object, and somebody else deletes one meanwhile. */
  deletedMeanwhile: (random, first, second) => {
    first.model.keys = ["k0", "k1", "k2"].map((name) => ({ name, description: name, keeper: 0 }));
    copyModel(first, second);
    plainUp(first);
    plainUp(second, [fault("foreign404", "any", { status: 404, body: "html", path: "^/\\w+/\\w+$", times: 50 })]);
    second.kind = "destroy";
    second.continueOnError = true;
    second.parallel = random.pick([1, 1, 2]);
    second.outsider = { kind: "deleteObject", index: random.int(0, 9), after: 2 };
  },
  /** The response to an agent's update was lost, long ago. Now another resource updates the agent, and this one restarts it. */
  twoCommands: (_, first, second) => {
    first.model.command = { trigger: 100, commands: ["update"] };
    const [, next] = copyModel(first, second);
    next!.update = { trigger: 1 };
    next!.command = { trigger: 101, commands: ["restart"] };
    plainUp(first, [fault("badGateway", "POST", { status: 504, body: "html", path: "/tunnel_sessions", times: 12 })]);
    plainUp(second);
  },
  /** An edge leaves its restriction to a resource, which cannot be created; then the program has neither. */
  refusedOwner: (random, first, second, third) => {
    const [own, separate, none] = copyEdge(random, first, second, third);
    Object.assign(own!, { module: "own", imports: false });
    Object.assign(separate!, { ...structuredClone(own), module: "separate", ignores: false, literal: true });
    Object.assign(none!, { ...structuredClone(own), module: "none" });
    if (random.once(2)) separate!.policyIds = ["ipp_wide"];
    plainUp(first);
    plainUp(second, [{ ...refusal("PUT", "/ip_restriction"), times: 4 }]);
    second.continueOnError = true;
    second.parallel = random.pick([1, 8, 8]);
    plainUp(third);
  },
  /** An edge moves to another parent while something else fails, so that both are in the state; then one is targeted. */
  targetedTwin: (random, first, second, third) => {
    stories.sharedEdge!(random, first, second, third);
    plainUp(third);
    // What the program no longer has comes last.
    third.targets = [-1];
  },
};

/** Tells a story in neighbouring runs of one stack. */
export function tell(runs: PlannedRun[], random: Random, all: Record<string, Story>): void {
  const name = random.pick(Object.keys(all));
  const story = all[name]!;
  const length = story.length - 1;
  const places = runs.flatMap((_, at) => {
    const told = runs.slice(at, at + length);
    return told.length === length && told.every(({ stack }) => stack === told[0]!.stack) ? [told] : [];
  });
  if (places.length === 0) return;
  const told = random.pick(places);
  const [first, second, third] = told;
  if (tcpEdges(first!.model).length === 0) return;
  story(random, first!, second!, third!);
  for (const run of told) run.changes = [];
  told.at(-1)!.changes = [name];
}
