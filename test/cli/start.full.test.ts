/** `npm start`, which deploys the quickstart on the emulator, and what its README does next. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import type { Account } from "../../src/emulator";
import { startService } from "../support/cli/cliStack";
import { copyExample, editFile, runBash } from "../support/cli/example";
import { pathWithCli, Stack } from "../support/cli/pulumi";
import { transpileOnly } from "../support/preload/preload";
import { root } from "../support/root";

describe("npm start", () => {
  const folder = copyExample("quickstart");
  const home = join(root, ".work/examples", basename(folder));
  const user = mkdtempSync(join(tmpdir(), "user-"));
  const scripts = join(root, "scripts/dev");
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
  const runScript = (own: NodeJS.ProcessEnv, ...args: string[]) => {
    const script = [join(scripts, "example.mjs"), folder, ...args];
    return execFileSync(process.execPath, script, { encoding: "utf8", stdio: "pipe", env: { ...env, ...own } });
  };
  /** Does not check types: the first test does. */
  const start = (...args: string[]) => runScript(transpileOnly, ...args);

  test("deploys everything, and shows outputs without the token and how to put the CLI on PATH", () => {
    const printed = runScript({});
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

  test("`npm run pulumi` without a command is an error, and deploys nothing", () => {
    expect(() => start("--")).toThrow("Which Pulumi command? For example, `npm run pulumi -- preview`.");
    expect(start("--", "stack", "ls")).toContain("emulator");
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
      const [, drift] = readFileSync(join(folder, "README.md"), "utf8").split(/^## Cause drift.*$/m);
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
      expect(await runBash(useCopy(make!), folder, { ...env, ...transpileOnly })).toMatchObject({ code: 0 });
      expect(await edges()).toMatchObject([{ ip_restriction: null }]);
      expect(start("preview", "--non-interactive")).toContain("5 unchanged");
      const { code, printed } = await runBash(useCopy(repair!), folder, { ...env, ...transpileOnly });
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
    const stack = await Stack.create({ dir, env: transpileOnly });
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
  const script = [join(root, "scripts/dev/example.mjs"), "quickstrat"];
  const named = /^There is no example quickstrat\. Use one of .*quickstart.*\.$/m;
  expect(() => execFileSync(process.execPath, script, { encoding: "utf8", stdio: "pipe" })).toThrow(named);
});
