/**
 * The life of a resource, written once for all of them: what the dynamic provider host calls, over a definition.
 *
 * The host gives `diff`, `update`, `read` and `delete` the outputs in the state, never the old inputs.
 */

import type { CallOptions } from "../api/client";
import { CallError, isNotFound, isStatus, isUnreachable, redact } from "../api/errors";
import { expand, type Route } from "../api/routes";
import { type Definition, idFromParents, paramsOf } from "../definitions/definition";
import { readFields, writeFields } from "../definitions/fields";
import { deadlineFor, hidden, hiddenIn, timeoutHint, withoutHidden } from "../dynamic/hiddenInputs";
import { isObject, type Json, type JsonObject, withoutNull, withoutUndefined } from "../json";
import { retryOnConflict } from "./conflicts";
import type { Context, HostConfig } from "./deployment";
import { message, PartialFailure, ProviderError, printable, stringsIn } from "./errors";
import { mismatches } from "./import";
import { affectedFields, type Call, moduleBody, plan, updateCall } from "./plan";
import { poll, recoverCreate } from "./recovery";
import { hasNoBody, readObject, responseOf } from "./response";
import {
  inputsFrom,
  managedIn,
  managedKey,
  managedNames,
  merge,
  mergeAll,
  outputsFrom,
  parseInputs,
  preserveEquivalent,
  unconfirmedIn,
  unconfirmedKey,
} from "./state";
import { hasUnknown } from "./unknown";

interface CheckResult {
  inputs: JsonObject;
  failures: { property: string; reason: string }[];
}

interface DiffResult {
  /** Undefined lets the engine compare the inputs itself, and show what differs. */
  changes: boolean | undefined;
  replaces: string[];
  deleteBeforeReplace: boolean;
}

export class Lifecycle {
  private context!: Context;

  constructor(
    protected readonly definition: Definition,
    private readonly shared: (config: HostConfig) => Context,
  ) {}

  /** Synchronous, because the host serves calls without waiting for it. */
  configure({ config }: { config: HostConfig }): void {
    this.context = this.shared(config);
  }

  async check(olds: JsonObject, news: JsonObject): Promise<CheckResult> {
    const { fields } = this.definition;
    const desired = parseInputs(fields, news);
    this.context.isPreview = news[hidden.preview] === true;
    const reasons = this.context.problems.map(({ reason }) => reason);
    reasons.push(...this.problems(desired, hidden.ignoredIn(news)));
    const isNew = olds[hidden.provider] === undefined;
    const id = news[hidden.import];
    if (reasons.length === 0 && isNew && typeof id === "string") {
      const deadline = deadlineFor(news, "create");
      const { problems } = await this.guarded("import", id, news, () => this.inspect(id, desired, deadline), deadline);
      reasons.push(...problems);
      if (problems.length === 0) await this.announceImport(id, news);
    }
    // The engine prints the value of a property that a failure names, secret or not: the reason names it instead.
    const { secrets } = this.context;
    const failures = reasons.map((reason) => ({ property: "", reason: printable(redact(reason, secrets)) }));
    if (failures.length > 0) return { inputs: news, failures };
    for (const warning of this.context.isPreview ? this.warnings(desired) : [])
      await this.context.warn(`${this.resourceIn(news)}: ${warning}.`);
    this.context.owners.register(this.resourceIn(news), isNew);
    if (isNew) await this.keepOwn(news, desired);
    const inputs = {
      ...hidden.withoutPreview(hiddenIn(news)),
      ...preserveEquivalent(fields, parseInputs(fields, olds), desired),
    };
    this.context.shown.compare(olds, inputs);
    return { inputs, failures };
  }

