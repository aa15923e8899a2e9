/** The base of every resource class: a dynamic resource whose provider text is written by hand. */

import * as pulumi from "@pulumi/pulumi";
import { nameOf } from "../../base/quote";
import { expandAll, titleOf } from "../../core/options";
import { managedKey } from "../../core/state";
import { describeInvalidTimeout } from "../../core/timeouts";
import type { Definition, ModuleDefinition, ObjectDefinition } from "../../definitions/definition";
import { hiddenInputs, keyOf } from "../hiddenInputs";
import { assertJson } from "./jsonArguments";
import { programError } from "./programError";
import { isDeletedWith, objectWithId, rememberObject } from "./programObjects";
import { optionInputs, providerText, secretOutputs } from "./resourceOptions";
import { assertFoundByHost } from "./sdk/hostPath";
import { transformLast } from "./sdk/lastTransformation";
import { describeParents } from "./sdk/parents";
import { warnOfPlainSecrets } from "./sdk/plainSecrets";
import { skipPromiseStacks } from "./sdk/promiseStacks";
import { passOnTransformedOptions } from "./sdk/transforms";
import { type OutputField, resolveUnsetOutputs } from "./sdk/unsetOutputs";
import { markSecrets, secretNames } from "./secretArguments";

type Class<T> = (abstract new (...args: never[]) => T) & { readonly __pulumiType: string };

passOnTransformedOptions();

/** What a class needs to know of its definition. */
export type ClassDefinition = Pick<Definition, "type" | "fields" | "computed"> &
  Pick<ObjectDefinition, "deleteBeforeReplace"> &
  Partial<Pick<ModuleDefinition, "parents">>;

/** A resource whose provider is this package. */
export abstract class DynamicResource extends pulumi.CustomResource {
  protected constructor(
    definition: ClassDefinition,
    name: string,
    args: object | undefined,
    declared: pulumi.CustomResourceOptions = {},
  ) {
    warnOfPlainSecrets();
    const { type, fields, computed } = definition;
    const properties: Record<string, OutputField> = { ...fields, ...computed };
    const names = Object.keys(properties);
    const title = titleOf(type, name);
    // An existing resource that is read by its id has no inputs.
    const isRead = declared.id !== undefined;
    const parents = isRead ? undefined : describeParents(declared.parent);
    const edge = isRead ? undefined : objectWithId((args as Record<string, unknown>)?.[definition.parents?.[0] ?? ""]);
    let opts = declared;
    const { opts: initial, restore: restoreTransformations } = transformLast(declared, (props, transformed) => {
      const { import: importId, ignoreChanges, ...others } = transformed;
      // The engine would apply `*` to the hidden inputs, too.
      opts = ignoreChanges ? { ...others, ignoreChanges: expandAll(ignoreChanges, fields) } : others;
      assertTimeouts(title, opts.customTimeouts ?? {});
      assertArguments(title, props);
      const hidden = {
        [hiddenInputs.provider]: providerText(type),
        [hiddenInputs.name]: name,
        ...(parents !== undefined && { [hiddenInputs.parents]: parents }),
        ...(pulumi.runtime.isDryRun() && !isRead && { [hiddenInputs.preview]: true }),
        ...(edge && { [hiddenInputs.edgeKey]: keyOf(titleOf(edge.type, edge.name), edge.parents) }),
        ...(importId !== undefined && { [hiddenInputs.import]: nonEmptyId(importId, `${title}: import`) }),
        ...optionInputs(opts),
        ...(!isRead && { [hiddenInputs.secrets]: secretNames(props, fields) }),
      };
      // A replacement by force would be rejected while the old object has its hostports. With import the replacement
      // is the old object itself, which must stay.
      const deleteBeforeReplace = definition.deleteBeforeReplace && importId === undefined;
      return {
        props: { ...markSecrets(props, fields), ...hidden },
        opts: {
          ...opts,
          ...(isRead && { id: nonEmptyId(opts.id!, `${title}: id`) }),
          deleteBeforeReplace: opts.deleteBeforeReplace ?? deleteBeforeReplace,
          deletedWith: opts.deletedWith ?? (edge && isDeletedWith(edge, opts.parent) ? edge.resource : undefined),
          additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), ...secretOutputs(definition)],
        },
      };
    });
    assertFoundByHost();
    const restorePromiseStacks = skipPromiseStacks();
    try {
      const inputs = isRead ? {} : assertJson(title, args ?? {});
      const unset = Object.fromEntries(names.map((key) => [key, undefined]));
      super(engineType(type), name, { ...unset, [managedKey]: undefined, ...inputs }, initial);
    } finally {
      restorePromiseStacks();
      restoreTransformations();
    }
    resolveUnsetOutputs(this, properties);
    rememberObject(this.id, { resource: this, type, name, parents, opts });
  }

  /** Whether a value is a resource of this class, even if it comes from another copy of this package. */
  static override isInstance<T extends pulumi.CustomResource>(this: Class<T>, value: unknown): value is T {
    return pulumi.CustomResource.isInstance(value) && typeOf(value) === this.__pulumiType;
  }
}

/** An object of the service, which exists whether or not a program manages it. */
export abstract class ReadableResource extends DynamicResource {
  /**
   * Reads an existing object without managing it.
   *
   * @param name The resource's name in the program.
   * @param id The object's id in the service. It must not be empty or undefined.
   */
  static get<T>(this: Class<T>, name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): T {
    const Resource = this as unknown as new (name: string, args: object, opts: pulumi.CustomResourceOptions) => T;
    return new Resource(name, {}, { ...opts, id: id ?? "" });
  }
}

/** The type in the engine and in every state file. */
export const engineType = (type: string) => `pulumi-nodejs:dynamic/tunnel-edge:${type}`;

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

const typeOf = (resource: object) => (resource as { __pulumiType?: string }).__pulumiType;
