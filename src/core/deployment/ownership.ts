/** Tells the other resources of a deployment what a resource declares, so that no two manage the same thing unnoticed. */

import { ownFields } from "../../definitions/definition";
import type { Field } from "../../definitions/fields";
import { isObject, type JsonObject } from "../../json";
import type { Options } from "../options";
import { type Call, type Plan, updateCall } from "../plan/plan";
import type { State } from "../state";
import type { Owner } from "./owners";
import type { Remote } from "./remote";
import { declaredModule, separableModules } from "./writes";

/** Declares an object or module, the modules of an object, and its unique value. */
export async function declareOwned(
  remote: Remote,
  desired: JsonObject,
  { key, resource }: Options,
  traits: Pick<Owner, "isCreated" | "mark"> = {},
): Promise<void> {
  const { definition, deployment } = remote;
  const { owners, uniqueValues } = deployment;
  if (definition.kind === "object" && definition.unique) {
    uniqueValues.declare(remote.id, desired[definition.unique.argument]);
  }
  const owner = { key, resource, ...traits };
  const isSeparate = definition.kind === "module";
  await owners.declare(remote.path(), { ...owner, name: remote.name, declared: desired, isSeparate });
  for (const [name, { module }] of Object.entries<Field>(definition.fields)) {
    if (!module?.remove) continue;
    const [path, declared] = [remote.path(module.remove), desired[name]];
    if (isObject(declared)) await owners.declare(path, { ...owner, name: `${name} of ${remote.name}`, declared });
    else owners.release(path, key);
  }
}

/** An object that will be replaced gives up its unique value. */
export function declareGivenUp({ definition, deployment, id }: Remote): void {
  if (definition.kind === "object" && definition.unique) deployment.uniqueValues.declare(id, undefined);
}

/** A module that is no longer declared is removed, unless another resource declares it. */
export function declareRemovals(remote: Remote, calls: Call[], { resource }: Options): void {
  const { owners } = remote.deployment;
  for (const { removes, route } of calls) {
    if (removes !== undefined && !owners.ownerOf(remote.path(route))) owners.remove(remote.path(route), resource);
  }
}

/** The state of a module, as far as it is known: its edge may have removed it, or written it after its resource did. */
export function withoutOverwrittenModule(remote: Remote, state: State): State {
  const { definition, deployment } = remote;
  if (definition.kind === "object") return state;
  const path = remote.path();
  if (deployment.owners.isRemoved(path)) {
    const parents = Object.entries(state.values).filter(([name]) => definition.parents.includes(name));
    return { ...state, values: Object.fromEntries(parents), unconfirmed: [] };
  }
  const mark = deployment.writes.markOf(path);
  if (mark === undefined || mark === state.marks[path]) return state;
  return { ...state, unconfirmed: Object.keys(ownFields(definition)) };
}

/** The calls that set what an edge wrote after a module's own resource did, which was diffed before it could know. */
export function restoreOverwritten(remote: Remote, { calls }: Plan, desired: JsonObject): Call[] {
  const { definition, deployment } = remote;
  if (definition.kind !== "object") return [];
  return separableModules(remote).flatMap((module) => {
    const owner = deployment.owners.separateOwnerOf(module.path);
    const mark = deployment.writes.markOf(module.path);
    const isWritten = module.name in desired || calls.some(({ removes }) => removes === module.name);
    if (!owner || isWritten || mark === undefined || mark === owner.mark) return [];
    return [updateCall(definition, declaredModule(module, owner.declared), [module.name])];
  });
}

/** The marks after a write: of an edge, those of its modules; of a module's own resource, the one that it has now. */
export function marksAfterWrite(remote: Remote, before: State["marks"] = {}): State["marks"] {
  const { writes } = remote.deployment;
  if (remote.definition.kind === "object") return writes.marksOf(remote);
  const mark = writes.markOf(remote.path());
  return mark === undefined ? before : { [remote.path()]: mark };
}