  async diff(id: string, state: JsonObject, news: JsonObject): Promise<DiffResult> {
    const olds = this.stateOf(id, state);
    const { displayName, deleteBeforeReplacing } = this.definition;
    this.context.nowKnown(id);
    const wished = news[hidden.import];
    if (typeof wished === "string" && wished !== id) {
      throw new ProviderError(
        `This resource is ${displayName} ${id} already, so it cannot import ${wished}: take the import option out, or give ` +
          `the imported ${displayName} a resource of its own.`,
      );
    }
    const { desired, ignored } = this.managed(news);
    const { replaces, updates, changes, calls } = plan(this.definition, olds, desired, ignored);
    const wishes = changes.filter((change) => hidden.replacesOnChange(news, change, olds, desired));
    replaces.push(...new Set(wishes.map(([name]) => name!)));
    if (replaces.length > 0) {
      await this.announceReplacement(id, news, replaces, updates);
    } else {
      await this.keep(id, news, desired);
      for (const { removes, route } of calls) if (removes !== undefined) this.registerRemoval(id, news, route);
    }
    return {
      changes: this.changes(olds, news, replaces, updates),
      replaces,
      deleteBeforeReplace: deleteBeforeReplacing?.(replaces) ?? false,
    };
  }

  private changes(olds: JsonObject, news: JsonObject, replaces: string[], updates: string[]): boolean | undefined {
    if (replaces.length + updates.length === 0) return hidden.deleteTimeout(olds) !== hidden.deleteTimeout(news);
    // An engine that compares for itself would replace what is merely stated in other words.
    if (replaces.length === 0 && news[hidden.replaceOnChanges] !== undefined) return true;
    return this.context.shown.changes(news);
  }

  /** The engine shows what differs, not which of it is the cause. */
  private async announceReplacement(
    id: string,
    news: JsonObject,
    replaces: string[],
    updates: string[],
  ): Promise<void> {
    if (updates.every((name) => replaces.includes(name))) return;
    const { displayName } = this.definition;
    await this.context.announce(
      `${this.resourceIn(news)}: ${displayName} ${id} will be replaced because of ${replaces.join(" and ")}.`,
    );
  }

  private announceImport = (id: string, news: JsonObject) =>
    this.context.announce(
      `${this.resourceIn(news)}: ${this.definition.displayName} ${id} will be imported unchanged (Pulumi displays this as "create").`,
    );

  private resourceIn = (inputs: JsonObject) => hidden.resourceIn(this.definition.type, inputs);

  /** What the state says, but for a module that its edge has removed in this deployment. */
  private stateOf(id: string, state: JsonObject): JsonObject {
    const { parents, routes } = this.definition;
    const isRemoved = parents && this.context.owners.wasRemoved(this.pathOf(routes.delete, id));
    const known = Object.entries(withoutNull(state));
    return Object.fromEntries(isRemoved ? known.filter(([name]) => name in parents || name === managedKey) : known);
  }

  async create(inputs: JsonObject): Promise<{ id: string; outs: JsonObject }> {
    const { parents } = this.definition;
    const wished = inputs[hidden.import];
    const desired = parseInputs(this.definition.fields, inputs);
    const deadline = deadlineFor(inputs, "create");
    const make = () => this.make(inputs, desired, deadline);
    const { id, outputs } =
      typeof wished === "string"
        ? await this.guarded("import", wished, inputs, () => this.adopt(wished, desired, deadline), deadline)
        : await this.guarded("create", parents && idFromParents(parents, desired), inputs, make, deadline);
    this.context.nowMade(this.definition.type, id);
    this.context.owners.restored(this.pathOf(this.definition.routes.delete, id));
    const managed = this.managed(inputs).desired;
    await this.keep(id, inputs, managed);
    return { id, outs: this.leaving(outputs, inputs, managedNames(this.definition.fields, managed)) };
  }

  async read(id: string, state: JsonObject): Promise<{ id?: string; props?: JsonObject; inputs?: JsonObject }> {
    const props = withoutNull(state);
    const { fields } = this.definition;
    const managed = managedIn(props);
    this.context.nowKnown(id);
    const response = await this.guarded("read", id, props, () => this.fetchOften(id));
    // A managed object that is gone is drift. One that a program reads by its id has no state yet, and must be there.
    if (!response && props[managedKey] === undefined) {
      throw new ProviderError(`There is no ${this.definition.displayName} ${id}: correct the id.`);
    }
    if (!response) return {};
    // What is ignored is not managed, and yet among the inputs.
    const known = [...managed, ...hidden.ignoredIn(props)];
    const desired = inputsFrom(this.definition, props, known);
    for (const [name, field] of Object.entries(fields)) {
      if (field.clientOnly && props[name] !== undefined) desired[name] = props[name];
    }
    const outputs = this.outputsOf(id, response, desired, props);
    return {
      id,
      props: this.leaving(outputs, props, managed),
      inputs: { ...hidden.nameIn(props), ...inputsFrom(this.definition, outputs, known) },
    };
  }

