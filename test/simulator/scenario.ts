/** A scenario: how the world is, and what happens in it, as data. */
import type { Seed } from "../../src/emulator/objects";
import { changes, httpsEdge, httpsRoute, type Model, newModel, themes } from "./model";
import { type Fault, type FaultName, faultKinds, faultNames } from "./network";
import { Random } from "./random";
import type { ServiceTraits } from "./service";
import { stories, tell } from "./stories";

/** What happens in the middle of a run, when so many requests have been sent. */
interface Disruption {
  kind: "interrupt" | "kill" | "killHost";
  after: number;
}

/** Somebody else changes the account. */
export interface Outsider {
  kind: "deleteObject" | "deleteModule" | "lookalike";
  /** Which of the objects. */
  index: number;
  /** In the middle of the run, when so many deletions of API keys have been sent, one of which nothing was asked yet. */
  after?: number;
}

export interface PlannedRun {
  stack: number;
  /** What the program declares from now on, by the names of the changes. */
  model: Model;
  changes: string[];
  kind: "up" | "refresh" | "destroy";
  preview: boolean;
  refresh: boolean;
  parallel: number;
  continueOnError: boolean;
  /** Indexes of the resources of the program, modulo their number. */
  targets?: number[];
  /** Which of the program's resources is replaced, with what depends on it. */
  replace?: number;
  /** Which of the state's edges is protected while this runs. */
  protect?: number;
  /** How often an `onError` hook asks for a failed create again. */
  retries?: number;
  faults: Fault[];
  disruption?: Disruption;
  outsider?: Outsider;
  /** Requests per ten seconds. */
  rateLimit?: number;
  /** How many lines each process can append to the file of claims until its disk is full. */
  disk?: { lines: number };
}

/** What else than runs a scenario can be of: previews compared by exposure.ts, or the programs of declared.ts. */
export type Kind = "exposure" | "declared";

export interface Scenario {
  seed: number;
  kind?: Kind;
  provider: "dynamic" | "plugin";
  service: ServiceTraits;
  delayMs: number;
  maxRetries: number;
  timeoutSeconds: number;
  runs: PlannedRun[];
}

export const seed: Seed = {
  apiKeys: [{ id: "ak_theirs", description: "same" }],
  tcpEdges: [{ id: "edgtcp_theirs", hostports: ["theirs.example.com:1"], backend: { backend_id: "bkdhr_1" } }],
  httpsEdges: [{ id: httpsEdge, routes: [{ id: `${httpsRoute}0` }, { id: `${httpsRoute}1` }] }],
  sessions: [{ id: "ts_agent", metadata: "agent" }],
};

/** What a run has beside its program, its command and its faults. */
export const plannedOptions = ["targets", "replace", "protect", "retries", "rateLimit", "disk"] as const;
export const flags = ["preview", "refresh", "continueOnError"] as const;

/** What happens in scenarios. */
export const happenings = [
  ...faultNames.map((kind) => `fault ${kind}`),
  ...[...plannedOptions, "refresh", "continueOnError", "parallel"].map((option) => `option ${option}`),
  ...[...Object.keys(changes), ...Object.keys(stories), "revert"].map((change) => `change ${change}`),
  ...["interrupt", "kill", "killHost"].map((kind) => `disruption ${kind}`),
  ...["deleteObject", "deleteModule", "lookalike"].map((kind) => `outsider ${kind}`),
];

/** An edge itself, and none of its modules. */
const edgePath = "^/edges/\\w+/\\w+$";

function newFault(random: Random, names: FaultName[] = faultNames): Fault {
  const kind = random.pick(names);
  const { processed, status, body } = faultKinds[kind] as {
    processed: Fault["processed"][];
    status?: number[];
    body?: Fault["body"][];
  };
  const fault: Fault = {
    kind,
    processed: random.pick(processed),
    ...(status && { status: random.pick(status) }),
    ...(body && { body: random.pick(body) }),
    on: random.pick(["write", "write", "any", "read", "POST", "PUT", "PATCH", "DELETE", "DELETE"]),
    skip: random.pick([0, 0, 0, 1, 1, 2, 3, 5]),
    times: random.pick([1, 1, 2, 4, 12]),
    ms: random.pick([500, 2_000, 4_000, 8_000]),
  };
  return kind === "wrongPath" ? { ...fault, on: "any", skip: 0, times: 1_000 } : fault;
}

