/**
 * A resource's state as a plugin has it. What is managed are the old inputs, which the engine keeps and sends, without
 * those that `ignoreChanges` keeps there: the outputs record these. Only after an update that failed halfway do the
 * outputs record what is managed, too: the engine then keeps the new inputs, and what is still to be removed would be
 * forgotten.
 */

import type { JsonObject } from "../base/json";
import {
  isImported,
  managedKey,
  mergeAll,
  parseArgs,
  parseState,
  pathsOf,
  type State,
  topLevelNames,
  withoutNames,
  withoutWriteOnly,
} from "../core/state";
import type { Definition } from "../definitions/definition";
import { toOutputs } from "../definitions/fields/field";

export function parseSaved(definition: Definition, id: string, outputs: JsonObject, inputs: JsonObject): State {
  const { fields } = definition;
  const recorded = parseState(id, outputs);
  const args = parseArgs(fields, inputs);
  const declared = isImported(inputs) ? [] : withoutNames(pathsOf(fields, args), topLevelNames(recorded.ignored));
  const computed = Object.entries(recorded.values).filter(([name]) => !(name in fields));
  return {
    ...recorded,
    // What is declared has the form in which it is declared, and a list that is not set is not empty, as in outputs.
    values: {
      ...Object.fromEntries(computed),
      ...mergeAll(fields, withoutWriteOnly(definition, args), recorded.values),
    },
    managed: [...new Set([...declared, ...recorded.managed])],
    isImported: isImported(inputs),
  };
}

/** The service does not have what is never sent. After an import, it is what the program declares. */
export function adoptClientOnly({ fields }: Definition, state: State, args: JsonObject): State {
  const adopted = Object.entries(args).filter(([name]) => fields[name]?.clientOnly);
  return { ...state, values: { ...state.values, ...Object.fromEntries(adopted) } };
}

/** The outputs of a state, given by its properties, whose inputs are these. */
export function outputsOf(definition: Definition, properties: JsonObject, inputs: JsonObject): JsonObject {
  const { [managedKey]: managed, ...others } = properties;
  const isUnfinished = unfinishedNames(definition, properties, inputs).length > 0;
  return { ...toOutputs(definition.fields, others), ...(isUnfinished && { [managedKey]: managed! }) };
}

/** The names of what an unfinished update, or the dynamic provider, has recorded as managed and is not declared now. */
export function unfinishedNames({ fields }: Definition, properties: JsonObject, inputs: JsonObject): string[] {
  const { managed } = parseState("", properties);
  const declared = pathsOf(fields, parseArgs(fields, inputs));
  // A module that is declared empty is managed by its name.
  return managed.filter((name) => !declared.some((path) => path === name || path.startsWith(`${name}.`)));
}