  async update(id: string, state: JsonObject, news: JsonObject): Promise<{ outs: JsonObject }> {
    const olds = this.stateOf(id, state);
    const { fields } = this.definition;
    const { desired, ignored } = this.managed(news);
    const { calls, changes, updates } = plan(this.definition, olds, desired, ignored);
    const now = managedNames(fields, desired);
    const changed = new Set(changes.map(([name]) => name));
    const newlyManaged = updates.filter((name) => name in desired && !changed.has(name));
    const unchanged = Object.fromEntries(Object.entries(desired).filter(([name]) => !changed.has(name)));
    const further = Object.fromEntries(Object.entries(olds).filter(([name]) => !(name in fields)));
    let outputs: JsonObject = { ...further, ...mergeAll(fields, unchanged, olds) };
    const deadline = deadlineFor(news, "update");
    const unconfirmed = new Set(unconfirmedIn(olds));
    let done = 0;
    const work = async () => {
      for (const call of calls) {
        outputs = await this.carryOut(id, this.leftToOwner(id, call), desired, outputs, deadline);
        for (const name of affectedFields(call)) unconfirmed.delete(name);
        done++;
        // What is newly declared needed no call by the state; the response may show that it does.
        if (done === calls.length) calls.push(...this.stillDifferent(newlyManaged.splice(0), outputs, desired));
      }
    };
    await this.guarded("update", id, news, work, deadline, olds).catch(async (error: unknown) => {
      const uncertain =
        error instanceof ProviderError && error.cause instanceof CallError && error.cause.mayHaveSucceeded;
      // Refused before anything was done: the state is the truth already.
      if (done === 0 && !uncertain) throw error;
      const found = uncertain && (await this.readBack(id, desired, outputs, afterwards(deadline)));
      if (found) unconfirmed.clear();
      else if (uncertain) for (const name of affectedFields(calls[done]!)) unconfirmed.add(name);
      const managed = [...new Set([...managedIn(olds), ...now])];
      const properties = {
        ...this.leaving(found || outputs, news, managed),
        ...(unconfirmed.size > 0 && { [unconfirmedKey]: [...unconfirmed].join(" ") }),
        [hidden.provider]: news[hidden.provider],
      };
      throw new PartialFailure((error as Error).message, id, properties);
    });
    this.context.owners.restored(this.pathOf(this.definition.routes.delete, id));
    return { outs: this.leaving(outputs, news, now) };
  }

  /** The calls that these arguments need, by what a response has shown. */
  private stillDifferent(names: string[], outputs: JsonObject, desired: JsonObject): Call[] {
    const others = Object.keys(this.definition.fields).filter((name) => !names.includes(name));
    return names.length > 0 ? plan(this.definition, outputs, desired, others).calls : [];
  }

  async delete(id: string, props: JsonObject): Promise<void> {
    // A replacement of what keeps its id deletes after it creates: the new one would go.
    if (this.context.wasMade(this.definition.type, id)) return;
    const deadline = deadlineFor(props, "delete");
    const { deleteWarning, displayName, parents, routes } = this.definition;
    const resource = this.resourceIn(props);
    // A replacement of a module has the module's own path, and owns it; one of an object does not own the old object.
    const declared = this.context.owners.declaredAt(this.pathOf(routes.delete, id), parents ? undefined : resource);
    if (declared) return this.guarded("delete", id, props, () => this.restore(id, props, declared, deadline), deadline);
    const warning = deleteWarning?.(props, this.context.secrets);
    if (warning) await this.context.warn(`${resource}: ${displayName} ${id}: ${warning}`);
    await this.guarded("delete", id, props, () => this.remove(id, resource, deadline), deadline);
  }

