/** What every resource class is: a dynamic resource whose provider text is written by hand. */

import * as pulumi from "@pulumi/pulumi";
import type { Definition } from "./definition";
import { hidden, isDuration } from "./hidden";

type Class<T> = (abstract new (...args: never[]) => T) & { readonly __pulumiType: string };

/** What a class must know of its definition. */
type Described = Pick<Definition, "type" | "fields" | "outputs" | "deleteBeforeReplace">;

/** A resource whose provider is this package. */
export abstract class DynamicResource extends pulumi.CustomResource {
  protected constructor(
    definition: Described,
    name: string,
    args: object | undefined,
    { import: existing, ...opts }: pulumi.CustomResourceOptions = {},
  ) {
    const { fields, outputs } = definition;
    const secrets = [...Object.entries(fields), ...Object.entries(outputs)].filter(([, { secret }]) => secret);
    const declared = Object.fromEntries(
      [...Object.keys(fields), ...Object.keys(outputs)].map((key) => [key, undefined]),
    );
    const stated = opts.id === undefined ? { ...args } : {};
    const carried = {
      [hidden.provider]: providerText(definition.type),
      [hidden.import]: existing,
      [hidden.replaceOnChanges]: opts.replaceOnChanges,
      [hidden.timeouts]: opts.customTimeouts,
      [hidden.ignored]: opts.ignoreChanges,
    };
    // A replacement is only ever forced here, and would be refused while the old one holds its hostports. With
    // import the replacement is the old one itself, which must stay.
    const deleteFirst = definition.deleteBeforeReplace && existing === undefined;
    refuseWrongTimeouts(`${definition.type} "${name}"`, opts.customTimeouts ?? {});
    super(
      engineType(definition.type),
      name,
      { ...declared, ...encrypted(stated, definition), ...carried },
      {
        ...opts,
        deleteBeforeReplace: opts.deleteBeforeReplace ?? deleteFirst,
        additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), ...secrets.map(([key]) => key)],
      },
    );
    this.unsetAsUndefined(Object.keys(declared).filter((key) => !outputs[key]?.once));
  }

  /** What is unset is null in the state; a program sees undefined, as for an argument that is left out. */
  private unsetAsUndefined(names: string[]): void {
    const outputs = this as unknown as Record<string, pulumi.Output<unknown>>;
    for (const name of names) outputs[name] = outputs[name]!.apply((value) => value ?? undefined);
  }

  /** Whether a value is a resource of this class, also when it comes from another copy of this package. */
  static override isInstance<T extends pulumi.CustomResource>(this: Class<T>, value: unknown): value is T {
    return pulumi.CustomResource.isInstance(value) && typeOf(value) === this.__pulumiType;
  }
}

/** An object of the service, which exists whether or not a program manages it. */
export abstract class TunnelResource extends DynamicResource {
  /**
   * Reads an existing object, without managing it.
   *
   * @param name The resource's name in the program.
   * @param id The object's id in the service.
   */
  static get<T>(this: Class<T>, name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): T {
    const Resource = this as unknown as new (name: string, args: object, opts: pulumi.CustomResourceOptions) => T;
    return new Resource(name, {}, { ...opts, id });
  }
}

/** The type in the engine and in every state file. */
export const engineType = (type: string) => `pulumi-nodejs:dynamic/tunnel-edge:${type}`;

/**
 * What the dynamic host evaluates to find the provider. Every state file holds this text: it names the package and
 * nothing that could change with a version of the package, of Node or of Pulumi.
 */
const providerText = (type: string) => `exports.handler=()=>require("pulumi-tunnel-edge/host").provider("${type}")`;

/** The engine would refuse them too, with a stack in place of a way out. */
function refuseWrongTimeouts(resource: string, timeouts: pulumi.CustomTimeouts): void {
  for (const [operation, time] of Object.entries(timeouts)) {
    if (time === undefined || isDuration(time)) continue;
    const stated = `customTimeouts.${operation} of ${resource} is ${JSON.stringify(time)}`;
    throw new pulumi.RunError(`${stated}, which is no duration: write it in seconds, minutes or hours, as in "1h30m".`);
  }
}

const typeOf = (resource: object) => (resource as { __pulumiType?: string }).__pulumiType;

function encrypted(stated: Record<string, unknown>, { fields }: Described): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(stated).map(([name, value]) => [
      name,
      fields[name]?.secret && value !== undefined ? pulumi.secret(value) : value,
    ]),
  );
}
