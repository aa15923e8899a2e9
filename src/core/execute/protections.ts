/**
 * Whether the service applies what protects an edge. It may accept a call and ignore a part of it: an edge that the
 * state shows as restricted would then be open.
 */

import { asList, isObject, type JsonObject } from "../../base/json";
import { type Definition, ownFields } from "../../definitions/definition";
import type { Field, Fields } from "../../definitions/fields/field";
import type { Remote } from "../deployment/remote";
import { ProviderError } from "../errors";
import { isShown, outputsFrom } from "../state";

/** Of these arguments, the modules that restrict who can connect. */
function protectionsAmong({ fields }: Definition, names: string[]): string[] {
  return names.filter((name) => (fields[name] as Field | undefined)?.module?.protects);
}

/**
 * The outputs after a write of these arguments, if its response shows every protection among them. Otherwise one GET
 * decides: what it does not show, the service does not have.
 */
export async function confirmOutputs(
  remote: Remote,
  response: JsonObject | undefined,
  sent: string[],
  desired: JsonObject,
  outputs: JsonObject,
): Promise<JsonObject> {
  const { definition } = remote;
  const showsAll =
    definition.kind === "module"
      ? !definition.protects || response !== undefined
      : protectionsAmong(definition, sent).every((name) => isShown(response, name));
  return showsAll ? outputs : outputsFrom(remote, (await remote.fetch()) ?? {}, desired, outputs);
}

/** Fails if the service does not apply one of these arguments, according to the outputs after the call. */
export function assertApplied(remote: Remote, call: string, sent: string[], desired: JsonObject, outputs: JsonObject) {
  const unapplied = unappliedProtections(remote, sent, desired, outputs);
  if (unapplied.length === 0) return;
  throw new ProviderError(
    `the service accepted ${call}, but did not apply the ${unapplied.join(" and the ")}. Anyone may be able to connect. ` +
      "Run `pulumi up`, which sends it again.",
  );
}

/** The declared protections that are not applied, as messages name them. */
export function unappliedProtections(
  { definition, name }: Remote,
  sent: string[],
  desired: JsonObject,
  outputs: JsonObject,
): string[] {
  if (definition.kind === "module") {
    return definition.protects && !isApplied(ownFields(definition), desired, outputs) ? [name] : [];
  }
  return protectionsAmong(definition, sent)
    .filter((each) => {
      const module = desired[each];
      return isObject(module) && !isApplied(definition.fields[each]!.module!.fields, module, outputs[each]);
    })
    .map((each) => `${each} of ${name}`);
}

/** Whether a module is set, not switched off, and has at least one of the references or rules of each declared list. */
function isApplied(fields: Fields, desired: JsonObject, actual: JsonObject[string] | undefined): boolean {
  if (!isObject(actual)) return false;
  if ((desired.enabled ?? true) === true && actual.enabled === false) return false;
  return Object.entries(fields).every(([name, { accepts, responseName }]) => {
    const [declared, applied] = [asList(desired[name]), asList(actual[name])];
    if (accepts.base !== "list" || declared.length === 0) return true;
    return responseName === undefined ? applied.length > 0 : declared.some((id) => applied.includes(id));
  });
}