  /** Leaves what another resource of the program declares too as it is declared there, whoever has set it last. */
  private async restore(id: string, props: JsonObject, declared: JsonObject, deadline?: number): Promise<void> {
    const { parents = {} } = this.definition;
    const parentIds = Object.keys(parents).map((name): [string, Json] => [name, props[name]!]);
    const actual = this.outputsOf(id, (await this.fetch(id, deadline)) ?? {}, {});
    const before = { ...actual, [managedKey]: props[managedKey] ?? "" };
    for (const { route, body } of plan(this.definition, before, { ...declared, ...Object.fromEntries(parentIds) })
      .calls) {
      await this.call(route, id, { body, deadline }).catch((error: unknown) => {
        // The object that the module belongs to is gone.
        if (!isNotFound(error)) throw error;
      });
    }
  }

  /** Registers what this resource declares and others may too: a value that one object alone can have, and modules. */
  private async keep(id: string, inputs: JsonObject, desired: JsonObject): Promise<void> {
    const { fields, displayName, routes, unique } = this.definition;
    const { claims, owners } = this.context;
    const resource = this.resourceIn(inputs);
    if (unique) claims.set(id, desired[unique.argument]);
    await owners.declare(this.pathOf(routes.delete, id), { resource, what: `${displayName} ${id}`, declared: desired });
    for (const [name, { module }] of Object.entries(fields)) {
      if (!module?.remove) continue;
      const [path, declared] = [this.pathOf(module.remove, id), desired[name]];
      if (isObject(declared))
        await owners.declare(path, { resource, what: `${name} of ${displayName} ${id}`, declared });
      else owners.release(path, resource);
    }
  }

  /** The same for a module resource that is new: its path is known in a preview already, if its edge is. */
  private async keepOwn(inputs: JsonObject, desired: JsonObject): Promise<void> {
    const { parents } = this.definition;
    if (!parents || hasUnknown(Object.keys(parents).map((name) => desired[name]))) return;
    await this.keep(idFromParents(parents, desired), inputs, desired);
  }

  /** A module that is no longer declared is removed, unless another resource declares it. */
  private registerRemoval(id: string, inputs: JsonObject, route: Route): void {
    const path = this.pathOf(route, id);
    if (!this.context.owners.declaredAt(path)) this.context.owners.remove(path, this.resourceIn(inputs));
  }

  /** A module that another resource declares is left as it is declared there. */
  private leftToOwner(id: string, call: Call): Call {
    const { fields } = this.definition;
    const declared = call.removes && this.context.owners.declaredAt(this.pathOf(call.route, id));
    if (!call.removes || !declared) return call;
    const own = Object.entries(declared).filter(([name]) => name in fields[call.removes!]!.module!.fields);
    return updateCall(this.definition, { [call.removes]: Object.fromEntries(own) }, [call.removes]);
  }

  private pathOf = (route: Route, id: string) => expand(route, paramsOf(this.definition, id)).path;

  /**
   * What the program states and wants enforced. An argument that `ignoreChanges` names is not managed: the engine only
   * ever shows its old value, so one that left the program meanwhile would be removed as soon as the option goes.
   */
  private managed(inputs: JsonObject): { desired: JsonObject; ignored: string[] } {
    const { fields, parents } = this.definition;
    const ignored = parents ? [] : hidden.ignoredIn(inputs).filter((name) => fields[name] && !fields[name].replaces);
    const desired = Object.entries(parseInputs(fields, inputs)).filter(([name]) => !ignored.includes(name));
    return { desired: Object.fromEntries(desired), ignored };
  }

  /** The names of what the inputs have and `ignoreChanges` names, which the state keeps for the next read. */
  private ignoredNames(source: JsonObject): string[] {
    const { fields } = this.definition;
    const paths = hidden.ignoredIn(source);
    const isIgnored = (name: string) => paths.includes(name) || paths.includes(name.split(".")[0]!);
    return managedNames(fields, parseInputs(fields, source)).filter(isIgnored);
  }

