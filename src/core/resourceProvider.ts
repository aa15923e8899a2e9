/** What the engine calls for a resource. Each method parses, plans, executes, and returns what the state records. */

import { uncertainCall } from "../api/callError";
import { type Definition, moduleId, parentsOf } from "../definitions/definition";
import type { Fields } from "../definitions/fields";
import { equal, isObject, type JsonObject } from "../json";
import type { Declaration } from "./check/declare";
import { declareChecked, declareCreated, declareDiffed, declareUpdated } from "./deployment/declarations";
import type { Deployment } from "./deployment/deployment";
import { marksAfterWrite, restoreOverwritten, withoutOverwrittenModule } from "./deployment/overwrites";
import { Remote } from "./deployment/remote";
import { withErrorContext } from "./errorContext";
import { PartialFailure, ProviderError } from "./errors";
import { type Created, createObject, deleteObject, putModule, restoreDeclared } from "./execute/execute";
import { assertCanReplace, assertImportId, compareForImport, importObject } from "./execute/importObject";
import { Update } from "./execute/update";
import type { Options } from "./options";
import { type Diff, describeDiff, replacedBy } from "./plan/diff";
import { type Plan, planCreate, planUpdate, summarizeCall } from "./plan/plan";
import { previewUpdate } from "./plan/preview";
import {
  inputsFrom,
  managedArgs,
  newState,
  parseState,
  preserveEquivalent,
  type State,
  toProperties,
  topLevelNames,
} from "./state";
import { type Deadline, deadlineFor, graceDeadline, type Operation } from "./timeouts";
import { hasUnknown, unknownValue } from "./unknown";

/** Loaded late: what is unchanged, refreshed or destroyed is not checked, and the schema library takes a while to load. */
const loadChecks = () => require("./check/checks") as typeof import("./check/checks");

const unconfirmedHint = "It may have been updated. The next `pulumi up` sends the update again.";

export class ResourceProvider {
  constructor(
    private readonly definition: Definition,
    private readonly deployment: Deployment,
  ) {}

  parseState = parseState;
  toProperties = toProperties;

  /** What is wrong with the arguments; or the arguments, in the form in which they were declared before. */
  async check(old: JsonObject | undefined, args: JsonObject, options: Options) {
    const { definition, deployment } = this;
    const isUnchanged = old !== undefined && hasValidNames(definition.fields, args) && equal(old, args);
    const declared = old ? args : this.withUnknownParents(args);
    const problems = isUnchanged ? [...deployment.settingProblems] : await this.findProblems(old, declared, options);
    if (problems.length === 0) {
      const id = old ? undefined : this.knownId(declared, options);
      problems.push(...(await declareChecked(deployment, definition, { old, args: declared, id }, options)));
    }
    if (problems.length > 0) return { args, problems };
    if (!isUnchanged) await this.warnOfUnknownValues(args, options);
    return { args: old ? preserveEquivalent(definition.fields, old, args) : args, problems };
  }

  async diff(state: State, args: JsonObject, options: Options): Promise<Diff> {
    const { definition, deployment } = this;
    const isInProgram = deployment.owners.followsCheck(options.key);
    deployment.takeId(state.id);
    const remote = this.remote(state.id);
    assertImportId(remote, options);
    if (isInProgram) deployment.writes.learn(remote, state.marks);
    const before = withoutOverwrittenModule(remote, state);
    const { plan, desired } = this.plan(before, args, options);
    const replaces = replacedBy(plan, before, desired, options);
    assertCanReplace(remote, replaces, options);
    if (isInProgram) await declareDiffed(remote, state, { plan, desired, replaces }, options);
    await this.report(remote, plan, replaces, options);
    return describeDiff(definition, plan, replaces, before.values, desired);
  }

  async create(args: JsonObject, options: Options): Promise<State> {
    const { definition, deployment } = this;
    deployment.owners.followsCheck(options.key);
    const { id, values } = await this.createOrImport(args, options).catch((error) => this.fail(options, error));
    const { desired } = managedArgs(definition, args, options);
    const state = await declareCreated(this.remote(id), values, desired, options);
    await this.warnOfDifferences(state, args, options);
    return state;
  }

  /** The state and inputs as the service has them; undefined for a managed object that was deleted. */
  async read(id: string, state: State | undefined, options: Options) {
    const { definition, deployment } = this;
    const remote = this.remote(id);
    deployment.takeId(id);
    const { values, managed, marks } = state ?? newState({ id, values: {}, managed: [] });
    const object = await this.withContext("read", id, () => remote.fetchBatched());
    // An object that a program reads by its id has no state yet, and must exist.
    if (!object && !state) throw new ProviderError(`There is no ${remote.name}. Check the id.`);
    if (!object) return undefined;
    // What is ignored is not managed, but is among the inputs.
    const names = [...managed, ...options.ignoreChanges];
    const desired = { ...inputsFrom(definition, values, names), ...this.clientOnlyValues(values) };
    const outputs = remote.outputs(object, desired, values);
    const inputs = inputsFrom(definition, outputs, names);
    return { state: newState({ id, values: outputs, managed, marks }), inputs };
  }

