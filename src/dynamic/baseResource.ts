/** What every resource class is: a dynamic resource whose provider text is written by hand. */

import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { programError } from "../core/errors";
import { managedKey } from "../core/state";
import type { Definition } from "../definitions/definition";
import type { Fields, Value } from "../definitions/fields";
import { hidden, isTimeout } from "./hiddenInputs";

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
    const desired = opts.id === undefined ? { ...args } : {};
    const title = `${definition.type} "${name}"`;
    const carried = {
      [hidden.provider]: providerText(definition.type),
      [hidden.name]: name,
      ...(pulumi.runtime.isDryRun() && opts.id === undefined && { [hidden.preview]: true }),
      ...(existing !== undefined && { [hidden.import]: nonEmptyId(existing, `${title}: import`) }),
      ...(opts.replaceOnChanges && { [hidden.replaceOnChanges]: opts.replaceOnChanges }),
      ...(opts.customTimeouts && { [hidden.timeouts]: opts.customTimeouts }),
      ...(opts.ignoreChanges && { [hidden.ignored]: opts.ignoreChanges }),
    };
    // A replacement is only ever forced here, and would be refused while the old one holds its hostports. With
    // import the replacement is the old one itself, which must stay.
    const deleteFirst = definition.deleteBeforeReplace && existing === undefined;
    checkTimeouts(title, opts.customTimeouts ?? {});
    const restoreStacks = trimStackTraces();
    try {
      super(
        engineType(definition.type),
        name,
        { ...declared, [managedKey]: undefined, ...markSecrets(desired, definition), ...carried },
        {
          ...opts,
          ...(opts.id !== undefined && { id: nonEmptyId(opts.id, `${title}: id`) }),
          deleteBeforeReplace: opts.deleteBeforeReplace ?? deleteFirst,
          additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), ...secrets.map(([key]) => key)],
        },
      );
    } finally {
      restoreStacks();
    }
    resolveUnsetOutputs(this, Object.keys(declared), fields);
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
   * @param id The object's id in the service. An empty or undefined one is an error.
   */
  static get<T>(this: Class<T>, name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): T {
    const Resource = this as unknown as new (name: string, args: object, opts: pulumi.CustomResourceOptions) => T;
    return new Resource(name, {}, { ...opts, id: id ?? "" });
  }
}

/**
 * What is unset is not in the state, and the SDK takes an output that is missing in a preview for one not known yet.
 * It is unset where the state is known, which says what is managed: then a list is empty, and all else undefined.
 */
function resolveUnsetOutputs(resource: object, names: string[], fields: Fields): void {
  const { [managedKey]: state, ...outputs } = resource as Record<string, KnowingOutput>;
  delete (resource as Record<string, unknown>)[managedKey];
  for (const name of names) {
    const output = outputs[name]!;
    const { toOutput = (value: Value) => value ?? undefined } = fields[name] ?? {};
    let shown: pulumi.Output<unknown> | undefined;
    const look = async () => {
      if (await output.isKnown) return output.apply(toOutput);
      return (await state!.isKnown) ? toOutput(undefined) : output;
    };
    // Most outputs are never looked at, and each costs the program a handful of promises.
    const get = () => {
      shown ??= pulumi.output(look());
      return shown;
    };
    Object.defineProperty(resource, name, { get, enumerable: true, configurable: true });
  }
}

/** What the SDK's types leave out. */
type KnowingOutput = pulumi.Output<Value> & { readonly isKnown: Promise<boolean> };

/**
 * While a resource is registered, the SDK asks for the stack once, for the state to tell the program's line, which it
 * takes to be the one above the class's own constructor: so the classes in this file are left out, and so are the ten
 * frames of Node and the SDK below the program, which every state would repeat for every resource. And it asks for the
 * stack four times a property, only to tell of promises that never end; mapping those to source lines is most of the
 * time that a program takes, so they stay empty unless somebody is after such a promise.
 */
function trimStackTraces(): () => void {
  const whole = Error.prepareStackTrace;
  if (!whole) return () => {};
  const wanted = Boolean(process.env.PULUMI_DEBUG_PROMISE_LEAKS);
  Error.prepareStackTrace = (error, frames) => {
    if (Error.stackTraceLimit < Infinity) return error.message === "" && !wanted ? "" : whole(error, frames);
    const first = frames.findIndex(isOwnFrame);
    // A resource that a transformation makes meanwhile may be of any class.
    if (first !== framesOfSdk) return whole(error, frames);
    const [, ...below] = frames.slice(first).filter((frame) => !isOwnFrame(frame));
    const [title, ...lines] = String(whole(error, below.filter(isOfProgram))).split("\n");
    // The SDK skips its own frames, and that of the class, by their number.
    return [title, ...Array(framesOfSdk + 1).fill("    at @pulumi/pulumi"), ...lines].join("\n");
  };
  return () => {
    Error.prepareStackTrace = whole;
  };
}

/** Between the question for the stack and the classes in this file. */
const framesOfSdk = 4;
const sdk = path.dirname(require.resolve("@pulumi/pulumi")) + path.sep;
const fileOf = (frame: NodeJS.CallSite) => (frame.getFileName() ?? "").replace(/^file:\/\//, "");
const isOwnFrame = (frame: NodeJS.CallSite) => fileOf(frame) === __filename;
const isOfProgram = (frame: NodeJS.CallSite) => path.isAbsolute(fileOf(frame)) && !fileOf(frame).startsWith(sdk);

/** The type in the engine and in every state file. */
export const engineType = (type: string) => `pulumi-nodejs:dynamic/tunnel-edge:${type}`;

/**
 * What the dynamic host evaluates to find the provider. Every state file holds this text: it names the package and
 * nothing that could change with a version of the package, of Node or of Pulumi.
 */
const providerText = (type: string) => `exports.handler=()=>require("pulumi-tunnel-edge/host").provider("${type}")`;

/** The engine would refuse them too, with a stack in place of a way out. */
function checkTimeouts(resource: string, timeouts: pulumi.CustomTimeouts): void {
  for (const [operation, time] of Object.entries(timeouts)) {
    if (time === undefined || isTimeout(time)) continue;
    const option = `customTimeouts.${operation} of ${resource}`;
    throw new pulumi.RunError(`${option} must be a duration such as "1h30m", not ${JSON.stringify(time)}.`);
  }
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

function markSecrets(desired: Record<string, unknown>, { fields }: Described): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(desired).map(([name, value]) => [
      name,
      fields[name]?.secret && value !== undefined ? pulumi.secret(value) : value,
    ]),
  );
}