  private problems(desired: JsonObject, ignored: string[]): string[] {
    const { problemsOf } = require("./checks") as typeof import("./checks");
    const { fields, rules } = this.definition;
    const problems = problemsOf(fields, desired, ignored);
    return problems.length > 0 ? problems : (rules?.(withoutUnknown(desired)) ?? []);
  }

  private warnings(desired: JsonObject): string[] {
    const { warningsOf } = require("./checks") as typeof import("./checks");
    return warningsOf(this.definition.fields, desired);
  }

  private async make(
    inputs: JsonObject,
    desired: JsonObject,
    deadline: number | undefined,
  ): Promise<{ id: string; outputs: JsonObject }> {
    const { definition } = this;
    if (definition.parents) return this.set(idFromParents(definition.parents, desired), inputs, desired, deadline);
    const began = Date.now();
    const body = writeFields(definition.fields, desired);
    let response: Json | undefined;
    try {
      const send = () => this.context.client.call(definition.routes.create, { body, deadline });
      response = await retryOnConflict(this.context, definition, desired, send, { deadline });
      if (!isObject(response) || typeof response.id !== "string") {
        throw new CallError(`${definition.routes.create} returned no id.`, { mayHaveSucceeded: true });
      }
    } catch (error) {
      if (!(error instanceof CallError) || !error.mayHaveSucceeded) throw error;
      response = await recoverCreate(definition, desired, began, error, this.context, afterwards(deadline));
    }
    const id = String(response.id);
    return { id, outputs: this.outputsOf(id, response, desired) };
  }

  /** Makes a module resource. */
  private async set(
    id: string,
    inputs: JsonObject,
    desired: JsonObject,
    deadline: number | undefined,
  ): Promise<{ id: string; outputs: JsonObject }> {
    const { definition } = this;
    try {
      const body = moduleBody(definition, desired);
      const response = await this.call(definition.routes.create, id, { body, deadline });
      const module = responseOf(definition, definition.routes.create, id, response) ?? body;
      return { id, outputs: this.outputsOf(id, module, desired) };
    } catch (error) {
      if (!(error instanceof CallError) || !error.mayHaveSucceeded) throw error;
      // The module may be there now: the state must know of it, or nobody would ever remove it.
      const end = afterwards(deadline);
      const found = await poll(() => this.fetch(id, end), error, this.context, end).catch(() => ({}));
      if (!found) throw error;
      const managed = managedNames(definition.fields, desired);
      // Where the service did not say, nothing is confirmed, an empty list no more than a full one.
      const confirmed = Object.keys(found).length > 0 ? this.confirmable(desired) : {};
      const outputs = this.leaving(this.outputsOf(id, found, confirmed), inputs, managed);
      throw new PartialFailure(error.message, id, {
        ...outputs,
        [hidden.provider]: inputs[hidden.provider],
      });
    }
  }

  private async adopt(
    id: string,
    desired: JsonObject,
    deadline: number | undefined,
  ): Promise<{ id: string; outputs: JsonObject }> {
    const { problems, response } = await this.inspect(id, desired, deadline);
    if (!response || problems.length > 0) throw new ProviderError(problems.join("\n"));
    return { id, outputs: this.outputsOf(id, response, desired) };
  }

  /** An object to be taken over, and what keeps it from being taken over as the program states it. */
  private async inspect(
    id: string,
    desired: JsonObject,
    deadline: number | undefined,
  ): Promise<{ problems: string[]; response?: JsonObject }> {
    const { definition } = this;
    const { displayName, parents } = definition;
    const own =
      parents && !hasUnknown(Object.keys(parents).map((name) => desired[name])) && idFromParents(parents, desired);
    if (own && own !== id)
      return { problems: [`the program states ${displayName} ${own}, and imports ${id}: make them the same.`] };
    const response = await (deadline === undefined ? this.fetchOften(id) : this.fetch(id, deadline));
    if (!response) {
      return {
        problems: [`there is no ${displayName} ${id}: correct the id, or take the import option out to create one.`],
      };
    }
    return { problems: mismatches(definition, id, desired, this.outputsOf(id, response, {})), response };
  }