  /** An existing object that is to be managed: its outputs, and the smallest set of arguments that declares it. */
  async readForImport(id: string): Promise<Declaration & { values: JsonObject }> {
    const remote = this.remote(id);
    this.deployment.takeId(id);
    const object = await this.withContext("import", id, () => remote.fetchBatched());
    if (!object) throw new ProviderError(`There is no ${remote.name}. Check the id.`);
    const { declareObject } = require("./check/declare") as typeof import("./check/declare");
    const declaration = declareObject(this.definition, id, object);
    return { ...declaration, values: remote.outputs(object, declaration.args) };
  }

  /** The outputs after an update, as far as they are known. */
  previewUpdate(state: State, args: JsonObject, options: Options): JsonObject {
    const { plan, desired } = this.plan(state, args, options);
    return previewUpdate(this.definition, state.values, desired, [
      ...topLevelNames(plan.changes.map(([name]) => name!)),
    ]);
  }

  async update(state: State, args: JsonObject, options: Options): Promise<State> {
    const remote = this.remote(state.id);
    const before = withoutOverwrittenModule(remote, state);
    const { plan, desired } = this.plan(before, args, options);
    const update = new Update(remote, before, desired, plan);
    const deadline = deadlineFor(options.timeouts, "update", this.deployment.clock);
    const work = () => update.run(deadline?.at);
    const after = await this.withContext("update", state.id, work, deadline).catch(async (error: ProviderError) => {
      this.deployment.owners.markFailed(options.key);
      // What the service has is not what the state says, even if this call was not executed.
      const isUncertain = uncertainCall(error) !== undefined || before !== state;
      if (!update.mayHaveChanged(isUncertain)) throw error;
      const partial = await update.stateAfterFailure(isUncertain, graceDeadline(deadline?.at, this.deployment.clock));
      const isUnconfirmed = partial.unconfirmed.some((name) => name in desired || !state.unconfirmed.includes(name));
      const hint = isUnconfirmed ? ` ${unconfirmedHint}` : "";
      // A failed update has not written the module, so its mark stays.
      const marks = this.definition.kind === "module" ? state.marks : marksAfterWrite(remote);
      throw new PartialFailure(`${error.message}${hint}`, state.id, this.toProperties({ ...partial, marks }));
    });
    const marks = await declareUpdated(remote, state.marks, desired, options);
    await this.warnOfDifferences(after, args, options);
    return { ...after, marks };
  }

  async delete({ id, values, managed }: State, options: Options): Promise<void> {
    const { definition, deployment } = this;
    const remote = this.remote(id);
    const deadline = deadlineFor(options.timeouts, "delete", deployment.clock);
    const inContext = (work: () => Promise<void>) => this.withContext("delete", id, work, deadline);
    const keep = (reason: string) =>
      inContext(() => Promise.reject(new ProviderError(`${reason} in this deployment. Run \`pulumi up\` again.`)));
    const { owners } = deployment;
    const owner = owners.ownerOf(remote.path());
    if (owner && owners.hasFailed(owner.key)) return keep(`${owner.resource}, which declares it too, failed`);
    if (owner) {
      if (!owner.isCreated) await inContext(() => restoreDeclared(remote, managed, owner.declared, deadline?.at));
      return deployment.inform(`${remote.name} was not deleted, because ${owner.resource} still declares it.`, options);
    }
    // What takes the place of this module may be in the update of its edge.
    const edge = definition.kind === "module" ? owners.pendingUpdateOf(remote.parentPath) : undefined;
    if (edge) return keep(`${edge}, which it belongs to, was not updated`);
    const warning = definition.kind === "object" && definition.deleteWarning?.(values, deployment.apiKey);
    if (warning) await deployment.warn(`${remote.name}: ${warning}`, options);
    await inContext(() => deleteObject(remote, options, deadline?.at));
    // A run with --target knows only its targets: another resource may declare it.
    if (definition.kind === "module" && definition.protects) {
      await deployment.inform(
        `The ${remote.name} was removed. If another resource declares it, run \`pulumi refresh\`, then \`pulumi up\`.`,
      );
    }
  }

  /**
   * With --continue-on-error the engine also checks what depends on a resource that failed, without the id that it would
   * have, and then skips it.
   */
  private withUnknownParents(args: JsonObject): JsonObject {
    if (!this.deployment.owners.hasFailures) return args;
    return { ...Object.fromEntries(parentsOf(this.definition).map((name) => [name, unknownValue])), ...args };
  }

  private async findProblems(old: JsonObject | undefined, args: JsonObject, options: Options): Promise<string[]> {
    const { definition, deployment } = this;
    const { findProblems } = loadChecks();
    const problems = [...deployment.settingProblems, ...findProblems(definition, args, { ...options, accepted: old })];
    if (problems.length > 0 || old || options.importId === undefined) return problems;
    return this.checkImport(options.importId, args, options);
  }

