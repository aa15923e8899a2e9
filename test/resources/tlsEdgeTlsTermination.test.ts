import { tlsEdgeTlsTermination } from "../../src/resources/tlsEdgeTlsTermination";
import { suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/tls/{id}/tls_termination", body]);

const full = { enabled: false, terminateAt: "edge", minVersion: "1.2" };
const wire = { enabled: false, terminate_at: "edge", min_version: "1.2" };

const stage = suite(tlsEdgeTlsTermination, {
  full,
  wire,
  parents: (emulator) => {
    const [here, there] = emulator.seed({ tlsEdges: [{}, {}] }).tlsEdges;
    return { here: { edgeId: here!.id }, elsewhere: [{ edgeId: there!.id }] };
  },
  everything: { add: put(wire), clear: put({}) },
  rows: {
    enabled: {
      other: true,
      add: put({ enabled: false }),
      change: put({ enabled: true, terminate_at: "edge", min_version: "1.2" }),
      clear: put({ terminate_at: "edge", min_version: "1.2" }),
      theirs: true,
      againstDefault: false,
    },
    terminateAt: {
      around: { terminateAt: "edge" },
      other: "upstream",
      add: updates(), // the service has chosen the same
      change: put({ terminate_at: "upstream" }),
      clear: put({}),
    },
    minVersion: {
      other: "1.3",
      add: put({ min_version: "1.2" }),
      change: put({ enabled: false, terminate_at: "edge", min_version: "1.3" }),
      clear: put({ enabled: false, terminate_at: "edge" }),
      theirs: "1.0",
    },
  },
});

test("placeholder", () => expect(stage).toBeDefined());
