/** The policy, called as Pulumi calls it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PolicyResource, StackValidationArgs } from "@pulumi/policy";
import { protectedEdges } from "../../../src/policy";

/** Not in the package's types. */
const { unknownCheckingProxy } = require("@pulumi/policy/proxy") as { unknownCheckingProxy(props: object): object };

const prefixes = { classes: "pulumi-nodejs:dynamic/tunnel-edge", plugin: "tunnel-edge:index" };
type Provider = keyof typeof prefixes;

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A resource as a policy gets it: what is not known throws an error. */
const resource = (provider: Provider, type: string, name: string, props: object, on: PolicyResource[] = []) =>
  ({
    type: `${prefixes[provider]}:${type}`,
    name,
    urn: `urn:pulumi:dev::edges::${prefixes[provider]}:${type}::${name}`,
    props: unknownCheckingProxy(props),
    propertyDependencies: { edgeId: on },
  }) as unknown as PolicyResource;

/** The violations in a stack of these resources. */
function findViolations(resources: PolicyResource[], accept: string | string[] = []): string[] {
  const found: string[] = [];
  const args = { resources, getConfig: () => ({ accept }) } as unknown as StackValidationArgs;
  protectedEdges.validateStack(args, (message, urn = "") => found.push(`${urn.split("::").at(-1)}: ${message}`));
  return found;
}

const fix = "Restrict it, or accept its address in the pack's configuration.";
const open = (name: string) =>
  `${name}: ${name} is open to everybody. Anyone can connect to ${name}.example.com:443. ${fix}`;
const maybe = (name: string) =>
  `${name}: ${name} might be open to everybody. It is not proven that anything restricts ${name}.example.com:443. ${fix}`;

const rule = (type: string, expressions: string[] = []) => ({ inbound: [{ expressions, actions: [{ type }] }] });

describe.each<Provider>(["classes", "plugin"])("%s", (provider) => {
  const edge = (props: object, type = "TcpEdge", name = "ssh") =>
    resource(provider, type, name, {
      hostports: [`${name}.example.com:443`],
      backend: { backendId: "bkdtg_a" },
      // Of the classes, and what the service assigns.
      __provider: "exports.handler",
      __import: "edgtcp_1",
      createdAt: unknown,
      ...props,
    });

  test.each<[string, PolicyResource, "open" | "maybe" | "none"]>([
    ["an edge with nothing", edge({}), "open"],
    ["a TLS edge with nothing but a backend", edge({}, "TlsEdge"), "open"],
    ["modules that the service shows as null", edge({ ipRestriction: null }), "open"],
    ["a module switched off", edge({ ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a"] } }), "open"],
    ["an IP restriction", edge({ ipRestriction: { ipPolicyIds: ["ipp_a"] } }), "none"],
    ["an IP restriction whose policy is new too", edge({ ipRestriction: { ipPolicyIds: [unknown] } }), "none"],
    ["a restriction that is on or off", edge({ ipRestriction: { enabled: unknown } }), "maybe"],
    ["a policy that denies some", edge({ policy: rule("deny", ["conn.ClientIP != '10.0.0.1'"]) }), "none"],
    ["mutual TLS", edge({ mutualTls: { certificateAuthorityIds: ["ca_a"] } }, "TlsEdge"), "none"],
    ["another kind of resource", resource(provider, "ApiKey", "key", {}), "none"],
  ])("%s", (_, each, expected) => {
    expect(findViolations([each])).toEqual({ open: [open("ssh")], maybe: [maybe("ssh")], none: [] }[expected]);
  });

  test("a separate restriction counts for the edge that it references, if it is enabled", () => {
    const [ssh, db] = [edge({}), edge({}, "TcpEdge", "db")];
    const restriction = (enabled: boolean, edgeId: string) =>
      resource(provider, "TcpEdgeIpRestriction", "office", { edgeId, enabled, ipPolicyIds: ["ipp_a"] }, [db]);
    for (const edgeId of [unknown, "edgtcp_db"]) {
      expect(findViolations([ssh, db, restriction(true, edgeId)])).toEqual([open("ssh")]);
      expect(findViolations([db, restriction(false, edgeId)])).toEqual([open("db")]);
    }
  });

  test("a module that is not known yet counts only if it comes from another resource", () => {
    const office = resource(provider, "TcpEdgeIpRestriction", "office", { edgeId: unknown, ipPolicyIds: ["ipp_a"] });
    const hidden = edge({ ipRestriction: unknown, policy: unknown });
    expect(findViolations([hidden])).toEqual([open("ssh")]);
    office.propertyDependencies["edgeId"] = [hidden];
    expect(findViolations([hidden, office])).toEqual([]);
    hidden.propertyDependencies["ipRestriction"] = [office];
    expect(findViolations([hidden])).toEqual([maybe("ssh")]);
  });

  test("an edge with unknown hostports cannot be accepted", () => {
    expect(findViolations([edge({ hostports: [unknown] })], ["ssh.example.com:443"])).toEqual([
      "ssh: ssh might be open to everybody. It is not proven that anything restricts an address that is not known yet. " +
        "Restrict it, or declare its hostports as plain strings.",
    ]);
  });

  describe("the configuration accepts addresses", () => {
    const edges = [edge({}), edge({}, "TlsEdge", "www")];
    let file: string;
    beforeAll(() => {
      file = join(mkdtempSync(join(tmpdir(), "policy-")), "open.txt");
    });
    afterAll(() => rmSync(dirname(file), { recursive: true }));

    test("in a list", () => {
      expect(findViolations(edges, ["www.example.com:443"])).toEqual([open("ssh")]);
      expect(findViolations(edges, ["ssh.example.com:443", "www.example.com:443"])).toEqual([]);
      expect(findViolations(edges, ["ssh", "*.example.com:443"])).toHaveLength(3);
    });

    test("in a file, the list of `exposure --accept`", () => {
      writeFileSync(file, "# The website\nwww.example.com:443\n");
      expect(findViolations(edges, file)).toEqual([open("ssh")]);
    });

    test("one by one, for an edge with several", () => {
      const both = edge({ hostports: ["ssh.example.com:443", "ssh.example.com:22"] });
      expect(findViolations([both], ["ssh.example.com:22"])).toEqual([open("ssh")]);
    });

    test.each<[string, string | string[], string]>([
      ["a mistake", ["ssh"], ': accept, line 1: "ssh" must be "<host>:<port>", such as "1.tcp.example.com:20022".'],
      ["a file that does not exist", "none.txt", ": Cannot read none.txt: there is no such file."],
    ])("%s accepts nothing", (_, accept, violation) => {
      expect(findViolations(edges, accept)).toEqual([violation, open("ssh"), open("www")]);
    });
  });
});

test("reads no resources of other packages", () => {
  const other = {
    type: "aws:s3/bucket:Bucket",
    get props() {
      throw new Error("read");
    },
  } as unknown as PolicyResource;
  expect(findViolations([other])).toEqual([]);
});
