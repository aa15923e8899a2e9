/**
 * Creates an object, sets a module or imports either, and returns the service's values afterwards. If the response to a
 * module's PUT is lost, it reads the module. If that fails too, the state has the module as unconfirmed: it is sent
 * again.
 */

import { CallError, uncertainCall } from "../../api/callError";
import type { ListItem } from "../../api/client";
import type { JsonObject } from "../../base/json";
import { type ModuleDefinition, type ObjectDefinition, ownFields } from "../../definitions/definition";
import { readFields } from "../../definitions/fields/field";
import { pathsOf, withoutWriteOnly } from "../arguments";
import { PartialFailure, ProviderError } from "../errors";
import type { Operation } from "../operation";
import { hasDesired } from "../plan/compare";
import { type Call, planCreate } from "../plan/plan";
import { expectNewObject, outputsAfterWrite, outputsFrom } from "../read/responses";
import { newState, toProperties } from "../state";
import { assertApplied, confirmOutputs } from "./applied";
import { sendUnique } from "./conflicts";
import { importObject } from "./importObject";
import { findLostCreate } from "./lostCreate";
import { protectsEdge } from "./owners";

/** What exists after a create. */
export interface Created {
  id: string;
  values: JsonObject;
}

export async function createOrImport(operation: Operation, desired: JsonObject): Promise<Created> {
  const { definition, options } = operation;
  const { importId } = options;
  if (importId !== undefined) {
    return { id: importId, values: await operation.run(() => importObject(operation, desired)) };
  }
  if (definition.kind === "object") {
    return operation.run(() => createObject(operation as Operation<ObjectDefinition>, desired));
  }
  const missing = definition.parents.find((name) => desired[name] === undefined);
  if (missing) throw new ProviderError(`${missing} is required`);
  return operation.run(() => putModule(operation as Operation<ModuleDefinition>, desired));
}

async function createObject(operation: Operation<ObjectDefinition>, desired: JsonObject): Promise<Created> {
  const call = planCreate(operation.definition, desired);
  const object = await postObject(operation, desired, call);
  return confirmCreate(operation.withId(String(object.id)), call, object, desired);
}

async function postObject(
  operation: Operation<ObjectDefinition>,
  desired: JsonObject,
  { route, body }: Call,
): Promise<JsonObject> {
  const { deadline, definition, deployment, options } = operation;
  const { client, clock, creates } = deployment;
  const create = { key: options.key, definition, desired, sentAt: clock.now() };
  const send = () => client.call(route, { body, deadline, expects: expectNewObject });
  try {
    return await creates.track(create, sendUnique(operation, desired, send) as Promise<ListItem>);
  } catch (error) {
    const failure = uncertainCall(error);
    if (!failure) throw error;
    return findLostCreate(operation.withGrace(), create, failure);
  }
}

/** The state after a create. If the service did not apply what protects the object, fails with that state. */
async function confirmCreate(
  operation: Operation,
  call: Call,
  response: JsonObject | undefined,
  desired: JsonObject,
): Promise<Created> {
  const { sets } = call;
  let values = outputsAfterWrite(operation, response, desired, {}, sets);
  try {
    values = await confirmOutputs(operation, response, sets, desired, values);
    await assertApplied(operation, call, desired, values);
    return { id: operation.id, values };
  } catch (error) {
    const unconfirmed = error instanceof CallError ? sets : [];
    throw partialFailure((error as Error).message, operation, values, desired, unconfirmed);
  }
}

function partialFailure(
  message: string,
  operation: Operation,
  values: JsonObject,
  desired: JsonObject,
  unconfirmed: string[],
): PartialFailure {
  const { id, definition } = operation;
  const withEdge = protectsEdge(operation);
  const state = newState({ id, values, managed: pathsOf(definition.fields, desired), unconfirmed, withEdge });
  return new PartialFailure(message, id, toProperties(state));
}

async function putModule(operation: Operation<ModuleDefinition>, desired: JsonObject): Promise<Created> {
  const { definition } = operation;
  const call = planCreate(definition, desired);
  try {
    const response = await operation.call(call.route, { body: call.body });
    return await confirmCreate(operation, call, response, desired);
  } catch (error) {
    const lost = uncertainCall(error);
    if (!lost) throw error;
    // The module may be set now. The state records it, so that `pulumi destroy` removes it.
    const inGrace = operation.withGrace();
    // It may have been set before, by its edge for example: then it shows, and this call may still be executed.
    const fields = ownFields(definition);
    const sent = withoutWriteOnly(definition, desired);
    const hasSent = (shown?: JsonObject) => shown !== undefined && hasDesired(fields, sent, readFields(fields, shown));
    const found = await operation.deployment
      .pollUntil(hasSent, () => inGrace.fetch(), lost, inGrace.deadline)
      .catch(() => "unreadable" as const);
    if (!found) throw error;
    const isReadable = found !== "unreadable";
    const values = isReadable ? outputsFrom(operation, found, sent) : outputsFrom(operation, {});
    // The plugin's state has empty lists for what is not known.
    const unconfirmed = isReadable && hasSent(found) ? [] : call.sets;
    throw partialFailure(lost.message, operation, values, desired, unconfirmed);
  }
}
