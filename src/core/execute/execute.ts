/**
 * Executes what was planned: updates and deletes an object or module, and returns the service's values afterwards.
 * After a DELETE whose outcome is not known, it reads the object. An edge that the service cannot delete gives up its
 * hostports first, and its protection only then.
 */

import { CallError, isDeleted, isStatus, uncertainCall } from "../../api/callError";
import type { Expected } from "../../api/client";
import { proofOfNothing } from "../../api/evidence";
import type { Route } from "../../api/routes";
import type { JsonObject } from "../../base/json";
import { type ObjectDefinition, routesOf } from "../../definitions/definition";
import { type Field, readFields, writeFields } from "../../definitions/fields/field";
import { ProviderError, refreshHint } from "../errors";
import type { Operation } from "../operation";
import type { Call } from "../plan/plan";
import { expectModule, merge, outputsAfterWrite, outputsFrom } from "../read/responses";
import { confirmOutputs } from "./applied";
import { sendUnique } from "./conflicts";
import { removeShared } from "./owners";

/** The outputs after one call of an update, from the outputs before it. */
export async function executeCall(
  operation: Operation,
  call: Call,
  desired: JsonObject,
  values: JsonObject,
): Promise<JsonObject> {
  const { definition } = operation;
  const { route, sets, removes } = call;
  if (removes !== undefined) {
    await removeShared(operation, removes, () => removeModule(operation, call, removes));
    const { protects, put } = (definition.fields[removes] as Field).module!;
    if (protects && put) await operation.inform(describeRemoved(`${removes} of ${operation.name}`));
    const { [removes]: _, ...rest } = values;
    return rest;
  }
  const isWhole = route === routesOf(definition).update;
  const send = () => sendCall(operation, call);
  const setsUnique = definition.kind === "object" && sets.includes(definition.unique?.argument ?? "");
  const response = await (setsUnique ? sendUnique(operation, desired, send) : send());
  if (!isWhole && response) {
    const [name] = sets as [string];
    const field: Field = definition.fields[name]!;
    return { ...values, [name]: merge(field, desired[name], readFields(field.module!.fields, response))! };
  }
  const outputs = outputsAfterWrite(operation, response, desired, values, sets);
  return confirmOutputs(operation, response, sets, desired, outputs).catch((error: Error) => {
    throw new CallError(error.message, { evidence: proofOfNothing });
  });
}

/** What the user reads after a protection was removed. With --target, a resource that is no target may declare it. */
export const describeRemoved = (name: string): string =>
  `The ${name} was removed. If another resource declares it, run \`pulumi refresh\`, then \`pulumi up\`.`;

/** Sends a planned call, whose response is the whole object, or the module whose path it is. */
function sendCall(operation: Operation, { route, body, sets, removes }: Call) {
  const isWhole = route === routesOf(operation.definition).update;
  return operation.call(route, { body, ...(!isWhole && { expects: expectPart(operation, removes ?? sets[0]!) }) });
}

/** A module in the response to its own PUT. */
function expectPart({ definition, name }: Operation, module: string): Expected {
  const { fields } = (definition.fields[module] as Field).module!;
  return expectModule(`${module} of ${name}`, fields);
}

/** Removes a module. One that is not set counts as removed; one that the service cannot remove is an error. */
async function removeModule(operation: Operation, call: Call, name: string): Promise<void> {
  try {
    await sendCall(operation, call);
  } catch (error) {
    const findModule = async (inGrace: Operation) => {
      const object = await inGrace.fetch();
      return object && outputsFrom(operation, object)[name];
    };
    const module = await findAfterRemoval(operation, error, findModule);
    if (module === undefined) return;
    if (!isUnsupported(error)) throw error;
    throw new ProviderError(
      `${error.message} The service cannot remove ${name}. Declare it with \`enabled: false\` instead.`,
    );
  }
}

/**
 * What is there after a DELETE that failed. A gateway's 504 may hide that it was executed, and a 404 may mean that the
 * service has no such operation. Any other error of the DELETE is thrown; so is this one if reading fails.
 */
async function findAfterRemoval<T>(
  operation: Operation,
  error: unknown,
  find: (operation: Operation) => Promise<T | undefined>,
): Promise<T | undefined> {
  const lost = uncertainCall(error);
  if (!lost && !isUnsupported(error)) throw error;
  const inGrace = operation.withGrace();
  const look = async () => ({ found: await find(inGrace) });
  const isRemoved = ({ found }: { found?: T }) => found === undefined;
  const { found } = await (lost ? inGrace.deployment.pollUntil(isRemoved, look, lost, inGrace.deadline) : look()).catch(
    () => {
      throw error;
    },
  );
  return found;
}

/** Deletes an object, or removes a module resource's module; warns if the service can only clear it. */
export async function deleteOrRemove(operation: Operation): Promise<void> {
  const { definition } = operation;
  const canClear = definition.kind === "object" && definition.clearIfUndeletable;
  try {
    await operation.call(routesOf(definition).delete);
  } catch (error) {
    if (!canClear && isDeleted(error)) return;
    const object = await findAfterRemoval(operation, error, (inGrace) => inGrace.fetch());
    if (!object) return;
    if (!canClear || !isUnsupported(error)) throw error;
    await clearUndeletable(operation as Operation<ObjectDefinition>, object);
  }
}

/** For an object without a DELETE: releases the unique value, then removes everything that it can. */
async function clearUndeletable(operation: Operation<ObjectDefinition>, object: JsonObject): Promise<void> {
  const { fields, routes, unique } = operation.definition;
  const values = outputsFrom(operation, object);
  let isClearedInPart = false;
  const clear = async (route: Route, body?: JsonObject) => {
    await operation.call(route, { body }).catch((error: Error) => {
      if (!isClearedInPart || isUnsupported(error) || uncertainCall(error)) throw error;
      throw new ProviderError(`${error.message} It was cleared in part. ${refreshHint}`);
    });
    isClearedInPart = true;
  };
  // First, even if the response shows no hostports: as long as the edge has one, it needs what protects it.
  if (unique) {
    const released = { [unique.argument]: fields[unique.argument]!.clear! };
    await clear(routes.update, writeFields(fields, released));
  }
  const kept: string[] = [];
  const { claims } = operation.deployment;
  for (const [name, { module }] of Object.entries<Field>(fields)) {
    if (!module?.remove || values[name] === undefined || claims.at(operation.path(module.remove)).length > 0) continue;
    try {
      await clear(module.remove);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      kept.push(name);
    }
  }
  const rest = kept.length > 0 ? ` Its ${kept.join(" and ")} could not be removed.` : "";
  await operation.warn(
    `${operation.name} still exists, because the service has no operation that deletes it. It was cleared instead, and ` +
      `its hostports are free again.${rest} It is no longer part of this stack.`,
  );
}

/** The service has no such operation, or nothing at its path. */
const isUnsupported = (error: unknown): error is CallError => isStatus(error, 404, 405, 501);
