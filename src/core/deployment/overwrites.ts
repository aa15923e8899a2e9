/** A module that its edge and a resource of its own both write: whoever wrote last is known by a mark. */

import { ownFields } from "../../definitions/definition";
import type { JsonObject } from "../../json";
import { type Call, type Plan, updateCall } from "../plan/plan";
import type { State } from "../state";
import type { Remote } from "./remote";
import { declaredModule, separableModules } from "./writes";

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
