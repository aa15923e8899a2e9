/** What the dynamic provider host loads: the text in every state file names this module and its `provider`. */

import { setFlagsFromString } from "node:v8";
import { findResource } from "../../definitions";
import { silenceHostErrors } from "./hostError";
import { HostProvider } from "./hostProvider";

silenceHostErrors();

// The parser of HTTP is WebAssembly, and the process spends a twentieth of a refresh of 200 edges on optimizing it, for
// nothing. Of other dynamic providers in this process, one that computes much in WebAssembly is slower, with the same results.
setFlagsFromString("--liftoff-only");

/** The provider of a resource type, such as `TcpEdge`. */
export const provider = (type: string): HostProvider => new HostProvider(findResource(type));
