/**
 * The life of a resource, written once for all of them: what the dynamic provider host calls, over a definition.
 *
 * The host gives `diff`, `update`, `read` and `delete` the outputs in the state, never the old inputs.
 */

import type { CallOptions } from "../api/client";
import { CallError, isNotFound, isStatus, isUnreachable, redacted } from "../api/errors";
import { expand, type Route } from "../api/routes";
import { isObject, type Json, type JsonObject, withoutNull, withoutUndefined } from "../api/wire";
import { claiming } from "./claims";
import type { Context, HostConfig } from "./context";
import { type Definition, idFromParents, paramsOf } from "./definition";
import { readFields, writeFields } from "./fields";
import { deadlineFor, hidden, hiddenIn, ranOut, withoutHidden } from "./hidden";
import { mismatches } from "./import";
import { findLost, lookFor } from "./lost";
import { message, printable, Refusal, textsIn, Unfinished } from "./message";
import { type Call, concerned, moduleBody, plan, updateCall } from "./plan";
import { hasNoBody, readObject, responseOf } from "./response";
import {
  inputsFrom,
  managedIn,
  managedKey,
  managedNames,
  outputsFrom,
  quieted,
  settle,
  settleAll,
  statedIn,
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
    const stated = statedIn(fields, news);
    this.context.isPreview = news[hidden.preview] === true;
    const reasons = this.context.problems.map(({ reason }) => reason);
    reasons.push(...this.problems(stated, hidden.ignoredIn(news)));
    const isNew = olds[hidden.provider] === undefined;
    const id = news[hidden.import];
    if (reasons.length === 0 && isNew && typeof id === "string") {
      const deadline = deadlineFor(news, "create");
      const { problems } = await this.guarded("import", id, news, () => this.inspect(id, stated, deadline), deadline);
      reasons.push(...problems);
      if (problems.length === 0) await this.announceImport(id, news);
    }
    // The engine prints the value of a property that a failure names, secret or not: the reason names it instead.
    const { secrets } = this.context;
    const failures = reasons.map((reason) => ({ property: "", reason: printable(redacted(reason, secrets)) }));
    if (failures.length > 0) return { inputs: news, failures };
    for (const warning of this.context.isPreview ? this.warnings(stated) : [])
      await this.context.warn(`${this.resourceIn(news)}: ${warning}.`);
    this.context.owners.register(this.resourceIn(news), isNew);
    if (isNew) await this.keepOwn(news, stated);
    const inputs = { ...hidden.withoutPreview(hiddenIn(news)), ...quieted(fields, statedIn(fields, olds), stated) };
    this.context.shown.compare(olds, inputs);
    return { inputs, failures };
  }

  async diff(id: string, state: JsonObject, news: JsonObject): Promise<DiffResult> {
    const olds = this.stateOf(id, state);
    const { noun, deleteFirst } = this.definition;
    this.context.nowKnown(id);
    const wished = news[hidden.import];
    if (typeof wished === "string" && wished !== id) {
      throw new Refusal(
        `This resource is ${noun} ${id} already, so it cannot import ${wished}: take the import option out, or give ` +
          `the imported ${noun} a resource of its own.`,
      );
    }
    const { stated, ignored } = this.managed(news);
    const { replaces, updates, changes, calls } = plan(this.definition, olds, stated, ignored);
    const wishes = changes.filter((change) => hidden.replacesOnChange(news, change, olds, stated));
    replaces.push(...new Set(wishes.map(([name]) => name!)));
    if (replaces.length > 0) {
      await this.announceReplacement(id, news, replaces, updates);
    } else {
      await this.keep(id, news, stated);
      for (const { removes, route } of calls) if (removes !== undefined) this.registerRemoval(id, news, route);
    }
    return {
      changes: this.changes(olds, news, replaces, updates),
      replaces,
      deleteBeforeReplace: deleteFirst?.(replaces) ?? false,
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
    const { noun } = this.definition;
    await this.context.announce(
      `${this.resourceIn(news)}: ${noun} ${id} will be replaced because of ${replaces.join(" and ")}.`,
    );
  }

  private announceImport = (id: string, news: JsonObject) =>
    this.context.announce(
      `${this.resourceIn(news)}: ${this.definition.noun} ${id} will be imported unchanged (Pulumi displays this as "create").`,
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
    const stated = statedIn(this.definition.fields, inputs);
    const deadline = deadlineFor(inputs, "create");
    const make = () => this.make(inputs, stated, deadline);
    const { id, outputs } =
      typeof wished === "string"
        ? await this.guarded("import", wished, inputs, () => this.adopt(wished, stated, deadline), deadline)
        : await this.guarded("create", parents && idFromParents(parents, stated), inputs, make, deadline);
    this.context.nowMade(this.definition.type, id);
    this.context.owners.restored(this.pathOf(this.definition.routes.delete, id));
    const managed = this.managed(inputs).stated;
    await this.keep(id, inputs, managed);
    return { id, outs: this.leaving(outputs, inputs, managedNames(this.definition.fields, managed)) };
  }

  async read(id: string, state: JsonObject): Promise<{ id?: string; props?: JsonObject; inputs?: JsonObject }> {
    const props = withoutNull(state);
    const { fields } = this.definition;
    const managed = managedIn(props);
    this.context.nowKnown(id);
    const answer = await this.guarded("read", id, props, () => this.fetchOften(id));
    // A managed object that is gone is drift. One that a program reads by its id has no state yet, and must be there.
    if (!answer && props[managedKey] === undefined) {
      throw new Refusal(`There is no ${this.definition.noun} ${id}: correct the id.`);
    }
    if (!answer) return {};
    // What is ignored is not managed, and yet among the inputs.
    const known = [...managed, ...hidden.ignoredIn(props)];
    const stated = inputsFrom(this.definition, props, known);
    for (const [name, field] of Object.entries(fields)) {
      if (field.local && props[name] !== undefined) stated[name] = props[name];
    }
    const outputs = this.outputsOf(id, answer, stated, props);
    return {
      id,
      props: this.leaving(outputs, props, managed),
      inputs: { ...hidden.nameIn(props), ...inputsFrom(this.definition, outputs, known) },
    };
  }

  async update(id: string, state: JsonObject, news: JsonObject): Promise<{ outs: JsonObject }> {
    const olds = this.stateOf(id, state);
    const { fields } = this.definition;
    const { stated, ignored } = this.managed(news);
    const { calls, changes, updates } = plan(this.definition, olds, stated, ignored);
    const now = managedNames(fields, stated);
    const changed = new Set(changes.map(([name]) => name));
    const newlyManaged = updates.filter((name) => name in stated && !changed.has(name));
    const unchanged = Object.fromEntries(Object.entries(stated).filter(([name]) => !changed.has(name)));
    const further = Object.fromEntries(Object.entries(olds).filter(([name]) => !(name in fields)));
    let outputs: JsonObject = { ...further, ...settleAll(fields, unchanged, olds) };
    const deadline = deadlineFor(news, "update");
    const unconfirmed = new Set(unconfirmedIn(olds));
    let done = 0;
    const work = async () => {
      for (const call of calls) {
        outputs = await this.carryOut(id, this.leftToOwner(id, call), stated, outputs, deadline);
        for (const name of concerned(call)) unconfirmed.delete(name);
        done++;
        // What is newly declared needed no call by the state; the response may show that it does.
        if (done === calls.length) calls.push(...this.stillDifferent(newlyManaged.splice(0), outputs, stated));
      }
    };
    await this.guarded("update", id, news, work, deadline, olds).catch(async (error: unknown) => {
      const uncertain = error instanceof Refusal && error.cause instanceof CallError && error.cause.maybeDone;
      // Refused before anything was done: the state is the truth already.
      if (done === 0 && !uncertain) throw error;
      const found = uncertain && (await this.readBack(id, stated, outputs, afterwards(deadline)));
      if (found) unconfirmed.clear();
      else if (uncertain) for (const name of concerned(calls[done]!)) unconfirmed.add(name);
      const managed = [...new Set([...managedIn(olds), ...now])];
      const properties = {
        ...this.leaving(found || outputs, news, managed),
        ...(unconfirmed.size > 0 && { [unconfirmedKey]: [...unconfirmed].join(" ") }),
        [hidden.provider]: news[hidden.provider],
      };
      throw new Unfinished((error as Error).message, id, properties);
    });
    this.context.owners.restored(this.pathOf(this.definition.routes.delete, id));
    return { outs: this.leaving(outputs, news, now) };
  }

  /** The calls that these arguments need, by what a response has shown. */
  private stillDifferent(names: string[], outputs: JsonObject, stated: JsonObject): Call[] {
    const others = Object.keys(this.definition.fields).filter((name) => !names.includes(name));
    return names.length > 0 ? plan(this.definition, outputs, stated, others).calls : [];
  }

  async delete(id: string, props: JsonObject): Promise<void> {
    // A replacement of what keeps its id deletes after it creates: the new one would go.
    if (this.context.wasMade(this.definition.type, id)) return;
    const deadline = deadlineFor(props, "delete");
    const { deleteWarning, noun, parents, routes } = this.definition;
    const resource = this.resourceIn(props);
    // A replacement of a module has the module's own path, and owns it; one of an object does not own the old object.
    const declared = this.context.owners.declaredAt(this.pathOf(routes.delete, id), parents ? undefined : resource);
    if (declared) return this.guarded("delete", id, props, () => this.restore(id, props, declared, deadline), deadline);
    const warning = deleteWarning?.(props, this.context.secrets);
    if (warning) await this.context.warn(`${resource}: ${noun} ${id}: ${warning}`);
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
  private async keep(id: string, inputs: JsonObject, stated: JsonObject): Promise<void> {
    const { fields, noun, routes, unique } = this.definition;
    const { claims, owners } = this.context;
    const resource = this.resourceIn(inputs);
    if (unique) claims.set(id, stated[unique.argument]);
    await owners.declare(this.pathOf(routes.delete, id), { resource, what: `${noun} ${id}`, declared: stated });
    for (const [name, { module }] of Object.entries(fields)) {
      if (!module?.remove) continue;
      const [path, declared] = [this.pathOf(module.remove, id), stated[name]];
      if (isObject(declared)) await owners.declare(path, { resource, what: `${name} of ${noun} ${id}`, declared });
      else owners.release(path, resource);
    }
  }

  /** The same for a module resource that is new: its path is known in a preview already, if its edge is. */
  private async keepOwn(inputs: JsonObject, stated: JsonObject): Promise<void> {
    const { parents } = this.definition;
    if (!parents || hasUnknown(Object.keys(parents).map((name) => stated[name]))) return;
    await this.keep(idFromParents(parents, stated), inputs, stated);
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
  private managed(inputs: JsonObject): { stated: JsonObject; ignored: string[] } {
    const { fields, parents } = this.definition;
    const ignored = parents ? [] : hidden.ignoredIn(inputs).filter((name) => fields[name] && !fields[name].replaces);
    const stated = Object.entries(statedIn(fields, inputs)).filter(([name]) => !ignored.includes(name));
    return { stated: Object.fromEntries(stated), ignored };
  }

  /** The names of what the inputs have and `ignoreChanges` names, which the state keeps for the next read. */
  private ignoredNames(source: JsonObject): string[] {
    const { fields } = this.definition;
    const paths = hidden.ignoredIn(source);
    const isIgnored = (name: string) => paths.includes(name) || paths.includes(name.split(".")[0]!);
    return managedNames(fields, statedIn(fields, source)).filter(isIgnored);
  }

  private problems(stated: JsonObject, ignored: string[]): string[] {
    const { problemsOf } = require("./schemas") as typeof import("./schemas");
    const { fields, rules } = this.definition;
    const problems = problemsOf(fields, stated, ignored);
    return problems.length > 0 ? problems : (rules?.(withoutUnknown(stated)) ?? []);
  }

  private warnings(stated: JsonObject): string[] {
    const { warningsOf } = require("./schemas") as typeof import("./schemas");
    return warningsOf(this.definition.fields, stated);
  }

  private async make(
    inputs: JsonObject,
    stated: JsonObject,
    deadline: number | undefined,
  ): Promise<{ id: string; outputs: JsonObject }> {
    const { definition } = this;
    if (definition.parents) return this.set(idFromParents(definition.parents, stated), inputs, stated, deadline);
    const began = Date.now();
    const body = writeFields(definition.fields, stated);
    let answer: Json | undefined;
    try {
      const send = () => this.context.client.call(definition.routes.create, { body, deadline });
      answer = await claiming(this.context, definition, stated, send, { deadline });
      if (!isObject(answer) || typeof answer.id !== "string") {
        throw new CallError(`${definition.routes.create} returned no id.`, undefined, true);
      }
    } catch (error) {
      if (!(error instanceof CallError) || !error.maybeDone) throw error;
      answer = await findLost(definition, stated, began, error, this.context, afterwards(deadline));
    }
    const id = String(answer.id);
    return { id, outputs: this.outputsOf(id, answer, stated) };
  }

  /** Makes a module resource. */
  private async set(
    id: string,
    inputs: JsonObject,
    stated: JsonObject,
    deadline: number | undefined,
  ): Promise<{ id: string; outputs: JsonObject }> {
    const { definition } = this;
    try {
      const body = moduleBody(definition, stated);
      const answer = await this.call(definition.routes.create, id, { body, deadline });
      const module = responseOf(definition, definition.routes.create, id, answer) ?? body;
      return { id, outputs: this.outputsOf(id, module, stated) };
    } catch (error) {
      if (!(error instanceof CallError) || !error.maybeDone) throw error;
      // The module may be there now: the state must know of it, or nobody would ever remove it.
      const end = afterwards(deadline);
      const found = await lookFor(() => this.fetch(id, end), error, this.context, end).catch(() => ({}));
      if (!found) throw error;
      const managed = managedNames(definition.fields, stated);
      // Where the service did not say, nothing is confirmed, an empty list no more than a full one.
      const confirmed = Object.keys(found).length > 0 ? this.confirmable(stated) : {};
      const outputs = this.leaving(this.outputsOf(id, found, confirmed), inputs, managed);
      throw new Unfinished(error.message, id, {
        ...outputs,
        [hidden.provider]: inputs[hidden.provider],
      });
    }
  }

  private async adopt(
    id: string,
    stated: JsonObject,
    deadline: number | undefined,
  ): Promise<{ id: string; outputs: JsonObject }> {
    const { problems, answer } = await this.inspect(id, stated, deadline);
    if (!answer || problems.length > 0) throw new Refusal(problems.join("\n"));
    return { id, outputs: this.outputsOf(id, answer, stated) };
  }

  /** An object to be taken over, and what keeps it from being taken over as the program states it. */
  private async inspect(
    id: string,
    stated: JsonObject,
    deadline: number | undefined,
  ): Promise<{ problems: string[]; answer?: JsonObject }> {
    const { definition } = this;
    const { noun, parents } = definition;
    const own =
      parents && !hasUnknown(Object.keys(parents).map((name) => stated[name])) && idFromParents(parents, stated);
    if (own && own !== id)
      return { problems: [`the program states ${noun} ${own}, and imports ${id}: make them the same.`] };
    const answer = await (deadline === undefined ? this.fetchOften(id) : this.fetch(id, deadline));
    if (!answer) {
      return { problems: [`there is no ${noun} ${id}: correct the id, or take the import option out to create one.`] };
    }
    return { problems: mismatches(definition, id, stated, this.outputsOf(id, answer, {})), answer };
  }

  private async carryOut(
    id: string,
    { route, body, sets, removes }: Call,
    stated: JsonObject,
    outputs: JsonObject,
    deadline: number | undefined,
  ): Promise<JsonObject> {
    const { fields, noun, parents, routes, unique } = this.definition;
    if (removes !== undefined) {
      await this.removeModule(id, route, removes, deadline);
      const { [removes]: _, ...rest } = outputs;
      return rest;
    }
    const send = () => this.call(route, id, { body, deadline });
    const claims = sets.includes(unique?.argument ?? "");
    const answer = await (claims ? claiming(this.context, this.definition, stated, send, { id, deadline }) : send());
    if (route === routes.update) {
      if (hasNoBody(answer) && !parents) return { ...outputs, ...pickStated(sets, stated) };
      return this.outputsOf(id, responseOf(this.definition, route, id, answer) ?? body!, stated, outputs);
    }
    const [name] = sets as [string];
    const field = fields[name]!;
    const expected = { noun: `${name} of ${noun}`, parents: { id: "id" }, fields: field.module!.fields };
    const value = readFields(expected.fields, responseOf(expected, route, id, answer) ?? body!);
    return { ...outputs, [name]: settle(field, stated[name], value)! };
  }

  /** A module that is gone already counts as removed; one that the service cannot remove is an error. */
  private async removeModule(id: string, route: Route, name: string, deadline: number | undefined): Promise<void> {
    try {
      await this.call(route, id, { deadline });
    } catch (error) {
      if (!isStatus(error, 404, 405, 501)) throw error;
      const object = await this.fetch(id, deadline);
      if (!object || this.outputsOf(id, object, {})[name] === undefined) return;
      throw new Refusal(
        `${error.message} The service has ${name} there and cannot remove it: state ${name} with enabled: false instead.`,
      );
    }
  }

  private async remove(id: string, resource: string, deadline: number | undefined): Promise<void> {
    const { routes, emptiedIfUndeletable } = this.definition;
    try {
      await this.call(routes.delete, id, { deadline });
    } catch (error) {
      if (!emptiedIfUndeletable && isNotFound(error)) return;
      if (error instanceof CallError && error.maybeDone && (await this.isGone(id, deadline))) return;
      if (!emptiedIfUndeletable || !isStatus(error, 404, 405, 501)) throw error;
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
    const { fields, noun, routes } = this.definition;
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
      `${resource}: ${noun} ${id} still exists: the service has no operation that deletes it. It was emptied instead, its ` +
        `hostports are free again${rest}. It is no longer part of this stack.`,
    );
  }

  /** What the service holds, in an uncertain moment, if it says so. */
  private async readBack(
    id: string,
    stated: JsonObject,
    outputs: JsonObject,
    deadline: number | undefined,
  ): Promise<JsonObject | undefined> {
    const answer = await this.fetch(id, deadline).catch(() => undefined);
    return answer && this.outputsOf(id, answer, this.confirmable(stated), outputs);
  }

  /** What is stated, without what an answer may withhold: whether that arrived is not known, so it is sent again. */
  private confirmable(stated: JsonObject): JsonObject {
    const { fields } = this.definition;
    return Object.fromEntries(Object.entries(stated).filter(([name]) => !fields[name]?.withheld));
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

  private outputsOf(id: string, answer: JsonObject, stated: JsonObject, before?: JsonObject): JsonObject {
    const { definition } = this;
    const outputs = outputsFrom(definition, answer, stated, before);
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
      if (isLate) words += ` ${ranOut(values, operation)}`;
      const what = `${this.definition.noun}${id ? ` ${id}` : ""} could not be ${participles[operation]}`;
      const text = `${what}: ${message(words, [...this.secretsIn(values), ...this.secretsIn(before)])}`;
      if (error instanceof Unfinished) throw new Unfinished(text, error.id, error.properties);
      const refusal = new Refusal(text);
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
    return [...this.context.secrets, ...names.flatMap((name) => textsIn(values[name]))];
  }
}

const participles = { create: "created", read: "read", update: "updated", delete: "deleted", import: "imported" };

/** How long a look at the service may take after an operation that ran out of time, to know what became of it. */
const afterwards = (deadline: number | undefined) => deadline && Math.max(deadline, Date.now() + 5_000);

const pickStated = (names: string[], stated: JsonObject): JsonObject =>
  Object.fromEntries(names.filter((name) => stated[name] !== undefined).map((name) => [name, stated[name]!]));

/** What can be judged of the arguments in a preview. */
const withoutUnknown = (stated: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(stated).filter(([, value]) => !hasUnknown(value)));
