/** The examples on the reference pages and in examples/, with the real CLI. Promise: "The documentation is tested". */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { agentCommands, definitions } from "../../src/definitions";
import { pages, read } from "../docs/pages";
import { startService } from "../support/cli/cliStack";
import { copyExample, runJest, runProcess } from "../support/cli/example";
import { pathWithCli, Stack } from "../support/cli/pulumi";
import { publicKey } from "../support/data/publicKey";
import { esbuild } from "../support/preload/preload";
import { root } from "../support/root";

/** The first example on each resource's page. */
const first = new Map(
  pages()
    .filter((page) => /^docs\/reference\/\w+\.md$/.test(page) && read(page).includes("## Calls"))
    .map((page) => [page, /## Examples\n\n[^#]*?```ts\n([\s\S]*?)```/.exec(read(page))?.[1]]),
);

/** The examples in one program, each in its own block so that names do not collide. */
function joinExamples(examples: Iterable<string>): string {
  const blocks = [...examples].map((code) => `await (async () => {\n${code.replace(/^export /gm, "")}\n})();`);
  const given = `
    import * as fs from "node:fs";
    import * as pulumi from "@pulumi/pulumi";
    import * as tunnel from "pulumi-tunnel-edge";
    const config = new pulumi.Config();
    const ssh = { id: "edgtcp_2QSD…" };
    const api = { id: "edgtls_2QSM…" };
    export = async () => {\n${blocks.join("\n")}\n};`;
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(given, { compilerOptions }).outputText;
}

test("the first example of every resource runs", async () => {
  expect(first.size).toBe(definitions.length + agentCommands.length);
  const emulator = await startService({ timeScale: 0 });
  emulator.seed({
    tcpEdges: [{ id: "edgtcp_2QSD…" }],
    tlsEdges: [{ id: "edgtls_2QSM…" }],
    httpsEdges: [{ id: "edghts_2QSF…", routes: [{ id: "edghtsrt_2QSG…" }] }],
    sessions: [{ id: "ts_2QSH…" }],
  });
  const stack = await Stack.create({
    program: joinExamples([...first].map(([page, code]) => code ?? `throw new Error("${page} has no example");`)),
    emulator,
    config: { oidcSecret: { secret: "s3cret-of-oidc" }, upstreamKey: { secret: "s3cret-of-upstream" } },
  });
  writeFileSync(join(stack.dir, "build-agents.pub"), `${publicKey("build-agents")}\n`);
  await stack.up();
  expect((await stack.export()).resources?.filter(({ type }) => type.includes("tunnel-edge"))).toHaveLength(first.size);
  await stack.preview({ expectNoChanges: true });
  await stack.destroy();
});

test("the pictures show the CLI's output", async () => {
  const check = [join(root, "scripts/docs/picture.mjs"), "--check"];
  const upToDate = { code: 0, printed: expect.not.stringContaining("Not up to date") };
  const env = { ...process.env, ...esbuild };
  expect(await runProcess(process.execPath, check, root, env)).toEqual(upToDate);
});

test("components-and-tests: its tests pass, including those with the emulator", async () => {
  const { code, printed } = await runJest(copyExample("components-and-tests"), [], {
    ...esbuild,
    PATH: pathWithCli(),
  });
  expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/Tests: +5 passed, 5 total/) });
});

test("yaml: the plugin deploys it, and changes nothing more", async () => {
  const emulator = await startService();
  const dir = copyExample("yaml");
  emulator.seed(JSON.parse(readFileSync(join(dir, "account.json"), "utf8")));
  const installed = join(dir, "node_modules/pulumi-tunnel-edge");
  mkdirSync(installed, { recursive: true });
  symlinkSync(join(root, "plugin"), join(installed, "plugin"));
  const stack = await Stack.create({ dir, emulator });
  const { summary, stdout } = await stack.up({ preview: true });
  expect(summary).toEqual({ create: 5 });
  expect(stdout).not.toContain("warning");
  expect(await stack.outputs()).toMatchObject({
    sshAddress: "1.tcp.tunnel.example:20022",
    deploymentToken: "[secret]",
    online: expect.stringMatching(/^https:/),
  });
  emulator.clearRequests();
  await stack.preview({ expectNoChanges: true });
  expect(emulator.calls()).toEqual(["GET /tunnels"]);
  await stack.destroy();
  expect(emulator.account).toMatchObject({ tcpEdges: [], tlsEdges: [], sshCredentials: [] });
});
