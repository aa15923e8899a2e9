/** Tests the component and the audit with Pulumi's mocks, without a service and without the CLI. */
import * as pulumi from "@pulumi/pulumi";
import { openEdges } from "./audit";
import { PrivateService } from "./privateService";

const resources: pulumi.runtime.MockResourceArgs[] = [];
/** The inputs of all resources of a class. */
const inputsOf = (type: string) =>
  resources.filter((resource) => resource.type.endsWith(`:${type}`)).map(({ inputs }) => inputs);
const resolveOutput = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => output.apply(resolve));

/** The results of the functions. */
const results: Record<string, object> = {
  getTcpEdges: {
    tcpEdges: [
      { id: "edgtcp_open", hostports: ["1.tcp.example.com:1"] },
      { id: "edgtcp_office", hostports: ["1.tcp.example.com:2"], ipRestriction: { enabled: true, ipPolicyIds: ["i"] } },
    ],
  },
  getTlsEdges: {
    tlsEdges: [{ id: "edgtls_off", hostports: ["a:443"], ipRestriction: { enabled: false, ipPolicyIds: ["i"] } }],
  },
};

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: (resource) => {
      resources.push(resource);
      return { id: `${resource.name}-id`, state: resource.inputs };
    },
    call: ({ token }) => results[token.replace("tunnel-edge:index:", "")]!,
  }),
);

test("a private service is an edge with an IP restriction", async () => {
  const service = new PrivateService("ssh", {
    description: "SSH",
    hostport: "1.tcp.example.com:20022",
    backendId: "bkdtg_builders",
    ipPolicyIds: ["ipp_office"],
  });
  expect(await resolveOutput(service.edgeId)).toBe("ssh-edge-id");
  await pulumi.runtime.disconnect(); // everything is registered
  expect(inputsOf("TcpEdge")).toEqual([
    expect.objectContaining({
      description: "SSH",
      hostports: ["1.tcp.example.com:20022"],
      backend: { backendId: "bkdtg_builders" },
    }),
  ]);
  expect(inputsOf("TcpEdgeIpRestriction")).toEqual([
    expect.objectContaining({ edgeId: "ssh-edge-id", ipPolicyIds: ["ipp_office"] }),
  ]);
});

test("an edge is open if it has a hostport and no enabled IP restriction", async () => {
  expect(await openEdges()).toEqual(["edgtcp_open", "edgtls_off"]);
});
