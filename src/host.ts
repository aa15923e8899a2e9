/** What the dynamic provider host loads: the text in every state file names this module and its `provider`. */

import { commands, definitions } from "./definitions";
import { silenceHostErrors } from "./dynamic/hostErrors";
import { CommandHostProvider, ResourceHostProvider } from "./dynamic/hostProvider";

silenceHostErrors();

/** The provider of a resource type, such as `TcpEdge`. */
export function provider(type: string): ResourceHostProvider | CommandHostProvider {
  const definition = definitions.find((each) => each.type === type);
  if (definition) return new ResourceHostProvider(definition);
  const command = commands.find((each) => each.type === type);
  if (command) return new CommandHostProvider(command);
  throw new Error(`This version of pulumi-tunnel-edge has no resource ${type}. Install the version that created it.`);
}
