/** A module that both its edge and a resource of its own write. Its write mark shows which of them wrote last. */

import { isObject, type JsonObject } from "../../base/json";
import { joinWithAnd } from "../../base/quote";
import { ownFields } from "../../definitions/definition";
import { readFields } from "../../definitions/fields/field";
import { type Call, type Plan, updateCall } from "../plan/plan";
import type { Identity } from "../register/identity";
import { asArgument, modulesWithResources } from "../register/modules";
import type { View } from "../register/view";
import type { State } from "../state";
import type { Remote } from "./remote";

/** The state of a module, as far as it is known: its edge may have removed it, or written it after its resource did. */
export function forgetOverwritten(view: View, remote: Identity, state: State): State {
  const { definition } = remote;
  if (definition.kind === "object") return state;
  const remover = view.removerOf(remote.path());
  if (remover) {
    const parents = Object.entries(state.values).filter(([name]) => definition.parents.includes(name));
    return { ...state, values: Object.fromEntries(parents), unconfirmed: [], overwritten: `${remover} removes it` };
  }
  const { writeMark } = view.historyOf(remote.path());
  if (writeMark === undefined || writeMark === state.writeMarks[remote.path()]) return state;
  const overwritten = "its edge wrote it after this resource did";
  return { ...state, unconfirmed: Object.keys(ownFields(definition)), overwritten };
}

/** The calls that set a module again because its edge has written it since: the diff came too early to know that. */
export function restoreOverwritten(view: View, remote: Identity, { calls }: Plan, desired: JsonObject): Call[] {
  const { definition } = remote;
  if (definition.kind !== "object") return [];
  return modulesWithResources(remote).flatMap((module) => {
    const owner = view.moduleResourceAt(module.path);
    const { writeMark } = view.historyOf(module.path);
    const isWritten = module.name in desired || calls.some(({ removes }) => removes === module.name);
    if (!owner?.value || isWritten || writeMark === undefined || writeMark === owner.writeMark) return [];
    const reason = `this edge wrote it after ${owner.resource} did`;
    return [{ ...updateCall(definition, asArgument(module, owner.value), [module.name]), reason }];
  });
}

/** Names the modules of a kept edge that no resource declares: with `deletedWith`, they leave the state silently. */
export async function describeUndeclared(remote: Remote): Promise<string> {
  const { definition, deployment } = remote;
  const view = deployment.register.view();
  const modules = modulesWithResources(remote).filter(({ path }) => view.ownersOf(path).length === 0);
  const object = modules.length > 0 ? await remote.fetch().catch(() => undefined) : undefined;
  const values = object ? readFields(definition.fields, object) : {};
  const names = modules.map(({ name }) => name).filter((name) => isObject(values[name]));
  return names.length > 0 ? ` It keeps its ${joinWithAnd(names)}, which no resource declares.` : "";
}
