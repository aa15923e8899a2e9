/** Executes what was planned: creates, updates and deletes an object or module, and says what the service has then. */

import { CallError, isDeleted, isStatus, uncertainCall } from "../../api/callError";
import type { Expected, ListItem } from "../../api/client";
import { proofOfNothing } from "../../api/evidence";
import type { Route } from "../../api/routes";
import type { JsonObject } from "../../base/json";
import { type ModuleDefinition, type ObjectDefinition, routesOf } from "../../definitions/definition";
import { type Field, readFields, writeFields } from "../../definitions/fields/field";
import type { Deployment } from "../deployment/deployment";
import type { Create } from "../deployment/pendingCreates";
import { Remote } from "../deployment/remote";
import { PartialFailure, ProviderError, refreshHint } from "../errors";
import type { Subject } from "../log";
import { type Call, planUpdate } from "../plan/plan";
import { expectModule, expectNewObject } from "../read/expectations";
import { protectsEdge } from "../register/declare";
import { keepersOf } from "../register/keepers";
import { merge, newState, pathsOf, toProperties, withoutWriteOnly } from "../state";
import { graceDeadline } from "../timeouts";
import { retryOnConflict } from "./conflicts";
import { assertApplied, confirmOutputs } from "./protections";
import { pollUntil, recoverCreate, recoverEarlier } from "./recovery";
import { assertOwnersKnown } from "./unknownOwners";

/** What exists after a create. */
export interface Created {
  id: string;
  values: JsonObject;
}

export async function createObject(
  deployment: Deployment,
  definition: ObjectDefinition,
  call: Call,
  desired: JsonObject,
  about: Subject,
  deadline: number | undefined,
): Promise<Created> {
  const earlier = deployment.creates.firstLost(about);
  const found = earlier && (await recoverEarlier(deployment, earlier, deadline));
  const create = { definition, desired, about, sentAt: deployment.clock.now() };
  const object = found ?? (await postObject(deployment, create, call, deadline));
  const remote = new Remote(definition, String(object.id), deployment);
  return confirmCreate(remote, call.route, object, desired, call.sets, deadline);
}

async function postObject(
  deployment: Deployment,
  create: Create,
  { route, body }: Call,
  deadline: number | undefined,
): Promise<JsonObject> {
  const { definition, desired } = create;
  const { key } = create.about;
  const send = () => deployment.client.call(route, { body, deadline, expects: expectNewObject });
  try {
    const sent = retryOnConflict(deployment, definition, desired, send, { key, deadline }) as Promise<ListItem>;
    return await deployment.creates.track(create, sent);
  } catch (error) {
    const failure = uncertainCall(error);
    if (!failure) throw error;
    return recoverCreate(deployment, { ...create, failure }, graceDeadline(deadline, deployment.clock));
  }
}

/** The state after a create. If the service did not apply what protects the object, fails with that state. */
async function confirmCreate(
  remote: Remote,
  route: Route,
  response: JsonObject | undefined,
  desired: JsonObject,
  sets: string[],
  deadline: number | undefined,
): Promise<Created> {
  const { id } = remote;
  let values = remote.outputsAfterWrite(response, desired, {}, sets);
  try {
    values = await confirmOutputs(remote, response, sets, desired, values, deadline);
    assertApplied(remote, remote.describe(route), sets, desired, values);
    return { id, values };
  } catch (error) {
    const unconfirmed = error instanceof CallError ? sets : [];
    throw partialFailure((error as Error).message, remote, values, desired, unconfirmed);
  }
}

function partialFailure(
  message: string,
  remote: Remote,
  values: JsonObject,
  desired: JsonObject,
  unconfirmed: string[] = [],
): PartialFailure {
  const { id, definition, deployment } = remote;
  const withEdge = protectsEdge(deployment.register.view(), remote) || undefined;
  const state = newState({ id, values, managed: pathsOf(definition.fields, desired), unconfirmed, withEdge });
  return new PartialFailure(message, id, toProperties(state));
}

