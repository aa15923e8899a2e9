/** What the engine calls for a resource. Each method parses, plans, executes, and returns what the state records. */

import { equal, type JsonObject } from "../base/json";
import { type Definition, moduleId, parentArgs, parentsOf } from "../definitions/definition";
import { hasValidNames } from "./check/validNames";
import type { Deployment } from "./deployment/deployment";
import { Operation } from "./deployment/operation";
import { Remote } from "./deployment/remote";
import { PartialFailure, ProviderError } from "./errors";
import { createOrImport } from "./execute/create";
import { assertCanReplace, assertImportId, compareForImport } from "./execute/importObject";
import { claimChecked, claimDiffed, claimImported, claimWritten, isRemoved, protectsEdge } from "./execute/owners";
import { asDeletion, removeOrKeep } from "./execute/removal";
import { Update } from "./execute/update";
import type { Options } from "./options";
import { type Diff, describeDiff, replacedBy } from "./plan/diff";
import { describeIgnored, hasChanged, trackIgnored } from "./plan/ignored";
import { describePlan, findChanges, type Plan, planUpdate } from "./plan/plan";
import { previewUpdate } from "./plan/preview";
import {
  clientOnlyValues,
  inputsFrom,
  type ManagedArgs,
  managedArgs,
  newState,
  outputsFrom,
  parseState,
  pathsOf,
  preserveEquivalent,
  type State,
  toProperties,
} from "./state";
import type { OperationName } from "./timeouts";
import { hasUnknown, unknownValue } from "./unknown";

