/**
 * What the engine and a provider say to each other. How a resource's type, name and options reach the provider differs
 * from one to another.
 */

import type { Timeouts } from "../../../src/core/timeouts";
import type { ResourceDriver } from "./resourceDriver";

// biome-ignore lint/suspicious/noExplicitAny: states and inputs are whatever a test declares.
export type Properties = Record<string, any>;

/** Pulumi's mark for a value that is not known in a preview. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The options of a resource, and those of the CLI that concern it. */
export interface Options {
  /** The resource's parents other than the stack. */
  parents?: string;
  /** Of a module: the key of the edge of the program whose id it has. */
  edgeKey?: string;
  import?: string;
  replaceOnChanges?: string[];
  customTimeouts?: Timeouts;
  ignoreChanges?: string[];
  /** The names of the arguments that contain secrets, as a class sees them. */
  secrets?: string[];
  deleteBeforeReplace?: boolean;
  /** `--target-replace`. */
  targetReplace?: boolean;
  /** `pulumi preview`. */
  preview?: true;
}

/** Which resource of the program a call is about. */
export interface Registration {
  type: string;
  name: string;
  opts?: Options;
}

/** An object as the state has it. */
export interface SavedObject {
  id: string;
  outputs: Properties;
}

/** A resource as the state has it. */
export interface SavedResource extends SavedObject {
  inputs: Properties;
}

export interface Diff {
  /** Undefined if the provider leaves it to the engine to compare the inputs. */
  changes?: boolean;
  replaces: string[];
  deleteBeforeReplace: boolean;
  /** The paths of what changes, if the provider, or the engine, says that. */
  paths?: string[];
}

export interface LogEntry {
  severity: "INFO" | "WARNING";
  message: string;
  ephemeral: boolean;
}

export type ProviderKind = "dynamic" | "plugin";

/**
 * A provider as the engine sees it: one of the two, in the process of the tests (inProcess.ts) or over gRPC (remote.ts).
 * What is secret may be in an envelope.
 */
export interface Provider {
  readonly kind: ProviderKind;
  check(
    resource: Registration,
    olds: Properties,
    args: Properties,
  ): Promise<{ inputs: Properties; failures: string[] }>;
  diff(resource: Registration, old: SavedResource, inputs: Properties): Promise<Diff>;
  create(resource: Registration, inputs: Properties): Promise<SavedObject>;
  /** What a plugin's create or, of what the state has, update would return; the dynamic provider has no previews. */
  preview?(resource: Registration, old: SavedResource | undefined, inputs: Properties): Promise<Properties>;
  /** Reads an object of the state or, without its outputs and inputs, any other. */
  read(
    resource: Registration,
    id: string,
    old?: Omit<SavedResource, "id">,
  ): Promise<(SavedObject & { inputs?: Properties }) | undefined>;
  /** Reads an object that the engine imports. The dynamic provider imports in create instead. */
  import?(resource: Registration, id: string): Promise<SavedResource>;
  update(resource: Registration, old: SavedResource, inputs: Properties): Promise<Properties>;
  delete(resource: Registration, old: SavedResource): Promise<void>;
  /** What one Ctrl-C tells a plugin; the dynamic provider hears nothing of it. */
  cancel?(): void;
}

/** A provider with what the tests see of its process. What it returns has no envelopes. */
export interface TestedProvider extends Provider {
  /** All properties that it has returned, with secrets in envelopes. */
  readonly returned: Properties[];
  /** Another process with the same settings, as the CLI starts one for each run. */
  next(): TestedProvider;
  /** As when the machine crashes. */
  kill(): void;
  /** A resource on this provider. */
  resource(type: string, name?: string): ResourceDriver;
}

/** Something that must hold of every provider does not. */
export class Violation extends Error {}

/** A failed operation. `partialState` is what the engine saves in the state anyway. */
export class OperationError extends Error {
  constructor(
    message: string,
    readonly partialState?: SavedObject,
  ) {
    super(message);
  }
}
