import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import ts from "typescript";
import { commands, definitions } from "../../src/definitions";
import type { Account } from "../../src/emulator";
import { pages, read, root } from "../docs/pages";
import { startService } from "../support/cliStack";
import { copyExample, editFile, runBash, runJest } from "../support/example";
import { pathWithCli, Stack } from "../support/pulumi";

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
  expect(first.size).toBe(definitions.length + commands.length);
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
  writeFileSync(join(stack.dir, "build-agents.pub"), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample build-agents\n");
  await stack.up();
  expect((await stack.export()).resources?.filter(({ type }) => type.includes("tunnel-edge"))).toHaveLength(first.size);
  await stack.preview({ expectNoChanges: true });
  await stack.destroy();
});

test("the picture matches the preview", () => {
  execFileSync(process.execPath, [join(root, "scripts/picture.mjs"), "--check"], { stdio: "pipe" });
});

describe("npm start", () => {
  const folder = copyExample("quickstart");
  const home = join(root, ".work/examples", basename(folder));
  const user = mkdtempSync(join(tmpdir(), "user-"));
  const scripts = join(root, "scripts");
  let env: NodeJS.ProcessEnv;

  beforeAll(() => {
    // A user whose CLI is where the official installer puts it, and not on PATH.
    const [cli = ""] = pathWithCli().split(delimiter);
    mkdirSync(join(user, ".pulumi"));
    symlinkSync(cli, join(user, ".pulumi/bin"));
    symlinkSync(process.execPath, join(user, "node"));
    const others = process.env["PATH"]!.split(delimiter).filter((each) => !existsSync(join(each, "pulumi")));
    env = { ...process.env, HOME: user, PATH: [user, ...others].join(delimiter) };
  });
  afterAll(() => {
    for (const each of [home, user]) rmSync(each, { recursive: true, force: true });
  });

  /** What the script prints for the copy. */
  const start = (...args: string[]) => {
    const script = [join(scripts, "example.mjs"), folder, ...args];
    return execFileSync(process.execPath, script, { encoding: "utf8", stdio: "pipe", env });
  };

  test("deploys everything, and shows outputs without the token and how to put the CLI on PATH", () => {
    const printed = start();
    expect(printed).toContain("+ 5 created");
    for (const shown of [
      /sshAddress *: "1\.tcp\.tunnel\.example:20022"/,
      /apiAddress *: "api\.tunnel\.example:443"/,
      /deploymentToken *: \[secret\]/,
      '"https://docs.tunnel.example → http://localhost:8080"',
      `The Pulumi CLI is ${user}/.pulumi/bin/pulumi, which is not on PATH.`,
      `  export PATH="${user}/.pulumi/bin:$PATH"\n`,
      "npm run example -- ",
    ]) {
      expect(printed).toMatch(shown);
    }
    const { keys } = JSON.parse(readFileSync(join(home, "service.json"), "utf8")) as { keys: { token: string }[] };
    expect(keys).toHaveLength(2);
    for (const { token } of keys) expect(printed).not.toContain(token);
  });

  test("run again, changes nothing", () => {
    expect(start()).toContain("5 unchanged");
  });

  test("drift is made and repaired as the README says, with the emulator of npm run emulator", async () => {
    const emulator = spawn(process.execPath, [join(scripts, "emulator.mjs"), folder, "--port=0"], { env });
    try {
      const [greeting] = (await once(emulator.stdout, "data")) as [Buffer];
      const url = /http:\/\/\S+/.exec(String(greeting))![0];
      const edges = async () => {
        const { tcpEdges } = (await (await fetch(`${url}/_emulator/account`)).json()) as Account;
        return tcpEdges;
      };
      const [, drift] = readFileSync(join(folder, "README.md"), "utf8").split(/^## Make drift.*$/m);
      const [, exported, make, repair] = [...drift!.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands]) => commands!);
      for (const line of exported!.trim().split("\n")) {
        expect(String(greeting)).toContain(line.replace("http://127.0.0.1:20443", url));
      }
      const useCopy = (commands: string) =>
        `export TUNNEL_EDGE_BASE_URL=${url} TUNNEL_EDGE_API_KEY=emulator-api-key\n` +
        commands
          .replaceAll(/npm run (--silent )?pulumi --/g, `node ${join(scripts, "example.mjs")} ${folder}`)
          .replace("up --refresh", "up --refresh --yes");

      expect(await edges()).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_office" }] } }]);
      expect(await runBash(useCopy(make!), folder, env)).toMatchObject({ code: 0 });
      expect(await edges()).toMatchObject([{ ip_restriction: null }]);
      expect(start("preview", "--non-interactive")).toContain("5 unchanged");
      const { code, printed } = await runBash(useCopy(repair!), folder, env);
      expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/~ 1 to update[\s\S]*~ 1 updated/) });
      expect(await edges()).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_office" }] } }]);
    } finally {
      emulator.kill("SIGINT");
    }
    expect(await once(emulator, "exit")).toEqual([0, null]);
    expect(readdirSync(home).sort()).toEqual(["pulumi", "service.json", "state"]);
  });

  test("a change is displayed, and a command is passed to the CLI", () => {
    editFile(folder, "index.ts", "2027-Q1", "2027-Q2");
    editFile(folder, "index.ts", 'minVersion: "1.3"', 'minVersion: "1.2"');
    const printed = start("preview", "--diff", "--color=never", "--non-interactive");
    expect(printed).toMatch(/minVersion *: "1\.3" => "1\.2"/);
    expect(printed).toMatch(/~ 1 to update\n +\+-1 to replace/);
    expect(start("destroy", "--yes", "--skip-preview", "--non-interactive")).toContain("- 5 deleted");
  });
});

