/** Imports an existing object: records it in the state instead of creating it, if it has what the program declares. */

import type { JsonObject } from "../../base/json";
import { moduleId } from "../../definitions/definition";
import type { Operation } from "../deployment/operation";
import type { Remote } from "../deployment/remote";
import { ProviderError } from "../errors";
import type { Options } from "../options";
import { describeMismatches } from "../plan/compare";
import { outputsFrom } from "../state";
import { hasUnknown } from "../unknown";

/** What keeps an object from being imported with these arguments, as sentences; and the object, if there is one. */
export async function compareForImport(
  remote: Remote,
  desired: JsonObject,
): Promise<{ problems: string[]; object?: JsonObject }> {
  const { definition, id, name } = remote;
  if (definition.kind === "module" && !hasUnknown(definition.parents.map((parent) => desired[parent]))) {
    const declared = moduleId(definition, desired);
    if (declared !== id) {
      const { displayName } = definition;
      return { problems: [`The arguments are those of ${displayName} ${declared}, but import is "${id}".`] };
    }
  }
  const object = await remote.fetchBatched();
  if (!object)
    return { problems: [`${remote.missingMessage} Check the id, or remove the import option to create one.`] };
  return { problems: describeMismatches(definition, name, desired, outputsFrom(remote, object)), object };
}

/** Imports an object that has what the program declares. */
export async function importObject(operation: Operation): Promise<{ id: string; values: JsonObject }> {
  const { desired } = operation;
  const remote = operation.remote();
  const { problems, object } = await compareForImport(remote, desired);
  if (!object || problems.length > 0) throw new ProviderError(problems.join("\n"));
  return { id: remote.id, values: outputsFrom(remote, object, desired) };
}

/** An existing resource keeps its object. */
export function assertImportId({ definition, id }: Remote, { importId }: Options): void {
  if (importId === undefined || importId === id) return;
  throw new ProviderError(
    `This resource is already ${definition.displayName} ${id}, so it cannot import ${importId}. Declare ${importId} ` +
      "under another name.",
  );
}

/** Fails for an argument that is never sent: the import of the replacement could not notice that it differs. */
export function assertCanReplace({ definition, name }: Remote, replaces: string[], { importId }: Options): void {
  const argument = replaces.find((each) => definition.fields[each]?.clientOnly);
  if (importId === undefined || argument === undefined) return;
  throw new ProviderError(
    `${argument} cannot change while the option import is declared, because the replacement would import ${name} ` +
      "again. Remove the import option.",
  );
}
