/** Executes what was planned: creates, updates and deletes an object or module, and says what the service has then. */

import { CallError, isNotFound, isStatus, uncertainCall } from "../api/errors";
import type { Route } from "../api/routes";
import { type ModuleDefinition, type ObjectDefinition, routesOf } from "../definitions/definition";
import { type Field, readFields, writeFields } from "../definitions/fields";
import { isObject, type Json, type JsonObject } from "../json";
import { retryOnConflict } from "./conflicts";
import type { Deployment } from "./deployment";
import { PartialFailure, ProviderError } from "./errors";
import type { Subject } from "./log";
import { type Call, planCreate, planUpdate, updateCall } from "./plan";
import { poll, recoverCreate } from "./recovery";
import { Remote } from "./remote";
import { hasNoBody, parseResponse } from "./response";
import { merge, pathsOf, withoutWriteOnly } from "./state";
import { graceDeadline } from "./timeouts";

/** What exists after a create. */
export interface Created {
  id: string;
  values: JsonObject;
}

export async function createObject(
  deployment: Deployment,
  definition: ObjectDefinition,
  desired: JsonObject,
  deadline: number | undefined,
): Promise<Created> {
  const { route, body } = planCreate(definition, desired);
  const sentAt = deployment.clock.now();
  const send = () => deployment.client.call(route, { body, deadline });
  let object: JsonObject;
  try {
    object = assertHasId(route, await retryOnConflict(deployment, definition, desired, send, { deadline }));
  } catch (error) {
    const lost = uncertainCall(error);
    if (!lost) throw error;
    object = await recoverCreate(
      deployment,
      definition,
      desired,
      lost,
      sentAt,
      graceDeadline(deadline, deployment.clock),
    );
  }
  const id = String(object.id);
  return { id, values: new Remote(definition, id, deployment).outputs(object, desired) };
}

function assertHasId(route: Route, response: Json | undefined): JsonObject {
  if (isObject(response) && typeof response.id === "string") return response;
  throw new CallError(`${route} returned no id.`, { mayHaveSucceeded: true });
}

export async function putModule(
  remote: Remote<ModuleDefinition>,
  desired: JsonObject,
  deadline: number | undefined,
): Promise<Created> {
  const { definition, deployment, id } = remote;
  const { route, body } = planCreate(definition, desired);
  try {
    const response = remote.parse(route, await remote.call(route, { body, deadline }));
    // Without a body in the response, the service has what was sent.
    return { id, values: remote.outputs(response ?? body!, desired) };
  } catch (error) {
    const lost = uncertainCall(error);
    if (!lost) throw error;
    // The module may be set now: the state must record it, or nobody would ever remove it.
    const end = graceDeadline(deadline, deployment.clock);
    const look = () => remote.fetch(end);
    const found = await poll(look, lost, deployment, end).catch(() => "unreadable" as const);
    if (!found) throw error;
    const values =
      found === "unreadable" ? remote.outputs({}) : remote.outputs(found, withoutWriteOnly(definition, desired));
    throw new PartialFailure(lost.message, {
      id,
      values,
      managed: pathsOf(definition.fields, desired),
      unconfirmed: [],
    });
  }
}

/** The outputs after one call of an update, from the outputs before it. */
export async function executeCall(
  remote: Remote,
  { route, body, sets, removes }: Call,
  desired: JsonObject,
  values: JsonObject,
  deadline: number | undefined,
): Promise<JsonObject> {
  const { definition, deployment, id } = remote;
  if (removes !== undefined) {
    await removeModule(remote, route, removes, deadline);
    const { [removes]: _, ...rest } = values;
    return rest;
  }
  const send = () => remote.call(route, { body, deadline });
  const setsUnique = definition.kind === "object" && sets.includes(definition.unique?.argument ?? "");
  const response = await (setsUnique
    ? retryOnConflict(deployment, definition, desired, send, { id, deadline })
    : send());
  if (route === routesOf(definition).update) {
    // Without a body in the response, the service has what was sent.
    if (hasNoBody(response) && definition.kind === "object") return { ...omit(values, sets), ...pick(desired, sets) };
    return remote.outputs(remote.parse(route, response) ?? body!, desired, values);
  }
  const [name] = sets as [string];
  const field: Field = definition.fields[name]!;
  const { fields } = field.module!;
  const requested = { kind: "module", name: `${name} of ${remote.name}`, fields } as const;
  const actual = readFields(fields, parseResponse(requested, remote.describe(route), response) ?? body!);
  return { ...values, [name]: merge(field, desired[name], actual)! };
}

