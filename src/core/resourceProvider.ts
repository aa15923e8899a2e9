/** The provider of objects and modules. Each method parses, plans, executes, and returns what the state records. */

import { equal, type JsonObject } from "../base/json";
import { type Definition, moduleId, parentArgs, parentsOf } from "../definitions/definition";
import { hasValidNames, toOutputs } from "../definitions/fields/field";
import { clientOnlyValues, inputsFrom, type ManagedArgs, managedArgs, pathsOf, preserveEquivalent } from "./arguments";
import type { Deployment } from "./deployment/deployment";
import { ProviderError } from "./errors";
import { createOrImport } from "./execute/create";
import { assertCanImport, compareForImport } from "./execute/importObject";
import { claimChecked, claimDiffed, claimImported, claimWritten, isStale, protectsEdge } from "./execute/owners";
import { asDeletion, removeOrKeep } from "./execute/removal";
import { executeUpdate } from "./execute/update";
import { Operation } from "./operation";
import type { Options } from "./options";
import { type Diff, describeDiff, describeIgnored, hasChanged, replacedBy, trackIgnored } from "./plan/diff";
import { changedNames, describePlan, type Plan, planUpdate } from "./plan/plan";
import { previewCreate, previewUpdate } from "./plan/preview";
import type { Declaration, Provider } from "./provider";
import { outputsFrom } from "./read/responses";
import { newState, parseState, type State, toProperties } from "./state";
import type { OperationName } from "./timeouts";
import { unknownValue } from "./unknown";

/**
 * Loaded late: the schema library takes a while to load, and unchanged, refreshed or destroyed resources are not
 * checked.
 */
const loadChecks = () => require("./check/checks") as typeof import("./check/checks");

export class ResourceProvider implements Provider<State> {
  constructor(
    private readonly definition: Definition,
    private readonly deployment: Deployment,
  ) {}

