/** `pulumi do … list`, which lists objects with the plugin, without a program. */
import { join } from "node:path";
import { createYamlStack } from "../support/cli/yamlStack";
import { root } from "../support/root";

const plugin = join(root, "plugin/pulumi-resource-tunnel-edge");

test("pulumi do lists what is in the account, all pages of it, or what the filters and --count select", async () => {
  const { emulator, stack } = await createYamlStack({ resources: {} });
  emulator.seed({
    tcpEdges: Array.from({ length: 120 }, (_, index) => ({
      id: `edgtcp_${index}`,
      description: `edge ${index}`,
      hostports: [`a.example.com:${index + 1}`],
    })),
  });
  const run = (type: string, ...args: string[]) =>
    stack.run(["do", "--package", plugin, `tunnel-edge:${type}`, "list", ...args]);
  const list = async (type: string, ...args: string[]) => JSON.parse((await run(type, ...args)).stdout);
  expect(await list("TcpEdge")).toHaveLength(120);
  expect(await list("TcpEdge", "--hostport", "A.example.com:8")).toEqual([{ id: "edgtcp_7", name: "edge 7" }]);
  expect(await list("TcpEdge", "--count", "110")).toHaveLength(110);
  expect(await list("ApiKey", "--description", "none")).toEqual([]);
  expect((await run("TcpEdgeIpRestriction", "--help")).stdout).not.toMatch(/^ +list /m);
});
