/** What the dynamic provider host loads: the text in every state file names this module and its `provider`. */

import { CommandLifecycle } from "./core/commands";
import { Context, type HostConfig } from "./core/deployment";
import { errorPrefix } from "./core/errors";
import { Lifecycle } from "./core/lifecycle";
import { exitWithEngine } from "./dynamic/engine";
import { commands, definitions } from "./resources";

/** A host process serves one configuration, so everything in it shares one context. */
let context: Context | undefined;
const shared = (config: HostConfig) => {
  if (!context) exitWithEngine();
  context ??= new Context(config);
  return context;
};

// The dynamic host prints an error of check, diff, read or delete and then hands it to the engine, which shows it on
// the resource's own row: a message meant for the user is shown there alone.
const print = console.error;
console.error = (...texts: unknown[]) => {
  if (!String(texts[0]).startsWith(`${errorPrefix}: `)) print(...texts);
};

/** The provider of a resource type, such as `TcpEdge`. */
export function provider(type: string): Lifecycle | CommandLifecycle {
  const isMeant = (candidate: { type: string }) => candidate.type === type;
  const definition = definitions.find(isMeant);
  if (definition) return new Lifecycle(definition, shared);
  const command = commands.find(isMeant);
  if (command) return new CommandLifecycle(command, shared);
  throw new Error(`This version of pulumi-tunnel-edge has no resource ${type}: install the version that made it.`);
}
