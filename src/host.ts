/** What the dynamic provider host loads: the text in every state file names this module and its `provider`. */

import { Context } from "./provider/context";
import { Lifecycle } from "./provider/lifecycle";
import { definitions } from "./resources";

/** A host process serves one configuration, so everything in it shares one context. */
let context: Context | undefined;
const shared = (config: (key: string) => unknown) => (context ??= new Context(config));

/** The provider of a resource type, such as `TcpEdge`. */
export function provider(type: string): Lifecycle {
  const definition = definitions.find((candidate) => candidate.type === type);
  if (!definition) {
    throw new Error(`This version of pulumi-tunnel-edge has no resource ${type}: install the version that made it.`);
  }
  return new Lifecycle(definition, shared);
}
