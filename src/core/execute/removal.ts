/**
 * What becomes of an object or module whose resource leaves the program, or is replaced. As long as another resource may
 * have it, the deletion fails: the next `pulumi up` decides.
 */

import type { Route } from "../../api/routes";
import { joinWithAnd } from "../../base/quote";
import type { Field } from "../../definitions/fields/field";
import { topLevelNames } from "../arguments";
import { type Claim, describeSource } from "../claims/claims";
import { ProviderError } from "../errors";
import type { Operation } from "../operation";
import type { Options } from "../options";
import type { State } from "../state";
import { deleteOrRemove, describeRemoved } from "./execute";

/** Deletes an object or removes a module, unless a resource of the program has its place, or may have it. */
export async function removeOrKeep(operation: Operation, state: State): Promise<void> {
  const { definition, deployment, name, options } = operation;
  const isModule = definition.kind === "module";
  const { claims } = deployment;
  // Fails if the file of claims cannot be read.
  claims.read();
  const [owner] = claims.others(operation.path(), asDeletion(options).key);
  const edges = isModule ? claims.at(operation.objectPath) : [];
  // With `pulumi up --target-replace`, the PUT of the replacement is at the same path, before or after this.
  if (owner && isOwn(owner, options)) return;
  if (owner?.isDone) {
    const rest = describeRest(operation, state);
    return operation.inform(`${name} was not deleted, because ${owner.resource} still declares it.${rest}`);
  }
  const undone = owner ?? edges.find(({ isDone }) => !isDone);
  if (undone) {
    const reason = `${undone.resource} failed, or was not deployed, in this deployment. Run the command again.`;
    throw new ProviderError(`${reason}${describeSource(undone)}`);
  }
  const ignoring = isModule && definition.protects && edges.find(({ ignores }) => ignores.includes(operation.path()));
  if (ignoring) {
    throw new ProviderError(
      `${ignoring.resource} has ignoreChanges for it. Remove that first.${describeSource(ignoring)}`,
    );
  }
  // Left to its edge, which is deleted, too.
  const isLeft = state.withEdge || deployment.replacedWithEdge.has(operation.path());
  if (isLeft && edges.length === 0) {
    return operation.inform(
      `The ${name} is deleted with its edge. If the edge is not deleted, this stays with it, and Pulumi no longer manages it.`,
    );
  }
  const warning = definition.kind === "object" && definition.deleteWarning?.(state.values, deployment.apiKey);
  if (warning) await operation.warn(`${name}: ${warning}`);
  await deleteOrRemove(operation);
  if (isModule && definition.protects) await operation.inform(describeRemoved(name));
}

/** A deletion that failed has a claim of its own: the program may declare another object under the same name. */
export const asDeletion = (options: Options): Options => ({ ...options, key: `deletion of ${options.key}` });

/**
 * Whether it is the claim of what replaces the object, in this process. A state of the classes lacks the parents, so a
 * resource in a component is recognized by its name.
 */
const isOwn = ({ file, key, resource, isNew = false }: Claim, options: Options) =>
  file === undefined && (key === options.key || (isNew && resource === options.resource));

/**
 * The modules of a kept edge that no resource declares now: TcpEdge "old" had an ipRestriction, and TcpEdge "new", which
 * imports the same edge, has none.
 */
function describeRest(operation: Operation, { managed }: State): string {
  const managedNames = topLevelNames(managed);
  const isClaimed = (route: Route) => operation.deployment.claims.at(operation.path(route)).length > 0;
  const names = Object.entries<Field>(operation.definition.fields).flatMap(([name, { module }]) =>
    module?.remove && managedNames.has(name) && !isClaimed(module.remove) ? [name] : [],
  );
  return names.length > 0 ? ` It keeps its ${joinWithAnd(names)}, which no resource declares.` : "";
}
