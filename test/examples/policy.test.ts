/** The example's policy, called as Pulumi calls it. */
import type { PolicyResource, StackValidationArgs } from "@pulumi/policy";
import { protectedEdges } from "../../examples/policy/protectedEdges";

const resource = (type: string, name: string, props: object, on: PolicyResource[] = []) =>
  ({
    type: `pulumi-nodejs:dynamic/tunnel-edge:${type}`,
    name,
    urn: `urn:${name}`,
    props,
    propertyDependencies: { edgeId: on },
  }) as unknown as PolicyResource;

/** The violations in a stack of these resources. */
function findViolations(...resources: PolicyResource[]): string[] {
  const expected: string[] = [];
  const args = { resources } as StackValidationArgs;
  protectedEdges.validateStack(args, (message, urn) => expected.push(`${urn} ${message}`));
  return expected;
}

const openTcp = "urn:ssh ssh is open to everybody. Declare ipRestriction or policy.";
const openTls = "urn:api api is open to everybody. Declare ipRestriction or mutualTls or policy.";

test.each<[string, PolicyResource[], string[]]>([
  ["an edge with nothing", [resource("TcpEdge", "ssh", {})], [openTcp]],
  ["a TLS edge with nothing but a backend", [resource("TlsEdge", "api", { backend: { backendId: "b" } })], [openTls]],
  ["modules that the service shows as null", [resource("TcpEdge", "ssh", { ipRestriction: null })], [openTcp]],
  ["a module switched off", [resource("TcpEdge", "ssh", { ipRestriction: { enabled: false } })], [openTcp]],
  ["an IP restriction", [resource("TcpEdge", "ssh", { ipRestriction: { ipPolicyIds: ["ipp_a"] } })], []],
  ["a policy", [resource("TlsEdge", "api", { policy: { inbound: [{ actions: [{ type: "deny" }] }] } })], []],
  ["a policy without rules", [resource("TcpEdge", "ssh", { policy: {} })], [openTcp]],
  [
    "a policy that only names rules",
    [resource("TcpEdge", "ssh", { policy: { inbound: [{ actions: [] }] } })],
    [openTcp],
  ],
  [
    "a policy for outgoing traffic",
    [resource("TcpEdge", "ssh", { policy: { inbound: null, outbound: [{ actions: [{ type: "deny" }] }] } })],
    [openTcp],
  ],
  ["mutual TLS", [resource("TlsEdge", "api", { mutualTls: { enabled: true } })], []],
  ["TLS termination, which protects nothing", [resource("TlsEdge", "api", { tlsTermination: {} })], [openTls]],
  ["another kind of resource", [resource("ApiKey", "key", {})], []],
])("%s", (_, resources, expected) => {
  expect(findViolations(...resources)).toEqual(expected);
});

test("a separate restriction resource counts for the edge it references, if it is enabled", () => {
  const [ssh, db] = [resource("TcpEdge", "ssh", {}), resource("TcpEdge", "db", {})];
  const restriction = (enabled: boolean) => resource("TcpEdgeIpRestriction", "office", { enabled }, [db]);
  expect(findViolations(ssh, db, restriction(true))).toEqual([openTcp]);
  expect(findViolations(db, restriction(false))).toHaveLength(1);
});
