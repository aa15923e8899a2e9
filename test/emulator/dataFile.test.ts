import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator";
import { FileLock } from "../../src/emulator/fileLock";
import { waitUntil } from "../support/waitUntil";
import { errorResponse, publicKey, send } from "./support";

let folder: string;
let file: string;
const running: Emulator[] = [];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "emulator-"));
  file = path.join(folder, "account.json");
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
  fs.rmSync(folder, { recursive: true });
});

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ file, ...options });
  running.push(emulator);
  return emulator;
}

test("the account is restored with its tokens, secrets and rules", async () => {
  const first = await start();
  const oidc = "/edges/https/edghts_1/routes/edghtsrt_1/oidc";
  first.seed({
    httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }],
    sessions: [{ id: "ts_1", agent: { updatesDisabled: true } }],
    tunnels: [{ labels: { a: "b" } }],
  });
  const { token } = (await send(first, "POST", "/api_keys", { owner_id: "usr_2" })).body;
  await send(first, "POST", "/ssh_credentials", { public_key: publicKey("a") });
  await send(first, "POST", "/edges/tcp", { hostports: ["a.example.com:1"], description: "one" });
  await send(first, "POST", "/edges/tls", { description: "two", policy: { inbound: [{ name: "r" }] } });
  await send(first, "PUT", oidc, { client_secret: "hush" });
  const before = first.account;
  await first.close();

  const second = await start();
  const elsewhere = JSON.parse(JSON.stringify(before).replaceAll(first.url, second.url));
  expect(second.account).toEqual(elsewhere);
  expect((await send(second, "GET", oidc)).body.client_secret).toBe("hush");
  expect(await send(second, "POST", "/edges/tls", { hostports: ["a.example.com:1"] })).toMatchObject(
    errorResponse(409, "HOSTPORT_TAKEN"),
  );
  expect(await send(second, "POST", "/ssh_credentials", { public_key: publicKey("a") })).toMatchObject(
    errorResponse(400, "PUBLIC_KEY_TAKEN"),
  );
  expect(await send(second, "POST", "/tunnel_sessions/ts_1/update", {})).toMatchObject(
    errorResponse(400, "UPDATE_DISABLED"),
  );
  const mine = { url: second.url, apiKey: token };
  expect(await send(mine, "POST", "/api_keys", { owner_id: "usr_1" })).toMatchObject(
    errorResponse(403, "OWNER_FORBIDDEN"),
  );
  expect((await send(second, "GET", "/api_keys")).body.keys).toHaveLength(2);
});

test("changes are written while the emulator runs, to a file that only its owner can read", async () => {
  const emulator = await start();
  await send(emulator, "POST", "/edges/tcp", { description: "written" });
  await waitUntil(() => fs.readFileSync(file, "utf8").includes("written"));
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  await emulator.close();
  expect(fs.readdirSync(folder)).toEqual(["account.json"]);
});

test("a request whose response was lost is written too", async () => {
  const first = await start();
  first.fail({ resetAfter: true });
  await expect(send(first, "POST", "/edges/tcp", {})).rejects.toThrow();
  await first.close();
  expect((await start()).account.tcpEdges).toHaveLength(1);
});

test("another API key is added at the start", async () => {
  await (await start()).close();
  const other = await start({ apiKey: "another" });
  expect((await send(other, "POST", "/api_keys", { owner_id: "usr_9" })).status).toBe(201);
  expect(other.account.users.filter((user) => user.admin)).toHaveLength(1);
});

test.each([
  ["{", /^The data file .*account\.json is broken: .*JSON/],
  ["[]", /is broken: it is not a data file of this emulator/],
  ['{"emulator":1,"users":{}}', /is broken: "users" is not a list of objects/],
  ['{"emulator":1,"users":[null]}', /is broken: "users" is not a list of objects/],
])("a file with the content %j is rejected and stays unchanged", async (text, message) => {
  fs.writeFileSync(file, text);
  await expect(start()).rejects.toThrow(message);
  expect(fs.readFileSync(file, "utf8")).toBe(text);
  expect(fs.readdirSync(folder)).toEqual(["account.json"]);
});

test("a file that lacks a kind of object is read without objects of this kind", async () => {
  const first = await start();
  first.seed({ tcpEdges: [{ description: "kept" }], tunnels: [], sessions: [{}] });
  await first.close();
  const { sessions, ...older } = JSON.parse(fs.readFileSync(file, "utf8"));
  expect(sessions).toHaveLength(1);
  fs.writeFileSync(file, JSON.stringify(older));
  expect((await start()).account).toMatchObject({ tcpEdges: [{ description: "kept" }], sessions: [] });
});

test("a file that cannot be written fails at the start", async () => {
  file = path.join(folder, "nowhere", "account.json");
  await expect(start()).rejects.toThrow(/^The data file .* cannot be written/);
});

describe("a file in use", () => {
  const lock = () => `${file}.lock`;

  test("makes a second emulator fail with the process and URL of the first", async () => {
    const first = await start();
    await expect(start({ apiKey: "another" })).rejects.toMatchObject({
      message:
        `The data file ${file} is in use by the emulator on ${first.url} (process ${process.pid}). ` +
        `Use that one, stop it, or choose another file. If it is not running, delete ${file}.lock.`,
      code: "EMULATOR_FILE_IN_USE",
      url: first.url,
    });
    await expect(start()).rejects.toThrow(first.url);
    await send(first, "POST", "/edges/tcp", { description: "kept" });
    await first.close();
    const { account } = await start();
    expect(account).toMatchObject({ tcpEdges: [{ description: "kept" }], apiKeys: [{}] });
  });

  test("lets only one start of several that start at the same time", async () => {
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => start()));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test.each([
    ["has ended", { pid: 2 ** 22 + 1, run: "r" }],
    ["was another one with the same pid, as in a container that was killed", { pid: process.pid, run: "r" }],
  ])("is released if the lock's process %s", async (_, owner) => {
    fs.writeFileSync(lock(), JSON.stringify(owner));
    const outcomes = await Promise.allSettled([1, 2].map(() => start()));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const [emulator] = running;
    expect(JSON.parse(fs.readFileSync(lock(), "utf8"))).toMatchObject({ pid: process.pid, url: emulator!.url });
    await emulator!.close();
    expect(fs.readdirSync(folder)).toEqual(["account.json"]);
  });

  test("goes to the process that was the last to replace an abandoned lock", async () => {
    fs.writeFileSync(lock(), JSON.stringify({ pid: 2 ** 22 + 1 }));
    const outcome = new FileLock(file).acquire();
    fs.writeFileSync(lock(), JSON.stringify({ pid: process.ppid }));
    await expect(outcome).rejects.toThrow(`is in use by another emulator (process ${process.ppid}). `);
  });

  test("keeps the lock of another process at the end", async () => {
    const emulator = await start();
    fs.writeFileSync(lock(), JSON.stringify({ pid: process.ppid }));
    await emulator.close();
    expect(fs.readdirSync(folder)).toEqual(["account.json", "account.json.lock"]);
  });

  test("is in use while its lock is written", async () => {
    fs.writeFileSync(lock(), "");
    await expect(start()).rejects.toThrow(
      `${file} is in use by another emulator. Use that one, stop it, or choose another file. If it is not running, ` +
        `delete ${lock()}.`,
    );
    expect(fs.readdirSync(folder)).toEqual(["account.json.lock"]);
  });

  test("is released if the emulator cannot listen", async () => {
    const other = await startEmulator();
    running.push(other);
    await expect(start({ port: other.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(fs.readdirSync(folder)).toEqual(["account.json"]);
  });
});
