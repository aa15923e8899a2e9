/** The example's policy pack with the real CLI. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { copyExample, editFile } from "../support/cli/example";
import { findPackArgument } from "../support/cli/policyPack";
import { Stack } from "../support/cli/pulumi";
import { esbuild } from "../support/preload/preload";
import { root } from "../support/root";

const pack = copyExample("policy");

const getPack = (stack: Stack) => (found ??= findPackArgument(stack, pack));
let found: Promise<string> | undefined;

test("the quickstart is accepted, and rejected before any change if it is open", async () => {
  const emulator = await startService();
  emulator.seed(JSON.parse(readFileSync(join(root, "examples/quickstart/account.json"), "utf8")));
  const dir = copyExample("quickstart");
  const stack = await Stack.create({ dir, emulator, env: esbuild });
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
