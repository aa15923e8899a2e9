/** Commands to agents with the real CLI. */
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { skipWaits } from "../support/preload";
import { Stack } from "../support/pulumi";

const timeScale = 0.05;
const updateGraceMs = 10_000 * timeScale;

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ timeScale });
});
afterEach(() => emulator.close());

const seedSession = (id: string, os = "linux") => emulator.seed({ sessions: [{ id, os, agent_version: "3.5.0" }] });
const listPosts = () => emulator.calls({ ids: true }).filter((call) => call.startsWith("POST"));

const program = (args: string, opts = "{}", before = "") => `
  const pulumi = require("@pulumi/pulumi");
  const tunnel = require("pulumi-tunnel-edge");
  ${before}
  const rollout = new tunnel.TunnelSessionCommand("rollout", ${args}, ${opts});
  rollout.triggers.apply((value) => console.log("triggers:", JSON.stringify(value)));`;

const createCommandStack = (text: string) => Stack.create({ program: text, emulator, env: skipWaits(1 / timeScale) });

const rollout = (session: string, build: number) =>
  program(`{ sessionId: "${session}", commands: ["update", "restart"], triggers: [{ build: ${build} }] }`);

test("are sent once, after a preview that shows them, and not by a refresh or a new session", async () => {
  seedSession("ts_1");
  const stack = await createCommandStack(rollout("ts_1", 1));
  const preview = await stack.preview({ diff: true });
  expect(preview.stdout).toMatch(/commands\s*: \[\s*\[0\]: "update"\s*\[1\]: "restart"/);
  expect(emulator.calls()).toEqual([]);

  const up = await stack.up();
  expect(up.summary).toMatchObject({ create: 2 });
  expect(listPosts()).toEqual(["POST /tunnel_sessions/ts_1/update", "POST /tunnel_sessions/ts_1/restart"]);
  const [updated, restarted] = emulator.requests.filter(({ method }) => method === "POST");
  expect(Date.parse(restarted!.time) - Date.parse(updated!.time)).toBeGreaterThanOrEqual(updateGraceMs);
  expect(up.diagnostics).toContainEqual(
    expect.objectContaining({ ephemeral: true, message: expect.stringMatching(/Waiting 10 s for the update of ts_1/) }),
  );
  expect(up.steps[0]!.new!.outputs.sentAt).toMatch(/^\d{4}-\d\d-\d\dT/);

  const [session] = emulator.account.sessions;
  expect(session).toMatchObject({ agent_version: "3.6.0" });
  emulator.clearRequests();
  stack.write(rollout(session!.id, 1));
  expect((await stack.refresh()).summary).toMatchObject({ same: 2 });
  await stack.preview({ expectNoChanges: true });
  expect(emulator.calls()).toEqual([]);
});

test("are sent again when a trigger changes, and not by a destroy", async () => {
  seedSession("ts_1");
  const stack = await createCommandStack(rollout("ts_1", 1));
  await stack.up();
  emulator.reset();
  seedSession("ts_2");
  stack.write(rollout("ts_2", 2));
  const preview = await stack.preview();
  expect(preview.steps).toMatchObject([{ op: "update", changed: ["sessionId", "triggers"] }]);
  expect(preview.stdout).toContain('"update", then "restart" will be sent to session ts_2.');
  expect(emulator.calls()).toEqual([]);
  await stack.up();
  expect(listPosts()).toEqual(["POST /tunnel_sessions/ts_2/update", "POST /tunnel_sessions/ts_2/restart"]);

  emulator.clearRequests();
  await stack.destroy();
  expect(emulator.calls()).toEqual([]);
});

test("a sequence that failed halfway continues from there, also after a refresh", async () => {
  seedSession("ts_1");
  const stack = await createCommandStack(program(`{ sessionId: "ts_1", commands: ["update", "restart"] }`));
  const restart = { method: "POST", path: "/tunnel_sessions/ts_1/restart" };
  emulator.fail({ ...restart, status: 400, body: { msg: "not now" }, times: 2 });
  const failed = await stack.up({ fails: true });
  expect(failed.stdout).toContain(
    '"restart" could not be sent to tunnel session ts_1: POST /tunnel_sessions/ts_1/restart returned 400: not now. ' +
      '"update" was sent; the next `pulumi up` continues from there.',
  );
  expect(failed.stdout).not.toMatch(/\n\s+at /);

  emulator.clearRequests();
  const preview = await stack.preview();
  expect(preview.steps).toMatchObject([{ op: "update" }]);
  expect(preview.stdout).toContain('"update" was sent, "restart" will be sent to session ts_1.');
  await stack.up({ fails: true });
  await stack.refresh();
  expect((await stack.up()).steps).toMatchObject([{ op: "update" }]);
  expect(listPosts()).toEqual(["POST /tunnel_sessions/ts_1/restart", "POST /tunnel_sessions/ts_1/restart"]);
  expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
  const { stdout } = await stack.preview({ expectNoChanges: true });
  expect(stdout).toContain("triggers: []");
});

test("errors: a session that is gone, a restart of a Windows agent, an import", async () => {
  const args = `{ sessionId: "ts_1", commands: ["restart"], triggers: [pulumi.secret("hush-hush")] }`;
  const stack = await createCommandStack(program(args));
  expect((await stack.up({ fails: true })).stdout).toContain("the session is not online. An agent that restarts");
  seedSession("ts_1", "Windows");
  expect((await stack.up({ fails: true })).stdout).toContain("the agent runs on Windows");
  expect(listPosts()).toEqual([]);

  for (const opts of [`{ import: "ts_1" }`, `{ id: "ts_1" }`]) {
    stack.write(program(args, opts));
    const failed = await stack.preview({ fails: true });
    expect(failed.stdout).toMatch(
      /TunnelSessionCommand "rollout" has the option (import|id), but a command is an event/,
    );
    expect(failed.stdout).not.toMatch(/\n\s+at /);
  }

  emulator.reset();
  seedSession("ts_1");
  stack.write(program(args, "{}", `if (tunnel.TunnelSessionCommand.get) throw new Error("there is a get");`));
  await stack.up();
  const [command] = (await stack.export()).resources!.filter(({ type }) =>
    type.endsWith("tunnel-edge:TunnelSessionCommand"),
  );
  expect(command).toMatchObject({ type: "pulumi-nodejs:dynamic/tunnel-edge:TunnelSessionCommand" });
  expect(JSON.stringify(command)).not.toContain("hush-hush");
});