  private async warnOfUnknownValues(args: JsonObject, options: Options): Promise<void> {
    if (!this.deployment.isPreview) return;
    for (const warning of loadChecks().findWarnings(this.definition.fields, args)) {
      await this.deployment.warn(`${warning}.`, options);
    }
  }

  /** The id that a new resource is going to have, where that is known. */
  private knownId(args: JsonObject, { importId }: Options): string | undefined {
    const { definition } = this;
    const isKnown = definition.kind === "module" && !hasUnknown(definition.parents.map((name) => args[name]));
    return importId ?? (isKnown ? moduleId(definition, args) : undefined);
  }

  private remote = (id: string) => new Remote(this.definition, id, this.deployment);

  private plan(before: State, args: JsonObject, options: Options): { plan: Plan; desired: JsonObject } {
    const { desired, ignored } = managedArgs(this.definition, args, options);
    const plan = planUpdate(this.definition, before, desired, ignored);
    const restored = restoreOverwritten(this.remote(before.id), plan, desired);
    const updates = [...plan.updates, ...restored.flatMap(({ sets }) => sets)];
    return { plan: { ...plan, updates, calls: [...plan.calls, ...restored] }, desired };
  }

  private fail({ key }: Options, error: unknown): never {
    this.deployment.owners.markFailed(key);
    throw error;
  }

  /** The service may return something other than what was sent. The state has what it returned. */
  private async warnOfDifferences(state: State, args: JsonObject, options: Options): Promise<void> {
    const names = [...new Set(this.plan(state, args, options).plan.changes.map(([name]) => name))];
    if (names.length === 0) return;
    await this.deployment.warn(
      `the service returned another ${names.join(" and another ")} of ${this.remote(state.id).name} than the program ` +
        "declares. The next `pulumi up` sends it again.",
      options,
    );
  }

  private createOrImport(args: JsonObject, options: Options): Promise<Created> {
    const { definition, deployment } = this;
    const { importId, timeouts } = options;
    const deadline = deadlineFor(timeouts, "create", deployment.clock);
    if (importId !== undefined) {
      const importIt = () => importObject(this.remote(importId), args, deadline?.at);
      return this.withContext("import", importId, importIt, deadline);
    }
    const call = planCreate(definition, args);
    if (definition.kind === "module") {
      const missing = definition.parents.find((name) => args[name] === undefined);
      if (missing) return Promise.reject(new ProviderError(`${missing} is required`));
      const id = moduleId(definition, args);
      const remote = new Remote(definition, id, deployment);
      this.logPlan(options, [summarizeCall(call, remote.describe(call.route))]);
      return this.withContext("create", id, () => putModule(remote, call, args, deadline?.at), deadline);
    }
    this.logPlan(options, [summarizeCall(call)]);
    const create = () => createObject(deployment, definition, call, args, options, deadline?.at);
    return this.withContext("create", undefined, create, deadline);
  }

  private async checkImport(id: string, args: JsonObject, options: Options): Promise<string[]> {
    const remote = this.remote(id);
    const deadline = deadlineFor(options.timeouts, "import", this.deployment.clock);
    const compare = () => compareForImport(remote, args, deadline?.at);
    const { problems } = await this.withContext("import", id, compare, deadline);
    if (problems.length === 0) {
      await this.deployment.announce(
        `${remote.name} will be imported unchanged (Pulumi displays this as "create").`,
        options,
      );
    }
    return problems;
  }

  /** Says what the engine does not show: the calls and, of a replacement with other changes, its reason. */
  private async report(remote: Remote, { calls, updates }: Plan, replaces: string[], options: Options): Promise<void> {
    if (replaces.length === 0) {
      return this.logPlan(
        options,
        calls.map((call) => summarizeCall(call, remote.describe(call.route))),
      );
    }
    if (updates.every((name) => replaces.includes(name))) return;
    await this.deployment.announce(`${remote.name} will be replaced because of ${replaces.join(" and ")}.`, options);
  }

  private logPlan(options: Options, calls: string[]): void {
    if (calls.length > 0) this.deployment.debug(`plan: ${calls.join(", then ")}`, options);
  }

  /** What the service never returns, because it is never sent. */
  private clientOnlyValues(values: JsonObject): JsonObject {
    const { fields } = this.definition;
    return Object.fromEntries(Object.entries(values).filter(([name]) => fields[name]?.clientOnly));
  }

  private withContext<T>(
    operation: Operation,
    id: string | undefined,
    work: () => Promise<T>,
    deadline?: Deadline,
  ): Promise<T> {
    const { definition, deployment } = this;
    return withErrorContext({ operation, definition, id, deadline, clock: deployment.clock }, work);
  }
}

/** Whether all required arguments are there, and every argument exists. */
const hasValidNames = (fields: Fields, args: JsonObject): boolean =>
  Object.keys(args).every((name) => Object.hasOwn(fields, name)) &&
  Object.entries(fields).every(([name, { required, module }]) => {
    const value = args[name];
    return value === undefined ? !required : !module || !isObject(value) || hasValidNames(module.fields, value);
  });