/** Something that is deleted or replaced cannot be deleted: mostly an edge. */
function newRefusal(random: Random): Fault {
  const path = random.pick([edgePath, edgePath, edgePath, "^/(api_keys|ssh_credentials)/"]);
  return { ...newFault(random, ["forbidden", "forbidden", "rejected", "badGateway"]), on: "DELETE", path };
}

/** The scenario with this number. */
export function newScenario(ofSeed: number, index: number): Scenario {
  const seedNumber = Random.seedOf(ofSeed, index);
  const random = new Random(seedNumber);
  const stacks = random.once(5) ? 2 : 1;
  const models = Array.from({ length: stacks }, () => newModel(random));
  const history: Model[][] = models.map((model) => [model]);
  // A scenario with few kinds of changes and faults combines them in more ways.
  const changeNames = random.once(2) ? themes[0]! : random.pick(themes);
  const faultsHere = random.once(2) ? faultNames : random.shuffle(faultNames).slice(0, 3);
  const count = random.pick([3, 4, 4, 5, 5, 6, 7]);
  const runs: PlannedRun[] = [];
  for (let index = 0; index < count; index++) {
    const stack = index < stacks ? index : random.int(0, stacks - 1);
    const model = structuredClone(history[stack]!.at(-1)!);
    const names: string[] = [];
    if (index >= stacks) {
      if (history[stack]!.length > 1 && random.once(3)) {
        Object.assign(model, structuredClone(history[stack]!.at(-2)!));
        names.push("revert");
      } else {
        for (const name of Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, () => random.pick(changeNames))) {
          changes[name]!(model, random);
          names.push(name);
        }
      }
    }
    history[stack]!.push(model);
    const isFirst = index < stacks;
    const kind = isFirst || !random.once(4) ? "up" : random.pick(["refresh", "refresh", "destroy"] as const);
    const replace = !isFirst && kind === "up" && random.once(4) ? { replace: random.int(0, 20) } : {};
    const deletes = kind === "destroy" || "replace" in replace;
    runs.push({
      stack,
      model,
      changes: names,
      kind,
      preview: random.once(3),
      refresh: kind === "up" && random.once(8),
      parallel: random.pick([1, 2, 4, 8, 8]),
      continueOnError: random.once(6),
      ...(!isFirst &&
        random.once(8) && { targets: [random.int(0, 20), ...(random.once(2) ? [random.int(0, 20)] : [])] }),
      ...replace,
      ...(!isFirst && kind !== "refresh" && random.once(deletes ? 6 : 16) && { protect: random.int(0, 9) }),
      ...(kind === "up" && random.once(8) && { retries: random.int(1, 2) }),
      faults: [
        ...Array.from({ length: random.pick(isFirst ? [0, 0, 0, 1] : [0, 1, 1, 2]) }, () =>
          newFault(random, faultsHere),
        ),
        ...(!isFirst && random.once(deletes ? 2 : 8) ? [newRefusal(random)] : []),
      ],
      ...(random.once(isFirst ? 20 : 6) && {
        disruption: {
          kind: random.pick(["interrupt", "interrupt", "kill", "killHost"] as const),
          after: random.int(1, 8),
        },
      }),
      ...(random.once(8) && {
        outsider: {
          kind: random.pick(["deleteObject", "deleteModule", "lookalike", "lookalike"] as const),
          index: random.int(0, 9),
        },
      }),
      ...(random.once(12) && { rateLimit: random.int(2, 6) }),
      ...(random.once(8) && { disk: { lines: random.pick([0, 0, 1, 2, 4, 8]) } }),
    });
  }
  if (random.once(2)) tell(runs, random);
  return {
    seed: seedNumber,
    provider: random.once(3) ? "plugin" : "dynamic",
    service: {
      skewMs: random.pick([0, 0, -25_000, 25_000, 5_000, -5_000]),
      lagMs: random.pick([0, 0, 0, 1_500, 3_000]),
      pageSize: random.pick([100, 100, 2]),
      emptyModule: random.pick(["404", "404", "null", "empty"] as const),
      deleteReturns: random.pick(["nothing", "nothing", "empty", "object"] as const),
    },
    delayMs: random.pick([5, 50, 50, 400]),
    maxRetries: random.pick([0, 0, 1, 3]),
    timeoutSeconds: random.pick([5, 15, 30]),
    runs,
  };
}

