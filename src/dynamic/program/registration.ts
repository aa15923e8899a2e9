/** What a class registers: the arguments with hidden inputs, and the options with those that its definition needs. */

import * as pulumi from "@pulumi/pulumi";
import { nameOf } from "../../base/quote";
import { expandAll, titleOf } from "../../core/options";
import { managedKey } from "../../core/state";
import { describeInvalidTimeout } from "../../core/timeouts";
import type { Definition, ModuleDefinition, ObjectDefinition } from "../../definitions/definition";
import { hiddenInputs, keyOf } from "../hiddenInputs";
import { assertJson } from "./jsonArguments";
import { programError } from "./programError";
import { isDeletedWith, objectWithId, type ProgramObject } from "./programObjects";
import { describeParents } from "./sdk/parents";
import { markSecrets, secretNames } from "./secretArguments";

/** What a class needs to know of its definition. */
export type ClassDefinition = Pick<Definition, "type" | "fields" | "computed"> &
  Pick<ObjectDefinition, "deleteBeforeReplace"> &
  Partial<Pick<ModuleDefinition, "parents">>;

/** A resource of the program, without its arguments and options. */
export interface ProgramResource {
  definition: ClassDefinition;
  name: string;
  /** Whether the program only reads an existing object by its id. */
  isRead: boolean;
  isPreview: boolean;
  /** Its parents, as hidden inputs have them. */
  parents: string | undefined;
  /** Of a module: its edge, if that is in the program. */
  edge: ProgramObject | undefined;
}

export interface Registration {
  props: pulumi.Inputs;
  opts: pulumi.CustomResourceOptions;
}

export function describeResource(
  definition: ClassDefinition,
  name: string,
  args: object | undefined,
  { id, parent }: pulumi.CustomResourceOptions,
): ProgramResource {
  const own = { definition, name, isRead: id !== undefined, isPreview: pulumi.runtime.isDryRun() };
  if (own.isRead) return { ...own, parents: undefined, edge: undefined };
  const edgeId = (args as Record<string, unknown> | undefined)?.[definition.parents?.[0] ?? ""];
  return { ...own, parents: describeParents(parent), edge: objectWithId(edgeId) };
}

/** The inputs for the SDK: the arguments, and a name for each output. An object that is only read has no arguments. */
export function toInputs({ definition, name, isRead }: ProgramResource, args: object | undefined): pulumi.Inputs {
  const { type, fields, computed } = definition;
  const unset = Object.fromEntries(Object.keys({ ...fields, ...computed }).map((key) => [key, undefined]));
  return { ...unset, [managedKey]: undefined, ...(!isRead && assertJson(titleOf(type, name), args ?? {})) };
}

/** What is registered, from the arguments and options after all transformations. */
export function toRegistration(
  resource: ProgramResource,
  props: pulumi.Inputs,
  options: pulumi.CustomResourceOptions,
): Registration {
  const { definition, name, isRead, isPreview, parents, edge } = resource;
  const { type, fields, deleteBeforeReplace } = definition;
  const title = titleOf(type, name);
  const { import: importId, ignoreChanges, ...others } = options;
  // The engine would apply `*` to the hidden inputs, too.
  const opts = ignoreChanges ? { ...others, ignoreChanges: expandAll(ignoreChanges, fields) } : others;
  assertTimeouts(title, opts.customTimeouts ?? {});
  assertArguments(title, props);
  const hidden = {
    [hiddenInputs.provider]: providerText(type),
    [hiddenInputs.name]: name,
    ...(parents !== undefined && { [hiddenInputs.parents]: parents }),
    ...(isPreview && !isRead && { [hiddenInputs.preview]: true }),
    ...(edge && { [hiddenInputs.edgeKey]: keyOf(titleOf(edge.type, edge.name), edge.parents) }),
    ...(importId !== undefined && { [hiddenInputs.import]: nonEmptyId(importId, `${title}: import`) }),
    ...optionInputs(opts),
    ...(!isRead && { [hiddenInputs.secrets]: secretNames(props, fields) }),
  };
  return {
    props: { ...markSecrets(props, fields), ...hidden },
    opts: {
      ...opts,
      ...(isRead && { id: nonEmptyId(opts.id!, `${title}: id`) }),
      // A replacement by force would be rejected while the old object has its hostports. With import the replacement
      // is the old object itself, which must stay.
      deleteBeforeReplace: opts.deleteBeforeReplace ?? (deleteBeforeReplace && importId === undefined),
      deletedWith: opts.deletedWith ?? (edge && isDeletedWith(edge, opts.parent) ? edge.resource : undefined),
      additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), ...secretOutputs(definition)],
    },
  };
}

/**
 * What the dynamic provider host evaluates to find the provider. Every state file contains this text: it names the
 * package, and nothing that could change with a version of the package, of Node or of Pulumi.
 */
export const providerText = (type: string) =>
  `exports.handler=()=>require("pulumi-tunnel-edge/host").provider("${type}")`;

/** The type of the resource whose provider this is. */
export const parseType = (text: unknown): string | undefined =>
  /require\("pulumi-tunnel-edge\/host"\)\.provider\("(\w+)"\)/.exec(String(text))?.[1];

type PassedOn = Pick<pulumi.CustomResourceOptions, "replaceOnChanges" | "customTimeouts" | "ignoreChanges">;

/** The hidden inputs that pass on the options of a resource. */
export const optionInputs = ({ replaceOnChanges, customTimeouts, ignoreChanges }: PassedOn): pulumi.Inputs => ({
  ...(replaceOnChanges && { [hiddenInputs.replaceOnChanges]: replaceOnChanges }),
  ...(customTimeouts && { [hiddenInputs.timeouts]: customTimeouts }),
  ...(ignoreChanges && { [hiddenInputs.ignoreChanges]: ignoreChanges }),
});

/** The outputs that are always secret. */
export function secretOutputs({ fields, computed }: Pick<Definition, "fields" | "computed">): string[] {
  const properties: Record<string, { secret?: boolean }> = { ...fields, ...computed };
  return Object.keys(properties).filter((name) => properties[name]!.secret);
}

/** Hidden inputs are written here: a file from which a program reads its arguments must not declare them. */
function assertArguments(title: string, props: pulumi.Inputs): void {
  const internal = Object.keys(props).find((name) => name.startsWith("__") && name !== managedKey);
  if (internal) throw programError(`${title}: ${nameOf([internal])} is not an argument. Remove it.`);
  if (props[managedKey] !== undefined) throw programError(`${title}: ${managedKey} is not an argument. Remove it.`);
}

/** The engine would reject them too, with a stack instead of a fix. */
function assertTimeouts(title: string, timeouts: pulumi.CustomTimeouts): void {
  const problem = describeInvalidTimeout(title, timeouts);
  if (problem) throw new pulumi.RunError(problem);
}

/** Rejects an id that is unset or empty, with which the SDK would create an object instead of reading one. */
const nonEmptyId = (id: pulumi.Input<pulumi.ID>, argument: string) =>
  nonEmpty(id, `${argument} is empty; it must be the id of an existing object.`);

/** Rejects a string that is unset or empty: at once, or as soon as it is known. */
export function nonEmpty(value: pulumi.Input<string | undefined>, message: string): pulumi.Input<string> {
  const check = (known: string | undefined): string => {
    if (String(known ?? "").trim() === "") throw programError(message);
    return known!;
  };
  return pulumi.Output.isInstance(value) || value instanceof Promise ? pulumi.output(value).apply(check) : check(value);
}
