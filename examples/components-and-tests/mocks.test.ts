/** The component and the audit on Pulumi's mocks, which stand in for the engine: no service, no CLI. */
import * as pulumi from "@pulumi/pulumi";
import { openEdges } from "./audit";
import { PrivateService } from "./privateService";

const made: pulumi.runtime.MockResourceArgs[] = [];
/** What the program states of the resources of a class. */
const all = (type: string) => made.filter((resource) => resource.type.endsWith(`:${type}`)).map(({ inputs }) => inputs);
const outcome = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => output.apply(resolve));

/** What the functions answer, for an account that exists in this test alone. */
const answers: Record<string, object> = {
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
      made.push(resource);
      return { id: `${resource.name}-id`, state: resource.inputs };
    },
    call: ({ token }) => answers[token.replace("tunnel-edge:index:", "")]!,
  }),
);

test("a private service is an edge, and a restriction on that edge", async () => {
  const service = new PrivateService("ssh", {
    description: "SSH",
    hostport: "1.tcp.example.com:20022",
    backendId: "bkdhr_builders",
    ipPolicyIds: ["ipp_office"],
  });
  expect(await outcome(service.edgeId)).toBe("ssh-edge-id");
  await pulumi.runtime.disconnect(); // everything is registered
  expect(all("TcpEdge")).toEqual([
    expect.objectContaining({
      description: "SSH",
      hostports: ["1.tcp.example.com:20022"],
      backend: { backendId: "bkdhr_builders" },
    }),
  ]);
  expect(all("TcpEdgeIpRestriction")).toEqual([
    expect.objectContaining({ edgeId: "ssh-edge-id", ipPolicyIds: ["ipp_office"] }),
  ]);
});

test("an edge is open if it has an address and nothing that restricts it", async () => {
  expect(await openEdges()).toEqual(["edgtcp_open", "edgtls_off"]);
});
