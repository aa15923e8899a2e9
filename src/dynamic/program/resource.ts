/** The base class of a resource, whose outputs have the types of its definition. */

import type * as pulumi from "@pulumi/pulumi";
import type { CommandDefinition, Definition } from "../../definitions/definition";
import { type ClassDefinition, DynamicResource, engineType, ReadableResource } from "./dynamicResource";
import type { Outputs } from "./types";

/** A class with these outputs. It declares no fields, which would hide what the SDK assigns. */
export type ResourceClass<Static, Instance, Props> = Pick<Static, keyof Static> & {
  /** @internal */
  readonly __pulumiType: string;
} & (abstract new (
    name: string,
    args: object | undefined,
    opts: pulumi.CustomResourceOptions | undefined,
  ) => Instance & Outputs<Props>);

/** The base class of an object or module. */
export const resource = <Props, Computed>(
  definition: Definition<Props, Computed>,
): ResourceClass<typeof ReadableResource, ReadableResource, Props & Computed> =>
  withDefinition(ReadableResource, definition) as never;

/** The base class of commands, which can be neither read nor imported. */
export const commandResource = <Props, Computed>(
  definition: CommandDefinition<Props, Computed>,
): ResourceClass<typeof DynamicResource, DynamicResource, Props & Computed> =>
  withDefinition(DynamicResource, definition) as never;

const withDefinition = (Base: typeof DynamicResource, definition: ClassDefinition) =>
  class extends Base {
    static readonly __pulumiType = engineType(definition.type);

    constructor(name: string, args: object | undefined, opts: pulumi.CustomResourceOptions | undefined) {
      super(definition, name, args, opts);
    }
  };
