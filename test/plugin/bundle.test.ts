/**
 * The bundled plugin, started as the engine starts it. test/api/boundary.test.ts uses it for requests through a proxy,
 * because the bundle does not have all of the HTTP library; what it serves is tested elsewhere.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  accessSync,
  constants,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifest } from "../support/data/manifest";
import { pretendNode } from "../support/preload/preload";
import { root } from "../support/root";

const folder = join(root, "plugin");
const executable = join(folder, "pulumi-resource-tunnel-edge");
const oldestNode = manifest.engines.node.replace(">=", "");

let sandbox: string;
const running: ChildProcess[] = [];
beforeAll(() => {
  sandbox = mkdtempSync(join(tmpdir(), "plugin-"));
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(sandbox, { recursive: true, force: true });
});

/** Starts it, and returns what it printed once it has printed a line or ended. */
async function start(env: Record<string, string | undefined> = {}, command = executable) {
  const child = spawn(command, [], { env: { ...process.env, NODE_OPTIONS: "", ...env }, cwd: sandbox });
  running.push(child);
  const printed = { stdout: "", stderr: "" };
  const code = await new Promise<number | null>((done, fail) => {
    child.on("error", fail).on("close", done);
    child.stderr.on("data", (text) => {
      printed.stderr += text;
    });
    child.stdout.on("data", (text) => {
      printed.stdout += text;
      if (printed.stdout.includes("\n")) done(null);
    });
  });
  return { ...printed, code, pid: child.pid };
}

test("is small, and executable", () => {
  expect(statSync(executable).size).toBeLessThan(1.8e6);
  expect(() => accessSync(executable, constants.X_OK)).not.toThrow();
});

test("prints its port and nothing else, with at most 70 MB of memory", async () => {
  const { stdout, stderr, code, pid } = await start();
  expect({ stdout, stderr, code }).toEqual({ stdout: expect.stringMatching(/^\d+\n$/), stderr: "", code: null });
  if (process.platform !== "linux") return;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  expect(Number(kilobytes) / 1024).toBeLessThan(70);
});

test("prints its port before it loads gRPC, which takes as long as Node's own start", async () => {
  const preload = join(sandbox, "loaded.js");
  writeFileSync(
    preload,
    `const { write } = process.stdout;
    process.stdout.write = (text, ...rest) => {
      console.error(process.moduleLoadList.filter((name) => / (net|http2)$/.test(name)).join());
      return write.call(process.stdout, text, ...rest);
    };`,
  );
  expect((await start({ NODE_OPTIONS: `--require=${preload}` })).stderr).toBe("NativeModule net\n");
});

test("starts through a link to it, and as nodejs", async () => {
  const link = join(sandbox, "link");
  symlinkSync(executable, link);
  symlinkSync(process.execPath, join(sandbox, "nodejs"));
  expect(await start({ PATH: sandbox }, link)).toMatchObject({ stdout: expect.stringMatching(/^\d+\n$/), stderr: "" });
});

const needed = `pulumi-resource-tunnel-edge needs Node ${oldestNode} or later`;
const fix = "Install it, or the plugin's release archive, which contains Node.";

test("prints one sentence if there is no Node", async () => {
  expect(await start({ PATH: join(sandbox, "none") })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `${needed}, which is not on PATH. ${fix}\n`,
  });
});

test("prints one sentence if Node is too old", async () => {
  expect(await start(pretendNode("18.20.8"))).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `${needed}, not 18.20.8. ${fix}\n`,
  });
});

test("has a form for Windows, and the licence of every package in it", () => {
  const script = readFileSync(`${executable}.cmd`, "utf8");
  expect(script).toContain('\r\nnode "%~dp0pulumi-resource-tunnel-edge" %*\r\n');
  expect(script).toContain(`${needed}, which is not on PATH. ${fix}`);
  const licences = readFileSync(join(folder, "LICENSES.txt"), "utf8");
  const packages = [...licences.matchAll(/^(\S+) \d+\.\d+\.\d+: .*(MIT|Apache-2\.0|BSD-3-Clause)/gm)].map(
    ([, name]) => name,
  );
  expect(packages).toEqual(
    expect.arrayContaining(["@grpc/grpc-js", "@pulumi/pulumi", "google-protobuf", "undici", "zod"]),
  );
  expect(licences).toContain("Permission is hereby granted");
});

test("contains one copy of google-protobuf, of which a second would read no message of the first", () => {
  const licences = readFileSync(join(folder, "LICENSES.txt"), "utf8");
  expect(licences.match(/^google-protobuf /gm)).toHaveLength(1);
});
