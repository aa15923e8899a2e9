/**
 * The simulated engine: what the CLI does with a program and a state. Each rule names the test that shows it on the
 * real engine, or the function of the engine's source (github.com/pulumi/pulumi/pkg/v3/resource/deploy) that has it.
 */
import { titleOf } from "../../src/core/options";
import { keyOf } from "../../src/dynamic/hiddenInputs";
import {
  OperationError,
  type Options,
  type Properties,
  type Provider,
  unknown,
  Violation,
} from "../support/engine/provider";
import { ResourceDriver, type ResourceState } from "../support/engine/resourceDriver";
import { listPaths } from "./paths";
import { markDeclared, secretNames } from "./secrets";
import type { Process } from "./world";

/** A resource of a program. An argument `=urn` references the id of the resource with that URN. */
export interface Declared {
  type: string;
  name: string;
  /** The component that it belongs to, `type::name`. */
  parent?: string;
  args: Properties;
  import?: string;
  ignoreChanges?: string[];
  /** The explicit provider; without one, the stack's. */
  provider?: string;
}

export type Program = Declared[];

/** A resource in the state. */
export interface Entry extends ResourceState {
  urn: string;
  type: string;
  name: string;
  parent?: string;
  provider?: string;
  dependencies: string[];
  deletedWith?: string;
  ignoreChanges?: string[];
  /** It was replaced, and is still to be deleted. */
  isPendingDelete?: true;
  /** It was deleted, and its replacement is still to be created. */
  isPendingReplacement?: true;
  /** The option `protect`. */
  protect?: true;
}

/** A create that a killed CLI leaves as a pending operation. */
export interface PendingCreate {
  urn: string;
  type: string;
  inputs: Properties;
}

export type Op = "create" | "same" | "update" | "replace" | "delete" | "refresh";

export interface RunOptions {
  kind: "up" | "preview" | "refresh" | "destroy";
  parallel: number;
  /** `--refresh`. */
  refresh?: boolean;
  /** `--target`, the URNs. */
  targets?: string[];
  /** `--replace`, the URNs. */
  replace?: string[];
  continueOnError?: boolean;
  /** How often an `onError` hook asks for a failed create again. */
  retries?: number;
  /** The program awaits each resource before it declares the next. */
  isSerial?: boolean;
}

export const engineType = (type: string) => `pulumi-nodejs:dynamic/tunnel-edge:${type}`;

export const urnOf = ({ type, name, parent }: Pick<Declared, "type" | "name" | "parent">): string => {
  const parentType = parent === undefined ? "" : `${parent.split("::")[0]}$`;
  return `urn:pulumi:dev::test::${parentType}${engineType(type)}::${name}`;
};

/** The URNs whose ids the arguments of a resource reference. */
export const referencesOf = ({ args }: Pick<Declared, "args">): string[] =>
  Object.values(args).flatMap((value) =>
    typeof value === "string" && value.startsWith("=urn:") ? [value.slice(1)] : [],
  );

const withoutInternals = (inputs: Properties): Properties =>
  Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith("__")));

/** The edges, which a forced replacement deletes first. */
const isEdge = (type: string) => type === "TcpEdge" || type === "TlsEdge";
const isDeletedWithEdge = (type: string) => type === "TcpEdgeIpRestriction" || type === "TlsEdgeTlsTermination";

/** A provider, and the process in which it runs. */
interface Running {
  provider: Provider;
  process: Process;
}

/** What is to be done. */
interface Step {
  op: Op;
  id?: string;
  preview?: () => Promise<unknown>;
  apply: () => Promise<string>;
}

/** What the program learns of a resource: its id, also of one whose update failed. */
interface Outcome {
  id?: string;
  isDone: boolean;
}

/** A failure of a step, with its resource's URN. */
export interface Failure {
  urn: string;
  op: Op;
  message: string;
}