/** Removes a module. One that is not set counts as removed; one that the service cannot remove is an error. */
async function removeModule(remote: Remote, route: Route, name: string, deadline: number | undefined): Promise<void> {
  try {
    await remote.call(route, { deadline });
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    const object = await remote.fetch(deadline);
    if (!object || remote.outputs(object)[name] === undefined) return;
    throw new ProviderError(
      `${error.message} The service cannot remove ${name}. Declare it with \`enabled: false\` instead.`,
    );
  }
}

/** A module that another resource declares too is set as declared there, instead of being removed. */
export function leaveToOwner(remote: Remote, call: Call): Call {
  const { definition, deployment } = remote;
  const { removes } = call;
  const owner = removes && deployment.owners.ownerOf(remote.path(call.route));
  if (definition.kind !== "object" || !removes || !owner) return call;
  const { fields } = definition.fields[removes]!.module!;
  const own = Object.entries(owner.declared).filter(([name]) => name in fields);
  return updateCall(definition, { [removes]: Object.fromEntries(own) }, [removes]);
}

/** Sets an object or module as another resource of the program declares it. */
export async function restoreDeclared(
  remote: Remote,
  managed: string[],
  declared: JsonObject,
  deadline: number | undefined,
): Promise<void> {
  const values = remote.outputs((await remote.fetch(deadline)) ?? {});
  const desired = {
    ...declared,
    ...pick(values, remote.definition.kind === "module" ? remote.definition.parents : []),
  };
  for (const { route, body } of planUpdate(remote.definition, { values, managed, unconfirmed: [] }, desired).calls) {
    await remote.call(route, { body, deadline }).catch((error: unknown) => {
      // The object that the module belongs to was deleted.
      if (!isNotFound(error)) throw error;
    });
  }
}

/** Deletes an object, or removes a module resource's module; warns if the service can only clear it. */
export async function deleteObject(remote: Remote, about: Subject, deadline: number | undefined): Promise<void> {
  const { definition } = remote;
  const canClear = definition.kind === "object" && definition.clearIfUndeletable;
  try {
    await remote.call(routesOf(definition).delete, { deadline });
  } catch (error) {
    if (!canClear && isNotFound(error)) return;
    if (uncertainCall(error) && (await isDeleted(remote, graceDeadline(deadline, remote.deployment.clock)))) return;
    if (!canClear || !isUnsupported(error)) throw error;
    const object = await remote.fetch(deadline);
    if (object) await clearUndeletable(remote as Remote<ObjectDefinition>, about, object, deadline);
  }
}

/** Whether the service says that it does not have the object. */
const isDeleted = (remote: Remote, deadline: number | undefined): Promise<boolean> =>
  remote.fetch(deadline).then(
    (object) => object === undefined,
    () => false,
  );

/** Where the service has no DELETE: releases the unique value, then removes what can be removed. */
async function clearUndeletable(
  remote: Remote<ObjectDefinition>,
  about: Subject,
  object: JsonObject,
  deadline: number | undefined,
): Promise<void> {
  const { fields, routes, unique } = remote.definition;
  const values = remote.outputs(object);
  if (unique && values[unique.argument] !== undefined) {
    const released = { [unique.argument]: fields[unique.argument]!.clear! };
    await remote.call(routes.update, { body: writeFields(fields, released), deadline });
  }
  const left: string[] = [];
  for (const [name, { module }] of Object.entries<Field>(fields)) {
    if (!module?.remove || values[name] === undefined) continue;
    try {
      await remote.call(module.remove, { deadline });
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

const omit = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

const pick = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]!]));
