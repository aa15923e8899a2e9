/**
 * Modules that lose their edge: the edge leaves the program, while the module's own resource keeps the edge's id as a
 * string. Pulumi sees no dependency between the two, and in a preview asks no provider about a deletion.
 */

import { definitions } from "../../definitions";
import { type Resource, toResource } from "./edges";
import { describeResource } from "./messages";
import type { Step } from "./preview";

const moduleTypes = new Set(definitions.filter(({ kind }) => kind === "module").map(({ type }) => type));
const isModule = (resource: Resource | undefined) => resource !== undefined && moduleTypes.has(resource.type);

/** A sentence for each such module, of the steps of several previews. */
export function listLostModules(previews: Step[][]): string[] {
  return [...new Set(previews.flatMap(findLostModules))].sort();
}

function findLostModules(steps: Step[]): string[] {
  // Another resource of the program may have the edge, for example with the option `import`.
  const kept = new Set(
    steps.flatMap(({ urn, newState, oldState }) =>
      newState && !isModule(toResource(urn, newState.type))
        ? [newState.id, newState.inputs?.__import, oldState?.id]
        : [],
    ),
  );
  const deleted = new Map<string, Resource>();
  for (const { op, urn, oldState } of steps) {
    const edge = toResource(urn, oldState?.type ?? "");
    if (op !== "delete" || !edge || isModule(edge) || !oldState?.id || oldState.retainOnDelete) continue;
    if (!kept.has(oldState.id)) deleted.set(oldState.id, edge);
  }
  return steps.flatMap(({ urn, newState }) => {
    const module = newState && toResource(urn, newState.type);
    const id = newState?.inputs?.edgeId;
    const edge = typeof id === "string" && isModule(module) ? deleted.get(id) : undefined;
    if (!module || !edge) return [];
    return [
      `${describeResource(module)} still has the id of ${describeResource(edge)}, ${id}, which this change deletes. Remove it ` +
        "from the program too, or give it the id of another edge.",
    ];
  });
}
