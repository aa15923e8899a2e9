/**
 * Runs that matter only together: what goes wrong in one decides what the next may do. At random they would meet too
 * rarely.
 */
import type { EdgeModel, Model } from "./model";
import type { Fault } from "./network";
import type { Random } from "./random";
import type { PlannedRun } from "./scenario";

/** The runs that follow a program. Of each it has what is part of the story; the rest is a plain `pulumi up`. */
type Story = (random: Random, model: Model) => (Partial<PlannedRun> & Pick<PlannedRun, "model">)[];

const fault = (kind: Fault["kind"], on: Fault["on"], more: Partial<Fault> = {}): Fault => ({
  kind,
  processed: "never",
  on,
  skip: 0,
  times: 1,
  ms: 0,
  ...more,
});
const refusal = (on: Fault["on"], more: Partial<Fault> = {}): Fault =>
  fault("rejected", on, { status: 400, body: "error", ...more });
const forbidden = (on: Fault["on"], times: number, path = ""): Fault =>
  fault("forbidden", on, { status: 403, body: "error", times, path });
const lost = (on: Fault["on"], path = ""): Fault => fault("resetAfter", on, { processed: "before", path });
/** A gateway gives up on each attempt, and the service executes it later. */
const late = (on: Fault["on"], more: Partial<Fault> = {}): Fault =>
  fault("badGateway", on, { status: 504, body: "html", processed: "later", ms: 8_000, times: 4, ...more });
const slow = (on: Fault["on"]): Fault => fault("slow", on, { processed: "before", ms: 4_000 });

const tcpEdges = ({ edges }: Model) => edges.flatMap(({ kind }, index) => (kind === "tcp" ? [index] : []));

/** A program for each version of the edges with these numbers: each has what the first one has, and its own changes. */
const declareVersions = (model: Model, ...versions: Record<number, Partial<EdgeModel>>[]): Model[] =>
  versions.map((version) => ({
    ...structuredClone(model),
    edges: model.edges.map((edge, index) => ({ ...structuredClone(edge), ...versions[0]![index], ...version[index] })),
  }));

/** The same with one of the TCP edges. */
function declareEdge(random: Random, model: Model, ...versions: Partial<EdgeModel>[]): Model[] {
  const index = random.pick(tcpEdges(model));
  return declareVersions(model, ...versions.map((version) => ({ [index]: version })));
}

const newKeys = (...names: string[]): Model["keys"] => names.map((name) => ({ name, description: "same", keeper: 0 }));

