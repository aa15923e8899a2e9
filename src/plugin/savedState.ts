/**
 * What the plugin's outputs and inputs record of a state. The old inputs are managed: the engine stores and sends them.
 * Only after an update that failed halfway, the outputs name the managed arguments, too. The engine then has the new
 * inputs, and arguments that the program has dropped would never be removed.
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
  // Declared arguments have the form of the program. A list that is not set is missing, and not empty as in outputs.
  const recorded = { ...Object.fromEntries(others), ...mergeAll(fields, withoutWriteOnly({ fields }, args), values) };
  // After an import, the inputs have values that no program has declared.
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