  parse = parseState;
  properties = toProperties;

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
    const operation = this.begin("update", options, state.id);
    deployment.creates.markManaged(state.id, options.key);
    const declared = managedArgs(definition, args, options);
    const { desired } = declared;
    const before = beforeUpdate(operation, state);
    const { plan, ignored } = this.plan(before, declared);
    const replaces = replacedBy(plan, before, desired, options);
    assertCanImport(operation, replaces);
    claimDiffed(operation, before, plan, replaces, declared);
    await informOfPlan(operation, plan, replaces);
    for (const sentence of describeIgnored(ignored, state, desired)) await operation.informOfPlan(sentence);
    return describeDiff(definition, { ...plan, needsRecord: hasChanged(ignored) }, replaces, before, desired, options);
  }

  create(args: JsonObject, options: Options): Promise<State> {
    const { definition } = this;
    const { importId } = options;
    const id = definition.kind === "module" ? moduleId(definition, args) : importId;
    const operation = this.begin(importId === undefined ? "create" : "import", options, importId ?? id);
    const create = () => this.createInTurn(operation, args);
    return id === undefined ? create() : operation.withId(id).inTurn(create);
  }

  private async createInTurn(operation: Operation, args: JsonObject): Promise<State> {
    const { definition, deployment, options } = operation;
    deployment.checked.delete(options.key);
    const create = () => createOrImport(operation, args);
    const { id, values } = await deployment.creates.runOnce(options.key, operation.name, create).catch((error) => {
      deployment.hasFailures = true;
      throw error;
    });
    const declared = managedArgs(definition, args, options);
    const { desired, ignoredPaths } = declared;
    const created = operation.withId(id);
    deployment.creates.markManaged(id);
    claimWritten(created, declared, true);
    const managed = pathsOf(definition.fields, desired);
    return newState({ id, values, managed, ignored: ignoredPaths, withEdge: protectsEdge(created) });
  }

  async read(id: string, state: State | undefined, options: Options) {
    const { definition, deployment } = this;
    const operation = this.begin("read", options, id);
    deployment.creates.markManaged(id);
    const before = state ?? newState({ id, values: {}, managed: [] });
    const { values, managed, ignored } = before;
    const object = await operation.run(() => (state ? operation.fetchBatched() : operation.fetchRecent()));
    // An object that a program reads by its id has no state yet, and must exist.
    if (!object && !state) throw new ProviderError(`${operation.missingMessage} Check the id.`);
    if (!object) return undefined;
    // Ignored arguments are not managed, but are among the inputs.
    const names = [...managed, ...ignored];
    const desired = { ...inputsFrom(definition, values, names), ...clientOnlyValues(definition, values) };
    const outputs = outputsFrom(operation, object, desired, values);
    const inputs = inputsFrom(definition, outputs, names);
    return { state: { ...before, values: outputs, unconfirmed: [] }, inputs };
  }

  async readUnmanaged(kind: "read" | "import", id: string, options: Options): Promise<Declaration> {
    const operation = this.begin(kind, options, id);
    this.deployment.creates.markManaged(id);
    const object = await operation.run(() => operation.fetchRecent());
    if (!object) throw new ProviderError(`${operation.missingMessage} Check the id.`);
    if (kind === "import") claimImported(operation);
    const { importedArgs } = require("./check/importedArgs") as typeof import("./check/importedArgs");
    const declaration = importedArgs(this.definition, id, object, kind === "read");
    return { ...declaration, values: outputsFrom(operation, object, declaration.args) };
  }

  preview(state: State | undefined, args: JsonObject, options: Options): JsonObject {
    const { definition } = this;
    if (!state) return previewCreate(definition, args);
    const declared = managedArgs(definition, args, options);
    const { plan } = this.plan(state, declared);
    return toOutputs(definition.fields, previewUpdate(definition, state.values, declared.desired, changedNames(plan)));
  }

  async update(state: State, args: JsonObject, options: Options): Promise<State> {
    const declared = managedArgs(this.definition, args, options);
    const { desired } = declared;
    const operation = this.begin("update", options, state.id);
    return operation.inTurn(async () => {
      const before = beforeUpdate(operation, state);
      const { plan, ignored } = this.plan(before, declared);
      const update = { before, desired, ignored: ignored.paths, plan };
      const after = await executeUpdate(operation, update).catch((error) => {
        this.deployment.hasFailures = true;
        throw error;
      });
      claimWritten(operation, declared);
      return { ...after, withEdge: state.withEdge || protectsEdge(operation) };
    });
  }

  async delete(state: State, options: Options): Promise<void> {
    const operation = this.begin("delete", options, state.id);
    await operation
      .run(() => operation.inTurn(() => removeOrKeep(operation, state)))
      .catch((error: unknown) => {
        this.deployment.claims.settle(asDeletion(options), { places: [operation.path()], isDone: false });
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
    if (!this.deployment.informsOfPlans) return;
    for (const warning of loadChecks().findWarnings(this.definition.fields, args)) {
      await this.deployment.warn(`${warning}.`, options);
    }
  }

  private begin = (kind: OperationName, options: Options, id?: string) =>
    new Operation(kind, this.definition, this.deployment, options, id);

  private plan(before: State, { desired, ignored: names, ignoredPaths }: ManagedArgs) {
    const plan = planUpdate(this.definition, before, desired, names);
    const ignored = trackIgnored(before, names, ignoredPaths);
    const updates = [...new Set([...plan.updates, ...ignored.began, ...ignored.ended])];
    return { plan: { ...plan, updates }, ignored };
  }

  private async checkImport(id: string, args: JsonObject, options: Options): Promise<string[]> {
    const operation = this.begin("import", options, id);
    const { problems } = await operation.run(() => compareForImport(operation, args));
    if (problems.length === 0) {
      await operation.informOfPlan(`${operation.name} will be imported unchanged (Pulumi displays this as "create").`);
    }
    return problems;
  }
}

/** Informs of what the engine does not show: the calls, with --debug, and why a replacement with other changes is one. */
async function informOfPlan(operation: Operation, plan: Plan, replaces: string[]): Promise<void> {
  if (replaces.length === 0) {
    const calls = describePlan(plan, (route) => operation.describe(route));
    if (calls) operation.debug(`plan: ${calls}`);
  } else if (plan.updates.some((name) => !replaces.includes(name))) {
    await operation.informOfPlan(`${operation.name} will be replaced because of ${replaces.join(" and ")}.`);
  }
}

/** What a resource has before an update. What the service has of a module whose state is stale is not known. */
function beforeUpdate(operation: Operation, state: State): State {
  if (!isStale(operation)) return state;
  return { ...state, values: parentArgs(operation.definition, state.id), unconfirmed: [] };
}

/** The file of claims cannot be written or read, so the declarations of the other processes are not known. */
function toProblem(error: unknown): string[] {
  if (error instanceof ProviderError) return [error.message];
  throw error;
}