export class Run {
  readonly failures: Failure[] = [];
  /** What was done, or in a preview would be done, to each resource. */
  readonly done = new Map<string, Op>();
  /** What changes of each resource, if the preview says that. */
  readonly paths = new Map<string, string[]>();
  /** What was read of each resource that a plugin imports. */
  readonly imported = new Map<string, Entry>();
  /** The resources that are deleted before their replacement is created. */
  readonly deletedFirst = new Set<string>();
  /** The resources that are deleted with what they depend on, and created again. */
  private readonly recreated = new Set<string>();
  private readonly planned = new Set<string>();
  /** What a resource that is not targeted depends on in the state, and the program has not declared by then. */
  private readonly carried = new Set<string>();
  /** The ids of what was to be deleted when the run began, and the program keeps nowhere else. */
  readonly condemned: Set<string>;
  /** The edges with which module resources left the state without a call. */
  readonly withEdge = new Set<string>();
  /** The creates that have begun and not ended. Of a CLI that is killed, they are in the state (test/cli/inventory.full.test.ts). */
  readonly pendingCreates = new Set<PendingCreate>();
  /** The resources of a preview that depend on an id that is not known yet. */
  readonly isUncertain = new Set<string>();
  private isStopped = false;
  private isDead = false;
  /** How its providers were killed. */
  private ending: { error?: Error } | undefined;
  isInterrupted = false;
  private readonly providers = new Map<string, Running>();
  private readonly outcomes = new Map<string, Promise<Outcome>>();
  private generating: Promise<unknown> = Promise.resolve();
  private freeSlots: number;
  private readonly waiting: (() => void)[] = [];
  private readonly errored = new Set<string>();
  private readonly killed: Promise<never>;
  private die!: (error: Error) => void;

  constructor(
    /** The state, which every finished step changes. */
    readonly state: Entry[],
    readonly program: Program,
    readonly options: RunOptions,
    private readonly startProvider: (name: string) => Running,
  ) {
    this.freeSlots = options.parallel;
    this.condemned = this.findCondemned();
    this.killed = new Promise((_, fail) => {
      this.die = fail;
    });
    this.killed.catch(() => {});
  }

  /** How many processes of providers it has started. */
  get processes(): number {
    return this.providers.size;
  }

  get isHostKilled(): boolean {
    return this.ending?.error !== undefined;
  }

  get isPreview(): boolean {
    return this.options.kind === "preview";
  }

  private findCondemned(): Set<string> {
    const { kind, targets, replace = [] } = this.options;
    if (kind === "refresh" || kind === "preview") return new Set();
    const kept = new Set(kind === "destroy" ? [] : this.program.map(urnOf));
    const isCondemned = ({ urn, isPendingDelete }: Entry) =>
      (isPendingDelete || !kept.has(urn) || replace.includes(urn)) && (!targets || targets.includes(urn));
    const condemned = new Set(this.state.filter(isCondemned).map(({ id }) => id));
    for (const entry of this.state)
      if (!isCondemned(entry) && !isDeletedWithEdge(entry.type)) condemned.delete(entry.id);
    for (const resource of this.program) if (kind === "up" && resource.import) condemned.delete(resource.import);
    return condemned;
  }

  /** Runs to the end. Resolves to whether it succeeded; rejects if it is killed. */
  async execute(): Promise<boolean> {
    await Promise.race([this.work(), this.killed]);
    return this.failures.length === 0 && !this.isInterrupted;
  }

  /** One Ctrl-C: what runs is awaited, and nothing new starts (test/core/deployment/deployment.test.ts). */
  interrupt(): void {
    this.isInterrupted = true;
    this.isStopped = true;
    for (const { provider } of this.providers.values()) provider.cancel?.();
  }

  /** The CLI is killed, and its providers exit with it (test/cli/killed.full.test.ts). */
  kill(): void {
    this.isDead = true;
    this.endProviders({});
    this.die(new Killed());
  }

  /** Only a provider's process is killed: every call of it fails (test/cli/killed.full.test.ts). */
  killProviders(): void {
    this.endProviders({ error: new OperationError("error reading from server: EOF") });
  }

  /** Those that would start later, too. */
  private endProviders(ending: { error?: Error }): void {
    this.ending = ending;
    for (const { process } of this.providers.values()) process.kill(ending.error);
  }

