/** Drives one resource of a program as the engine does: it checks, diffs, calls the provider and keeps the state. */
import { isDeepStrictEqual } from "node:util";
import { ignoredNames } from "../../../src/core/options";
import {
  type Diff,
  OperationError,
  type Options,
  type Properties,
  type Provider,
  type Registration,
  type SavedResource,
  type TestedProvider,
} from "./provider";

import { withHiddenInputs } from "./registration";

export interface ResourceState extends SavedResource {
  /** The last create or update failed halfway, so the engine updates the resource even if nothing changed. */
  hasInitErrors?: true;
}

export type Step = "create" | "same" | "update" | "replace";

/** What a preview would do to a resource. */
interface Preview {
  step: Step;
  replaces: string[];
  changed: string[];
}

export class ResourceDriver {
  state: ResourceState | undefined;
  /** Replaced objects, which are deleted at the end of the run. */
  pendingDeletes: ResourceState[] = [];

  constructor(
    private provider: Provider & Partial<Pick<TestedProvider, "next">>,
    readonly type: string,
    readonly name: string,
    /** The resource options, unless a step has others. */
    readonly options: Options = {},
  ) {}

  /** What the program last declared. */
  declared: Properties = {};

  /** Continues with another process, as after a crash or in the next run of the CLI. */
  useProvider(provider: TestedProvider): this {
    this.provider = provider;
    return this;
  }

  /** The checked inputs of the resource, if it is declared with these arguments. */
  async check(args: Properties, opts: Options = this.options, olds = this.state?.inputs ?? {}): Promise<Properties> {
    const declared = this.applyIgnoreChanges(olds, args, opts);
    const { inputs, failures } = await this.provider.check(this.registration(opts), olds, declared);
    if (failures.length > 0) throw new OperationError(failures.join("\n"));
    return inputs;
  }

  /** What is wrong with these arguments. A replacement is checked as if it were new, which has no old inputs. */
  async problems(args: Properties, olds = this.state?.inputs ?? {}, opts = this.options): Promise<string[]> {
    const isKnown = this.provider.kind === "plugin" || Object.keys(olds).length === 0;
    const old = isKnown ? olds : withHiddenInputs({ type: this.type, name: this.name }, olds);
    return (await this.provider.check(this.registration(opts), old, args)).failures;
  }

  /** Checks and diffs what is in the state, and does nothing yet. */
  async plan(args = this.declared, opts = this.options): Promise<Diff> {
    return this.diff(this.state!, await this.check(args, opts), opts);
  }

  /**
   * If the provider does not say whether there are changes, the engine compares all inputs. Equal inputs replace
   * nothing.
   */
  async diff(old: ResourceState, inputs: Properties, opts = this.options): Promise<Diff> {
    const diff = await this.provider.diff(this.registration(opts), old, inputs);
    if (diff.changes !== undefined) return diff;
    return isDeepStrictEqual(old.inputs, inputs) ? { changes: false, replaces: [], deleteBeforeReplace: false } : diff;
  }

  /** The state has the object of another resource, of which this one has declared so much. */
  share(other: ResourceDriver, declared: Properties): this {
    const { id, outputs } = other.state!;
    const { __managed: _, __left, ...values } = outputs;
    const isDynamic = this.provider.kind === "dynamic";
    const registration = this.registration(this.options);
    const hidden = isDynamic ? withHiddenInputs({ ...registration, opts: {} }, {}) : {};
    const managed = isDynamic ? { __managed: pathsOf(declared).join(" ") } : {};
    this.state = { id, inputs: { ...declared, ...hidden }, outputs: { ...values, ...hidden, ...managed } };
    this.declared = declared;
    return this;
  }

  /** What a preview would do, and which arguments it displays as changed. */
  async preview(args: Properties, opts: Options = this.options): Promise<Preview> {
    const old = this.state ?? (await this.readImport(opts));
    const inputs = await this.check(args, { ...opts, preview: true }, old?.inputs);
    const changed = listChangedInputs(old?.inputs ?? {}, inputs);
    const preview = { replaces: [], changed };
    if (!old) return { ...preview, step: "create" };
    const { replaces, changes } = await this.diff(old, inputs, opts);
    if (replaces.length > 0) return { ...preview, step: "replace", replaces };
    return { ...preview, step: changes !== false || old.hasInitErrors ? "update" : "same" };
  }

  /** `X.get(name, id)`: reads an object that the program does not manage. */
  async get(id: string, opts: Options = this.options): Promise<Properties> {
    const found = await this.provider.read(this.registration(opts), id);
    if (!found) throw new OperationError(`the provider says that ${id} does not exist`);
    this.state = { id: found.id, inputs: found.inputs ?? {}, outputs: found.outputs };
    return this.outputs;
  }

  /** `pulumi import`. */
  async import(id: string): Promise<void> {
    this.state = await this.provider.import!(this.registration(this.options), id);
  }

  /** `begin` is awaited before anything is created or updated: the engine may have no free slot. */
  async up(args = this.declared, opts: Options = this.options, begin?: () => Promise<void>): Promise<Step> {
    const step = await this.register(args, opts, begin);
    await this.deleteReplaced();
    return step;
  }

