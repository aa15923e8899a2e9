/** Pulumi's own dynamic provider host over gRPC: what other tests ask of it in their process. */
import { testOverGrpc } from "../plugin/withPlugin";

testOverGrpc("dynamic", "dynamic/options.test");
