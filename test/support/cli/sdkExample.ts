/** The example that every language's SDK has, deployed with the plugin of this clone. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { read } from "../../docs/pages";
import { root } from "../root";
import { startService } from "./cliStack";
import { copyExample, editFile } from "./example";
import { Stack } from "./pulumi";

/** Copies an example whose program finds the plugin, with a stack in an account that has what it refers to. */
export async function createExampleStack(name: string, options: { env?: Record<string, string>; bin?: string } = {}) {
  const emulator = await startService();
  emulator.seed(JSON.parse(read("examples/yaml/account.json")));
  const dir = copyExample(name);
  const plugin = `plugins: { providers: [{ name: tunnel-edge, path: ${join(root, "plugin")} }] }\n`;
  appendFileSync(join(dir, "Pulumi.yaml"), plugin);
  return { dir, emulator, stack: await Stack.create({ dir, emulator, ...options }) };
}

/** The example deploys, previews unchanged, changes one argument in its program and destroys. */
export async function expectLifecycle(
  { dir, emulator, stack }: Awaited<ReturnType<typeof createExampleStack>>,
  program: string,
): Promise<void> {
  const { summary } = await stack.up();
  expect(summary).toEqual({ create: 5 });
  expect(await stack.outputs()).toMatchObject({
    sshAddress: "1.tcp.tunnel.example:20022",
    apiAddress: "api.tunnel.example:443",
    deploymentToken: "[secret]",
    online: expect.arrayContaining(["https://docs.tunnel.example", "https://shop.tunnel.example"]),
  });
  await stack.preview({ expectNoChanges: true });
  editFile(dir, program, '"ipp_office"', '"ipp_home"');
  emulator.clearRequests();
  await stack.up();
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  await stack.destroy();
  expect(emulator.account).toMatchObject({ tcpEdges: [], tlsEdges: [], sshCredentials: [] });
}
