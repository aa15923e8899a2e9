/**
 * The writes of this deployment to objects and modules that exist. Those to an edge and its modules are sent one at a
 * time, because a gateway may delay one so that it is executed after the next. Each module that an edge writes gets a
 * new write mark. The module's own resource does not have that mark, so the next deployment knows that the resource has
 * to set the module again.
 */

import type { Route } from "../../api/routes";
import { type JsonObject, toSnakeCase } from "../../base/json";
import { type Definition, ownFields, routesOf } from "../../definitions/definition";
import { type Field, writeFields } from "../../definitions/fields/field";
import { updateCall } from "../plan/plan";
import type { State } from "../state";
import type { Deployment } from "./deployment";

/** How long a call whose response was lost may still be delayed, by a gateway or in the service. */
const longestDelayMs = 10_000;

/** What is written. */
interface Target {
  definition: Definition;
  id: string;
  name: string;
  deployment: Deployment;
  path(route?: Route): string;
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
  const { deployment, id } = remote;
  const { clock, register, turns } = deployment;
  // A module's id begins with its edge's.
  const [edge] = id.split("/") as [string];
  return turns.take(edge, async () => {
    register.sync();
    const wait = register.historyOf(edge).lostUntil! - clock.now();
    if (wait > 0) await clock.sleep(wait);
    const decided = await leaveToKeeper(remote, write);
    if (!decided) return undefined;
    markWritten(remote, decided);
    return send(decided, () => register.record(edge, { lostUntil: clock.now() + longestDelayMs }));
  });
}

/** A module that another resource of the program keeps is not removed, but set as that resource declares it. */
async function leaveToKeeper(remote: Target, write: Write): Promise<Write | undefined> {
  const { definition, deployment, name } = remote;
  const removed = modulesOf(remote).find(({ field }) => field.module!.remove === write.route);
  const isOwn = definition.kind === "module" && write.route === routesOf(definition).delete;
  const keeper = removed || isOwn ? deployment.register.keeperOf(remote.path(write.route)) : undefined;
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
  for (const module of modulesWithResources(remote)) {
    const { path, name, field } = module;
    const { put, remove } = field.module!;
    const sent = body?.[toSnakeCase(name)];
    if (route !== put && route !== remove && sent === undefined) continue;
    const owner = register.moduleResourceAt(path);
    const isForOwner = owner?.value && route === put && isSame(remote, module, owner.value, body);
    const writeMark = isForOwner ? undefined : clock.randomUuid().slice(0, 8);
    register.record(path, { writeMark, ...(isForOwner && { isSetForOwner: true }) });
  }
}

/** The state of an edge has the write marks of its modules. Those of this deployment are newer. */
export function learnWriteMarks(remote: Target, marks: State["writeMarks"]): void {
  const { register } = remote.deployment;
  for (const { path } of modulesWithResources(remote)) {
    const writeMark = marks[path];
    if (writeMark !== undefined && register.historyOf(path).writeMark === undefined)
      register.record(path, { writeMark });
  }
}

/** The write marks after a write: an edge has those of its modules, and a module's own resource that of the module. */
export function writeMarksOf(remote: Target, before: State["writeMarks"] = {}): State["writeMarks"] {
  const markOf = (path: string) => remote.deployment.register.historyOf(path).writeMark;
  if (remote.definition.kind === "module") {
    const writeMark = markOf(remote.path());
    return writeMark === undefined ? before : { [remote.path()]: writeMark };
  }
  const known = modulesWithResources(remote).map(({ path }) => [path, markOf(path)]);
  return Object.fromEntries(known.filter(([, writeMark]) => writeMark !== undefined));
}

export interface Module {
  name: string;
  field: Field;
  path: string;
}

/** The modules of an edge. */
const modulesOf = ({ definition }: Target): Omit<Module, "path">[] =>
  Object.entries<Field>(definition.kind === "object" ? definition.fields : {}).flatMap(([name, field]) =>
    field.module ? [{ name, field }] : [],
  );

/** The modules of an edge that can also be resources of their own: the API has a PUT for them. */
export const modulesWithResources = (remote: Target): Module[] =>
  modulesOf(remote).flatMap(({ name, field }) =>
    field.module!.put ? [{ name, field, path: remote.path(field.module!.put) }] : [],
  );

/** A module's arguments without its edge's id, as the edge's own argument. */
export function asArgument({ name, field }: Omit<Module, "path">, declared: JsonObject): JsonObject {
  const own = Object.entries(declared).filter(([key]) => key in field.module!.fields);
  return { [name]: Object.fromEntries(own) };
}

function isSame({ definition }: Target, module: Module, declared: JsonObject, body: JsonObject | undefined): boolean {
  if (definition.kind !== "object") return false;
  const { body: own } = updateCall(definition, asArgument(module, declared), [module.name]);
  return JSON.stringify(own) === JSON.stringify(body);
}
