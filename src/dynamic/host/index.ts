/** What the dynamic provider host loads: the text in every state file names this module and its `provider`. */

import { findResource } from "../../definitions";
import { silenceHostErrors } from "./hostError";
import { HostProvider } from "./hostProvider";

silenceHostErrors();

/** The provider of a resource type, such as `TcpEdge`. */
export const provider = (type: string): HostProvider => new HostProvider(findResource(type));
