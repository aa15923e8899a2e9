/** What a scenario's runs look like from outside, in the simulation: what a replay on the real CLI must show, too. */
import { isDeepStrictEqual } from "node:util";
import { type Properties, type Provider, type Registration, Violation } from "../support/engine/provider";
import { type Entry, type Program, type RunOptions, referencesOf, urnOf } from "./engine";
import type { Exchange, Fault } from "./network";
import { newScenario, type PlannedRun, type Scenario } from "./scenario";
import { type Execution, isShown, Simulation, type Stack } from "./simulation";
import { World } from "./world";

/** What is compared of a run. */
export interface Observation {
  /** The number of the scenario's run, and its command. */
  run: number;
  command: string;
  isSuccess: boolean;
  /** What the engine asks of each resource, in order. */
  asked: Record<string, string[]>;
  /** How often each operation was called with each path, as far as that does not depend on time. */
  calls: Record<string, number>;
  state: Record<string, Properties>;
  messages: string[];
}

/** Times, and random ids, differ from run to run. */
const withoutTimes = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
      .replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, "<uuid>")
      .replace(/\bop_\w+/g, "<operation>"),
  ) as T;

/** How often something is retried depends on time, and so does how often a list is read until it shows something. */
const maxCounted = (method: string) => (method === "GET" ? 1 : 2);

const withoutInternals = (properties: Properties): Properties =>
  Object.fromEntries(
    Object.entries(properties).filter(([name]) => !name.startsWith("__") && name !== "id" && name !== "urn"),
  );

const describeEntry = ({ id, inputs, outputs, isPendingDelete, isPendingReplacement, hasInitErrors }: Entry) => ({
  id,
  inputs: withoutInternals(inputs),
  outputs: withoutInternals(outputs),
  ...(isPendingDelete && { isPendingDelete }),
  ...(isPendingReplacement && { isPendingReplacement }),
  ...(hasInitErrors && { hasInitErrors }),
});

/** Whether the program awaits each resource. Of one that failed it would wait in vain. */
export const isSerialRun = ({ parallel, continueOnError }: RunOptions) => parallel === 1 && !continueOnError;

/** Runs the runs of a scenario, without what the user does after them, and records what they look like. */
export abstract class Observed extends Simulation {
  readonly observations: Observation[] = [];
  readonly exchanges: Exchange[] = [];
  /** Whether two creates of a run had the same content: which of them got which id was chance. */
  isAmbiguous = false;
  private runs = 0;

  override async run(): Promise<void> {
    for (const planned of this.scenario.runs) {
      await this.step(planned);
      this.runs++;
    }
  }

  protected override async settle(): Promise<void> {}

  protected record({ run, isSuccess, messages, requests }: Execution, asked: Observation["asked"]): void {
    const { kind, parallel } = run.options;
    this.exchanges.push(...requests);
    const calls: Observation["calls"] = {};
    for (const { request } of requests) {
      // Which reads share a list depends on which come at the same time.
      if (parallel > 1 && request.method === "GET") continue;
      const call = `${request.method} ${request.path}`;
      calls[call] = Math.min((calls[call] ?? 0) + 1, maxCounted(request.method));
    }
    const created = requests.filter(({ request, status }) => request.method === "POST" && status === 201);
    const contents = new Set(created.map(({ request }) => `${request.path} ${request.body}`));
    this.isAmbiguous ||= parallel > 1 && contents.size < created.length;
    const state: Observation["state"] = {};
    for (const entry of run.state) state[`${entry.urn}${entry.isPendingDelete ? " (old)" : ""}`] = describeEntry(entry);
    const [number, unique] = [this.runs, [...new Set(messages.filter(isShown).map(({ text }) => text))].sort()];
    // Whether a Ctrl-C in the last step makes the CLI fail is the CLI's affair.
    const hasSucceeded = isSuccess && !run.isInterrupted;
    this.observations.push(
      withoutTimes({ run: number, command: kind, isSuccess: hasSucceeded, asked, calls, state, messages: unique }),
    );
  }
}

const asks = ["check", "diff", "preview", "create", "read", "update", "delete", "import"] as const;

/** The name by which the engine asks. */
const askedAs = (ask: (typeof asks)[number], old: unknown): string =>
  ask === "import" ? "read" : ask === "preview" ? (old === undefined ? "create" : "update") : ask;

export class Rehearsal extends Observed {
  private asked: Observation["asked"] = {};

  protected override async execute(stack: Stack, program: Program, options: RunOptions, planned?: PlannedRun) {
    this.asked = {};
    const isSerial = isSerialRun(options);
    const ordered = isSerial ? program : this.shuffle(program);
    // What is read and deleted first depends on the order of the state.
    stack.state = this.world.random.shuffle(stack.state);
    const result = await super.execute(stack, ordered, { ...options, ...(isSerial && { isSerial }) }, planned);
    this.record(result, this.asked);
    return result;
  }

  /** Resources reach the engine in an order that is not the program's, but each after what it references. */
  private shuffle(program: Program): Program {
    const shuffled = this.world.random.shuffle(program);
    return [
      ...shuffled.filter((each) => referencesOf(each).length === 0),
      ...shuffled.filter((each) => referencesOf(each).length > 0),
    ];
  }