test("the project at the top level is the quickstart, and needs only the emulator", async () => {
  const emulator = await startService();
  const dir = mkdtempSync(join(root, ".work/test/top-"));
  try {
    for (const each of ["Pulumi.yaml", "package.json", "examples/quickstart"])
      cpSync(join(root, each), join(dir, each), { recursive: true });
    // As in Pulumi.yaml, except for the port, which another emulator may use.
    editFile(dir, "Pulumi.yaml", "http://127.0.0.1:20443", emulator.url);
    const stack = await Stack.create({ dir });
    await stack.up();
    expect(emulator.account).toMatchObject({ tcpEdges: [{}], tlsEdges: [{}], sshCredentials: [{}], apiKeys: [{}, {}] });
    await stack.preview({ expectNoChanges: true });
    await stack.refresh();
    await stack.destroy();
    expect(emulator.account).toMatchObject({ tcpEdges: [], tlsEdges: [], sshCredentials: [], apiKeys: [{}] });
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("an example that does not exist is an error that lists those that do", () => {
  const script = [join(root, "scripts/example.mjs"), "quickstrat"];
  const named = /^Which example\? One of .*quickstart.*\.$/m;
  expect(() => execFileSync(process.execPath, script, { encoding: "utf8", stdio: "pipe" })).toThrow(named);
});

test("components-and-tests: its tests pass, including those with the emulator", async () => {
  const { code, printed } = await runJest(copyExample("components-and-tests"), [], { PATH: pathWithCli() });
  expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/Tests: +5 passed, 5 total/) });
});

test("accounts: one provider uses a key that another creates, also after it is replaced", async () => {
  const emulator = await startService();
  const dir = copyExample("accounts");
  const config = { administratorsKey: { secret: emulator.apiKey } };
  const stack = await Stack.create({ dir, emulator, config, env: { TUNNEL_EDGE_API_KEY: undefined } });
  const tokens = () => [...new Set(emulator.requests.map(({ headers }) => headers["authorization"]?.slice(7)))];
  const { stdout } = await stack.up({ preview: true });
  const [administrators, builders, ...others] = tokens();
  expect([administrators, others]).toEqual([emulator.apiKey, []]);
  expect(builders).toBeTruthy();
  expect(stdout).not.toContain(builders);
  expect(emulator.account.sshCredentials).toMatchObject([{ owner_id: "usr_builders" }]);
  expect(await stack.outputs()).toMatchObject({
    credentials: [expect.stringMatching(/^sshcr_.*: The build machine$/)],
  });
  await stack.preview({ expectNoChanges: true });

  editFile(dir, "index.ts", "2027-Q1", "2027-Q2");
  editFile(dir, "index.ts", "The build machine", "The build machine, with a new key");
  emulator.clearRequests();
  await stack.up({ preview: true });
  const writes = emulator.requests.filter(({ method }) => method !== "GET");
  expect(writes.map(({ method, operation }) => `${method} ${operation}`)).toEqual([
    "POST /api_keys",
    "PATCH /ssh_credentials/{id}",
    "DELETE /api_keys/{id}",
  ]);
  expect(writes[1]?.headers["authorization"]).not.toContain(builders);
  await stack.destroy();
  expect(emulator.account).toMatchObject({ apiKeys: [{}], sshCredentials: [] });
});

test("migrate: its README's commands import the account without a write", async () => {
  const emulator = await startService();
  const dir = copyExample("migrate");
  emulator.seed(JSON.parse(readFileSync(join(dir, "account.json"), "utf8")));
  const { env } = await Stack.create({ program: "", emulator });
  const [script] = /npx pulumi-tunnel-edge import [\s\S]*?(?=```)/.exec(readFileSync(join(dir, "README.md"), "utf8"))!;
  const unasked = script
    .replace("pulumi up\n", "pulumi up --yes --non-interactive\n")
    .replace("pulumi preview\n", "pulumi preview --expect-no-changes --non-interactive\n");
  const { code, printed } = await runBash(unasked, dir, env);
  expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/\+ 8 created[\s\S]*8 unchanged/) });
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual([]);
});
