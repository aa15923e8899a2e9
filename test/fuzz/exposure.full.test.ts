/** No edge is open to all between two requests of an up, whatever the programs before and after, and whatever fails. */
import fc from "fast-check";
import type { Account } from "pulumi-tunnel-edge/emulator";
import { createExposureCheck } from "./exposure";
import { exposureScenarios, printProgram } from "./scenario";
import { MachineTooBusy, ScenarioRunner, TestBed } from "./scenarioRunner";

const seed = Number(process.env["SEED"] ?? 727094482);

test("100 lives of edges that open and close", async () => {
  const testBed = await TestBed.start("usual");
  const property = fc.asyncProperty(exposureScenarios, async (scenario) => {
    await ScenarioRunner.run(scenario, testBed).catch((error: Error) => {
      if (!(error instanceof MachineTooBusy)) throw new Error(`${error.message}\n\n${printProgram(scenario)}`);
    });
  });
  const { failed, errorInstance } = await fc.check(property, { numRuns: 100, seed });
  if (failed) throw new Error(`SEED=${seed}: ${(errorInstance as Error).message}`);
}, 3_600_000);

const restricted = { enabled: true, ip_policies: [] };
const account = (edge: object) =>
  ({
    tcpEdges: [{ id: "edgtcp_1", hostports: ["a:1"], backend: { enabled: true }, ip_restriction: null, ...edge }],
    tlsEdges: [],
  }) as unknown as Account;
const program = { tcp: { type: "TcpEdge", args: { ipRestriction: { ipPolicyIds: ["ipp_a"] } } } };

test.each([
  ["lost", { ip_restriction: restricted }, {}, true],
  ["switched off", { ip_restriction: restricted }, { ip_restriction: { enabled: false } }, true],
  ["still to come, at a new hostport", {}, { hostports: ["a:1", "a:2"] }, true],
  ["still to come, at a new backend", { backend: null }, {}, true],
  ["still to come", {}, {}, false],
  ["lost, where nothing is reached", { ip_restriction: restricted }, { hostports: [] }, false],
  ["replaced", { ip_restriction: restricted }, { ip_restriction: { enabled: true, ip_policies: [{}] } }, false],
])("protection that is %s", (_, before, now, isOpen) => {
  const open = createExposureCheck(account(before), program, new Map())(account(now));
  expect(open).toBe(isOpen ? "edgtcp_1 was open without ip_restriction" : undefined);
});

test("one protection in place of another leaves no gap between them", () => {
  const look = createExposureCheck(account({ policy: { enabled: true } }), program, new Map());
  expect(look(account({}))).toBe("edgtcp_1 was open to all between two protections");
  expect(look(account({ ip_restriction: restricted }))).toBeUndefined();
});

test("protection that moves to a resource of its own is not lost on the way", () => {
  const apart = {
    tcp: { type: "TcpEdge", args: {} },
    tcpIps: { type: "TcpEdgeIpRestriction", args: { edgeId: "edgtcp_1", ipPolicyIds: ["ipp_a"] } },
  };
  const look = createExposureCheck(account({ ip_restriction: restricted }), apart, new Map());
  expect(look(account({}))).toBe("edgtcp_1 was open without ip_restriction, which moves");
  expect(look(account({ ip_restriction: restricted }))).toBeUndefined();
});
