/**
 * No edge is unprotected between two requests of `pulumi up`, for any programs before and after, and for any faults.
 */
import fc from "fast-check";
import type { Account } from "pulumi-tunnel-edge/emulator";
import { createExposureCheck } from "./exposure";
import { exposureScenarios, openingScenarios, printProgram, type Scenario } from "./scenario";
import { ScenarioRunner, TestBed } from "./scenarioRunner";

const seed = Number(process.env["SEED"] ?? 727094482);

async function runScenarios(arbitrary: fc.Arbitrary<Scenario>, runs: number): Promise<TestBed> {
  const testBed = await TestBed.start("usual");
  const property = fc.asyncProperty(arbitrary, (scenario) => ScenarioRunner.run(scenario, testBed));
  const { numRuns, counterexample, errorInstance } = await fc.check(property, { numRuns: runs, seed });
  const failure =
    counterexample && `SEED=${seed}: ${(errorInstance as Error).message}\n\n${printProgram(counterexample[0])}`;
  expect(failure ?? "no failure").toBe("no failure");
  expect(numRuns).toBe(runs);
  return testBed;
}

test("in 100 scenarios that open and close edges, no edge is unprotected", async () => {
  await runScenarios(exposureScenarios, 100);
}, 3_600_000);

test("in 50 scenarios that open edges, the previews say which", async () => {
  const { openings } = await runScenarios(openingScenarios, 50);
  expect(openings).toBeGreaterThan(50);
}, 3_600_000);

const restricted = { enabled: true, ip_policies: [] };
const account = (edge: object) =>
  ({
    tcpEdges: [{ id: "edgtcp_1", hostports: ["a:1"], backend: { enabled: true }, ip_restriction: null, ...edge }],
    tlsEdges: [],
  }) as unknown as Account;
const program = { tcp: { type: "TcpEdge", args: { ipRestriction: { ipPolicyIds: ["ipp_a"] } } } };

test.each([
  ["removed", "reported", { ip_restriction: restricted }, {}],
  ["disabled", "reported", { ip_restriction: restricted }, { ip_restriction: { enabled: false } }],
  ["not added yet, with a new hostport", "reported", {}, { hostports: ["a:1", "a:2"] }],
  ["not added yet, with a new backend", "reported", { backend: null }, {}],
  ["not added yet", "not reported", {}, {}],
  ["not added yet, while TLS moves to the edge", "reported", { tls_termination: { terminate_at: "upstream" } }, {}],
  ["removed, on an edge that cannot be reached", "not reported", { ip_restriction: restricted }, { hostports: [] }],
  [
    "replaced",
    "not reported",
    { ip_restriction: restricted },
    { ip_restriction: { enabled: true, ip_policies: [{}] } },
  ],
])("protection that is %s is %s", (_, outcome, before, now) => {
  const open = createExposureCheck(account(before), program, new Map())(account(now));
  expect(open).toBe(outcome === "reported" ? "edgtcp_1 was open without ip_restriction" : undefined);
});

test("replacing one protection by another leaves no gap", () => {
  const check = createExposureCheck(
    account({ policy: { enabled: true, inbound: [{ actions: [{}] }] } }),
    program,
    new Map(),
  );
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
