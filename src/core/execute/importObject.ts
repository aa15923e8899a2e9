/** Imports an existing object: records it in the state instead of creating it, if it has what the program declares. */

import type { JsonObject } from "../../base/json";
import { moduleId } from "../../definitions/definition";
import { ProviderError } from "../errors";
import type { Operation } from "../operation";
import { describeMismatches } from "../plan/compare";
import { outputsFrom } from "../read/responses";
import { hasUnknown } from "../unknown";

/** What keeps an object from being imported with these arguments, as sentences; and the object, if there is one. */
export async function compareForImport(
  operation: Operation,
  desired: JsonObject,
): Promise<{ problems: string[]; object?: JsonObject }> {
  const { definition, id, name } = operation;
  if (definition.kind === "module" && !hasUnknown(definition.parents.map((parent) => desired[parent]))) {
    const expected = moduleId(definition, desired);
    if (expected !== id) {
      const { displayName } = definition;
      return { problems: [`The arguments are those of ${displayName} ${expected}, but import is "${id}".`] };
    }
  }
  const object = await operation.fetchRecent();
  if (!object)
    return { problems: [`${operation.missingMessage} Check the id, or remove the import option to create one.`] };
  return { problems: describeMismatches(definition, name, desired, outputsFrom(operation, object)), object };
}

/** Imports an object that has what the program declares; returns its outputs. */
export async function importObject(operation: Operation, desired: JsonObject): Promise<JsonObject> {
  const { problems, object } = await compareForImport(operation, desired);
  if (!object || problems.length > 0) throw new ProviderError(problems.join("\n"));
  return outputsFrom(operation, object, desired);
}

/**
 * An existing resource keeps its object. An argument that is never sent, such as keepers of an API key, cannot replace it
 * while the option import is set: the replacement would import the same key.
 */
export function assertCanImport({ definition, id, name, options: { importId } }: Operation, replaces: string[]): void {
  if (importId === undefined) return;
  if (importId !== id) {
    throw new ProviderError(
      `This resource is already ${name}, so it cannot import ${importId}. Declare ${importId} under another name.`,
    );
  }
  const argument = replaces.find((each) => definition.fields[each]?.clientOnly);
  if (argument === undefined) return;
  throw new ProviderError(
    `${argument} cannot change while the option import is declared, because the replacement would import ${name} ` +
      "again. Remove the import option.",
  );
}