/** Smaller scenarios that may fail for the same reason, the most different first. */
export function* shrink(scenario: Scenario): Generator<Scenario> {
  const { runs } = scenario;
  const withRuns = (next: PlannedRun[]): Scenario => ({ ...scenario, runs: next });
  for (let size = Math.floor(runs.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at + size <= runs.length; at += size)
      yield withRuns(runs.filter((_, index) => index < at || index >= at + size));
  }
  const plain: Scenario = {
    ...scenario,
    service: { skewMs: 0, lagMs: 0, pageSize: 100, emptyModule: "404", deleteReturns: "nothing" },
    delayMs: 5,
  };
  if (JSON.stringify(plain) !== JSON.stringify(scenario)) yield plain;
  if (scenario.provider === "plugin") yield { ...scenario, provider: "dynamic" };
  for (const [index, run] of runs.entries()) {
    for (const { without } of listOmissions(run)) yield withRuns(runs.with(index, without));
    for (const [at, fault] of run.faults.entries()) {
      if (fault.times === 1 || fault.kind === "wrongPath") continue;
      yield withRuns(runs.with(index, { ...run, faults: run.faults.with(at, { ...fault, times: 1 }) }));
    }
  }
  yield* shrinkModels(scenario);
}

/** A run without one of the things that may influence it. */
export interface Omission {
  name: string;
  fault?: Fault;
  without: PlannedRun;
}

export function* listOmissions(run: PlannedRun): Generator<Omission> {
  const { faults, disruption, outsider, parallel } = run;
  for (const fault of faults)
    yield { name: `fault ${fault.kind}`, fault, without: { ...run, faults: faults.filter((each) => each !== fault) } };
  if (disruption) yield { name: `disruption ${disruption.kind}`, without: { ...run, disruption: undefined } };
  if (outsider) yield { name: `outsider ${outsider.kind}`, without: { ...run, outsider: undefined } };
  for (const option of plannedOptions)
    if (run[option] !== undefined) yield { name: `option ${option}`, without: { ...run, [option]: undefined } };
  for (const flag of flags) if (run[flag]) yield { name: `option ${flag}`, without: { ...run, [flag]: false } };
  if (parallel > 1) yield { name: "option parallel", without: { ...run, parallel: 1 } };
}

/** Leaves out a resource in all runs. */
function* shrinkModels(scenario: Scenario): Generator<Scenario> {
  const map = (change: (model: Model) => void): Scenario => ({
    ...scenario,
    runs: scenario.runs.map((run) => {
      const model = structuredClone(run.model);
      change(model);
      return { ...run, model };
    }),
  });
  const namesOf = (key: "edges" | "keys" | "credentials") => [
    ...new Set(scenario.runs.flatMap(({ model }) => model[key].map(({ name }) => name))),
  ];
  for (const key of ["edges", "keys", "credentials"] as const) {
    for (const name of namesOf(key)) {
      yield map((model) => {
        model[key] = (model[key] as { name: string }[]).filter((each) => each.name !== name) as never;
      });
    }
  }
  for (const key of ["oidc", "headers", "update", "command"] as const) {
    if (scenario.runs.some(({ model }) => model[key])) yield map((model) => void delete model[key]);
  }
  if (scenario.runs.some(({ model }) => model.edges.some(({ provider }) => provider)))
    yield map((model) => {
      for (const edge of model.edges) delete edge.provider;
    });
}
