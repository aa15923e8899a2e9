/**
 * Whether the service has what was declared, after a call that it accepted. It may ignore a part of the call, and an edge
 * that the state shows as restricted would then be open.
 */

import type { JsonObject } from "../../base/json";
import type { Definition } from "../../definitions/definition";
import type { Field } from "../../definitions/fields/field";
import { pathsOf } from "../arguments";
import { ProviderError } from "../errors";
import type { Operation } from "../operation";
import { affectedFields, type Call, changedNames, findChanges } from "../plan/plan";
import { isShown, outputsFrom } from "../read/responses";

/** Of these arguments, the modules that restrict who can connect; of a module that does so, all. */
const protecting = (definition: Definition, names: string[]): string[] =>
  definition.kind === "module"
    ? names.filter(() => definition.protects)
    : names.filter((name) => (definition.fields[name] as Field | undefined)?.module?.protects);

/**
 * The outputs after a write of these arguments, if its response shows every protection among them. Otherwise one GET
 * decides: the service does not have a protection that it does not show.
 */
export async function confirmOutputs(
  operation: Operation,
  response: JsonObject | undefined,
  sent: string[],
  desired: JsonObject,
  outputs: JsonObject,
): Promise<JsonObject> {
  const { definition } = operation;
  const isConfirmed =
    definition.kind === "module"
      ? !definition.protects || response !== undefined
      : protecting(definition, sent).every((name) => isShown(response, name));
  return isConfirmed ? outputs : outputsFrom(operation, (await operation.fetch()) ?? {}, desired, outputs);
}

/**
 * Compares the service's values after a call with the declared ones, except those of the calls that follow. A
 * difference in a protection is a failure. Any other is a warning, and the state has the service's value.
 */
export async function assertApplied(
  operation: Operation,
  { route }: Call,
  desired: JsonObject,
  values: JsonObject,
  following: Call[] = [],
): Promise<void> {
  const { definition, name } = operation;
  const service = { values, managed: pathsOf(definition.fields, desired), unconfirmed: [] };
  const different = changedNames(findChanges(definition, service, desired, following.flatMap(affectedFields)));
  const open = protecting(definition, different);
  if (open.length > 0) {
    const protections =
      definition.kind === "module" ? name : open.map((each) => `${each} of ${name}`).join(" and the ");
    throw new ProviderError(
      `the service accepted ${operation.describe(route)}, but did not apply the ${protections}. Anyone may be able to ` +
        "connect. Run `pulumi up`, which sends it again.",
    );
  }
  if (different.length === 0) return;
  await operation.warn(
    `the service returned another ${different.join(" and another ")} of ${name} than the program declares. ` +
      "The next `pulumi up` sends it again.",
  );
}
