import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { defaultApiKey, startEmulator } from "../../src/emulator";
import { main } from "../../src/emulator/main";
import { root } from "../support/root";
import { waitUntil } from "../support/waitUntil";
import { send } from "./support";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "emulator-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const write = (name: string, content: string) => {
  fs.writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
};

/** Runs the command and, while it runs, `meanwhile`; then stops it. */
async function run(argv: string[], meanwhile: (url: string) => Promise<void> = async () => {}) {
  let out = "";
  let err = "";
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let started = () => {};
  const listening = new Promise<void>((resolve) => {
    started = resolve;
  });
  const ended = main(argv, {
    out: (text) => {
      out += text;
      started();
    },
    err: (text) => {
      err += text;
    },
    waitForStop: () => stopped,
  });
  await Promise.race([listening, ended]);
  try {
    const url = /http:\/\/\S+/.exec(out)?.[0];
    if (url) await meanwhile(url);
  } finally {
    stop();
  }
  return { code: await ended, out, err };
}

test("prints its URL and how to use it", async () => {
  const { code, out, err } = await run(["--port", "0"], async (url) => {
    expect((await send({ url, apiKey: defaultApiKey }, "GET", "/tunnels")).status).toBe(200);
  });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/export TUNNEL_EDGE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n/);
  expect(out).toContain(`export TUNNEL_EDGE_API_KEY=${defaultApiKey}\n`);
});

test("obeys its options", async () => {
  const seed = write("seed.json", JSON.stringify({ sessions: [{ id: "ts_1" }], apiKeys: [{ token: "seeded-token" }] }));
  const file = path.join(folder, "account.json");
  const fault = JSON.stringify({ path: "/tunnels", status: 503 });
  const options = [
    "--file",
    file,
    "--seed",
    seed,
    "--fault",
    fault,
    "--fault",
    fault,
    "--api-key",
    "it's",
    "--documented-only",
    "--empty-strings",
    "reject",
  ];
  const { code, out } = await run(["--port", "0", "--rate-limit", "5", ...options], async (url) => {
    const emulator = { url, apiKey: "it's" };
    expect((await send(emulator, "GET", "/tunnel_sessions/ts_1")).status).toBe(200);
    expect((await send(emulator, "GET", "/tunnels")).status).toBe(503);
    expect((await send(emulator, "GET", "/tunnels")).status).toBe(503);
    expect((await send(emulator, "GET", "/tunnels")).status).toBe(200);
    expect((await send(emulator, "DELETE", "/edges/tcp/edgtcp_1")).status).toBe(405);
    const unnamed = { policy: { inbound: [{ name: "" }] } };
    expect((await send(emulator, "POST", "/edges/tcp", unnamed)).status).toBe(400);
    expect((await send(emulator, "POST", "/edges/tcp", { description: "kept" })).status).toBe(201);
    expect((await send(emulator, "GET", "/tunnels")).status).toBe(429);
  });
  expect(code).toBe(0);
  expect(out).toContain("export TUNNEL_EDGE_API_KEY='it'\\''s'\n");
  expect(out).not.toContain("seeded-token");
  expect(fs.readFileSync(file, "utf8")).toContain("kept");
});

test("warns if other machines can reach it", async () => {
  const { err } = await run(["--port", "0", "--host", "0.0.0.0"], async (url) => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });
  expect(err).toContain("other machines can reach the emulator");
});

test("--help lists every option", async () => {
  const { code, out } = await run(["--help"]);
  expect(code).toBe(0);
  const options = [
    "port",
    "host",
    "file",
    "seed",
    "documented-only",
    "empty-strings",
    "rate-limit",
    "fault",
    "api-key",
  ];
  for (const option of [...options, "help"]) expect(out).toContain(`--${option}`);
});

test.each([
  [["--nothing"], "Unknown option '--nothing'; see --help."],
  [["positional"], "Unexpected argument 'positional'"],
  [["--port"], "'--port <value>' argument missing"],
  [["--port", "65536"], "--port must be a number from 0 to 65535."],
  [["--port", "x"], "--port must be a number from 0 to 65535."],
  [["--rate-limit", "0"], "--rate-limit must be a number from 1"],
  [["--empty-strings", "no"], "--empty-strings must be keep, default or reject."],
  [["--api-key", "a b"], "--api-key must consist of"],
  [["--fault", "{"], "--fault is invalid: "],
  [["--fault", '{"when":1}'], '--fault is invalid: a fault has no field "when".'],
])("%j is a wrong option: it exits with 2 and a message of one line", async (argv, message) => {
  expect(await run(argv)).toEqual({ code: 2, out: "", err: expect.stringMatching(/^.+\n$/) });
  expect((await run(argv)).err).toContain(message);
});