export async function putModule(
  remote: Remote<ModuleDefinition>,
  { route, body, sets }: Call,
  desired: JsonObject,
  deadline: number | undefined,
): Promise<Created> {
  const { definition, deployment } = remote;
  try {
    const response = await remote.call(route, { body, deadline });
    return await confirmCreate(remote, route, response, desired, sets, deadline);
  } catch (error) {
    const lost = uncertainCall(error);
    if (!lost) throw error;
    // The module may be set now: the state must record it, or nobody would ever remove it.
    const end = graceDeadline(deadline, deployment.clock);
    const look = () => remote.fetch(end);
    const found = await pollUntil(Boolean, look, lost, deployment, end).catch(() => "unreadable" as const);
    if (!found) throw error;
    const values =
      found === "unreadable" ? remote.outputs({}) : remote.outputs(found, withoutWriteOnly(definition, desired));
    // The plugin's state has empty lists for what is not known.
    throw partialFailure(lost.message, remote, values, desired, found === "unreadable" ? sets : []);
  }
}

/** The outputs after one call of an update, from the outputs before it. */
export async function executeCall(
  remote: Remote,
  call: Call,
  desired: JsonObject,
  values: JsonObject,
  deadline: number | undefined,
  release?: () => Promise<void>,
): Promise<JsonObject> {
  const { definition, deployment, id } = remote;
  const { route, sets, removes } = call;
  if (removes !== undefined) {
    await removeModule(remote, call, removes, deadline);
    const { [removes]: _, ...rest } = values;
    return rest;
  }
  const isWhole = route === routesOf(definition).update;
  const send = () => sendCall(remote, call, deadline);
  const setsUnique = definition.kind === "object" && sets.includes(definition.unique?.argument ?? "");
  const response = await (setsUnique
    ? retryOnConflict(deployment, definition, desired, send, { id, deadline, release })
    : send());
  if (!isWhole && response) {
    const [name] = sets as [string];
    const field: Field = definition.fields[name]!;
    return { ...values, [name]: merge(field, desired[name], readFields(field.module!.fields, response))! };
  }
  const outputs = remote.outputsAfterWrite(response, desired, values, sets);
  return confirmOutputs(remote, response, sets, desired, outputs, deadline).catch((error: Error) => {
    throw new CallError(error.message, { evidence: proofOfNothing });
  });
}

/** Sends a planned call, whose response is the whole object, or the module whose path it is. */
export async function sendCall(
  remote: Remote,
  { route, body, sets, removes, isForKeeper }: Call,
  deadline: number | undefined,
) {
  if (removes !== undefined) assertOwnersKnown(remote, removes);
  const isWhole = route === routesOf(remote.definition).update;
  return remote.call(route, {
    body,
    deadline,
    isForKeeper,
    ...(!isWhole && { expects: expectPart(remote, removes ?? sets[0]!) }),
  });
}

/** A module in the response to its own PUT. */
function expectPart({ definition, name }: Remote, module: string): Expected {
  const { fields } = (definition.fields[module] as Field).module!;
  return expectModule(`${module} of ${name}`, fields);
}

/** Removes a module. One that is not set counts as removed; one that the service cannot remove is an error. */
async function removeModule(remote: Remote, call: Call, name: string, deadline: number | undefined): Promise<void> {
  try {
    await sendCall(remote, call, deadline);
  } catch (error) {
    const findModule = async (end?: number) => {
      const object = await remote.fetch(end);
      return object && remote.outputs(object)[name];
    };
    const module = await findAfterRemoval(remote, error, findModule, deadline);
    if (module === undefined) return;
    if (!isUnsupported(error)) throw error;
    throw new ProviderError(
      `${error.message} The service cannot remove ${name}. Declare it with \`enabled: false\` instead.`,
    );
  }
}

/**
 * What a DELETE that failed has left, as far as it may have been executed, or may not exist. Throws the error of the
 * DELETE where that cannot be found out.
 */
