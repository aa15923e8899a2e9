/**
 * What the plugin's outputs and inputs record of a state. What is managed are the old inputs, which the engine keeps and
 * sends. Only after an update that failed halfway do the outputs name it, too: the engine then has the new inputs, and
 * what the program has dropped would never be removed.
 */

import type { JsonObject } from "../base/json";
import { parseArgs, pathsOf, withDeclared, withoutWriteOnly } from "../core/arguments";
import { mergeAll } from "../core/read/responses";
import { importedKey, isImported, managedKey, parseNames, parseState } from "../core/state";
import type { Definition } from "../definitions/definition";
import { toOutputs } from "../definitions/fields/field";

type Fields = Pick<Definition, "fields">;

/** The state's properties, from the outputs and the old inputs. */
export function recordedProperties({ fields }: Fields, outputs: JsonObject, inputs: JsonObject): JsonObject {
  const args = parseArgs(fields, inputs);
  const { values } = parseState("", outputs);
  const others = Object.entries(outputs).filter(([name]) => !(name in fields));
  // What is declared has the form in which it is declared, and a list that is not set is not empty, as in outputs.
  const recorded = { ...Object.fromEntries(others), ...mergeAll(fields, withoutWriteOnly({ fields }, args), values) };
  // What was only imported is among the inputs, but no program has declared it.
  return isImported(inputs) ? { ...recorded, [importedKey]: true } : withDeclared(recorded, pathsOf(fields, args));
}

/** The outputs of a state, given by its properties, whose inputs are these. */
export function outputsOf(definition: Fields, properties: JsonObject, inputs: JsonObject): JsonObject {
  const { [managedKey]: managed, ...others } = properties;
  const isUnfinished = unfinishedNames(definition, properties, inputs).length > 0;
  return { ...toOutputs(definition.fields, others), ...(isUnfinished && { [managedKey]: managed! }) };
}

/** The names of what an unfinished update, or the dynamic provider, has recorded as managed and is not declared now. */
export function unfinishedNames({ fields }: Fields, properties: JsonObject, inputs: JsonObject): string[] {
  const declared = pathsOf(fields, parseArgs(fields, inputs));
  // A module that is declared empty is managed by its name.
  return parseNames(properties[managedKey]).filter(
    (name) => !declared.some((path) => path === name || path.startsWith(`${name}.`)),
  );
}
