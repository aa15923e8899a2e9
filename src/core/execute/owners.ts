/**
 * What a resource claims when it is checked, diffed, created and updated, and which claims are rejected because another
 * resource has the same. First it claims, then it reads: of two processes that do this at once, at least one sees the
 * other.
 */

import type { JsonObject } from "../../base/json";
import {
  type Definition,
  displayNameOf,
  type Identity,
  objectPathOf,
  parentsOf,
  pathOf,
} from "../../definitions/definition";
import { type ManagedArgs, managedArgs, topLevelNames } from "../arguments";
import { type Claim, type Claims, describeSource, type Removal } from "../claims/claims";
import { type Places, parentIds, placesOf, placesOfCheck, sharedModules } from "../claims/places";
import type { Deployment } from "../deployment/deployment";
import { ProviderError } from "../errors";
import type { Operation } from "../operation";
import type { Options } from "../options";
import type { Plan } from "../plan/plan";
import type { State } from "../state";
import { hasUnknown } from "../unknown";

/** What a resource claims, and what an edge ignores, once its id is known. */
const known = (identity: Identity, { desired, ignored }: ManagedArgs) => ({
  places: Object.keys(placesOf(identity, desired)),
  ignores: sharedModules(identity).flatMap(({ name, path }) => (ignored.includes(name) ? [path] : [])),
});

/** The program has this resource. Returns what other resources make impossible. */
export async function claimChecked(
  deployment: Deployment,
  definition: Definition,
  old: JsonObject | undefined,
  args: JsonObject,
  options: Options,
): Promise<string[]> {
  const { claims } = deployment;
  const { desired } = managedArgs(definition, args, options);
  const places = placesOfCheck({ definition, old, args, desired }, claims.hash, options);
  return [...claimPlaces(claims, places, options), ...(await findMove(deployment, definition, args, options))];
}

/** The engine imports this object. It writes what was read into the state before it checks and diffs the resource. */
export function claimImported(operation: Operation): void {
  const { deployment, options } = operation;
  const problems = claimPlaces(deployment.claims, placesOf(operation, {}), options);
  if (problems.length > 0) throw new ProviderError(problems.join("\n"));
}

/** Claims places, and returns which of them another resource has claimed, too. */
function claimPlaces(claims: Claims, places: Places, options: Options): string[] {
  claims.claim(options, Object.keys(places));
  claims.read();
  return findDoubles(claims, places, options);
}

/** The program has the object or module of this id, if a check came before the diff. */
export function claimDiffed(
  operation: Operation,
  before: State,
  plan: Plan,
  replaces: string[],
  declared: ManagedArgs,
): void {
  const { definition, deployment, options } = operation;
  if (!deployment.checked.delete(options.key)) {
    // Without a check, the engine refreshes, or deletes the module before its edge, as with deleteBeforeReplace of the
    // edge: then `edgeId: edge.id` is unknown here.
    const isReplaced = hasUnknown(parentsOf(definition).map((name) => declared.desired[name]));
    if (isReplaced) deployment.replacedWithEdge.add(operation.path());
  } else if (replaces.length === 0) claimKept(operation, before, plan, declared);
}

/** The program does not replace the object or module. */
function claimKept(operation: Operation, { managed }: State, { calls }: Plan, declared: ManagedArgs): void {
  const { options } = operation;
  const { claims } = operation.deployment;
  const places = placesOf(operation, declared.desired);
  claims.extend(options, { ...known(operation, declared), isDone: calls.length === 0 });
  const removed = sharedModules(operation).filter(({ name }) => calls.some(({ removes }) => removes === name));
  const wasManaged = topLevelNames(managed);
  const kept = sharedModules(operation).filter(({ name }) => wasManaged.has(name) && declared.ignored.includes(name));
  const claimRemovals = (step: Removal["step"], modules: typeof removed) => {
    for (const { name, path } of modules) claims.planRemoval(path, { by: options.resource, module: name, step });
  };
  claimRemovals("planned", removed);
  claimRemovals("kept", kept);
  claims.read();
  const problems = findDoubles(claims, places, options);
  if (problems.length > 0) throw new ProviderError(problems.join("\n"));
  for (const { name, path } of removed) assertUnclaimed(claims, path, name, options);
}

