/** Previews of the real CLI that `exposure` reads in another way. */
import { findOpenedAddresses } from "pulumi-tunnel-edge/exposure";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { createYamlStack, yamlResource } from "../support/cli/yamlStack";

const read = (printed: string) => findOpenedAddresses(JSON.parse(printed)).map(({ message }) => message);

test("deletes what an earlier deployment left to delete", async () => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_other" }] });
  const program = (edgeId: string) =>
    [
      declare("TcpEdge", "ssh", { hostports: ["a.example:1"], backend: { backendId: "bkdhr_1" } }),
      declare("TcpEdgeIpRestriction", "office", { edgeId, ipPolicyIds: ["ipp_a"] }),
    ].join("\n");
  const { stack } = await createStack(emulator, program("=ssh.id"));
  await stack.up();
  expect(read(await stack.previewJson())).toEqual([]);
  stack.write(program("edgtcp_other"));
  emulator.fail({ method: "DELETE", path: "**/ip_restriction", status: 403 });
  await stack.up({ fails: true });
  expect(read(await stack.previewJson())).toEqual([
    'TcpEdge "ssh": after this change anyone can connect to a.example:1 (ipRestriction is removed).',
  ]);
});

test("rejects a failed preview of a YAML program", async () => {
  for (const properties of [{ hostport: [] }, { hostports: ["a.example:99999"] }]) {
    const { stack } = await createYamlStack({ resources: { a: yamlResource("TcpEdge", properties) } });
    const printed = await stack.previewJson({ fails: true });
    expect(() => read(printed)).toThrow("The preview failed");
  }
});