async function findAfterRemoval<T>(
  { deployment }: Remote,
  error: unknown,
  find: (deadline?: number) => Promise<T | undefined>,
  deadline: number | undefined,
): Promise<T | undefined> {
  const lost = uncertainCall(error);
  if (!lost && !isUnsupported(error)) throw error;
  const end = graceDeadline(deadline, deployment.clock);
  const look = async () => ({ found: await find(end) });
  const isRemoved = ({ found }: { found?: T }) => found === undefined;
  const { found } = await (lost ? pollUntil(isRemoved, look, lost, deployment, end) : look()).catch(() => {
    throw error;
  });
  return found;
}

/**
 * Sets an object or module as another resource of the program declares it. What that does not declare of an object stays:
 * whether anything else needs it is not known.
 */
export async function restoreDeclared(
  remote: Remote,
  managed: string[],
  declared: JsonObject,
  deadline: number | undefined,
): Promise<void> {
  const { definition } = remote;
  const values = remote.outputs((await remote.fetch(deadline)) ?? {});
  const isModule = definition.kind === "module";
  const desired = { ...declared, ...pick(values, isModule ? definition.parents : []) };
  const others = isModule ? [] : Object.keys(definition.fields).filter((name) => !(name in desired));
  const keepers = keepersOf(remote.deployment.register.view(), remote, desired);
  const before = { values, managed, unconfirmed: [] };
  for (const call of planUpdate(definition, before, desired, others, keepers).calls) {
    await sendCall(remote, call, deadline).catch((error: unknown) => {
      // The object that the module belongs to was deleted.
      if (!isDeleted(error)) throw error;
    });
  }
}

/** Deletes an object, or removes a module resource's module; warns if the service can only clear it. */
export async function deleteOrRemove(remote: Remote, about: Subject, deadline: number | undefined): Promise<void> {
  const { definition } = remote;
  const canClear = definition.kind === "object" && definition.clearIfUndeletable;
  try {
    await remote.call(routesOf(definition).delete, { deadline });
  } catch (error) {
    if (!canClear && isDeleted(error)) return;
    const object = await findAfterRemoval(remote, error, (end) => remote.fetch(end), deadline);
    if (!object) return;
    if (!canClear || !isUnsupported(error)) throw error;
    await clearUndeletable(remote as Remote<ObjectDefinition>, about, object, deadline);
  }
}

/** Where the service has no DELETE: releases the unique value, then removes what can be removed. */
async function clearUndeletable(
  remote: Remote<ObjectDefinition>,
  about: Subject,
  object: JsonObject,
  deadline: number | undefined,
): Promise<void> {
  const { fields, routes, unique } = remote.definition;
  const values = remote.outputs(object);
  let isClearedInPart = false;
  const clear = async (route: Route, body?: JsonObject) => {
    await remote.call(route, { body, deadline }).catch((error: Error) => {
      if (!isClearedInPart || isUnsupported(error) || uncertainCall(error)) throw error;
      throw new ProviderError(`${error.message} It was cleared in part. ${refreshHint}`);
    });
    isClearedInPart = true;
  };
  // Also where the response leaves it out: what protects the edge is removed next.
  if (unique) {
    const released = { [unique.argument]: fields[unique.argument]!.clear! };
    await clear(routes.update, writeFields(fields, released));
  }
  const left: string[] = [];
  const view = remote.deployment.register.view();
  for (const [name, { module }] of Object.entries<Field>(fields)) {
    if (!module?.remove || values[name] === undefined || view.keeperOf(remote.path(module.remove))) continue;
    try {
      await clear(module.remove);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      left.push(name);
    }
  }
  const rest = left.length > 0 ? ` Its ${left.join(" and ")} could not be removed.` : "";
  await remote.deployment.warn(
    `${remote.name} still exists, because the service has no operation that deletes it. It was cleared instead, and ` +
      `its hostports are free again.${rest} It is no longer part of this stack.`,
    about,
  );
}

/** The service has no such operation, or nothing at its path. */
const isUnsupported = (error: unknown): error is CallError => isStatus(error, 404, 405, 501);

const pick = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]!]));
