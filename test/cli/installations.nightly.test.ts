/**
 * The published package on each supported Node: with the oldest SDK, installed with npm, and with the newest, installed
 * with pnpm. The SDK loads only what the program uses; package.full.test.ts runs it as it is.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { declare, startService } from "../support/cli/cliStack";
import { createProject, elsewhere, writeProgram } from "../support/cli/package";
import { installNode, npmInstallBesideSdk, pnpmInstall } from "../support/cli/packageManagers";
import { Stack } from "../support/cli/pulumi";
import { listSdks } from "../support/cli/sdks";
import { manifest, sdk } from "../support/data/manifest";
import { lazySdk } from "../support/preload/preload";

describe.each([20, 22, 24, 26])("on Node %i", (node) => {
  test.each([
    ["oldest", 0, npmInstallBesideSdk],
    ["newest", -1, pnpmInstall],
  ])("runs a program with the %s SDK that supports it", async (_, index, install) => {
    const version = listSdks(node).at(index)!;
    const folder = join(elsewhere, version);
    if (!existsSync(folder)) createProject(version, install, version);
    expect(installed(folder)).toBe(version);
    await runLifecycle(folder, node);
  });
});

test("the oldest supported SDK exists", () => {
  expect(manifest.peerDependencies[sdk]).toBe(`^${listSdks()[0]}`);
});

const installed = (folder: string): string =>
  JSON.parse(readFileSync(join(folder, "node_modules", sdk, "package.json"), "utf8")).version;

/** The whole lifecycle of a program: preview, create, drift, update and repair, destroy. */
async function runLifecycle(dir: string, node: number): Promise<void> {
  const emulator = await startService();
  const inbound = (name: string) => [{ name, expressions: ["true"], actions: [{ type: "deny" }] }];
  const program = (hostport: string) =>
    [
      `const tunnel = require("${manifest.name}");`,
      declare(
        "TcpEdge",
        "ssh",
        { description: "ssh", hostports: [hostport], policy: { inbound: inbound("declared") } },
        { ignoreChanges: ["policy.inbound"] },
      ),
      declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds: ["ipp_a"] }),
      "exports.id = ssh.id;",
      "exports.node = process.version;",
    ].join("\n");
  writeProgram(dir, program("1.tcp.example.com:20022"));
  const env = { NODE_OPTIONS: lazySdk, TUNNEL_EDGE_LOG_REQUESTS: "true" };
  const stack = await Stack.create({ dir, emulator, env, bin: installNode(node) });
  const up = await stack.up({ preview: true });
  expect(up.summary).toEqual({ create: 3 });
  // Logged through the engine, for which the SDK's own gRPC library must be found.
  expect(up.diagnostics.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^POST \/edges\/tcp → 201/),
  );
  const id = emulator.account.tcpEdges[0]!.id;
  expect(await stack.outputs()).toEqual({ id, node: expect.stringContaining(`v${node}.`) });

  emulator.api("PATCH", `/edges/tcp/${id}`, { description: "by hand", policy: { inbound: inbound("by hand") } });
  emulator.clearRequests();
  // What changed is updated, what drifted is repaired, and what is ignored is kept.
  stack.write(program("1.tcp.example.com:20023"));
  const { steps } = await stack.up({ args: ["--refresh"] });
  const updated = steps.filter(({ op }) => op === "update");
  expect(updated.flatMap(({ changed }) => changed).sort()).toEqual(["description", "hostports"]);
  const reads = ["GET /edges/tcp/{id}", "GET /edges/tcp/{id}/ip_restriction"];
  expect(emulator.calls().sort()).toEqual([...reads, "PATCH /edges/tcp/{id}"]);
  expect(emulator.account.tcpEdges).toMatchObject([
    { description: "ssh", hostports: ["1.tcp.example.com:20023"], policy: { inbound: inbound("by hand") } },
  ]);
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
}
