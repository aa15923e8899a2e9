/**
 * The simulated engine: what the CLI does with a program and a state. Each rule names the test that shows it on the
 * real engine, or the function of the engine's source (github.com/pulumi/pulumi/pkg/v3/resource/deploy) that has it.
 */
import { isDeepStrictEqual } from "node:util";
import { ignoredNames, titleOf } from "../../src/core/options";
import { keyOf } from "../../src/dynamic/hiddenInputs";
import {
  type Diff,
  OperationError,
  type Options,
  type Properties,
  type Provider,
  type Registration,
  type SavedResource,
  unknown,
  Violation,
} from "../support/engine/provider";
import { listPaths } from "./paths";
import type { Running } from "./provider";
import { markDeclared, secretNames } from "./secrets";

/** A resource of the program, which a plugin knows by its URN. */
export interface Identity extends Registration {
  urn: string;
}

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
export interface Entry extends SavedResource {
  urn: string;
  type: string;
  name: string;
  parent?: string;
  provider?: string;
  dependencies: string[];
  deletedWith?: string;
  ignoreChanges?: string[];
  /** The last create or update failed halfway, so the engine updates the resource even if nothing changed. */
  hasInitErrors?: true;
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

/** What is to be done. What is skipped is new and not targeted, or depends on what failed. */
type Step =
  | { op: Op; id?: string; preview?: () => Promise<unknown>; apply: () => Promise<string> }
  | { op: Op; skipped: true };

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
    for (const { process } of this.providers.values()) process.kill();
    this.die(new Killed());
  }

  /** Only a provider's process is killed: every call of it fails (test/cli/killed.full.test.ts). */
  killProviders(): void {
    for (const { process } of this.providers.values()) process.kill();
    this.failHung(new OperationError("error reading from server: EOF"));
  }

  private readonly hung = new Set<(error: Error) => void>();
  private hostError: Error | undefined;

  private failHung(error: Error): void {
    this.hostError = error;
    for (const fail of [...this.hung]) fail(error);
  }

  /** Calls a provider, whose process may be killed meanwhile. */
  private call<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) return new Promise(() => {});
    if (this.hostError) return Promise.reject(this.hostError);
    return new Promise((done, fail) => {
      this.hung.add(fail);
      work()
        .then(done, fail)
        .finally(() => this.hung.delete(fail));
    });
  }

  private async work(): Promise<void> {
    const { kind, refresh, targets = [] } = this.options;
    // Only what the state has can be refreshed: the CLI rejects other targets, or else the engine does, unless the state
    // is empty (resolveTargets, checkTargets).
    const missing = targets.filter((urn) => !this.liveEntry(urn));
    if (kind === "refresh" && missing.length > 0)
      return this.fail(missing[0]!, "refresh", new Error(`no resource named '${missing[0]}' found`));
    if (refresh && missing.length > 0 && this.state.length > 0) {
      for (const urn of missing) {
        const hint = urn.includes("$") ? "" : " Did you forget to escape $ in your shell?";
        this.fail(urn, "refresh", new Error(`Target '${urn}' could not be found in the stack.${hint}`));
      }
      return;
    }
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

  private provider(name: string | undefined): Provider {
    const key = name ?? "default";
    const running = this.providers.get(key) ?? this.startProvider(key);
    this.providers.set(key, running);
    return running.provider;
  }

  private identityOf = (
    { type, name, parent }: Pick<Entry, "type" | "name" | "parent">,
    opts: Options = {},
  ): Identity => ({
    type,
    name,
    urn: urnOf({ type, name, parent }),
    opts: { ...(parent !== undefined && { parents: parent }), ...opts },
  });

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
        if (isBlocked || "skipped" in planned) return undefined;
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

  /** Check, Diff, and the step that they ask for (generateSteps, continueStepsFromDiff). */
  private async plan(resource: Declared, args: Properties): Promise<Step> {
    const urn = urnOf(resource);
    const { targets, replace } = this.options;
    const provider = this.provider(resource.provider);
    const opts = this.optionsOf(resource);
    const identity = this.identityOf(resource, opts);
    let old = this.liveEntry(urn);
    // Seen in a replay: a resource that is not targeted brings what it depends on, which is then there twice.
    if (this.carried.has(urn)) throw new OperationError(`Duplicate resource URN '${urn}'; try giving it a unique name`);
    this.planned.add(urn);
    // Without a target, nothing is checked, and what is new is not created.
    if (targets && !targets.includes(urn)) {
      if (!old) return { op: "same", skipped: true };
      const { id } = old;
      for (const dependency of old.dependencies) if (!this.planned.has(dependency)) this.carried.add(dependency);
      return { op: "same", id, apply: async () => id };
    }
    let imported: SavedResource | undefined;
    if (!old && resource.import !== undefined && provider.import) {
      imported = await this.call(() => provider.import!(identity, resource.import!));
      old = { ...this.newEntry(resource, imported, imported.inputs) };
      const entry = old;
      this.save((state) => state.push(entry));
    }
    // What was deleted with what it depends on is created again, without a diff (generateSteps: recreating).
    const isForced = replace?.includes(urn) === true || this.recreated.has(urn);
    const check = async (olds: Properties) => {
      const { inputs, failures } = await this.call(() =>
        provider.check(identity, olds, withIgnored(olds, args, resource)),
      );
      if (failures.length > 0) throw new OperationError(failures.join("\n"));
      return inputs;
    };
    const inputs = await check(isForced ? {} : (old?.inputs ?? {}));
    // The engine asks a plugin what a create or an update would return (CreateStep, UpdateStep).
    const previewOf = (olds: Entry | undefined, news: Properties) => ({
      ...(provider.preview && { preview: () => this.call(() => provider.preview!(identity, olds, news)) }),
    });
    if (!old) {
      const apply = () => this.create(resource, provider, identity, inputs);
      return { op: "create", ...previewOf(undefined, inputs), apply };
    }
    const before = old;
    const diff: Diff = isForced
      ? { changes: true, replaces: ["forced"], deleteBeforeReplace: false }
      : await this.diff(provider, identity, before, inputs);
    if (diff.paths) this.paths.set(urn, diff.paths);
    if (diff.replaces.length > 0 || before.isPendingReplacement) {
      const fresh = isForced ? inputs : await check({});
      const isDeletedFirst = opts.deleteBeforeReplace ?? diff.deleteBeforeReplace;
      // (continueStepsFromDiff: "unable to replace resource")
      if (before.protect && !this.isPreview) throw new OperationError("it is protected");
      const dependents = isDeletedFirst && !before.isPendingReplacement ? await this.findDependents(before) : [];
      return {
        op: "replace",
        ...previewOf(undefined, fresh),
        apply: () => this.replace(resource, provider, identity, before, fresh, isDeletedFirst, dependents),
      };
    }
    if (diff.changes !== false || before.hasInitErrors) {
      const apply = () => this.update(resource, provider, identity, before, inputs);
      return { op: "update", id: before.id, ...previewOf(before, inputs), apply };
    }
    return {
      op: "same",
      id: before.id,
      apply: async () => {
        // After an import the engine keeps the inputs that were read until the next run.
        const changed = { ...this.newEntry(resource, before, imported ? before.inputs : inputs) };
        this.save((state) => state.splice(state.indexOf(before), 1, changed));
        return before.id;
      },
    };
  }

  /**
   * What is replaced with a resource that is deleted first: what it has of that resource is not known, and changes then.
   * It is diffed without a check (calculateDependentReplacements; test/cli/deletions.full.test.ts).
   */
  private async findDependents({ urn }: Entry): Promise<Entry[]> {
    const dependents: Entry[] = [];
    for (const entry of this.state.filter((each) => each.dependencies.includes(urn) && !each.isPendingDelete)) {
      const identity = this.identityOf(entry, entry.ignoreChanges && { ignoreChanges: entry.ignoreChanges });
      const inputs = { ...entry.inputs, edgeId: unknown };
      const { replaces } = await this.diff(this.provider(entry.provider), identity, entry, inputs);
      if (replaces.length === 0) continue;
      dependents.push(entry);
      this.recreated.add(entry.urn);
    }
    return dependents;
  }

  /** If the provider does not say whether there are changes, the engine compares all inputs. */
  private async diff(provider: Provider, identity: Identity, old: Entry, inputs: Properties) {
    const diff = await this.call(() => provider.diff(identity, old, inputs));
    if (diff.changes !== undefined) return diff;
    if (isDeepStrictEqual(old.inputs, inputs)) return { changes: false, replaces: [], deleteBeforeReplace: false };
    const [before, after] = [old.inputs, inputs].map(withoutInternals) as [Properties, Properties];
    return {
      ...diff,
      paths: Object.keys({ ...before, ...after }).flatMap((name) => listPaths(name, before[name], after[name])),
    };
  }

  private newEntry(resource: Declared, saved: { id: string; outputs: Properties }, inputs: Properties): Entry {
    const { type, name, parent, provider, args, ignoreChanges } = resource;
    const dependencies = referencesOf({ args });
    const deletedWith = isDeletedWithEdge(type) ? dependencies[0] : undefined;
    return {
      urn: urnOf(resource),
      type,
      name,
      ...(parent !== undefined && { parent }),
      ...(provider !== undefined && { provider }),
      id: saved.id,
      inputs,
      outputs: saved.outputs,
      dependencies,
      ...(ignoreChanges && { ignoreChanges }),
      ...(deletedWith !== undefined && this.isDynamic(provider) && { deletedWith }),
    };
  }

  private isDynamic = (provider: string | undefined) => this.provider(provider).import === undefined;

  private async create(resource: Declared, provider: Provider, identity: Identity, inputs: Properties) {
    const pending = { urn: urnOf(resource), type: resource.type, inputs };
    this.pendingCreates.add(pending);
    const ended = this.createWithRetries(provider, identity, inputs).finally(() => {
      if (!this.isDead) this.pendingCreates.delete(pending);
    });
    const created = await ended.catch((error: OperationError) => {
      const { partialState } = error;
      if (partialState) {
        const entry = { ...this.newEntry(resource, partialState, inputs), hasInitErrors: true as const };
        this.save((state) => state.push(entry));
      }
      throw error;
    });
    const entry = this.newEntry(resource, created, inputs);
    this.save((state) => state.push(entry));
    return created.id;
  }

  /** A retry forgets what the failed create returned, and only the hook hears of it (test/cli/hooks.full.test.ts). */
  private async createWithRetries(provider: Provider, identity: Identity, inputs: Properties) {
    for (let left = this.options.retries ?? 0; ; left--) {
      try {
        return await this.call(() => provider.create(identity, inputs));
      } catch (error) {
        if (left === 0 || this.isInterrupted || this.hostError || error instanceof Violation) throw error;
      }
    }
  }

  private async replace(
    resource: Declared,
    provider: Provider,
    identity: Identity,
    old: Entry,
    inputs: Properties,
    isDeletedFirst: boolean,
    dependents: Entry[],
  ): Promise<string> {
    if (isDeletedFirst) {
      this.deletedFirst.add(old.urn);
      for (const entry of [...dependents, old].filter((each) => !each.isPendingReplacement)) {
        await this.call(() => this.provider(entry.provider).delete(this.identityOf(entry), entry));
        this.save(() => {
          entry.isPendingReplacement = true;
        });
        // The next step of the chain does not start (executeChain).
        if (this.isStopped && this.isInterrupted) throw new OperationError("interrupted");
      }
      const remove = () => this.save((state) => state.splice(state.indexOf(old), 1));
      const id = await this.create(resource, provider, identity, inputs).catch((error: OperationError) => {
        if (error.partialState) remove();
        throw error;
      });
      remove();
      return id;
    }
    const markOld = () =>
      this.save(() => {
        old.isPendingDelete = true;
      });
    const id = await this.create(resource, provider, identity, inputs).catch((error: OperationError) => {
      if (error.partialState) markOld();
      throw error;
    });
    markOld();
    return id;
  }

  private async update(
    resource: Declared,
    provider: Provider,
    identity: Identity,
    old: Entry,
    inputs: Properties,
  ): Promise<string> {
    const put = (entry: Entry) => this.save((state) => state.splice(state.indexOf(old), 1, entry));
    const outputs = await this.call(() => provider.update(identity, old, inputs)).catch((error: OperationError) => {
      const { partialState } = error;
      if (partialState) put({ ...this.newEntry(resource, partialState, inputs), hasInitErrors: true });
      throw error;
    });
    put(this.newEntry(resource, { id: old.id, outputs }, inputs));
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
    if (!entry.isPendingDelete) this.done.set(entry.urn, "delete");
    if (this.isPreview) return;
    await this.takeSlot();
    try {
      if (this.isStopped) {
        this.done.delete(entry.urn);
        return;
      }
      // Only in the step itself: what depends on it is deleted already (test/cli/deletions.full.test.ts).
      if (entry.protect) throw new OperationError("it is protected");
      const isWithEdge = entry.deletedWith !== undefined && deletes.has(entry.deletedWith);
      if (isWithEdge) this.withEdge.add(entry.deletedWith!);
      if (!isWithEdge && !entry.isPendingReplacement) {
        const provider = this.provider(entry.provider);
        await this.call(() => provider.delete(this.identityOf(entry), entry));
      }
      this.save((state) => state.splice(state.indexOf(entry), 1));
    } catch (error) {
      this.done.delete(entry.urn);
      this.fail(entry.urn, "delete", error);
    } finally {
      this.releaseSlot();
    }
  }

  /** Every resource is read, whatever becomes of the others, and compared (deploymentExecutor.refresh, RefreshStep). */
  private async refreshAll(): Promise<void> {
    const { targets } = this.options;
    const reads = this.state
      .filter(({ urn, isPendingReplacement }) => !isPendingReplacement && (!targets || targets.includes(urn)))
      .map(async (entry) => {
        await this.takeSlot();
        try {
          if (this.isStopped) return;
          const provider = this.provider(entry.provider);
          // The state has the option of the last program (RefreshStep: s.old.IgnoreChanges).
          const { ignoreChanges } = entry;
          const identity = this.identityOf(entry, ignoreChanges && { ignoreChanges });
          const found = await this.call(() => provider.read(identity, entry.id, entry));
          if (!found) return this.save((state) => state.splice(state.indexOf(entry), 1));
          const inputs = found.inputs ?? entry.inputs;
          const { hasInitErrors: _, ...rest } = entry;
          const now = { ...rest, id: found.id, outputs: found.outputs, inputs };
          await this.call(() => provider.diff(identity, now, entry.inputs));
          this.save((state) => state.splice(state.indexOf(entry), 1, now));
        } catch (error) {
          this.fail(entry.urn, "refresh", error);
        } finally {
          this.releaseSlot();
        }
      });
    await Promise.all(reads);
  }
}

export class Killed extends Error {}

/** The engine keeps the old values of arguments in `ignoreChanges`, if the state has any. */
function withIgnored(olds: Properties, args: Properties, { ignoreChanges = [] }: Declared): Properties {
  if (Object.keys(olds).length === 0) return args;
  // The classes name their arguments in place of `*`, and a plugin has no hidden inputs that matter.
  const names = Object.keys({ ...olds, ...args }).filter((name) => !name.startsWith("__"));
  const kept = ignoredNames({ ignoreChanges }, names).map((name) => [name, olds[name]] as const);
  return Object.fromEntries(
    Object.entries({ ...args, ...Object.fromEntries(kept) }).filter(([, value]) => value !== undefined),
  );
}
