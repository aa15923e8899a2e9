/** The example's policy pack with the real CLI. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStack, declare, startService } from "../support/cliStack";
import { copyExample, editFile } from "../support/example";
import { transpileOnly } from "../support/preload";
import { Stack } from "../support/pulumi";
import { root } from "../support/root";

const pack = copyExample("policy");

/**
 * The argument for --policy-pack. The Node language host that can be built from the Go module registry is too old to
 * run a folder; then the engine needs a program that runs it.
 */
const getPack = (stack: Stack) => (found ??= findPack(stack));
let found: Promise<string> | undefined;

async function findPack(stack: Stack): Promise<string> {
  const { printed, code } = await stack
    .preview({ args: ["--policy-pack", pack] })
    .then(({ stdout }) => ({ printed: stdout, code: 0 }))
    .catch((error: Error) => ({ printed: error.message, code: 1 }));
  if (code === 0 || !printed.includes("not supported")) return pack;
  console.warn("The policy pack is not tried as a folder, which this CLI's language host does not support.");
  const program = join(pack, "run");
  const runner = join(root, "node_modules/@pulumi/pulumi/cmd/run-policy-pack");
  writeFileSync(program, `#!/bin/sh\ncd "${pack}" && exec "${process.execPath}" "${runner}" "$1" .\n`);
  chmodSync(program, 0o755);
  return program;
}

test("the quickstart is accepted, and rejected before any change if it is open", async () => {
  const emulator = await startService();
  emulator.seed(JSON.parse(readFileSync(join(root, "examples/quickstart/account.json"), "utf8")));
  const dir = copyExample("quickstart");
  const stack = await Stack.create({ dir, emulator, env: transpileOnly });
  const args = ["--policy-pack", await getPack(stack)];
  expect((await stack.preview({ args })).stdout).toContain("✅ edges@v0.0.1");

  editFile(dir, "index.ts", "ipRestriction: {", "ipRestriction: { enabled: false,");
  editFile(dir, "index.ts", 'mutualTls: { certificateAuthorityIds: ["ca_partners"] },', "");
  emulator.clearRequests();
  const { stdout } = await stack.up({ args, preview: true, fails: true });
  expect(stdout).toContain("ssh is open to everybody. Declare ipRestriction or policy.");
  expect(stdout).toContain("api is open to everybody. Declare ipRestriction or mutualTls or policy.");
  expect(emulator.calls()).toEqual(["GET /tunnels"]);
});

test("a separate restriction resource is seen, before its edge has an id and afterwards", async () => {
  const edge = declare("TcpEdge", "ssh", { description: "SSH" });
  const office = declare("TcpEdgeIpRestriction", "office", { edgeId: "=ssh.id", ipPolicyIds: ["ipp_office"] });
  const { stack } = await createStack(await startService(), `${edge}\n${office}`);
  const args = ["--policy-pack", await getPack(stack)];
  await stack.preview({ args });
  await stack.up({ args });
  await stack.preview({ args, expectNoChanges: true });
  stack.write(edge);
  const { stdout } = await stack.preview({ args, fails: true });
  expect(stdout).toContain("ssh is open to everybody");
});
