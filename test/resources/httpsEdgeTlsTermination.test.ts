import { httpsEdgeTlsTermination } from "../../src/definitions/httpsEdgeTlsTermination";
import { enabled, type ModuleTable } from "../support/data/modules";
import { test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";
import { edges } from "./parents";
import { moduleTable, suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/https/{id}/tls_termination", body]);

const tlsTermination: ModuleTable = {
  full: { enabled: false, minVersion: "1.2" },
  wire: { enabled: false, min_version: "1.2" },
  rows: { enabled, minVersion: { other: "1.3", outsideValue: "1.0" } },
};
const fixture = suite(httpsEdgeTlsTermination, moduleTable(tlsTermination, put, edges("httpsEdges")));

test("where TLS is terminated is an output, not an argument", async () => {
  const module = await fixture.createResource();
  expect(module.outputs.terminateAt).toBe("edge");
  expect(await errorOf(fixture.resource().preview({ ...fixture.full, terminateAt: "edge" }))).toBe(
    "terminateAt is not an argument: the arguments are edgeId, enabled, minVersion",
  );
});