test.each([
  [["--seed", path.join(folder, "none.json")], "none.json cannot be used: ENOENT"],
  [["--seed", write("broken.json", "{")], "broken.json cannot be used: "],
  [["--seed", write("list.json", "[]")], "list.json cannot be used: it is not a JSON object"],
  [
    ["--port", "0", "--seed", write("wrong.json", '{"tcpEdges":[{"x":1}]}')],
    'cannot be used: The field "tcpEdges[0].x" is not known.',
  ],
  [
    ["--port", "0", "--seed", write("sessions.json", '{"tunnelSessions":[]}')],
    'cannot be used: The field "tunnelSessions" is not known: did you mean "sessions"?',
  ],
  [["--port", "0", "--seed", write("keys.json", '{"keys":[]}')], 'did you mean "apiKeys"?'],
  [
    ["--port", "0", "--seed", write("users.json", '{"bots":[]}')],
    'The field "bots" is not known: use tcpEdges, tlsEdges',
  ],
  [["--port", "0", "--file", write("data.json", "{}")], "data.json is broken: it is not a data file of this emulator"],
  [["--port", "0", "--host", "192.0.2.1"], "192.0.2.1 is not an address of this machine. Choose another with --host."],
])("%j fails with a message of one line", async (argv, message) => {
  const { code, out, err } = await run(argv);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(message);
  expect(err.trimEnd()).not.toContain("\n");
});

test("a port in use fails with a message of one line", async () => {
  const other = await startEmulator();
  const { code, err } = await run(["--port", String(other.port)]);
  expect([code, err]).toEqual([
    1,
    `Port ${other.port} of 127.0.0.1 is in use. Choose another with --port, or any free one with --port 0.\n`,
  ]);
  await other.close();
});

test("a file in use by another process fails with a message of one line until that process has ended", async () => {
  const file = path.join(folder, "shared.json");
  const bin = path.join(root, "dist/bin.js");
  const other = spawn(process.execPath, [bin, "emulator", "--port", "0", "--file", file], { stdio: "pipe" });
  const [greeting] = (await once(other.stdout, "data")) as [Buffer];
  const url = /http:\/\/\S+/.exec(String(greeting))![0];
  await send({ url, apiKey: defaultApiKey }, "POST", "/edges/tcp", { description: "kept" });
  const { code, out, err } = await run(["--port", "0", "--file", file]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toBe(
    `The data file ${file} is in use by the emulator on ${url} (process ${other.pid}). ` +
      `Use that one, stop it, or choose another file. If it is not running, delete ${file}.lock.\n`,
  );
  await waitUntil(() => fs.readFileSync(file, "utf8").includes("kept"));
  other.kill("SIGKILL");
  await once(other, "exit");
  const later = await run(["--port", "0", "--file", file], async (url) => {
    expect((await send({ url, apiKey: defaultApiKey }, "GET", "/edges/tcp")).body.tcp_edges).toHaveLength(1);
  });
  expect([later.code, later.err]).toEqual([0, ""]);
});

test("an emulator that npx started ends with npx, which leaves what its shell started behind", async () => {
  const shell = `"${process.execPath}" "${path.join(root, "dist/bin.js")}" emulator --port 0; :`;
  const npx = spawn(
    process.execPath,
    ["-e", `require("child_process").spawn("sh", ["-c", ${JSON.stringify(shell)}], { stdio: "inherit" })`],
    { env: { ...process.env, npm_lifecycle_event: "npx" }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const outputEnds = once(npx.stdout, "close");
  await once(npx.stdout, "data");
  npx.kill("SIGKILL");
  // The emulator has the pipe too.
  await outputEnds;
  expect(npx.stdout.closed).toBe(true);
});

test("an emulator that pulumi plugin run started ends with it, which keeps Ctrl-C to itself", async () => {
  const plugin = path.join(root, "plugin/pulumi-resource-tunnel-edge");
  const start = `require("child_process").spawn(${JSON.stringify(plugin)}, ["emulator", "--port", "0"], { stdio: "inherit", detached: true })`;
  const cli = spawn(process.execPath, ["-e", start], {
    env: { ...process.env, PULUMI_RPC_TARGET: "127.0.0.1:1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const outputEnds = once(cli.stdout, "close");
  await once(cli.stdout, "data");
  cli.kill("SIGKILL");
  await outputEnds;
  expect(cli.stdout.closed).toBe(true);
});
