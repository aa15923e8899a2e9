import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";

const goMod = readFileSync(join(root, "tools/offline-cli/engine/go.mod"), "utf8");
const version = goMod.match(/pkg\/v3 v(\S+)/)?.[1] as string;
const goVersion = goMod.match(/^go (\S+)/m)?.[1] as string;
const { peerDependencies } = manifest;
const minimum = peerDependencies["@pulumi/pulumi"].replace("^", "") as string;
const unreachable = "http://127.0.0.1:2";

let sandbox: string;
let home: string;
let tools: string;
let cache: string;

beforeEach(() => {
  sandbox = mkdtempSync(join(tmpdir(), "setup-"));
  home = join(sandbox, "home");
  tools = join(sandbox, "tools");
  cache = join(home, ".pulumi/versions", version);
  mkdirSync(home);
  mkdirSync(tools);
  for (const tool of ["cat", "chmod", "gzip", "ps", "sleep", "tar", "touch"]) {
    symlinkSync(execFileSync("/bin/sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim(), join(tools, tool));
  }
});

afterEach(() => rmSync(sandbox, { recursive: true, force: true }));

/** Writes an executable shell script. */
function script(file: string, ...lines: string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
}

function fakeCli(bin: string, printed = `v${version}`): void {
  script(join(bin, "pulumi"), `echo ${printed}`);
  script(join(bin, "pulumi-language-nodejs"));
}

/**
 * A Go that lists two packages and "compiles" a script that prints the version. `before` runs first, but not for Go's own
 * packages, which are compiled beside.
 */
function fakeGo(...before: string[]): void {
  script(
    join(tools, "go"),
    'for last; do :; done; if [ "$last" = std ]; then exit; fi',
    `echo "$1" >> ${sandbox}/go.log`,
    ...before,
    'if [ "$1" = list ]; then echo a; echo b; exit; fi',
    'while [ "$1" != -o ]; do shift; done',
    `echo '#!/bin/sh' > "$2"; echo 'echo v${version}' >> "$2"; chmod +x "$2"`,
  );
}

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs JavaScript that may import the scripts, with only the sandbox's tools and home. */
function start(code: string, PATH = tools): { child: ChildProcess; stderr: () => string; outcome: Promise<Outcome> } {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    cwd: root,
    env: { PATH, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => {
    stdout += text;
  });
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const outcome = new Promise<Outcome>((done) => child.on("close", (code) => done({ code, stdout, stderr })));
  return { child, stderr: () => stderr, outcome };
}

/** Finds the CLI; the official installer is at this address. */
const findingCli = (address = unreachable) => `
  import { ensureCli } from "./scripts/dev/cli.mjs";
  import { main } from "./scripts/lib/index.mjs";
  await main(async () => console.log(JSON.stringify(await ensureCli({ installer: "${address}" }))));`;

async function find({ installer, path }: { installer?: string; path?: string } = {}): Promise<string[]> {
  const { code, stdout, stderr } = await start(findingCli(installer), path).outcome;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

const sdk = join(root, "node_modules/@pulumi/pulumi");
const inCache = () => (existsSync(dirname(cache)) ? readdirSync(dirname(cache)) : []);

describe("the CLI", () => {
  test("is the one on PATH if it is recent enough", async () => {
    fakeCli(tools, `v${minimum}`);
    fakeCli(join(cache, "bin"));
    expect(await find()).toEqual([tools, sdk]);
  });

  test.each([
    ["old", () => fakeCli(tools, `v3.${Number(minimum.split(".")[1]) - 1}.9`)],
    ["of another major version", () => fakeCli(tools, "v4.0.0")],
    ["broken", () => script(join(tools, "pulumi"), "exit 1")],
    ["without its language host", () => script(join(tools, "pulumi"), `echo v${version}`)],
  ])("is the cached one if that on PATH is %s, with the dynamic provider host beside it", async (_, prepare) => {
    prepare();
    fakeCli(join(cache, "bin"));
    expect(await find()).toEqual([join(cache, "bin"), sdk]);
    expect(statSync(join(cache, "bin/pulumi-resource-pulumi-nodejs")).mode & 0o111).toBe(0o111);
  });

  test("counts as installed only if it can be used", async () => {
    const isInstalled = 'console.log(await (await import("./scripts/dev/cli.mjs")).isCliInstalled())';
    script(join(tools, "pulumi"), "exit 1");
    expect((await start(isInstalled).outcome).stdout).toBe("false\n");
    fakeCli(join(cache, "bin"));
    expect((await start(isInstalled).outcome).stdout).toBe("true\n");
  });
});

describe("the YAML language host", () => {
  const name = "pulumi-language-yaml";
  const built = () => join(dirname(cache), inCache().find((each) => each.startsWith("yaml-"))!);
  const findHost = () =>
    start(`
      import { ensureCli } from "./scripts/dev/cli.mjs";
      import { main } from "./scripts/lib/index.mjs";
      await main(async () => console.log((await ensureCli({ needs: ["yaml"] })).filter((each) => each !== "${sdk}").at(-1)));`)
      .outcome;

  test("is the one beside the CLI", async () => {
    fakeCli(tools);
    script(join(tools, name));
    expect(await findHost()).toEqual({ code: 0, stdout: `${tools}\n`, stderr: "" });
  });

  test("is built once, and linked beside a CLI in the cache, where the engine expects it", async () => {
    const bin = join(cache, "bin");
    fakeCli(bin);
    fakeGo();
    for (let i = 0; i < 2; i++) expect(await findHost()).toMatchObject({ code: 0, stdout: `${bin}\n` });
    expect(readlinkSync(join(bin, name))).toBe(join("../..", basename(built()), name));
    expect(readdirSync(cache)).toEqual(["bin"]);
    expect(readFileSync(join(sandbox, "go.log"), "utf8")).toBe("list\nbuild\n");
  });

  test("is built into a directory of its own if the CLI is the user's", async () => {
    fakeCli(tools);
    fakeGo();
    const { stdout } = await findHost();
    expect(stdout.trim()).toMatch(/^.*\/\.pulumi\/versions\/yaml-\d+\.\d+\.\d+$/);
    expect(readdirSync(stdout.trim())).toEqual([name]);
    expect(existsSync(join(tools, name))).toBe(false);
  });

  test("fails the set-up with its name if it cannot be built", async () => {
    fakeCli(tools);
    expect(await findHost()).toEqual({
      code: 1,
      stdout: "",
      stderr: `${name} was not found and could not be built: Go is not installed. Install the official CLI.\n`,
    });
  });
});

describe("a missing CLI", () => {
  let server: Server;
  async function serve(listener: RequestListener): Promise<string> {
    server = createServer(listener);
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** The official installer, which adds its arguments to a file. */
  const installing = (...lines: string[]) =>
    serve((_, response) => void response.end([`echo "$@" >> ${sandbox}/installer.log`, ...lines].join("\n")));

  test("is downloaded once by the official installer, and found in the cache afterwards", async () => {
    fakeCli(join(sandbox, "archive"));
    const installer = await installing(
      `for name in pulumi pulumi-language-nodejs; do`,
      `  cat ${sandbox}/archive/$name > "$3/bin/$name"; chmod +x "$3/bin/$name"; done`,
    );
    for (let i = 0; i < 2; i++) expect(await find({ installer })).toEqual([join(cache, "bin"), sdk]);
    expect(readFileSync(join(sandbox, "installer.log"), "utf8")).toBe(
      `--no-edit-path --install-root ${cache}.making --version ${version}\n`,
    );
    expect(inCache()).toEqual([version]);
    expect(readdirSync(cache)).toEqual(["bin"]);
    expect(readdirSync(join(cache, "bin")).sort()).toEqual([
      "pulumi",
      "pulumi-language-nodejs",
      "pulumi-resource-pulumi-nodejs",
    ]);
  });

  test.each<[string, () => Promise<string>]>([
    ["the installer is not there", () => serve((_, response) => void response.writeHead(404).end())],
    ["the installer fails", () => installing("exit 1")],
    ["the installer installs nothing", () => installing()],
    ["the download never responds", () => serve(() => {})],
  ])("is built with Go if %s, and the time and disk space are printed", async (_, serveInstaller) => {
    fakeGo();
    const { code, stderr } = await start(findingCli(await serveInstaller())).outcome;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Building the Pulumi CLI \S+ because .+\. This takes .+ minutes .+ GB/ms),
    });
    expect(readFileSync(join(sandbox, "go.log"), "utf8")).toBe("list\nlist\nbuild\nbuild\n");
    expect(inCache()).toEqual([version]);
  });

  test("replaces a broken one in the cache", async () => {
    fakeGo();
    script(join(cache, "bin/pulumi"), "exit 1");
    expect(await find()).toEqual([join(cache, "bin"), sdk]);
    expect(inCache()).toEqual([version]);
  });

  test("is built once by two concurrent set-ups", async () => {
    fakeGo(`while [ -d ${sandbox} ] && [ ! -e ${sandbox}/continue ]; do sleep 0.05; done`);
    const both = [start(findingCli()), start(findingCli())];
    await waitUntil(() => both.some(({ stderr }) => stderr().includes("Waiting for another run")));
    writeFileSync(join(sandbox, "continue"), "");
    const outcomes = await Promise.all(both.map(({ outcome }) => outcome));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(readFileSync(join(sandbox, "go.log"), "utf8")).toBe("list\nlist\nbuild\nbuild\n");
    expect(inCache()).toEqual([version]);
  });

  test.each(["SIGTERM", "SIGINT", "SIGKILL"] as const)("is not left half-written by %s", async (signal) => {
    const file = join(sandbox, "pid");
    fakeGo(`if [ "$1" = build ]; then echo $$ >> ${file}; sleep 30; fi`);
    const { child, outcome } = start(findingCli());
    let pids: number[] = [];
    await waitUntil(() => {
      pids = existsSync(file) ? readFileSync(file, "utf8").split("\n").map(Number).filter(Boolean) : [];
      return pids.length === 2;
    });
    child.kill(signal);
    await outcome;
    expect(existsSync(cache)).toBe(false);
    if (signal !== "SIGKILL") expect(inCache()).toEqual([]);
    else for (const pid of pids) process.kill(pid);
    fakeGo();
    expect(await find()).toEqual([join(cache, "bin"), sdk]);
    expect(inCache()).toEqual([version]);
  });

  test.each([
    ["no Go", () => {}, "Go is not installed"],
    [
      "an old Go",
      () => fakeGo('echo "go: go.mod requires go >= 1.99 (running go 1.2)" >&2', "exit 1"),
      "older than 1.99",
    ],
    ["a Go that fails", () => fakeGo('echo "proxy: connection refused" >&2', "exit 1"), "connection refused"],
    ["an old CLI", () => fakeCli(tools, "v3.1.0"), "is 3.1.0, not"],
  ])("fails the set-up with a fix if it cannot be installed (%s)", async (_, prepare, reason) => {
    prepare();
    const { code, stdout, stderr } = await start(findingCli()).outcome;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const sentence = stderr.trim().split("\n").slice(-1)[0] as string;
    expect(stderr).toContain(reason);
    expect(sentence).toMatch(/Install the Pulumi CLI 3\.\d+\.\d+ or later, or Go [\d.]+ or later/);
    expect(sentence).toContain(goVersion);
    expect(sentence).toContain("npm test -- --offline");
    expect(inCache()).toEqual([]);
  });
});

describe("a lock", () => {
  const lockScript = (task: string) => `
    import fs from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { withLock } from "./scripts/lib/index.mjs";
    await withLock("${sandbox}/lock", async () => { ${task} });`;
  const record = (line: string) => `fs.appendFileSync("${sandbox}/record", "${line}\\n");`;

  test("excludes other processes", async () => {
    const task = `${record("in")} await sleep(30); ${record("out")}`;
    await Promise.all([1, 2, 3, 4].map(() => start(lockScript(task)).outcome));
    expect(readFileSync(join(sandbox, "record"), "utf8")).toBe("in\nout\n".repeat(4));
    expect(existsSync(join(sandbox, "lock"))).toBe(false);
  });

  test.each([
    ["is gone", () => JSON.stringify({ pid: 2 ** 22 + 1, started: "1", key: "k" })],
    ["was another process with the same number", () => JSON.stringify({ pid: process.pid, started: "1", key: "k" })],
    ["died before it had written its name", () => ""],
  ])("can be acquired if its owner %s", async (_, content) => {
    const file = join(sandbox, "lock");
    writeFileSync(file, content());
    utimesSync(file, 1, 1);
    expect((await start(lockScript("")).outcome).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  test("is released when the task fails", async () => {
    expect((await start(lockScript('throw new Error("no")')).outcome).code).toBe(1);
    expect(existsSync(join(sandbox, "lock"))).toBe(false);
  });
});

describe("the clone", () => {
  let clone: string;

  beforeEach(() => {
    clone = join(sandbox, "clone");
    for (const name of [
      "scripts",
      "tools",
      "package.json",
      "package-lock.json",
      "tsconfig.json",
      "tsconfig.build.json",
    ]) {
      cpSync(join(root, name), join(clone, name), { recursive: true });
    }
    const settings = join(clone, "tsconfig.build.json");
    writeFileSync(settings, readFileSync(settings, "utf8").replace(/"types": .*/, '"types": [],'));
    mkdirSync(join(clone, "node_modules"));
    for (const name of [".package-lock.json", "@esbuild", "@pulumi", "esbuild", "typescript", "typescript-native"]) {
      symlinkSync(join(root, "node_modules", name), join(clone, "node_modules", name));
    }
    source("index.ts", "export const answer: number = 42;");
    source("bin.ts", "export {};");
    source("dynamic/host/index.ts", "export {};");
    source("plugin/main.ts", "export {};");
    script(join(tools, "npm"), `echo "$@" >> ${sandbox}/npm.log`);
  });

  const source = (name: string, text: string) => {
    mkdirSync(dirname(join(clone, "src", name)), { recursive: true });
    writeFileSync(join(clone, "src", name), text);
  };
  const setup = (options = "") =>
    start(`import { setup } from "${clone}/scripts/dev/setup.mjs"; await setup({ cli: false, ${options} });`).outcome;

  const built = ["bin.d.ts", "bin.js", "dynamic", "host.js", "index.d.ts", "index.js", "plugin"];

  test("is built once, completely, without files that no longer exist", async () => {
    source("old.ts", "export {};");
    expect(await setup()).toMatchObject({ code: 0 });
    expect(readdirSync(join(clone, "dist")).sort()).toEqual([...built, "old.d.ts", "old.js"].sort());
    expect(statSync(join(clone, "dist/bin.js")).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(clone, "node_modules/pulumi-tunnel-edge/dist/index.js"), "utf8")).toContain("42");

    expect(await setup()).toEqual({ code: 0, stdout: "", stderr: "" });

    source("index.ts", "export const answer: number = 'none';");
    expect(await setup()).toMatchObject({ code: 1, stderr: expect.stringContaining("TS2322") });
    expect(readFileSync(join(clone, "dist/index.js"), "utf8")).toContain("42");

    source("index.ts", "export const answer: number = 43;");
    rmSync(join(clone, "src/old.ts"));
    expect(await setup()).toMatchObject({ code: 0 });
    expect(readdirSync(join(clone, "dist")).sort()).toEqual(built);
    expect(existsSync(join(sandbox, "npm.log"))).toBe(false);
  });

  test("is updated without a check of types, which the next build catches up on", async () => {
    expect(await setup("types: false")).toMatchObject({ code: 0 }); // nothing is built yet, so everything is
    source("index.ts", "export const answer: number = 'none';");
    source("new.ts", "export {};");
    expect(await setup("types: false")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(clone, "dist/index.js"), "utf8")).toContain("exports.answer = 'none'");
    expect(readdirSync(join(clone, "dist")).sort()).toEqual([...built, "new.js"].sort());
    expect(await setup()).toMatchObject({ code: 1, stderr: expect.stringContaining("TS2322") });

    source("index.ts", "export const answer: number = 42;");
    rmSync(join(clone, "src/new.ts"));
    expect(await setup()).toMatchObject({ code: 0 });
    expect(readFileSync(join(clone, "dist/index.js"), "utf8")).toContain("42");
    expect(readdirSync(join(clone, "dist")).sort()).toEqual(built);
  });

  test.each([
    ["nothing is installed", () => rmSync(join(clone, "node_modules/.package-lock.json"))],
    [
      "another version is installed",
      () => {
        const record = readFileSync(join(clone, "node_modules/.package-lock.json"), "utf8");
        rmSync(join(clone, "node_modules/.package-lock.json"));
        writeFileSync(
          join(clone, "node_modules/.package-lock.json"),
          record.replaceAll(/"version": "\d+/g, '"version": "999'),
        );
      },
    ],
  ])(
    "installs its packages if %s",
    async (_, prepare) => {
      prepare();
      expect(await setup()).toMatchObject({ code: 0 });
      expect(readFileSync(join(sandbox, "npm.log"), "utf8")).toMatch(/^ci /);
    },
    30_000,
  );
});

describe("npm test", () => {
  const list = (...args: string[]) =>
    execFileSync(process.execPath, ["scripts/test/test.mjs", ...args, "--listTests"], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    })
      .trim()
      .split("\n")
      .map((file) => relative(root, file))
      .sort();
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join("test", file))
    .sort();
  const isLong = (file: string) => /\.(full|nightly)\.test\.ts$/.test(file);
  const needsCli = (file: string) => file.startsWith("test/cli/");

  test.each<[args: string[], isListed: (file: string) => boolean]>([
    [[], (file) => !isLong(file)],
    [["--offline"], (file) => !isLong(file) && !needsCli(file)],
    [["--full"], (file) => file.endsWith(".full.test.ts")],
    [["--nightly"], (file) => file.endsWith(".nightly.test.ts")],
    [["--replay"], (file) => file.endsWith("/replay.nightly.test.ts")],
    [["test/setup"], (file) => !isLong(file) && file.startsWith("test/setup/")],
  ])("runs the files that %j selects", (args, isListed) => {
    expect(list(...args)).toEqual(files.filter(isListed));
  });
});