  private async work(): Promise<void> {
    const { kind, refresh } = this.options;
    if (kind === "refresh" || refresh) await this.refreshAll();
    if (kind === "refresh" || this.isStopped || this.failures.length > 0) return;
    if (kind !== "destroy") {
      const registrations: Promise<Outcome>[] = [];
      for (const resource of this.program) {
        const outcome = this.register(resource);
        this.outcomes.set(urnOf(resource), outcome);
        registrations.push(outcome);
        if (this.options.isSerial) await outcome;
      }
      await Promise.all(registrations);
    }
    if (!this.isStopped) await this.deleteAll();
  }

  /** Steps of the generator come one after the other, and the next only when the last has a slot (ExecuteSerial). */
  private generate<T>(work: () => Promise<T>): Promise<T | undefined> {
    const turn = this.generating.then(() => (this.isStopped || this.isDead ? undefined : work()));
    this.generating = turn.catch(() => undefined);
    return turn;
  }

  private async takeSlot(): Promise<void> {
    if (this.freeSlots-- > 0) return;
    await new Promise<void>((done) => this.waiting.push(done));
  }

  private releaseSlot(): void {
    this.freeSlots++;
    this.waiting.shift()?.();
  }

  private async inSlot(urn: string, op: Op, work: () => Promise<void>): Promise<void> {
    await this.takeSlot();
    try {
      if (!this.isStopped) await work();
    } catch (error) {
      this.fail(urn, op, error);
    } finally {
      this.releaseSlot();
    }
  }

  private provider(name = "default"): Provider {
    const running = this.providers.get(name) ?? this.startProvider(name);
    this.providers.set(name, running);
    if (this.ending) running.process.kill(this.ending.error);
    return running.provider;
  }

  private driverOf(
    { type, name, parent, provider }: Declared | Entry,
    opts: Options = {},
    state?: Entry,
  ): ResourceDriver {
    const options = { ...(parent !== undefined && { parents: parent }), ...opts };
    const driver = new ResourceDriver(this.provider(provider), type, name, options);
    driver.state = state;
    return driver;
  }

  /** The state has the option of the last program (RefreshStep: s.old.IgnoreChanges). */
  private driverOfState = (entry: Entry): ResourceDriver =>
    this.driverOf(entry, entry.ignoreChanges && { ignoreChanges: entry.ignoreChanges }, entry);

  private liveEntry = (urn: string) => this.state.find((each) => each.urn === urn && !each.isPendingDelete);

  /** Changes the state. A killed CLI saves nothing. */
  private save(change: (state: Entry[]) => void): void {
    if (!this.isDead && !this.isPreview) change(this.state);
  }

  private fail(urn: string, op: Op, error: unknown): void {
    if (error instanceof Violation) throw error;
    this.failures.push({ urn, op, message: (error as Error).message });
    this.errored.add(urn);
    if (!this.options.continueOnError || op === "refresh") this.isStopped = this.isStopped || op !== "refresh";
  }

  private async register(resource: Declared): Promise<Outcome> {
    const urn = urnOf(resource);
    const args: Properties = {};
    let isBlocked = false;
    for (const [key, value] of Object.entries(resource.args)) {
      const isReference = typeof value === "string" && value.startsWith("=urn:");
      const { id, isDone } = isReference ? await this.outcomes.get(value.slice(1))! : { id: value, isDone: true };
      isBlocked ||= !isDone;
      // Only a preview passes unknown values on to the provider (generateSteps: allowUnknowns).
      if (id !== undefined || this.isPreview) args[key] = markDeclared(id ?? unknown);
      if (args[key] === unknown) this.isUncertain.add(urn);
    }
    let isFatal = true;
    try {
      const step = await this.generate(async () => {
        const planned = await this.plan(resource, args);
        isFatal = false;
        // What depends on a failed step is skipped (handleSingleEvent, doesStepDependOn).
        if (isBlocked || !planned) return undefined;
        if (!this.isPreview) await this.takeSlot();
        return planned;
      });
      if (!step) return { isDone: false };
      this.done.set(urn, step.op);
      if (this.isPreview) {
        await step.preview?.();
        return { id: step.id ?? unknown, isDone: true };
      }
      try {
        if (this.isStopped) return { isDone: false };
        return { id: await step.apply(), isDone: true };
      } finally {
        this.releaseSlot();
      }
    } catch (error) {
      const op = this.done.get(urn) ?? "same";
      this.done.delete(urn);
      this.fail(urn, op, error);
      // A failed check or diff ends the run, also with --continue-on-error (generateSteps: BailErrorf).
      if (isFatal) this.isStopped = true;
      return { id: op === "replace" ? undefined : this.liveEntry(urn)?.id, isDone: false };
    }
  }

