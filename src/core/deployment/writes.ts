/**
 * The writes of this deployment to objects and modules that exist. Those to an edge and its modules are sent one at a
 * time, because a gateway may delay one so that it is executed after the next.
 */

import type { Route } from "../../api/routes";
import { type JsonObject, toSnakeCase } from "../../base/json";
import { ownFields, routesOf } from "../../definitions/definition";
import { writeFields } from "../../definitions/fields/field";
import { updateCall } from "../plan/plan";
import type { Identity } from "../register/identity";
import { asArgument, type Module, modulesOf, modulesWithResources } from "../register/modules";
import type { Deployment } from "./deployment";

/** How long a call whose response was lost may still be delayed, by a gateway or in the service. */
const longestDelayMs = 10_000;

/** What is written. */
interface Target extends Identity {
  deployment: Deployment;
}

interface Write {
  route: Route;
  body?: JsonObject;
}

/** Sends a write when its turn comes. Only then is it known whether a removal is sent, is dropped or becomes a PUT. */
export function sendInTurn<T>(
  remote: Target,
  write: Write,
  send: (write: Write, onLost: () => void) => Promise<T>,
): Promise<T | undefined> {
  const { deployment, objectPath } = remote;
  const { clock, register, turns } = deployment;
  return turns.take(objectPath, async () => {
    const wait = register.view().historyOf(objectPath).lostUntil! - clock.now();
    if (wait > 0) await clock.sleep(wait);
    const decided = await leaveToKeeper(remote, write);
    if (!decided) return undefined;
    markWritten(remote, decided);
    return send(decided, () => register.record(objectPath, { lostUntil: clock.now() + longestDelayMs }));
  });
}

/** A module that another resource of the program keeps is not removed, but set as that resource declares it. */
async function leaveToKeeper(remote: Target, write: Write): Promise<Write | undefined> {
  const { definition, deployment, name } = remote;
  const removed = modulesOf(remote).find(({ field }) => field.module!.remove === write.route);
  const isOwn = definition.kind === "module" && write.route === routesOf(definition).delete;
  const keeper = removed || isOwn ? deployment.register.view().keeperOf(remote.path(write.route)) : undefined;
  if (!keeper) return write;
  if (!keeper.value) {
    const title = removed ? `${removed.name} of ${name}` : name;
    await deployment.inform(`The ${title} was not removed, because ${keeper.resource} declares it.`);
    return undefined;
  }
  if (definition.kind === "object") return updateCall(definition, asArgument(removed!, keeper.value), [removed!.name]);
  return { route: routesOf(definition).create, body: writeFields(ownFields(definition), keeper.value) };
}

function markWritten(remote: Target, { route, body }: Write): void {
  const { clock, register } = remote.deployment;
  const view = register.view();
  for (const module of modulesWithResources(remote)) {
    const { path, name, field } = module;
    const { put, remove } = field.module!;
    const sent = body?.[toSnakeCase(name)];
    if (route !== put && route !== remove && sent === undefined) continue;
    const owner = view.moduleResourceAt(path);
    const isForOwner = owner?.value && route === put && isSame(remote, module, owner.value, body);
    const writeMark = isForOwner ? undefined : clock.randomUuid().slice(0, 8);
    register.record(path, { writeMark, ...(isForOwner && { isSetForOwner: true }) });
  }
}

function isSame({ definition }: Target, module: Module, declared: JsonObject, body: JsonObject | undefined): boolean {
  if (definition.kind !== "object") return false;
  const { body: own } = updateCall(definition, asArgument(module, declared), [module.name]);
  return JSON.stringify(own) === JSON.stringify(body);
}