/** Loaded late: what is unchanged, refreshed or destroyed is not checked, and the schema library takes a while to load. */
const loadChecks = () => require("./check/checks") as typeof import("./check/checks");

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
    deployment.checked.add(options.key);
    const doubles = await claimChecked(deployment, definition, old, declared, options).catch(toProblem);
    const invalid = isUnchanged ? deployment.settingProblems : await this.findProblems(old, declared, options);
    const problems = [...invalid, ...doubles];
    if (problems.length > 0) return { args, problems };
    if (!isUnchanged) await this.warnOfUnknownValues(args, options);
    return { args: old ? preserveEquivalent(definition.fields, old, args) : args, problems };
  }

  async diff(state: State, args: JsonObject, options: Options): Promise<Diff> {
    const { definition, deployment } = this;
    const remote = this.remote(state.id);
    deployment.creates.markManaged(state.id, options.key);
    assertImportId(remote, options);
    const before = beforeUpdate(remote, state);
    const declared = managedArgs(definition, args, options);
    const { desired } = declared;
    const { plan, ignored } = this.plan(before, declared);
    const replaces = replacedBy(plan, before, desired, options);
    assertCanReplace(remote, replaces, options);
    // The engine also diffs to refresh, and what it replaces with its edge: then the program declares nothing here.
    const isInProgram = deployment.checked.delete(options.key);
    if (isInProgram && replaces.length === 0) claimDiffed(remote, plan, declared, options);
    if (!isInProgram && hasUnknown(parentsOf(definition).map((name) => args[name]))) {
      deployment.replacedWithEdge.add(remote.path());
    }
    await this.report(remote, plan, replaces, options);
    for (const sentence of describeIgnored(ignored, state, desired)) await deployment.announce(sentence, options);
    return describeDiff(definition, { ...plan, needsRecord: hasChanged(ignored) }, replaces, before, desired, options);
  }

  create(args: JsonObject, options: Options): Promise<State> {
    const { definition } = this;
    const id = definition.kind === "module" ? moduleId(definition, args) : options.importId;
    const create = () => this.createInTurn(args, options);
    return id === undefined ? create() : this.remote(id).inTurn(create);
  }

  private async createInTurn(args: JsonObject, options: Options): Promise<State> {
    const { definition, deployment } = this;
    deployment.checked.delete(options.key);
    const earlier = deployment.creates.unfinished.get(options.key);
    const continued = earlier && (await this.continueCreate(earlier, args, options));
    if (continued) return continued;
    const { id, values } = await createOrImport(deployment, definition, args, options).catch((error) =>
      this.failCreate(options, error),
    );
    const declared = managedArgs(definition, args, options);
    const { desired, ignoredPaths } = declared;
    const remote = this.remote(id);
    deployment.creates.markManaged(id);
    claimWritten(remote, declared, options, true);
    const withEdge = protectsEdge(remote) || undefined;
    const managed = pathsOf(definition.fields, desired);
    const state = newState({ id, values, managed, ignored: ignoredPaths, withEdge });
    await this.warnOfDifferences(state, desired, options);
    return state;
  }

  /** The state and inputs as the service has them; undefined for a managed object that was deleted. */
  async read(id: string, state: State | undefined, options: Pick<Options, "timeouts">) {
    const { definition, deployment } = this;
    const remote = this.remote(id);
    deployment.creates.markManaged(id);
    const before = state ?? newState({ id, values: {}, managed: [] });
    const { values, managed, ignored } = before;
    const object = await this.fetch("read", id, options);
    // An object that a program reads by its id has no state yet, and must exist.
    if (!object && !state) throw new ProviderError(`${remote.missingMessage} Check the id.`);
    if (!object) return undefined;
    // What is ignored is not managed, but is among the inputs.
    const names = [...managed, ...ignored];
    const desired = { ...inputsFrom(definition, values, names), ...clientOnlyValues(definition, values) };
    const outputs = outputsFrom(remote, object, desired, values);
    const inputs = inputsFrom(definition, outputs, names);
    return { state: { ...before, values: outputs, unconfirmed: [] }, inputs };
  }

  /** An existing object that no state has: its outputs, and the smallest set of arguments that declares it. */
  async readUnmanaged(operation: "read" | "import", id: string, options: Options) {
    const remote = this.remote(id);
    this.deployment.creates.markManaged(id);
    const object = await this.fetch(operation, id, options);
    if (!object) throw new ProviderError(`${remote.missingMessage} Check the id.`);
    if (operation === "import") claimImported(remote, options);
    const { importedArgs } = require("./check/importedArgs") as typeof import("./check/importedArgs");
    const declaration = importedArgs(this.definition, id, object, operation === "read");
    return { ...declaration, values: outputsFrom(remote, object, declaration.args) };
  }

  /** The outputs after an update, as far as they are known. */
  previewUpdate(state: State, args: JsonObject, options: Options): JsonObject {
    const declared = managedArgs(this.definition, args, options);
    const { plan } = this.plan(state, declared);
    const changed = new Set(plan.changes.map(([name]) => name!));
    return previewUpdate(this.definition, state.values, declared.desired, [...changed]);
  }

  async update(state: State, args: JsonObject, options: Options): Promise<State> {
    const declared = managedArgs(this.definition, args, options);
    const { desired } = declared;
    const operation = this.begin("update", state.id, options, desired);
    const remote = operation.remote();
    return remote.inTurn(async () => {
      const before = beforeUpdate(remote, state);
      const { plan, ignored } = this.plan(before, declared);
      const update = new Update(operation, before, ignored.paths, plan, options);
      const after = await operation
        .run(() => update.run())
        .catch(async (error: ProviderError) => {
          this.deployment.hasFailures = true;
          throw await update.failure(error, state);
        });
      claimWritten(remote, declared, options);
      await this.warnOfDifferences(after, desired, options);
      return { ...after, withEdge: state.withEdge ?? (protectsEdge(remote) || undefined) };
    });
  }

  async delete(state: State, options: Options): Promise<void> {
    const operation = this.begin("delete", state.id, options);
    const remote = operation.remote();
    await operation
      .run(() => remote.inTurn(() => removeOrKeep(remote, state, options)))
      .catch((error: unknown) => {
        this.deployment.claims.settle(asDeletion(options), { places: [remote.path()], isDone: false });
        throw error;
      });
  }

  /**
   * With --continue-on-error the engine also checks what depends on a resource that failed, without the id that it would
   * have, and then skips it.
   */
  private withUnknownParents(args: JsonObject): JsonObject {
    if (!this.deployment.hasFailures) return args;
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
    if (!this.deployment.announcesPlans) return;
    for (const warning of loadChecks().findWarnings(this.definition.fields, args)) {
      await this.deployment.warn(`${warning}.`, options);
    }
  }

  private fetch(name: "read" | "import", id: string, options: Pick<Options, "timeouts">) {
    const operation = this.begin(name, id, options);
    return operation.run(() => operation.remote().fetchBatched());
  }

  private begin = (name: OperationName, id: string, options: Pick<Options, "timeouts">, desired?: JsonObject) =>
    new Operation(name, { definition: this.definition, deployment: this.deployment, id }, options, desired);

  private remote = (id: string) => new Remote(this.definition, id, this.deployment);

  private plan(before: State, { desired, ignored: names, ignoredPaths }: ManagedArgs) {
    const plan = planUpdate(this.definition, before, desired, names);
    const ignored = trackIgnored(before, names, ignoredPaths);
    const updates = [...new Set([...plan.updates, ...ignored.began, ...ignored.ended])];
    return { plan: { ...plan, updates }, ignored };
  }

  /**
   * A retry, which an `onError` hook asks for, of a create that failed with its object in hand: the engine has forgotten
   * the object. Undefined if it was deleted since.
   */
  private async continueCreate(earlier: PartialFailure, args: JsonObject, options: Options) {
    try {
      const found = await this.read(earlier.id, parseState(earlier.id, earlier.properties), options);
      return found && (await this.update(found.state, args, options));
    } catch (error) {
      if (error instanceof PartialFailure) throw error;
      throw new PartialFailure((error as Error).message, earlier.id, earlier.properties);
    }
  }

  private failCreate(options: Options, error: unknown): never {
    this.deployment.hasFailures = true;
    // A module is set again, whatever the service has.
    if (error instanceof PartialFailure && this.definition.kind === "object") {
      this.deployment.creates.unfinished.set(options.key, error);
    }
    throw error;
  }

  /** The service may return something other than what was sent. The state has what it returned. */
  private async warnOfDifferences(
    { id, values, managed }: State,
    desired: JsonObject,
    options: Options,
  ): Promise<void> {
    // What is left to other resources is not compared.
    const { changes } = findChanges(this.definition, { values, managed, unconfirmed: [] }, desired);
    const names = [...new Set(changes.map(([name]) => name))];
    if (names.length === 0) return;
    await this.deployment.warn(
      `the service returned another ${names.join(" and another ")} of ${this.remote(id).name} than the program ` +
        "declares. The next `pulumi up` sends it again.",
      options,
    );
  }

  private async checkImport(id: string, args: JsonObject, options: Options): Promise<string[]> {
    const operation = this.begin("import", id, options);
    const remote = operation.remote();
    const { problems } = await operation.run(() => compareForImport(remote, args));
    if (problems.length === 0) {
      await this.deployment.announce(
        `${remote.name} will be imported unchanged (Pulumi displays this as "create").`,
        options,
      );
    }
    return problems;
  }

  /** Says what the engine does not show: the calls, with --debug, and the reason of a replacement with other changes. */
  private async report(remote: Remote, plan: Plan, replaces: string[], options: Options): Promise<void> {
    if (replaces.length === 0) {
      const calls = describePlan(plan, (route) => remote.describe(route));
      if (calls) this.deployment.debug(`plan: ${calls}`, options);
      return;
    }
    if (plan.updates.every((name) => replaces.includes(name))) return;
    await this.deployment.announce(`${remote.name} will be replaced because of ${replaces.join(" and ")}.`, options);
  }
}

/** What a resource has before an update. What this deployment has removed from its edge is not set. */
function beforeUpdate(remote: Remote, state: State): State {
  if (!isRemoved(remote)) return state;
  return { ...state, values: parentArgs(remote.definition, state.id), unconfirmed: [] };
}

/** Without knowing what the others declare, nothing is deployed. */
function toProblem(error: unknown): string[] {
  if (error instanceof ProviderError) return [error.message];
  throw error;
}
