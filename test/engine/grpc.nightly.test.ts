/** The driver over gRPC, with processes that have the test's time: what other tests ask of both providers in the process. */
import { testOverGrpc } from "../plugin/withPlugin";

testOverGrpc("dynamic", "core/log.test", "core/execute/create.test", "faults/retries.test");
