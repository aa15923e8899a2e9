/** Tells the other resources of a deployment what a resource declares, so that no two manage the same thing unnoticed. */

import type { Field } from "../definitions/fields";
import { isObject, type JsonObject } from "../json";
import type { Options } from "./options";
import type { Call } from "./plan";
import type { Remote } from "./remote";
import type { State } from "./state";

/** Declares an object or module, the modules of an object, and its unique value. */
export async function declareOwned(
  remote: Remote,
  desired: JsonObject,
  { key, resource }: Options,
  isCreated?: true,
): Promise<void> {
  const { definition, deployment } = remote;
  const { owners, uniqueValues } = deployment;
  if (definition.kind === "object" && definition.unique) {
    uniqueValues.declare(remote.id, desired[definition.unique.argument]);
  }
  const owner = { key, resource, isCreated };
  await owners.declare(remote.path(), { ...owner, name: remote.name, declared: desired });
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

/** The state, without a module that its edge has removed in this deployment. */
export function withoutRemovedModule(remote: Remote, state: State): State {
  const { definition, deployment } = remote;
  if (definition.kind === "object" || !deployment.owners.isRemoved(remote.path())) return state;
  const parents = Object.entries(state.values).filter(([name]) => definition.parents.includes(name));
  return { ...state, values: Object.fromEntries(parents), unconfirmed: [] };
}
