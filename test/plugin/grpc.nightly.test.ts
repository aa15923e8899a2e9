/** The plugin over gRPC: what other tests ask of it in their process. */
import { testOverGrpc } from "./withPlugin";

testOverGrpc("plugin", "faults/retries.test", "resources/tcpEdge.test");