  private async carryOut(
    id: string,
    { route, body, sets, removes }: Call,
    desired: JsonObject,
    outputs: JsonObject,
    deadline: number | undefined,
  ): Promise<JsonObject> {
    const { fields, displayName, parents, routes, unique } = this.definition;
    if (removes !== undefined) {
      await this.removeModule(id, route, removes, deadline);
      const { [removes]: _, ...rest } = outputs;
      return rest;
    }
    const send = () => this.call(route, id, { body, deadline });
    const claims = sets.includes(unique?.argument ?? "");
    const response = await (claims
      ? retryOnConflict(this.context, this.definition, desired, send, { id, deadline })
      : send());
    if (route === routes.update) {
      if (hasNoBody(response) && !parents) return { ...outputs, ...pickStated(sets, desired) };
      return this.outputsOf(id, responseOf(this.definition, route, id, response) ?? body!, desired, outputs);
    }
    const [name] = sets as [string];
    const field = fields[name]!;
    const expected = { displayName: `${name} of ${displayName}`, parents: { id: "id" }, fields: field.module!.fields };
    const value = readFields(expected.fields, responseOf(expected, route, id, response) ?? body!);
    return { ...outputs, [name]: merge(field, desired[name], value)! };
  }

  /** A module that is gone already counts as removed; one that the service cannot remove is an error. */
  private async removeModule(id: string, route: Route, name: string, deadline: number | undefined): Promise<void> {
    try {
      await this.call(route, id, { deadline });
    } catch (error) {
      if (!isStatus(error, 404, 405, 501)) throw error;
      const object = await this.fetch(id, deadline);
      if (!object || this.outputsOf(id, object, {})[name] === undefined) return;
      throw new ProviderError(
        `${error.message} The service has ${name} there and cannot remove it: state ${name} with enabled: false instead.`,
      );
    }
  }

  private async remove(id: string, resource: string, deadline: number | undefined): Promise<void> {
    const { routes, clearIfUndeletable } = this.definition;
    try {
      await this.call(routes.delete, id, { deadline });
    } catch (error) {
      if (!clearIfUndeletable && isNotFound(error)) return;
      if (error instanceof CallError && error.mayHaveSucceeded && (await this.isGone(id, deadline))) return;
      if (!clearIfUndeletable || !isStatus(error, 404, 405, 501)) throw error;
      const object = await this.fetch(id, deadline);
      if (object) await this.empty(id, resource, object, deadline);
    }
  }

  /** Whether the service has the object no more; where it does not say, it may still be there. */
  private async isGone(id: string, deadline: number | undefined): Promise<boolean> {
    return this.fetch(id, afterwards(deadline)).then(
      (object) => object === undefined,
      () => false,
    );
  }

  /** What is left to do where the service has no delete: release the listener, then take off what can be taken off. */
  private async empty(id: string, resource: string, object: JsonObject, deadline: number | undefined): Promise<void> {
    const { fields, displayName, routes } = this.definition;
    const outputs = this.outputsOf(id, object, {});
    const lists = Object.keys(fields).filter((name) => name === "hostports" && outputs[name] !== undefined);
    for (const name of lists) {
      await this.call(routes.update, id, { body: writeFields(fields, { [name]: fields[name]!.clear! }), deadline });
    }
    const left: string[] = [];
    for (const [name, { module }] of Object.entries(fields)) {
      if (!module?.remove || outputs[name] === undefined) continue;
      try {
        await this.call(module.remove, id, { deadline });
      } catch (error) {
        if (!isStatus(error, 404, 405, 501)) throw error;
        left.push(name);
      }
    }
    const rest = left.length > 0 ? `; ${left.join(" and ")} could not be removed from it` : "";
    await this.context.warn(
      `${resource}: ${displayName} ${id} still exists: the service has no operation that deletes it. It was emptied instead, its ` +
        `hostports are free again${rest}. It is no longer part of this stack.`,
    );
  }

