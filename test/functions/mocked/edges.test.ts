import * as pulumi from "@pulumi/pulumi";
import { publicKey } from "../../support/data/publicKey";

const made: pulumi.runtime.MockResourceArgs[] = [];

/** The resources of a class, as the program declares them. */
const all = (type: string) => made.filter((resource) => resource.type.endsWith(`:${type}`)).map(({ inputs }) => inputs);
/** The value of an input that must be a secret. Secrets are passed to mocks wrapped. */
function secret(input: unknown): unknown {
  expect(pulumi.runtime.isRpcSecret(input)).toBe(true);
  return pulumi.runtime.unwrapRpcSecret(input);
}
const outcome = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => output.apply(resolve));

let program: typeof import("./edges");

// The program is imported here because the mocks must be set first.
beforeAll(async () => {
  pulumi.runtime.setAllConfig({
    "project:productionKey": "production-key",
    "project:buildersKey": publicKey("builders"),
    "project:oidcSecret": "oidc-secret",
    "project:builderSession": "ts_builder",
    "project:webEdge": "edghts_web",
    "project:webRoute": "edghtsrt_web",
  });
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      made.push(resource);
      // What the service would add to the arguments.
      const added = resource.type.endsWith(":ApiKey") ? { token: "a-token" } : {};
      return { id: `${resource.name}-id`, state: { ...resource.inputs, ...added } };
    },
    call: ({ token }) => {
      throw new Error(`${token} is not expected here`);
    },
  });
  program = require("./edges");
  await outcome(pulumi.output([program.deployToken, program.apiAddress]));
  await pulumi.runtime.disconnect(); // everything is registered
});

test("every edge is restricted to the office", () => {
  const restricted = all("TcpEdgeIpRestriction").map(({ edgeId }) => edgeId);
  expect(all("TcpEdge")).toHaveLength(1);
  expect(restricted).toEqual(["ssh-id"]);
  for (const edge of all("TlsEdge")) expect(edge.ipRestriction).toEqual({ ipPolicyIds: ["ipp_office"] });
});

test("TLS 1.2 is the minimum version", () => {
  const versions = [...all("TlsEdgeTlsTermination"), ...all("HttpsEdgeTlsTermination")].map((tls) => tls.minVersion);
  expect(versions).toEqual(["1.3", "1.2"]);
});

test("the web site requires a login, removes cookies and blocks bots", () => {
  const route = { edgeId: "edghts_web", routeId: "edghtsrt_web" };
  expect(all("HttpsEdgeRouteOidc")).toEqual([
    expect.objectContaining({ ...route, issuer: "https://login.example.com", clientSecret: expect.anything() }),
  ]);
  expect(all("HttpsEdgeRouteRequestHeaders")).toEqual([expect.objectContaining({ ...route, remove: ["Cookie"] })]);
  expect(all("HttpsEdgeRouteUserAgentFilter")).toEqual([expect.objectContaining({ ...route, deny: ["(?i)bot"] })]);
});

test("the client secret comes from the config and is encrypted", () => {
  for (const { clientSecret } of all("HttpsEdgeRouteOidc")) expect(secret(clientSecret)).toBe("oidc-secret");
});

test("build machines may bind only their own domain", () => {
  expect(all("SshCredential")).toEqual([expect.objectContaining({ acl: ["bind:*.builds.example.com"] })]);
});

test("the builder is restarted but not updated", () => {
  expect(all("TunnelSessionCommand")).toEqual([
    expect.objectContaining({ sessionId: "ts_builder", commands: ["restart"] }),
  ]);
});

test("everything is created in the production account", () => {
  const account = made.find(({ type }) => type === "pulumi:providers:pulumi-nodejs");
  expect(secret(account?.inputs["tunnel-edge:apiKey"])).toBe("production-key");
  const others = made.filter((resource) => resource !== account);
  expect(others).toHaveLength(11);
  for (const { provider } of others) expect(provider).toContain("::production::");
});

test("the program exports the token and the address", async () => {
  expect(await outcome(program.deployToken)).toBe("a-token");
  expect(await outcome(program.apiAddress!)).toBe("api.example.com:443");
});