  /** Everything except deleting replaced objects, which the engine does at the end of a run. */
  async register(
    args: Properties,
    opts: Options = this.options,
    begin: () => Promise<void> = async () => {},
  ): Promise<Step> {
    this.declared = args;
    const imported = this.state ? undefined : await this.readImport(opts);
    this.state ??= imported;
    const old = this.state;
    const inputs = await this.check(args, opts);
    if (!old) {
      await begin();
      await this.create(inputs, opts);
      return "create";
    }
    const { changes, replaces, deleteBeforeReplace } = opts.targetReplace
      ? { changes: true, replaces: ["forced"], deleteBeforeReplace: false }
      : await this.diff(old, inputs, opts);
    if (replaces.length === 0 && changes === false && !old.hasInitErrors) {
      // After an import the engine keeps the inputs that were read until the next run.
      if (!imported) this.state = { ...old, inputs };
      return "same";
    }
    await begin();
    if (replaces.length > 0) {
      const fresh = await this.check(args, opts, {});
      if (opts.deleteBeforeReplace ?? deleteBeforeReplace) {
        await this.provider.delete(this.registration(opts), old);
        this.state = undefined;
        await this.create(fresh, opts);
      } else {
        try {
          await this.create(fresh, opts);
        } finally {
          if (this.state !== old) this.pendingDeletes.push(old);
        }
      }
      return "replace";
    }
    await this.update(inputs, opts);
    return "update";
  }

  /** The engine itself imports an object for a plugin, and then updates it where the program differs. */
  private async readImport(opts: Options): Promise<ResourceState | undefined> {
    if (opts.import === undefined || !this.provider.import) return undefined;
    return this.provider.import(this.registration(opts), opts.import);
  }

  registration = (opts = this.options): Registration => ({ type: this.type, name: this.name, opts });

  /** The engine keeps the old values of top-level arguments in `ignoreChanges`, if the state has any. */
  private applyIgnoreChanges(olds: Properties, args: Properties, { ignoreChanges = [] }: Options): Properties {
    if (Object.keys(olds).length === 0) return args;
    const all = Object.keys({ ...olds, ...args });
    // The classes name their arguments in place of `*`, so that their hidden inputs are not covered.
    const names = this.provider.kind === "plugin" ? all : all.filter((name) => !name.startsWith("__"));
    const kept = ignoredNames({ ignoreChanges }, names).map((name) => [name, olds[name]]);
    const news = Object.entries({ ...args, ...Object.fromEntries(kept) });
    return Object.fromEntries(news.filter(([, value]) => value !== undefined));
  }

  /** Deletes replaced objects. */
  async deleteReplaced(provider = this.provider): Promise<void> {
    for (const old of [...this.pendingDeletes]) {
      await provider.delete(this.registration(this.options), old);
      this.pendingDeletes.splice(this.pendingDeletes.indexOf(old), 1);
    }
  }

  /** Creates the resource with checked inputs. */
  async create(inputs: Properties, opts: Options = this.options): Promise<void> {
    try {
      this.state = { ...(await this.provider.create(this.registration(opts), inputs)), inputs };
    } catch (error) {
      this.savePartialState(error, inputs);
      throw error;
    }
  }

  /** Updates the resource with checked inputs. */
  async update(inputs: Properties, opts: Options = this.options): Promise<void> {
    const old = this.state!;
    try {
      const outputs = await this.provider.update(this.registration(opts), old, inputs);
      this.state = { id: old.id, inputs, outputs };
    } catch (error) {
      this.savePartialState(error, inputs);
      throw error;
    }
  }

  private savePartialState(error: unknown, inputs: Properties): void {
    if (error instanceof OperationError && error.partialState)
      this.state = { ...error.partialState, inputs, hasInitErrors: true };
  }

  /** Reads the object and returns whether the state changed. The options are those of the last `up`. */
  async refresh(opts: Options = this.options): Promise<"gone" | "changed" | "same"> {
    const old = this.state!;
    const now = await this.provider.read(this.registration(opts), old.id, old);
    if (!now) {
      this.state = undefined;
      return "gone";
    }
    const inputs = now.inputs ?? old.inputs;
    this.state = { id: now.id, inputs, outputs: now.outputs };
    const same = isDeepStrictEqual(sortKeys([old.inputs, old.outputs]), sortKeys([inputs, now.outputs]));
    return same ? "same" : "changed";
  }

  /** Runs in a separate process: a process never deletes what it has just created. */
  async destroy(): Promise<void> {
    await this.delete(this.provider.next!());
  }

  /** Deletes the resource as the engine does when it was removed from the program. */
  async delete(provider = this.provider): Promise<void> {
    await this.deleteReplaced(provider);
    if (this.state) await provider.delete(this.registration(this.options), this.state);
    this.state = undefined;
  }

  /** The id that the state has. */
  get id(): string {
    return this.state!.id;
  }

  /** The outputs that are set, without the internal ones. */
  get outputs(): Properties {
    const all = Object.entries(this.state?.outputs ?? {});
    return Object.fromEntries(all.filter(([name, value]) => !name.startsWith("__") && value !== null));
  }
}

/** The declared arguments, those of a module by their paths. */
const pathsOf = (declared: Properties): string[] =>
  Object.entries(declared).flatMap(([name, value]) =>
    typeof value === "object" && !Array.isArray(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );

/** The names of changed inputs, without the internal ones. */
export function listChangedInputs(old: Properties, now: Properties): string[] {
  const names = new Set([...Object.keys(old), ...Object.keys(now)].filter((name) => !name.startsWith("__")));
  return [...names].filter((name) => !isDeepStrictEqual(old[name], now[name]));
}

export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}