  private optionsOf(resource: Declared): Options {
    const { type, args } = resource;
    const edgeUrn =
      typeof args.edgeId === "string" && args.edgeId.startsWith("=urn:") ? args.edgeId.slice(1) : undefined;
    const edge = this.program.find((each) => edgeUrn !== undefined && urnOf(each) === edgeUrn);
    return {
      ...(this.isPreview && { preview: true }),
      ...(resource.import !== undefined && { import: resource.import }),
      ...(resource.ignoreChanges && { ignoreChanges: resource.ignoreChanges }),
      secrets: secretNames(markDeclared(args)),
      ...(edge && { edgeKey: keyOf(titleOf(edge.type, edge.name), edge.parent) }),
      ...(isEdge(type) && resource.import === undefined && { deleteBeforeReplace: true }),
    };
  }

  /**
   * Check, Diff, and the step that they ask for (generateSteps, continueStepsFromDiff). Nothing is to be done with what is
   * new and not targeted.
   */
  private async plan(resource: Declared, args: Properties): Promise<Step | undefined> {
    const urn = urnOf(resource);
    const { targets, replace } = this.options;
    const found = this.liveEntry(urn);
    // Seen in a replay: a resource that is not targeted brings what it depends on, which is then there twice.
    if (this.carried.has(urn)) throw new OperationError(`Duplicate resource URN '${urn}'; try giving it a unique name`);
    this.planned.add(urn);
    // Without a target, nothing is checked, and what is new is not created.
    if (targets && !targets.includes(urn)) {
      if (!found) return undefined;
      const { id, dependencies } = found;
      for (const dependency of dependencies) if (!this.planned.has(dependency)) this.carried.add(dependency);
      return { op: "same", id, apply: async () => id };
    }
    const driver = this.driverOf(resource, this.optionsOf(resource), found);
    const provider = this.provider(resource.provider);
    const isImport = !found && resource.import !== undefined && provider.import !== undefined;
    if (isImport) await driver.import(resource.import!);
    const old = found ?? (driver.state && this.entryOf(resource, driver.state));
    if (isImport) {
      this.imported.set(urn, structuredClone(old!));
      this.save((state) => state.push(old!));
    }
    driver.state = old;
    // What was deleted with what it depends on is created again, without a diff (generateSteps: recreating).
    const isForced = replace?.includes(urn) === true || this.recreated.has(urn);
    const inputs = await driver.check(args, driver.options, isForced ? {} : old?.inputs);
    // The engine asks a plugin what a create or an update would return (CreateStep, UpdateStep).
    const previewOf = (olds: Entry | undefined, news: Properties) => ({
      ...(provider.preview && { preview: () => provider.preview!(driver.registration(), olds, news) }),
    });
    if (!old) {
      const apply = () => this.create(resource, driver, inputs);
      return { op: "create", ...previewOf(undefined, inputs), apply };
    }
    const { changes, replaces, deleteBeforeReplace } = isForced
      ? { changes: true, replaces: ["forced"], deleteBeforeReplace: false }
      : await this.diff(urn, driver, old, inputs);
    if (replaces.length > 0 || old.isPendingReplacement) {
      const fresh = isForced ? inputs : await driver.check(args, driver.options, {});
      const isDeletedFirst = driver.options.deleteBeforeReplace ?? deleteBeforeReplace;
      // (continueStepsFromDiff: "unable to replace resource")
      if (old.protect && !this.isPreview) throw new OperationError("it is protected");
      const dependents = isDeletedFirst && !old.isPendingReplacement ? await this.findDependents(old) : [];
      const apply = isDeletedFirst
        ? () => this.deleteAndCreate(resource, driver, old, fresh, dependents)
        : () =>
            this.create(resource, driver, fresh, () => {
              old.isPendingDelete = true;
            });
      return { op: "replace", ...previewOf(undefined, fresh), apply };
    }
    if (changes !== false || old.hasInitErrors) {
      const apply = () => this.update(resource, driver, old, inputs);
      return { op: "update", id: old.id, ...previewOf(old, inputs), apply };
    }
    const { id, outputs } = old;
    // After an import the engine keeps the inputs that were read until the next run.
    const same = this.entryOf(resource, { id, outputs, inputs: isImport ? old.inputs : inputs });
    const apply = async () => {
      this.save((state) => state.splice(state.indexOf(old), 1, same));
      return id;
    };
    return { op: "same", id, apply };
  }