export const stories: Record<string, Story> = {
  /** A restriction moves into its edge, which refuses it. */
  refusedMove: (random, model) => {
    const [separate, moved] = declareEdge(random, model, { module: "separate" }, { module: "own" });
    const faults = [refusal(random.pick(["PUT", "PATCH", "write"]))];
    return [{ model: separate! }, { model: moved!, faults, continueOnError: true }];
  },
  /** A restriction moves out of its edge, whose own call takes long. */
  racedMove: (random, model) => {
    const after = { module: "separate", ignores: false, literal: true } as const;
    const [own, separate] = declareEdge(random, model, { module: "own" }, after);
    const faults = [random.pick([slow, late])(random.pick(["DELETE", "write"]))];
    return [{ model: own! }, { model: separate!, faults, parallel: 8 }];
  },
  /** Another protection takes the place of a restriction, and the edge refuses it. */
  refusedExchange: (random, model) => {
    const before = { module: "separate", policy: false } as const;
    const [separate, exchanged] = declareEdge(random, model, before, { module: "none", policy: true });
    return [{ model: separate! }, { model: exchanged!, faults: [refusal("PATCH")], continueOnError: true }];
  },
  /**
   * A change fails, but is executed: late, or before its retry is rejected. Then the program goes back, or the
   * restriction moves.
   */
  undone: (random, model) => {
    const module = random.pick(["own", "separate"] as const);
    const other = module === "own" ? "separate" : "own";
    const [before, changed, after] = declareEdge(
      random,
      model,
      { module, policyIds: ["ipp_a"] },
      { policyIds: ["ipp_b"], ...(random.once(2) && { description: "changed" }) },
      { module: random.once(3) ? other : module },
    );
    const faults = random.once(2) ? [late("write")] : [lost("write"), refusal("write")];
    return [{ model: before! }, { model: changed!, faults }, { model: after! }];
  },
  /** The service ignores one of two protections and does not show it, and mostly cannot be asked. */
  unconfirmed: (random, model) => {
    const index = random.int(0, model.edges.length - 1);
    const isTcp = model.edges[index]!.kind === "tcp";
    const module = isTcp ? ("own" as const) : ("none" as const);
    const policyIds = ["ipp_a"];
    const bare = { module: "none" as const, policy: false, policyIds, mutualTls: false, upstream: false };
    const two = { module, policy: isTcp, policyIds: [...policyIds, "ipp_b"], mutualTls: true };
    const last = random.once(2) ? bare : two;
    const [before, changed, after] = declareVersions(model, ...[bare, two, last].map((each) => ({ [index]: each })));
    if (random.once(3)) before!.edges.splice(index, 1);
    const omitted = fault("omittedProtection", "write", { processed: "before", path: "/edges" });
    const faults = random.once(4) ? [omitted] : [omitted, forbidden("read", 4, "/edges")];
    return [{ model: before! }, { model: changed!, faults }, { model: after! }];
  },
  /** Nobody knows whether the agent got a command, and the next program sends another, or the same. */
  lostCommand: (random, model) => {
    const path = "/tunnel_sessions";
    const faults = random.once(2)
      ? [late("POST", { path, times: 1 })]
      : [lost("POST", path), fault("refused", "read", { path, times: 50, skip: 1 })];
    const declare = (trigger: number) => ({ ...model, command: { trigger } });
    return [{ model: declare(100), faults }, { model: declare(random.int(100, 101)) }];
  },
  /** One resource updates the agent, and another restarts it. */
  twoCommands: (_, model) => [
    { model },
    { model: { ...model, update: { trigger: 1 }, command: { trigger: 100 } }, parallel: 8 },
  ],
  /** An edge moves to another parent while something else fails, so that both are in the state. Then one or all go. */
  sharedEdge: (random, model) => {
    const [before, moved] = declareEdge(random, model, { component: "" }, { component: "A", imports: true });
    const after = { ...moved!, keys: newKeys("k0") };
    const disruption = random.once(2) ? { disruption: { kind: "interrupt" as const, after: random.int(1, 3) } } : {};
    // What the program no longer has comes last.
    const end = random.once(3) ? { targets: [-1] } : { kind: "destroy" as const, ...disruption };
    return [
      { model: { ...before!, keys: [] } },
      { model: after, faults: [refusal("POST", { path: "/api_keys" })] },
      { model: after, ...end },
    ];
  },
  /** The address is wrong, and the service's own response seems to prove it. */
  falseProof: (random, model) => {
    const faults = [forbidden("read", 1, "/api_keys"), fault("wrongPath", "any", { times: 1_000 })];
    return [{ model }, { model, kind: random.pick(["refresh", "destroy"]), faults }];
  },
  /** Two keys with the same content are created, one slowly, and the response to the other is lost. */
  sameKeys: (random, model) => {
    const faults = random.once(2) ? [slow("POST"), lost("POST")] : [lost("POST"), slow("POST")];
    const after = { ...model, keys: newKeys("k0", "k1") };
    return [{ model: { ...model, keys: [] } }, { model: after, faults, parallel: 8 }];
  },
  /** A key or an edge is created halfway, and a hook asks for it again. */
  retriedCreate: (random, model) => {
    const index = random.pick(tcpEdges(model));
    const [after] = declareVersions(model, { [index]: { module: "own", imports: false } });
    const ignored = fault("ignoredProtection", "POST", { processed: "before", path: "/edges" });
    const faults = [random.pick([ignored, lost("POST", "/edges/tcp"), lost("POST", "/api_keys")])];
    if (random.once(3)) faults.push(forbidden("read", random.int(1, 2)));
    return [
      { model: { ...model, edges: model.edges.toSpliced(index, 1), keys: [] } },
      { model: { ...after!, keys: newKeys("k0") }, faults, retries: random.int(1, 3) },
    ];
  },
  /**
   * A restriction gets another name and parent while something else fails, so that both are in the state. Then a
   * namesake under another parent appears for another edge.
   */
  namesakes: (random, model) => {
    const [one, two] = random.shuffle(tcpEdges(model));
    if (two === undefined) return [];
    const [own, other] = random.shuffle(["", "A", "B"] as const);
    const name = random.pick(["r", "s"]);
    const namesake = { name, component: other! };
    const renamed = { [one!]: { separate: { name, component: own! } } };
    const [before, after, last] = declareVersions(
      model,
      {
        [one!]: { module: "separate", separate: { name: "before", component: own! } },
        [two]: { module: "own", separate: namesake },
      },
      renamed,
      { ...renamed, [two]: { module: "separate" } },
    );
    const keys = ["k0", "k1", "k2"].map((key) => ({ name: key, description: key, keeper: 9 }));
    const faults = [refusal("POST", { path: "/api_keys" })];
    return [{ model: before! }, { model: { ...after!, keys }, faults }, { model: last! }];
  },
  /** Nobody knows whether a module was set, because its edge cannot be read either. */
  unreadableModule: (random, model) => {
    const module = random.once(3) ? "none" : "separate";
    const bare = { module: "none", policy: false } as const;
    const [before, set, after] = declareEdge(random, model, bare, { module: "separate" }, { module });
    const processed = random.once(3) ? "before" : "never";
    const faults = [
      fault("resetAfter", "PUT", { processed, path: "/ip_restriction", times: 50 }),
      forbidden("read", 50, "/edges"),
    ];
    return [{ model: before! }, { model: set!, faults }, { model: after! }];
  },
  /** A gateway answers for the service that there is no such object, and somebody else deletes one meanwhile. */
  deletedMeanwhile: (random, model) => {
    const before = { ...model, keys: ["k0", "k1", "k2"].map((name) => ({ name, description: name, keeper: 0 })) };
    const faults = [fault("foreign404", "any", { status: 404, body: "html", path: "^/\\w+/\\w+$", times: 50 })];
    const outsider = { kind: "deleteObject", index: random.int(0, 9), after: 2 } as const;
    const parallel = random.pick([1, 1, 2]);
    return [{ model: before }, { model: before, kind: "destroy", continueOnError: true, parallel, faults, outsider }];
  },
  /** An edge leaves its restriction to a resource, which cannot be created; then the program has neither. */
  refusedOwner: (random, model) => {
    const policyIds = random.once(2) ? { policyIds: ["ipp_wide"] } : {};
    const [own, separate, none] = declareEdge(
      random,
      model,
      { module: "own", imports: false },
      { module: "separate", ignores: false, literal: true, ...policyIds },
      { module: "none" },
    );
    const faults = [refusal("PUT", { path: "/ip_restriction", times: 4 })];
    const parallel = random.pick([1, 8, 8]);
    return [{ model: own! }, { model: separate!, faults, continueOnError: true, parallel }, { model: none! }];
  },
};

/** Tells a story from one of the runs on, in its stack. */
export function tell(runs: PlannedRun[], random: Random): void {
  const [name, story] = random.pick(Object.entries(stories));
  const at = random.int(0, runs.length - 1);
  const { stack, model } = runs[at]!;
  if (tcpEdges(model).length === 0) return;
  const told = story(random, model).map((part): PlannedRun => {
    const plain = { kind: "up", refresh: false, continueOnError: false } as const;
    const [preview, parallel] = [random.once(3), random.pick([1, 2, 4, 8, 8])];
    return structuredClone({ ...plain, faults: [], stack, changes: [name], preview, parallel, ...part });
  });
  runs.splice(at, told.length, ...told);
}
