/**
 * The inputs of the dynamic provider host beside the arguments: resource options that the engine does not pass on. The
 * constructor adds them as hidden inputs: names that begin with `__` are internal, and the engine neither shows nor
 * compares them.
 */

import type { Json } from "../base/json";
import { secretsKey } from "../core/secrets";

export const hiddenInputs = {
  /** The text that the dynamic provider host evaluates to find the provider. */
  provider: "__provider",
  /** `opts.import`. */
  import: "__import",
  /** `opts.replaceOnChanges`. */
  replaceOnChanges: "__replaceOnChanges",
  /** `opts.customTimeouts`. */
  timeouts: "__timeouts",
  /** `opts.ignoreChanges`. */
  ignoreChanges: "__ignored",
  /** The resource's name, for messages: the engine attributes a dynamic provider's messages to the stack, not the resource. */
  name: "__resource",
  /** The resource's parents, if it has any other than the stack: with its name, they identify it. */
  parents: "__parents",
  /** The names of the arguments that contain secrets. */
  secrets: secretsKey,
  /** Whether the program runs in a preview. */
  preview: "__preview",
  /** Of a module: the key of the edge of the program whose id it has. */
  edgeKey: "__edge",
  /**
   * Of a resource that moves from the plugin to the classes: the declarations of its last program, as check finds them.
   */
  declared: "__declared",
} as const;

/** Only check needs them, and removes them: they are never in the state. */
export const transientInputs: string[] = [hiddenInputs.preview, hiddenInputs.edgeKey];

/** What identifies a resource in the program. */
export const keyOf = (resource: string, parents: Json | undefined) =>
  typeof parents === "string" ? `${parents} ${resource}` : resource;