  /**
   * What is replaced with a resource that is deleted first: what it has of that resource is not known, and changes then.
   * It is diffed without a check (calculateDependentReplacements; test/cli/deletions.full.test.ts).
   */
  private async findDependents({ urn }: Entry): Promise<Entry[]> {
    const dependents: Entry[] = [];
    for (const entry of this.state.filter((each) => each.dependencies.includes(urn) && !each.isPendingDelete)) {
      const { replaces } = await this.driverOfState(entry).diff(entry, { ...entry.inputs, edgeId: unknown });
      if (replaces.length === 0) continue;
      dependents.push(entry);
      this.recreated.add(entry.urn);
    }
    return dependents;
  }

  /** If the provider does not say whether there are changes, the engine shows how the inputs differ. */
  private async diff(urn: string, driver: ResourceDriver, old: Entry, inputs: Properties) {
    const diff = await driver.diff(old, inputs);
    const [before, after] = [old.inputs, inputs].map(withoutInternals) as [Properties, Properties];
    const compare = () =>
      Object.keys({ ...before, ...after }).flatMap((name) => listPaths(name, before[name], after[name]));
    const paths = diff.changes === undefined ? compare() : diff.paths;
    if (paths) this.paths.set(urn, paths);
    return diff;
  }

  private entryOf({ args, import: _, ...declared }: Declared, state: ResourceState): Entry {
    const { id, inputs, outputs, hasInitErrors } = state;
    const dependencies = referencesOf({ args });
    const isDynamic = this.provider(declared.provider).kind === "dynamic";
    const deletedWith = isDynamic && isDeletedWithEdge(declared.type) ? dependencies[0] : undefined;
    return {
      ...declared,
      urn: urnOf(declared),
      id,
      inputs,
      outputs,
      dependencies,
      ...(hasInitErrors && { hasInitErrors }),
      ...(deletedWith !== undefined && { deletedWith }),
    };
  }

  /** The state has what was created, also if that failed halfway, and then not what it replaces. */
  private async create(resource: Declared, driver: ResourceDriver, inputs: Properties, replace = () => {}) {
    const pending = { urn: urnOf(resource), type: resource.type, inputs };
    this.pendingCreates.add(pending);
    try {
      await this.createWithRetries(driver, inputs);
    } finally {
      if (!this.isDead) this.pendingCreates.delete(pending);
      const created = driver.state && this.entryOf(resource, driver.state);
      if (created)
        this.save((state) => {
          state.push(created);
          replace();
        });
    }
    return driver.id;
  }

  /** A retry forgets what the failed create returned, and only the hook hears of it (test/cli/hooks.full.test.ts). */
  private async createWithRetries(driver: ResourceDriver, inputs: Properties) {
    for (let left = this.options.retries ?? 0; ; left--) {
      driver.state = undefined;
      try {
        return await driver.create(inputs);
      } catch (error) {
        if (left === 0 || this.isInterrupted || error instanceof Violation) throw error;
      }
    }
  }

