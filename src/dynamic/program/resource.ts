/** The base class of a resource: a dynamic resource whose provider text is written by hand. */

import * as pulumi from "@pulumi/pulumi";
import type { CommandDefinition, Definition } from "../../definitions/definition";
import { rememberObject } from "./programObjects";
import { type ClassDefinition, describeResource, type Registration, toInputs, toRegistration } from "./registration";
import { assertFoundByHost } from "./sdk/hostPath";
import { transformLast } from "./sdk/lastTransformation";
import { warnOfPlainSecrets } from "./sdk/plainSecrets";
import { skipPromiseStacks } from "./sdk/promiseStacks";
import { passOnTransformedOptions } from "./sdk/transforms";
import { resolveUnsetOutputs } from "./sdk/unsetOutputs";
import type { Outputs } from "./types";

type Class<T> = (abstract new (...args: never[]) => T) & { readonly __pulumiType: string };

passOnTransformedOptions();

/** A resource whose provider is this package. */
export abstract class DynamicResource extends pulumi.CustomResource {
  protected constructor(
    definition: ClassDefinition,
    name: string,
    args: object | undefined,
    options: pulumi.CustomResourceOptions = {},
  ) {
    warnOfPlainSecrets();
    assertFoundByHost();
    const resource = describeResource(definition, name, args, options);
    const inputs = toInputs(resource, args);
    let registered: Registration = { props: inputs, opts: options };
    const last = transformLast(options, (props, opts) => {
      registered = toRegistration(resource, props, opts);
      return registered;
    });
    const restorePromiseStacks = skipPromiseStacks();
    try {
      super(engineType(definition.type), name, inputs, last.opts);
    } finally {
      restorePromiseStacks();
      last.restore();
    }
    resolveUnsetOutputs(this, { ...definition.fields, ...definition.computed });
    rememberObject(this.id, {
      resource: this,
      type: definition.type,
      name,
      parents: resource.parents,
      opts: registered.opts,
    });
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

/** A class with these outputs. It declares no fields, which would hide what the SDK assigns. */
export type ResourceClass<Static, Instance, Props> = Pick<Static, keyof Static> & {
  /** @internal */
  readonly __pulumiType: string;
} & (abstract new (
    name: string,
    args: object | undefined,
    opts: pulumi.CustomResourceOptions | undefined,
  ) => Instance & Outputs<Props>);

/** The base class of a resource, whose outputs have the types of its definition. Commands can be neither read nor imported. */
export function resource<Props, Computed>(
  definition: CommandDefinition<Props, Computed>,
): ResourceClass<typeof DynamicResource, DynamicResource, Props & Computed>;
export function resource<Props, Computed>(
  definition: Definition<Props, Computed>,
): ResourceClass<typeof ReadableResource, ReadableResource, Props & Computed>;
export function resource(definition: Definition | CommandDefinition): unknown {
  const Base: typeof DynamicResource = definition.kind === "command" ? DynamicResource : ReadableResource;
  return class extends Base {
    static readonly __pulumiType = engineType(definition.type);

    constructor(name: string, args: object | undefined, opts: pulumi.CustomResourceOptions | undefined) {
      super(definition, name, args, opts);
    }
  };
}

/** The type in the engine and in every state file. */
export const engineType = (type: string) => `pulumi-nodejs:dynamic/tunnel-edge:${type}`;

const typeOf = (resource: object) => (resource as { __pulumiType?: string }).__pulumiType;
