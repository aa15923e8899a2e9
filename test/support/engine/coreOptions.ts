/** The options of a resource, as the core has them, which the program declares under this name. */
import type { Options } from "../../../src/core/options";

export const optionsOf = (name: string, more: Partial<Options> = {}): Options => ({
  key: name,
  resource: `Resource "${name}"`,
  ignoreChanges: [],
  replaceOnChanges: [],
  timeouts: {},
  ...more,
});