  protected override observe(provider: Provider): Provider {
    const spied = Object.create(provider) as Record<string, unknown>;
    for (const ask of asks) {
      const work = provider[ask] as ((resource: Registration, ...rest: unknown[]) => unknown) | undefined;
      if (!work) continue;
      spied[ask] = (resource: Registration, ...rest: unknown[]) => {
        const urn = urnOf({ ...resource, parent: resource.opts?.parents });
        this.asked[urn] ??= [];
        this.asked[urn].push(askedAs(ask, rest[0]));
        return work(resource, ...rest);
      };
    }
    return spied as unknown as Provider;
  }
}

/**
 * Without what cannot be replayed, or not in the same order. Where something goes wrong at one request, the order of
 * requests must be the same. And keys that differ in nothing could change places.
 */
export const toReplayable = (scenario: Scenario): Scenario => ({
  ...scenario,
  delayMs: 5,
  runs: scenario.runs.map((run) => {
    // A server cannot refuse a connection that it has accepted.
    const faults = run.faults.filter(({ kind }) => kind !== "refused");
    const isDelicate = ({ on }: Fault) => !run.continueOnError || on === "any" || on === "read";
    const isOneByOne = run.disruption !== undefined || run.rateLimit !== undefined || faults.some(isDelicate);
    const { version: _, ...model } = run.model;
    const keys = model.keys.map((key) => ({ ...key, description: `${key.description} ${key.name}` }));
    // A program of the replay has the stack's provider and one explicit one, of the same kind and version.
    const edges = model.edges.map(({ provider, ...edge }) => ({
      ...edge,
      ...(provider === "second" && { provider }),
    }));
    // A disk of the machine is not full after so many lines of each process. The Node language host that the set-up
    // builds knows no hooks. And programs for the plugin have no deleteBeforeReplace.
    const left = { disk: undefined, retries: undefined, protect: undefined };
    const replace = scenario.provider === "plugin" ? { replace: undefined } : {};
    // A refresh goes on asking a host that was killed, whose errors then depend on when it does.
    const isAskedOn = run.disruption?.kind === "killHost" && (run.kind === "refresh" || run.refresh);
    const disruption = isAskedOn ? { disruption: undefined } : {};
    const oneByOne = isOneByOne && { parallel: 1 };
    return { ...run, ...left, ...replace, ...disruption, faults, model: { ...model, edges, keys }, ...oneByOne };
  }),
});

/** Runs a scenario. Returns nothing if it fails. */
export async function rehearse(scenario: Scenario, world?: World): Promise<Rehearsal | undefined> {
  const rehearsal = new Rehearsal(scenario, world);
  try {
    await rehearsal.run();
    return rehearsal;
  } catch (error) {
    if (error instanceof Violation) return undefined;
    throw error;
  }
}

/** The longest time that a replay may wait. */
const maxWaitMs = 20_000;
const variants = 6;

const countCalls = ({ calls }: Observation) => Object.values(calls).reduce((sum, count) => sum + count, 0);

/** What a set of replays has in equal parts: what one of its runs is, and shows. */
const features: ((run: PlannedRun, shown: Observation) => boolean)[] = [
  ({ parallel }, shown) => parallel > 1 && countCalls(shown) > 1,
  ({ disruption }, shown) => disruption !== undefined && countCalls(shown) >= disruption.after,
  ({ targets }) => targets !== undefined,
  ({ continueOnError, faults }, { isSuccess }) => continueOnError && faults.length > 0 && !isSuccess,
];

async function observe(scenario: Scenario, variant = 0): Promise<Observation[] | undefined> {
  const world = new World(scenario.seed + variant);
  const started = world.now;
  const rehearsal = await rehearse(scenario, world);
  return world.now - started > maxWaitMs || rehearsal?.isAmbiguous ? undefined : rehearsal?.observations;
}

/** What a scenario shows if that does not depend on who comes first, and a replay does not take long. */
async function observeSame(scenario: Scenario, feature: (typeof features)[number]): Promise<Observation[] | undefined> {
  const shown = await observe(scenario);
  const hasFeature = shown?.some((each) => each.command !== "preview" && feature(scenario.runs[each.run]!, each));
  if (!hasFeature) return undefined;
  for (let variant = 1; variant < variants; variant++) {
    if (!isDeepStrictEqual(await observe(scenario, variant), shown)) return undefined;
  }
  return shown;
}

export interface Drawn {
  index: number;
  scenario: Scenario;
  expected: Observation[];
}

/** The scenario with this number, whether or not its outcome depends on timing. */
export async function rehearseOne(seed: number, index: number): Promise<Drawn> {
  const scenario = toReplayable(newScenario(seed, index));
  const expected = await observe(scenario);
  if (!expected) throw new Error(`Scenario ${index} fails, or takes too long for a replay.`);
  return { index, scenario, expected };
}

/** Scenarios that can be replayed, each with the next of the features, in the order of their numbers. */
export async function* drawReplays(seed: number): AsyncGenerator<Drawn, never> {
  for (let index = 0, drawn = 0; ; index++) {
    const scenario = toReplayable(newScenario(seed, index));
    const expected = await observeSame(scenario, features[drawn % features.length]!);
    if (!expected) continue;
    drawn++;
    yield { index, scenario, expected };
  }
}