  private async deleteAndCreate(
    resource: Declared,
    driver: ResourceDriver,
    old: Entry,
    inputs: Properties,
    dependents: Entry[],
  ): Promise<string> {
    this.deletedFirst.add(old.urn);
    for (const entry of [...dependents, old].filter((each) => !each.isPendingReplacement)) {
      await this.driverOf(entry, {}, entry).delete();
      this.save(() => {
        entry.isPendingReplacement = true;
      });
      // The next step of the chain does not start (executeChain).
      if (this.isStopped && this.isInterrupted) throw new OperationError("interrupted");
    }
    return this.create(resource, driver, inputs, () => this.state.splice(this.state.indexOf(old), 1));
  }

  private async update(resource: Declared, driver: ResourceDriver, old: Entry, inputs: Properties): Promise<string> {
    try {
      await driver.update(inputs);
    } finally {
      const updated = this.entryOf(resource, driver.state!);
      if (driver.state !== old) this.save((state) => state.splice(state.indexOf(old), 1, updated));
    }
    return old.id;
  }

  /** What the program no longer has, and what was replaced, dependents first (GenerateDeletes, ScheduleDeletes). */
  private async deleteAll(): Promise<void> {
    const { targets } = this.options;
    const declared = new Set(this.options.kind === "destroy" ? [] : this.program.map(urnOf));
    const isDeleted = (entry: Entry) =>
      (entry.isPendingDelete || !declared.has(entry.urn)) && (!targets || targets.includes(entry.urn));
    let rest = this.state.filter(isDeleted);
    const deletes = new Set(rest.map(({ urn }) => urn));
    // What a failed step depends on stays (performPostSteps).
    const blocked = new Set<string>();
    const block = (urn: string) => {
      for (const entry of this.state.filter((each) => each.urn === urn)) {
        for (const dependency of entry.dependencies) {
          if (blocked.has(dependency)) continue;
          blocked.add(dependency);
          block(dependency);
        }
      }
    };
    while (rest.length > 0 && !this.isStopped && !this.isDead) {
      for (const urn of this.errored) block(urn);
      const isFree = (entry: Entry) =>
        !rest.some((other) => other !== entry && other.urn !== entry.urn && other.dependencies.includes(entry.urn));
      const free = rest.filter(isFree);
      const antichain = free.length > 0 ? free : rest;
      rest = rest.filter((entry) => !antichain.includes(entry));
      await Promise.all(
        antichain.filter(({ urn }) => !blocked.has(urn)).map((entry) => this.deleteEntry(entry, deletes)),
      );
    }
  }

  private async deleteEntry(entry: Entry, deletes: Set<string>): Promise<void> {
    const markDone = () => {
      if (!entry.isPendingDelete) this.done.set(entry.urn, "delete");
    };
    if (this.isPreview) return markDone();
    await this.inSlot(entry.urn, "delete", async () => {
      // Only in the step itself: what depends on it is deleted already (test/cli/deletions.full.test.ts).
      if (entry.protect) throw new OperationError("it is protected");
      const isWithEdge = entry.deletedWith !== undefined && deletes.has(entry.deletedWith);
      if (isWithEdge) this.withEdge.add(entry.deletedWith!);
      else if (!entry.isPendingReplacement) await this.driverOf(entry, {}, entry).delete();
      this.save((state) => state.splice(state.indexOf(entry), 1));
      markDone();
    });
  }

  /** Every resource is read, whatever becomes of the others, and compared (deploymentExecutor.refresh, RefreshStep). */
  private async refreshAll(): Promise<void> {
    const { targets } = this.options;
    const isRead = ({ urn, isPendingReplacement }: Entry) =>
      !isPendingReplacement && (!targets || targets.includes(urn));
    const reads = this.state.filter(isRead).map((entry) =>
      this.inSlot(entry.urn, "refresh", async () => {
        const driver = this.driverOfState(entry);
        const isGone = (await driver.refresh()) === "gone";
        if (isGone) return this.save((state) => state.splice(state.indexOf(entry), 1));
        const { hasInitErrors: _, ...rest } = entry;
        const now = { ...rest, ...driver.state! };
        await driver.diff(now, entry.inputs);
        this.save((state) => state.splice(state.indexOf(entry), 1, now));
      }),
    );
    await Promise.all(reads);
  }
}

export class Killed extends Error {}
