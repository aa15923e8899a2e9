/** What the dynamic provider host loads: the text in every state file names this module and its `provider`. */

import { findResource } from "../../definitions";
import { silenceHostErrors } from "./hostError";
import { CommandHostProvider, ResourceHostProvider } from "./hostProvider";

silenceHostErrors();

/** The provider of a resource type, such as `TcpEdge`. */
export function provider(type: string): ResourceHostProvider | CommandHostProvider {
  const definition = findResource(type);
  return definition.kind === "command" ? new CommandHostProvider(definition) : new ResourceHostProvider(definition);
}
