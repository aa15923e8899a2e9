/**
 * An edge that is to be deleted, and stays, keeps its restriction.
 * Promise: "An edge that stays keeps its restriction".
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, startService, urnOf } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { createYamlStack, listWrites, writeYaml, yamlExpression, yamlResource } from "../support/cli/yamlStack";
import { waitUntil } from "../support/waitUntil";

const hostports = ["1.tcp.example.com:20022"];
const ipPolicyIds = ["ipp_a"];
const forbidden = (path: string) => ({ method: "DELETE", path, status: 403 });
const messages = ({ diagnostics }: Result) => diagnostics.map(({ message }) => message);
const leftToEdge = expect.stringMatching(
  /is deleted with its edge\. If the edge is not deleted, this stays with it, and Pulumi no longer/,
);

/** Expects one edge, which is restricted, and returns what was sent. */
function expectClosed(emulator: Emulator): string[] {
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
  const writes = listWrites(emulator);
  emulator.clearRequests();
  return writes;
}

test("plugin: a restriction is left to its edge, whose deletion may never come", async () => {
  const program = (ssh: object = {}) => ({
    resources: {
      ssh: yamlResource("TcpEdge", { hostports }, ssh),
      office: yamlResource("TcpEdgeIpRestriction", { edgeId: yamlExpression("ssh.id"), ipPolicyIds }),
      // Deleted before the edge.
      key: yamlResource("ApiKey", { description: "ci" }, { dependsOn: [yamlExpression("ssh")] }),
    },
  });
  const { emulator, stack } = await createYamlStack(program({ protect: true }));
  await stack.up();
  expectClosed(emulator);

  // The engine refuses to delete the edge when its turn comes.
  expect(messages(await stack.destroy({ fails: true }))).toContainEqual(leftToEdge);
  expect(expectClosed(emulator)).toEqual(["DELETE /api_keys/{id}"]);

  // Something else fails before the edge's turn.
  writeYaml(stack, program());
  await stack.up();
  expectClosed(emulator);
  emulator.fail(forbidden("/api_keys/*"));
  await stack.destroy({ fails: true });
  expect(expectClosed(emulator)).toEqual(["DELETE /api_keys/{id}"]);

  // Ctrl-C before the edge's turn.
  await stack.up();
  expectClosed(emulator);
  emulator.fail({ method: "DELETE", path: "/api_keys/*", delayMs: 2_000 });
  const running = stack.startOperation(["destroy", "--yes", "--skip-preview"]);
  await waitUntil(() => emulator.requests.some(({ path }) => path.startsWith("/api_keys/")));
  running.kill("SIGINT");
  await running.result;
  expect(expectClosed(emulator)).toEqual(["DELETE /api_keys/{id}"]);

  // What leaves the program while its edge stays is removed.
  const { ssh } = program().resources;
  writeYaml(stack, { resources: { ssh, office: program().resources.office } });
  await stack.up();
  expectClosed(emulator);
  writeYaml(stack, { resources: { ssh } });
  await stack.up();
  expect(listWrites(emulator)).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

/** A program of the classes, and the same for the plugin. */
const programs = {
  classes: async (emulator: Emulator) => {
    const source = (edgeId: string) =>
      [
        declare("TcpEdge", "ssh", { hostports }),
        declare("TcpEdgeIpRestriction", "office", { edgeId, ipPolicyIds }),
      ].join("\n");
    const { stack } = await createStack(emulator, source("=ssh.id"));
    return { stack, edge: urnOf("TcpEdge", "ssh") };
  },
  plugin: async (emulator: Emulator) => {
    const ssh = yamlResource("TcpEdge", { hostports }, { deleteBeforeReplace: true });
    const office = yamlResource("TcpEdgeIpRestriction", { edgeId: yamlExpression("ssh.id"), ipPolicyIds });
    const { stack } = await createYamlStack({ resources: { ssh, office } }, { emulator });
    return { stack, edge: "urn:pulumi:dev::test::tunnel-edge:index:TcpEdge::ssh" };
  },
};

test.each(["classes", "plugin"] as const)("%s: an edge whose replacement fails keeps its restriction", async (kind) => {
  const emulator = await startService();
  const { stack, edge } = await programs[kind](emulator);
  await stack.up();
  expectClosed(emulator);
  emulator.fail(forbidden("/edges/tcp/*"));
  const failed = await stack.up({ fails: true, args: ["--replace", edge] });
  expect(messages(failed)).toContainEqual(leftToEdge);
  expect(expectClosed(emulator)).toEqual(["DELETE /edges/tcp/{id}"]);
  // The next one sets it again, and a replacement that works sets it on the new edge.
  await stack.up();
  expect(expectClosed(emulator)).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  await stack.up({ args: ["--replace", edge] });
  expect(expectClosed(emulator)).toEqual([
    "DELETE /edges/tcp/{id}",
    "POST /edges/tcp",
    "PUT /edges/tcp/{id}/ip_restriction",
  ]);
  await stack.preview({ expectNoChanges: true });
});
