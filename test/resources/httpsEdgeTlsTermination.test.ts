import { httpsEdgeTlsTermination } from "../../src/definitions/httpsEdgeTlsTermination";
import { test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/https/{id}/tls_termination", body]);

const full = { enabled: false, minVersion: "1.2" };
const wire = { enabled: false, min_version: "1.2" };

const fixture = suite(httpsEdgeTlsTermination, {
  full,
  wire,
  parents: (emulator) => {
    const [here, there] = emulator.seed({ httpsEdges: [{}, {}] }).httpsEdges;
    return { here: { edgeId: here!.id }, elsewhere: [{ edgeId: there!.id }] };
  },
  everything: { add: put(wire), clear: put({}) },
  rows: {
    enabled: {
      other: true,
      add: put({ enabled: false }),
      change: put({ enabled: true, min_version: "1.2" }),
      clear: put({ min_version: "1.2" }),
      outsideValue: true,
      nonDefault: false,
    },
    minVersion: {
      other: "1.3",
      add: put({ min_version: "1.2" }),
      change: put({ enabled: false, min_version: "1.3" }),
      clear: put({ enabled: false }),
      outsideValue: "1.0",
    },
  },
});

test("where TLS is terminated is an output, not an argument", async () => {
  const module = await fixture.createResource();
  expect(module.outputs.terminateAt).toBe("edge");
  expect(await errorOf(fixture.resource().preview({ ...fixture.full, terminateAt: "edge" }))).toBe(
    "terminateAt is not an argument: the arguments are edgeId, enabled, minVersion",
  );
});
