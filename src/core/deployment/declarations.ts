/**
 * What a resource tells the others of its deployment, so that no two manage the same thing unnoticed: when it was
 * checked, diffed, created and updated.
 */

import type { Definition } from "../../definitions/definition";
import type { Field } from "../../definitions/fields";
import { isObject, type JsonObject } from "../../json";
import { ProviderError } from "../errors";
import type { Options } from "../options";
import type { Call, Plan } from "../plan/plan";
import { managedArgs, newState, pathsOf, type State } from "../state";
import type { Deployment } from "./deployment";
import { marksAfterWrite } from "./overwrites";
import type { Owner } from "./owners";
import { claimDeclared, claimModules } from "./places";
import { Remote } from "./remote";

/** The program has this resource. `id` is its id, where that is known. Returns what other resources make impossible. */
export async function declareChecked(
  deployment: Deployment,
  definition: Definition,
  { old, args, id }: { old: JsonObject | undefined; args: JsonObject; id: string | undefined },
  options: Options,
): Promise<string[]> {
  const problems = claimDeclared(deployment, definition, old, args, options);
  if (problems.length > 0) return problems;
  deployment.owners.register(options.key);
  const { desired } = managedArgs(definition, args, options);
  if (id !== undefined) await declareOwned(new Remote(definition, id, deployment), desired, options);
  return [];
}

/** The program keeps this object, or gives it up for a replacement. */
export async function declareDiffed(
  remote: Remote,
  state: State,
  { plan, desired, replaces }: { plan: Plan; desired: JsonObject; replaces: string[] },
  options: Options,
): Promise<void> {
  if (replaces.length > 0) return declareGivenUp(remote);
  const problems = claimModules(remote, state, desired, options);
  if (problems.length > 0) throw new ProviderError(problems.join("\n"));
  await declareOwned(remote, desired, options, { mark: state.marks[remote.path()] });
  declareRemovals(remote, plan.calls, options);
  if (plan.calls.length > 0) remote.deployment.owners.startUpdate(remote.path(), options);
}

/** This object was created or imported. Returns its state. */
export async function declareCreated(
  remote: Remote,
  values: JsonObject,
  desired: JsonObject,
  options: Options,
): Promise<State> {
  const { definition, deployment, id } = remote;
  deployment.takeId(id);
  deployment.owners.markSet(remote.path());
  const marks = marksAfterWrite(remote);
  const state = newState({ id, values, managed: pathsOf(definition.fields, desired), marks });
  await declareOwned(remote, desired, options, { isCreated: true, mark: marks[remote.path()] });
  claimModules(remote, state, desired, options);
  return state;
}

/** This object was updated from a state with these marks. Returns its marks now. */
export async function declareUpdated(
  remote: Remote,
  before: State["marks"],
  desired: JsonObject,
  options: Options,
): Promise<State["marks"]> {
  remote.deployment.owners.endUpdate(remote.path());
  remote.deployment.owners.markSet(remote.path());
  const marks = marksAfterWrite(remote, before);
  if (remote.definition.kind === "module") await declareOwned(remote, desired, options, { mark: marks[remote.path()] });
  return marks;
}

/** Declares an object or module, the modules of an object, and its unique value. */
async function declareOwned(
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
function declareGivenUp({ definition, deployment, id }: Remote): void {
  if (definition.kind === "object" && definition.unique) deployment.uniqueValues.declare(id, undefined);
}

/** A module that is no longer declared is removed, unless another resource declares it. */
function declareRemovals(remote: Remote, calls: Call[], { resource }: Options): void {
  const { owners } = remote.deployment;
  for (const { removes, route } of calls) {
    if (removes !== undefined && !owners.ownerOf(remote.path(route))) owners.remove(remote.path(route), resource);
  }
}
