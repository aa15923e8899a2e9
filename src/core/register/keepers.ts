/** A module that both its edge and a resource of its own write. Its write mark shows which of them wrote last. */

import type { JsonObject } from "../../base/json";
import { ownFields } from "../../definitions/definition";
import type { Before, Keeper, Keepers } from "../plan/plan";
import type { State } from "../state";
import { type History, hasFailed, type Owner } from "./entries";
import type { Identity } from "./identity";
import { asArgument, modulesOf } from "./modules";
import type { View } from "./view";

/** The resources that declare modules of an edge which it does not declare itself, as far as one asks. */
export function keepersOf(
  view: View,
  edge: Identity,
  desired: JsonObject,
  isAsked: (name: string) => boolean = () => true,
): Keepers {
  const kept = modulesOf(edge).flatMap(({ name, field }): [string, Keeper][] => {
    const place = edge.path(field.module!.remove);
    const owner = name in desired || !isAsked(name) ? undefined : view.keeperOf(place);
    if (!owner) return [];
    const { resource, isModuleResource = false, hasOtherAddress, value } = owner;
    const declared = value && asArgument(field, value);
    const keeper = { resource, isModuleResource, hasOtherAddress, value: declared };
    return [[name, { ...keeper, isSet: isSet(owner, view.historyOf(place)) }]];
  });
  return Object.fromEntries(kept);
}

function isSet(owner: Owner, { writeMark }: History): Keeper["isSet"] {
  const { isModuleResource = false, isNew, phase } = owner;
  // What is in the state of the module's own resource is not forgotten: the resource sets it again if it has to.
  if (phase !== "written" || hasFailed(owner)) return isModuleResource && !isNew ? true : "not yet";
  return isModuleResource && (writeMark === undefined || writeMark === owner.writeMark);
}

/** The state of a module, as far as it is known: its edge may have removed it, or written it after its resource did. */
export function forgetOverwritten(view: View, module: Identity, state: State): State & Before {
  const { definition } = module;
  if (definition.kind === "object") return state;
  const remover = view.removerOf(module.path());
  if (remover) {
    const parents = Object.entries(state.values).filter(([name]) => definition.parents.includes(name));
    const setAgainBecause = `${remover} removes it`;
    return { ...state, values: Object.fromEntries(parents), unconfirmed: [], setAgainBecause };
  }
  const { writeMark } = view.historyOf(module.path());
  if (writeMark === undefined || writeMark === state.writeMarks[module.path()]) return state;
  const setAgainBecause = "its edge wrote it after this resource did";
  return { ...state, unconfirmed: Object.keys(ownFields(definition)), setAgainBecause };
}
