/** The published package, installed with pnpm, and with each supported Node and the SDKs that support it. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { declare, startService } from "../support/cliStack";
import { createProject, elsewhere, manifest, npm, npmOptions, root, run, sdk, writeProgram } from "../support/package";
import { Stack, type StackOptions } from "../support/pulumi";

test("installed into an empty project with pnpm, it runs a program", async () => {
  const pnpm = ["npx", "--yes", "pnpm@10"]; // the last one that runs on Node 20
  await runLifecycle(createProject("pnpm", [...pnpm, "install", "--ignore-scripts", "--prefer-offline"]));
});

describe.each([20, 22, 24])("on Node %i", (node) => {
  test.each(["oldest", "newest"])("runs a program with the %s SDK that supports it", async (which) => {
    const supported = listSdks().filter(({ needs }) => needs <= node);
    const version = supported.at(which === "oldest" ? 0 : -1)!.version;
    const folder = join(elsewhere, version);
    if (!existsSync(folder)) createProject(version, npm, version);
    expect(installed(folder)).toBe(version);
    await runLifecycle(folder, installNode(node), `v${node}.`);
  });
});

test("the oldest supported SDK exists", () => {
  expect(manifest.peerDependencies[sdk]).toBe(`^${listSdks()[0]!.version}`);
});

const installed = (folder: string): string =>
  JSON.parse(readFileSync(join(folder, "node_modules", sdk, "package.json"), "utf8")).version;

let sdks: { version: string; needs: number }[] | undefined;

/** The supported SDKs, from the oldest to the newest, and the Node that each needs. */
function listSdks(): { version: string; needs: number }[] {
  const range = `${sdk}@${manifest.peerDependencies[sdk]}`;
  const find = () => JSON.parse(run("npm", ["view", range, "version", "engines.node", "--json"], elsewhere));
  sdks ??= (find() as { version: string; "engines.node": string }[])
    .map(({ version, "engines.node": node }) => ({ version, needs: Number(/^>=(\d+)/.exec(node)![1]) }))
    .sort((a, b) => a.version.localeCompare(b.version, undefined, { numeric: true }));
  return sdks;
}

/** The options to run a stack with this Node, which is kept for the next run. */
function installNode(node: number): StackOptions {
  if (process.version.startsWith(`v${node}.`)) return {};
  const folder = join(root, `.work/node-${node}`);
  const bin = join(folder, "node_modules/.bin");
  if (!existsSync(join(bin, "node"))) {
    mkdirSync(folder, { recursive: true });
    run("npm", ["install", ...npmOptions, "--prefix", folder, `node@${node}`], folder);
  }
  return { bin };
}

/** The whole lifecycle of a program: preview, create, drift, refresh, update and repair, destroy. */
async function runLifecycle(dir: string, options: StackOptions = {}, node = process.version): Promise<void> {
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
  const stack = await Stack.create({ dir, emulator, env: { TUNNEL_EDGE_LOG_REQUESTS: "true" }, ...options });
  const up = await stack.up({ preview: true });
  expect(up.summary).toEqual({ create: 3 });
  // Logged through the engine, for which the SDK's own gRPC library must be found.
  expect(up.diagnostics.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^POST \/edges\/tcp → 201/),
  );
  const id = emulator.account.tcpEdges[0]!.id;
  expect(await stack.outputs()).toEqual({ id, node: expect.stringContaining(node) });

  emulator.api("PATCH", `/edges/tcp/${id}`, { description: "by hand", policy: { inbound: inbound("by hand") } });
  expect((await stack.refresh()).summary).toEqual({ update: 1, same: 2 });
  emulator.clearRequests();
  // What changed is updated, what drifted is repaired, and what is ignored is kept.
  stack.write(program("1.tcp.example.com:20023"));
  const { steps } = await stack.up();
  expect(steps.flatMap(({ changed }) => changed).sort()).toEqual(["description", "hostports"]);
  expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
  expect(emulator.account.tcpEdges).toMatchObject([
    { description: "ssh", hostports: ["1.tcp.example.com:20023"], policy: { inbound: inbound("by hand") } },
  ]);
  expect((await stack.refresh()).summary).toEqual({ same: 3 });
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
}
