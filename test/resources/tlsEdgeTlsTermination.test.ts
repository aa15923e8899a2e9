import { tlsEdgeTlsTermination } from "../../src/resources/tlsEdgeTlsTermination";
import { unknown } from "../support/host";
import { refusal, suite, updates } from "./suite";

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

test("minVersion does not go with upstream, which the preview says", async () => {
  const args = { ...stage.least, terminateAt: "upstream", minVersion: "1.2" };
  expect(await refusal(stage.resource().preview(args))).toBe(
    'minVersion cannot be combined with terminateAt "upstream", where the edge does not terminate TLS',
  );
  expect(stage.took()).toEqual([]);
  for (const name of ["terminateAt", "minVersion"]) {
    expect(await stage.resource().preview({ ...args, [name]: unknown })).toMatchObject({ step: "create" });
  }
});

test("upstream, set by someone else, is shown and repaired", async () => {
  const args = { ...stage.least, terminateAt: "edge" };
  const module = await stage.begun(args);
  stage.emulator.api("PUT", stage.pathTo(module.state!.id), { terminate_at: "upstream" });
  expect(await module.refresh()).toBe("changed");
  expect(await module.preview(args)).toEqual({ step: "update", replaces: [], changed: ["terminateAt"] });
  stage.took();
  expect(await module.up(args)).toBe("update");
  expect(stage.took()).toEqual([["PUT /edges/tls/{id}/tls_termination", { terminate_at: "edge" }]]);
  await stage.settled(module, args);
});
