/** Every resource there is: adding one is adding its file and its line here. */

import type { Definition } from "../provider/definition";
import { tcpEdge } from "./tcpEdge";

export const definitions: Definition[] = [tcpEdge];
