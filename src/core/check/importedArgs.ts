/** The smallest set of arguments that declares an object as the service has it. */

import { isObject, type Json, type JsonObject } from "../../base/json";
import { type Definition, parentArgs } from "../../definitions/definition";
import { equalsDesired, type Field, type Fields, readFields } from "../../definitions/fields/field";
import { findProblems } from "./checks";

export interface ImportedArgs {
  args: JsonObject;
  /** Why arguments are left out: values that no program can declare. */
  omissions: string[];
  /** Whether all required arguments are among them. */
  isComplete: boolean;
}

/**
 * The arguments of a response, each of which passes the checks of a preview. Values that the service may have chosen
 * itself are among them only if they must not change: a module is sent whole.
 */
export function importedArgs(
  definition: Definition,
  id: string,
  response: JsonObject,
  keepsChosen = false,
): ImportedArgs {
  const isNeedless = (field: Field, value: Json) =>
    isDefault(field, value) || (!keepsChosen && field.mayBeChosen?.(value) === true);
  const omitNeedless = (of: Fields, from: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(from).filter(([name, value]) => !isNeedless(of[name]!, value)));
  const fields: Fields = definition.fields;
  const values = parentArgs(definition, id);
  for (const [name, value] of Object.entries(readFields(fields, response))) values[name] ??= value;
  const declaration: ImportedArgs = { args: {}, omissions: [], isComplete: true };
  for (const [name, field] of Object.entries(fields)) {
    const value =
      field.module && isObject(values[name]) ? omitNeedless(field.module.fields, values[name]) : values[name];
    if (value === undefined ? !field.required : isNeedless(field, value)) continue;
    const problems = findProblems({ fields: { [name]: field } }, value === undefined ? {} : { [name]: value });
    if (problems.length === 0) declaration.args[name] = value!;
    else if (field.required) declaration.isComplete = false;
    declaration.omissions.push(...problems);
  }
  return declaration;
}

/** Whether the service has the value without its declaration. */
const isDefault = (field: Field, value: Json) => "default" in field && equalsDesired(field, undefined, value);