  /** What the service holds, in an uncertain moment, if it says so. */
  private async readBack(
    id: string,
    desired: JsonObject,
    outputs: JsonObject,
    deadline: number | undefined,
  ): Promise<JsonObject | undefined> {
    const response = await this.fetch(id, deadline).catch(() => undefined);
    return response && this.outputsOf(id, response, this.confirmable(desired), outputs);
  }

  /** What is stated, without what an answer may withhold: whether that arrived is not known, so it is sent again. */
  private confirmable(desired: JsonObject): JsonObject {
    const { fields } = this.definition;
    return Object.fromEntries(Object.entries(desired).filter(([name]) => !fields[name]?.writeOnly));
  }

  /** The object as the service has it, or undefined where it has none. */
  private fetch(id: string, deadline?: number): Promise<JsonObject | undefined> {
    const { read } = this.definition.routes;
    return readObject(this.definition, read, id, () => this.call(read, id, { deadline }));
  }

  /** The same, where the engine asks for many objects at once. */
  private fetchOften(id: string): Promise<JsonObject | undefined> {
    const { list } = this.definition;
    return list ? this.context.reads.find(list, id, () => this.fetch(id)) : this.fetch(id);
  }

  private call(route: Route, id: string, options: Omit<CallOptions, "params"> = {}): Promise<Json | undefined> {
    return this.context.client.call(route, { ...options, params: paramsOf(this.definition, id) });
  }

  private outputsOf(id: string, response: JsonObject, desired: JsonObject, before?: JsonObject): JsonObject {
    const { definition } = this;
    const outputs = outputsFrom(definition, response, desired, before);
    const ids = id.split("/");
    for (const [index, argument] of Object.keys(definition.parents ?? {}).entries()) outputs[argument] = ids[index]!;
    return outputs;
  }

  private leaving(outputs: JsonObject, source: JsonObject, managed: string[]): JsonObject {
    return withoutUndefined({
      ...withoutHidden(outputs),
      ...hidden.kept(source, this.ignoredNames(source)),
      [managedKey]: managed.join(" "),
    });
  }

  /** Turns what goes wrong into one message that names the object and holds no secret. */
  private async guarded<T>(
    operation: keyof typeof participles,
    id: string | undefined,
    values: JsonObject,
    work: () => Promise<T>,
    deadline?: number,
    before: JsonObject = {},
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      let words = error instanceof Error ? error.message : String(error);
      if (id && operation === "update" && isNotFound(error)) {
        words += " If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it.";
      }
      // Timers may ring a little early.
      const isLate = deadline !== undefined && Date.now() > deadline - 10;
      if (operation === "delete" && isUnreachable(error) && !isLate) {
        words += " If the service no longer exists, remove the resource from the state with `pulumi state delete`.";
      }
      if (isLate) words += ` ${timeoutHint(values, operation)}`;
      const what = `${this.definition.displayName}${id ? ` ${id}` : ""} could not be ${participles[operation]}`;
      const text = `${what}: ${message(words, [...this.secretsIn(values), ...this.secretsIn(before)])}`;
      if (error instanceof PartialFailure) throw new PartialFailure(text, error.id, error.properties);
      const refusal = new ProviderError(text);
      refusal.cause = error;
      throw refusal;
    }
  }

  private secretsIn(values: JsonObject): string[] {
    const { fields, outputs } = this.definition;
    const names = [
      ...Object.keys(fields).filter((name) => fields[name]!.secret || fields[name]!.sensitive),
      ...Object.keys(outputs).filter((name) => outputs[name]!.secret),
    ];
    return [...this.context.secrets, ...names.flatMap((name) => stringsIn(values[name]))];
  }
}

const participles = { create: "created", read: "read", update: "updated", delete: "deleted", import: "imported" };

/** How long a look at the service may take after an operation that ran out of time, to know what became of it. */
const afterwards = (deadline: number | undefined) => deadline && Math.max(deadline, Date.now() + 5_000);

const pickStated = (names: string[], desired: JsonObject): JsonObject =>
  Object.fromEntries(names.filter((name) => desired[name] !== undefined).map((name) => [name, desired[name]!]));

/** What can be judged of the arguments in a preview. */
const withoutUnknown = (desired: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(desired).filter(([, value]) => !hasUnknown(value)));