/** The object or module was created, imported or updated. */
export function claimWritten(operation: Operation, declared: ManagedArgs, isNew = false): void {
  const { claims } = operation.deployment;
  claims.settle(operation.options, { ...known(operation, declared), isDone: true, isNew });
  const removal = claims.removalOf(operation.path());
  if (removal) claims.moveRemoval(operation.path(), { ...removal, step: "set again" });
}

/**
 * Whether the state of a module is not what the service has, because its edge stopped declaring it in this deployment.
 * Without a preview, an edge that stops declaring ipRestriction may lose it before the resource that declares it is
 * updated. With ignoreChanges, the edge keeps what it declared. For example, a user moved ipRestriction from a resource
 * into the edge, the deployment failed before it deleted the resource, and the user reverted that.
 */
export function isStale(operation: Operation): boolean {
  const { definition, deployment } = operation;
  const step = definition.kind === "module" && deployment.claims.removalOf(operation.path())?.step;
  return step === "removed" || step === "kept";
}

/** Whether it is a module that protects an edge of the program. */
export const protectsEdge = ({ definition, deployment, objectPath }: Operation): boolean =>
  definition.kind === "module" && definition.protects === true && deployment.claims.at(objectPath).length > 0;

/** Removes a module from an edge, unless a resource of the program declares it by now. */
export async function removeShared(edge: Operation, module: string, remove: () => Promise<void>): Promise<void> {
  const { options } = edge;
  const { claims } = edge.deployment;
  const shared = sharedModules(edge).find(({ name }) => name === module);
  if (!shared) return remove();
  const removal: Removal = { by: options.resource, module, step: "under way" };
  claims.moveRemoval(shared.path, removal);
  let step: Removal["step"] = "planned";
  try {
    claims.read();
    assertUnclaimed(claims, shared.path, module, options);
    await remove();
    step = "removed";
  } finally {
    claims.moveRemoval(shared.path, { ...removal, step });
  }
}

/** What is wrong if an edge of the program stops declaring the module of this resource. */
async function findMove(
  { claims, turns, warn }: Deployment,
  definition: Definition,
  args: JsonObject,
  options: Options,
): Promise<string[]> {
  const ids = definition.kind === "module" && parentIds(definition, args);
  if (!ids) return [];
  const module = { definition, id: ids.join("/") };
  const path = pathOf(module);
  const isPending = (removal?: Removal) => removal?.step === "under way" && removal.file === undefined;
  if (isPending(claims.removalOf(path))) await turns.take(objectPathOf(module), async () => {});
  const removal = claims.removalOf(path);
  if (!removal || removal.step === "set again" || removal.step === "kept") return [];
  if (removal.step !== "removed") return [describeMove(removal, options.resource, removal)];
  await warn(
    `The ${displayNameOf(module)} moves from ${removal.by} to ${options.resource} and is not set in between. ` +
      "To move it without a gap, see docs/rule.md in pulumi-tunnel-edge.",
    options,
  );
  return [];
}

function assertUnclaimed(claims: Claims, path: string, module: string, { key, resource }: Options): void {
  const [owner] = claims.others(path, key);
  if (owner) throw new ProviderError(describeMove({ by: resource, module }, owner.resource, owner));
}

const describeMove = ({ by, module }: Pick<Removal, "by" | "module">, owner: string, source: Pick<Claim, "file">) =>
  `${by} no longer declares ${module}, which ${owner} declares. The edge would be without it in between. ` +
  `Add ignoreChanges: ["${module}"] to ${by} for one deployment.${describeSource(source)}`;

/** The double declarations, each once: the module of an edge that exists has a second place, at the edge's key. */
function findDoubles(claims: Claims, places: Places, { key }: Options): string[] {
  const doubles = Object.entries(places).flatMap(([place, name]) => {
    const other = claims.double(place, key);
    return other ? [describeDouble(name, other)] : [];
  });
  return [...new Set(doubles)];
}

const describeDouble = (name: string, owner: Claim) =>
  `${name} is already declared by ${owner.resource}. Declare it in one place.${describeSource(owner)}`;
