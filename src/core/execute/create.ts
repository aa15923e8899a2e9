/** Creates an object, sets a module or imports either, and says what the service has then. */

import { CallError, uncertainCall } from "../../api/callError";
import type { ListItem } from "../../api/client";
import type { JsonObject } from "../../base/json";
import {
  type Definition,
  type ModuleDefinition,
  moduleId,
  type ObjectDefinition,
  ownFields,
} from "../../definitions/definition";
import { readFields } from "../../definitions/fields/field";
import type { Deployment } from "../deployment/deployment";
import { Operation } from "../deployment/operation";
import type { Remote } from "../deployment/remote";
import { PartialFailure, ProviderError } from "../errors";
import type { Subject } from "../log";
import type { Options } from "../options";
import { hasDesired } from "../plan/compare";
import { type Call, planCreate, summarizeCall } from "../plan/plan";
import { expectNewObject } from "../read/expectations";
import { newState, outputsAfterWrite, outputsFrom, pathsOf, toProperties, withoutWriteOnly } from "../state";
import { graceDeadline } from "../timeouts";
import { sendUnique } from "./conflicts";
import { importObject } from "./importObject";
import { protectsEdge } from "./owners";
import { assertApplied, confirmOutputs } from "./protections";
import { pollUntil, recoverCreate, recoverEarlier } from "./recovery";

/** What exists after a create. */
export interface Created {
  id: string;
  values: JsonObject;
}

export function createOrImport(
  deployment: Deployment,
  definition: Definition,
  args: JsonObject,
  options: Options,
): Promise<Created> {
  const { importId } = options;
  if (importId !== undefined) {
    const operation = new Operation("import", { definition, deployment, id: importId }, options, args);
    return operation.run(() => importObject(operation));
  }
  if (definition.kind === "object") {
    const operation = new Operation("create", { definition, deployment }, options, args);
    return operation.run(() => createObject(operation, options));
  }
  const missing = definition.parents.find((name) => args[name] === undefined);
  if (missing) return Promise.reject(new ProviderError(`${missing} is required`));
  const id = moduleId(definition, args);
  const operation = new Operation("create", { definition, deployment, id }, options, args);
  return operation.run(() => putModule(operation, options));
}

async function createObject(operation: Operation<ObjectDefinition>, about: Subject): Promise<Created> {
  const { definition, deployment, desired } = operation;
  const call = planCreate(definition, desired);
  deployment.debug(`plan: ${summarizeCall(call)}`, about);
  const earlier = deployment.creates.firstLost(about);
  const found = earlier && (await recoverEarlier(operation, earlier));
  const object = found ?? (await postObject(operation, about, call));
  return confirmCreate(operation.remote(String(object.id)), call, object, desired);
}

async function postObject(
  operation: Operation<ObjectDefinition>,
  about: Subject,
  { route, body }: Call,
): Promise<JsonObject> {
  const { deadline, definition, deployment, desired } = operation;
  const { client, clock, creates } = deployment;
  const create = { definition, desired, about, sentAt: clock.now() };
  const send = () => client.call(route, { body, deadline, expects: expectNewObject });
  try {
    const sender = { key: about.key, deadline };
    const sent = sendUnique(deployment, definition, desired, send, sender) as Promise<ListItem>;
    return await creates.track(create, sent);
  } catch (error) {
    const failure = uncertainCall(error);
    if (!failure) throw error;
    return recoverCreate({ deployment, deadline: graceDeadline(deadline, clock) }, { ...create, failure });
  }
}

/** The state after a create. If the service did not apply what protects the object, fails with that state. */
async function confirmCreate(
  remote: Remote,
  { route, sets }: Call,
  response: JsonObject | undefined,
  desired: JsonObject,
): Promise<Created> {
  const { id } = remote;
  let values = outputsAfterWrite(remote, response, desired, {}, sets);
  try {
    values = await confirmOutputs(remote, response, sets, desired, values);
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
  unconfirmed: string[],
): PartialFailure {
  const { id, definition } = remote;
  const withEdge = protectsEdge(remote) || undefined;
  const state = newState({ id, values, managed: pathsOf(definition.fields, desired), unconfirmed, withEdge });
  return new PartialFailure(message, id, toProperties(state));
}

async function putModule(operation: Operation<ModuleDefinition>, about: Subject): Promise<Created> {
  const { definition, deployment, desired } = operation;
  const remote = operation.remote();
  const call = planCreate(definition, desired);
  deployment.debug(`plan: ${summarizeCall(call, remote.describe(call.route))}`, about);
  try {
    const response = await remote.call(call.route, { body: call.body });
    return await confirmCreate(remote, call, response, desired);
  } catch (error) {
    const lost = uncertainCall(error);
    if (!lost) throw error;
    // The module may be set now: the state must record it, or nobody would ever remove it.
    const inGrace = remote.withGrace();
    // It may have been set before, by its edge for example: then it shows, and this call may still be executed.
    const fields = ownFields(definition);
    const sent = withoutWriteOnly(definition, desired);
    const showsSent = (shown?: JsonObject) =>
      shown !== undefined && hasDesired(fields, sent, readFields(fields, shown));
    const found = await pollUntil(showsSent, () => inGrace.fetch(), lost, inGrace).catch(() => "unreadable" as const);
    if (!found) throw error;
    const isReadable = found !== "unreadable";
    const values = isReadable ? outputsFrom(remote, found, sent) : outputsFrom(remote, {});
    // The plugin's state has empty lists for what is not known.
    const unconfirmed = isReadable && showsSent(found) ? [] : call.sets;
    throw partialFailure(lost.message, remote, values, desired, unconfirmed);
  }
}
