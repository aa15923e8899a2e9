/**
 * No edge is unprotected between two requests of `pulumi up`, for any programs before and after, and for any faults.
 */
import fc from "fast-check";
import type { Account } from "pulumi-tunnel-edge/emulator";
import { createExposureCheck } from "./exposure";
import { exposureScenarios, printProgram } from "./scenario";
import { MachineTooBusy, ScenarioRunner, TestBed } from "./scenarioRunner";

const seed = Number(process.env["SEED"] ?? 727094482);

test("100 scenarios with edges that are opened and closed", async () => {
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
  ["removed", { ip_restriction: restricted }, {}, true],
  ["disabled", { ip_restriction: restricted }, { ip_restriction: { enabled: false } }, true],
  ["not added yet, with a new hostport", {}, { hostports: ["a:1", "a:2"] }, true],
  ["not added yet, with a new backend", { backend: null }, {}, true],
  ["not added yet", {}, {}, false],
  ["removed, on an edge that cannot be reached", { ip_restriction: restricted }, { hostports: [] }, false],
  ["replaced", { ip_restriction: restricted }, { ip_restriction: { enabled: true, ip_policies: [{}] } }, false],
])("protection that is %s", (_, before, now, isOpen) => {
  const open = createExposureCheck(account(before), program, new Map())(account(now));
  expect(open).toBe(isOpen ? "edgtcp_1 was open without ip_restriction" : undefined);
});

test("replacing one protection by another leaves no gap", () => {
  const check = createExposureCheck(account({ policy: { enabled: true } }), program, new Map());
  expect(check(account({}))).toBe("edgtcp_1 was open to all between two protections");
  expect(check(account({ ip_restriction: restricted }))).toBeUndefined();
});

test("protection that moves to a separate resource is not lost in between", () => {
  const separate = {
    tcp: { type: "TcpEdge", args: {} },
    tcpIps: { type: "TcpEdgeIpRestriction", args: { edgeId: "edgtcp_1", ipPolicyIds: ["ipp_a"] } },
  };
  const check = createExposureCheck(account({ ip_restriction: restricted }), separate, new Map());
  expect(check(account({}))).toBe("edgtcp_1 was open without ip_restriction, which moves");
  expect(check(account({ ip_restriction: restricted }))).toBeUndefined();
});
