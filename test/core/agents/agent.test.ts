/** Commands to agents: what is sent and when, what the state records of it, and what the messages say. */
import type { AgentSeed, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { Clock } from "../../../src/base/clock";
import type { JsonObject } from "../../../src/base/json";
import { parseArgs, parseState, toProperties } from "../../../src/core/agents/progress";
import { CommandProvider } from "../../../src/core/commandProvider";
import type { Deployment } from "../../../src/core/deployment/deployment";
import { PartialFailure } from "../../../src/core/errors";
import type { Options } from "../../../src/core/options";
import { unknownValue } from "../../../src/core/unknown";
import { tunnelSessionCommand } from "../../../src/definitions/tunnelSessionCommand";
import { createRequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";

const time = createRequestTime();
const pass = (seconds: number) => new Clock(time).sleep(seconds * 1_000);

const argsOf = (commands: string[], more: JsonObject = {}): JsonObject => ({ sessionId: "ts_1", commands, ...more });
const both = argsOf(["update", "restart"]);

/** What the state has of a resource. */
interface Saved {
  id: string;
  properties: JsonObject;
}

const commandsOf = (deployment: Deployment) => new CommandProvider(tunnelSessionCommand, deployment);

async function start(agent: AgentSeed = {}, os = "linux", options: EmulatorOptions = {}) {
  const emulator = await startService({ clock: time.now, ...options });
  const seed = (id: string) => emulator.seed({ sessions: [{ id, os, agent_version: "3.5.0", agent }] });
  seed("ts_1");
  const processes = new Processes(time);
  const startProcess = () => commandsOf(processes.startDeployment(configOf(emulator)));
  const first = startProcess();
  const began = time.now();
  return {
    emulator,
    processes,
    seed,
    startProcess,
    first,
    /** A fault of the next such command. */
    fail: (command: string, fault: object) =>
      emulator.fail({ method: "POST", path: `/tunnel_sessions/*/${command}`, ...fault }),
    /** The calls for sessions, each with the seconds since the start. */
    calls: () =>
      emulator.requests.flatMap(({ method, path, time: sentAt }) => {
        const [, call] = /^\/tunnel_sessions\/(.*)/.exec(path) ?? [];
        return call === undefined ? [] : [`${method} ${call} after ${(Date.parse(sentAt) - began) / 1_000} s`];
      }),
    versions: () => emulator.account.sessions.map(({ agent_version }) => agent_version),
  };
}

/** Runs a resource as the engine does. Returns what the state has then, and why it failed. */
async function up(provider: CommandProvider, args: JsonObject, before?: Saved, more: Partial<Options> = {}) {
  const options = optionsOf("rollout", more);
  try {
    const after = before
      ? await provider.update(provider.parse(before.id, before.properties), args, options)
      : await provider.create(args, options);
    return { saved: { id: after.id, properties: provider.properties(after) }, error: undefined };
  } catch (error) {
    const { message } = error as Error;
    const saved = error instanceof PartialFailure ? { id: error.id, properties: error.properties } : before;
    return { saved, error: message };
  }
}

const lost = { status: 503, body: "<html>busy</html>" };
const rejected = (msg: string, status = 400) => ({ status, body: { status_code: status, msg } });
const progressOf = (saved: Saved | undefined) => saved?.properties["__progress"];
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

test("the commands are sent in order, a restart when the agent is ready, and the state has them", async () => {
  const { emulator, processes, first, calls, versions } = await start();
  const { saved, error } = await up(first, both);
  expect(error).toBeUndefined();
  expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/update after 0 s", "POST ts_1/restart after 10 s"]);
  expect(emulator.requests.map(({ body }) => body)).toEqual([undefined, {}, {}]);
  expect(versions()).toEqual(["3.6.0"]);
  expect(processes.statuses).toEqual(['Waiting 10 s for the update of ts_1 before "restart"…']);
  expect(saved).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    properties: { ...both, sentAt: isoTime, __managed: "sessionId commands" },
  });
  expect((await up(first, argsOf(["stop"], { sessionId: emulator.account.sessions[0]!.id }))).saved!.id).not.toBe(
    saved!.id,
  );
});

describe("what the agent cannot run", () => {
  const notOnline =
    "the session is not online. An agent gets a new session id when it restarts or reconnects. Look it up with " +
    "getTunnelSessions, by credentialId, ip or metadata.";

  test("a session that is not online is sent nothing", async () => {
    const { first, calls } = await start();
    expect(await up(first, argsOf(["update", "stop"], { sessionId: "ts_2" }))).toEqual({
      error: `"update", then "stop" could not be sent to tunnel session ts_2: ${notOnline}`,
    });
    expect(calls()).toEqual(["GET ts_2 after 0 s"]);
  });

  test.each(["update", "restart"])("a session that ends before the %s is not online", async (command) => {
    const { first, fail } = await start();
    fail(command, rejected("gone", 404));
    expect(await up(first, argsOf([command]))).toEqual({
      error: `"${command}" could not be sent to tunnel session ts_1: ${notOnline}`,
    });
  });

  test("an agent on Windows cannot restart, but be stopped", async () => {
    const { first, calls } = await start({}, "Microsoft Windows");
    expect((await up(first, both)).error).toMatch(
      /: the agent runs on Windows, where it cannot restart itself\. Use "stop" if a service manager starts it again/,
    );
    expect(calls()).toEqual(["GET ts_1 after 0 s"]);
    expect((await up(first, argsOf(["stop"]))).error).toBeUndefined();
  });

  const installed = 'Its new version is already installed. Remove "update" from commands and use "restart".';
  const wait = "Wait until the update has finished, then run `pulumi up` again.";
  const allow = 'Allow update checks in the agent\'s configuration, or remove "update" from commands.';
  const none = 'Remove "update" from commands. A new major version can only be installed by hand.';

  test.each([
    ["It is already updated.", installed],
    ["It has already been updated.", installed],
    ["It has updated and not restarted.", installed],
    ["It has updated and not yet restarted.", installed],
    ["It has updated and has not been restarted.", installed],
    ["It has updated and hasn't yet been restarted.", installed],
    ["It is updating.", wait],
    ["It is currently updating.", wait],
    ["It is already updating.", wait],
    ["It is being updated.", wait],
    ["An update running.", wait],
    ["An update is running.", wait],
    ["An update already running.", wait],
    ["An update is already in progress.", wait],
    ["It has a disabled update.", allow],
    ["It has disabled automatic updates.", allow],
    ["Update disabled.", allow],
    ["Updates disabled.", allow],
    ["Update check disabled.", allow],
    ["Update checks disabled.", allow],
    ["Update check is disabled.", allow],
    ["Updates are disabled.", allow],
    ["The update has been disabled.", allow],
    ["Update checks have been disabled.", allow],
    ["There is no update.", none],
    ["There is no version.", none],
    ["There is no new version.", none],
    ["There is no newer update.", none],
    ["Update not available.", none],
    ["An update is not available.", none],
    ["It is up to date.", none],
    ["It is up-to-date.", none],
    ["It is disabled.", undefined],
  ])("a rejected update is an error with the fix: %s", async (msg, fix) => {
    const { first, fail, calls } = await start();
    fail("update", rejected(msg));
    const message = `"update" could not be sent to tunnel session ts_1: POST /tunnel_sessions/ts_1/update returned 400: ${msg}`;
    expect(await up(first, argsOf(["update"]))).toEqual({ error: fix === undefined ? message : `${message} ${fix}` });
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/update after 0 s"]);
  });

  test("a rejected restart is an error, and nothing is looked up", async () => {
    const { first, fail, calls } = await start();
    fail("restart", rejected("not now"));
    expect((await up(first, argsOf(["restart"]))).error).toMatch(/: POST \S+ returned 400: not now\.$/);
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/restart after 0 s"]);
  });
});

describe("an update whose response was lost", () => {
  const second = ["GET ts_1 after 0 s", "POST ts_1/update after 0 s", "POST ts_1/update after 1 s"];

  test.each([
    ["was not executed", undefined, undefined],
    ["was executed", rejected("The agent has already updated."), undefined],
    ["is being executed", rejected("The agent is currently updating."), undefined],
    ["was rejected", rejected("Updates are disabled."), /Updates are disabled\. Allow update checks/],
  ])("is sent again a second later; the first %s", async (_, response, error) => {
    const { first, fail, calls } = await start();
    fail("update", lost);
    if (response) fail("update", response);
    const after = await up(first, argsOf(["update"]));
    if (error) expect(after.error).toMatch(error);
    else expect(after.error).toBeUndefined();
    expect(calls()).toEqual(second);
  });

  test("is recorded if the second is rejected for an unknown reason, and the next run finds that it was executed", async () => {
    const { first, startProcess, fail, calls } = await start();
    fail("update", { ...lost, processed: true });
    fail("update", rejected("not now"));
    const { saved, error } = await up(first, argsOf(["update"]));
    expect(error).toMatch(
      /returned 400: not now\. It may have run\. The next `pulumi up` checks, and sends it again if/,
    );
    expect(progressOf(saved)).toEqual({ sent: [], lost: "update" });
    expect(calls()).toEqual(second);
    expect((await up(startProcess(), argsOf(["update"]), saved)).error).toBeUndefined();
  });

  test.each(["update", "restart"])(
    "or a %s is recorded if the deployment is cancelled before it is known",
    async (command) => {
      const { processes, emulator, fail } = await start();
      const deployment = processes.startDeployment(configOf(emulator));
      fail(command, lost);
      const running = up(commandsOf(deployment), argsOf([command]));
      await pass(0.5);
      await deployment.clock.cancel();
      expect(progressOf((await running).saved)).toEqual({ sent: [], lost: command });
    },
  );

  test("is recorded if the second is lost too, and the next run sends it once more", async () => {
    const { first, startProcess, fail, calls, emulator, versions } = await start();
    fail("update", { ...lost, processed: true, times: 2 });
    const { saved, error } = await up(first, both);
    expect(error).toMatch(
      /^"update", then "restart" could not be sent .* returned 503 .* It may have run\. The next `pulumi up` checks, and sends it again if needed\.$/,
    );
    expect(calls()).toEqual(second);
    expect(saved!.properties).toEqual({
      ...both,
      sentAt: isoTime,
      __managed: "sessionId commands",
      __progress: { sent: [], lost: "update" },
    });
    emulator.clearRequests();
    expect(await up(startProcess(), both, saved)).toEqual({
      saved: { id: saved!.id, properties: { ...both, sentAt: isoTime, __managed: "sessionId commands" } },
    });
    expect(calls()).toEqual(["GET ts_1 after 1 s", "POST ts_1/update after 1 s", "POST ts_1/restart after 11 s"]);
    expect(versions()).toEqual(["3.6.0"]);
  });
});

describe("a restart whose response was lost", () => {
  const restart = argsOf(["restart"]);
  const checking = (attempt: number) =>
    `The response was lost. Checking whether ts_1 has ended (attempt ${attempt} of 6)…`;

  test("has worked if the session is gone", async () => {
    const { processes, first, fail, calls } = await start();
    fail("restart", { resetAfter: true });
    expect((await up(first, restart)).error).toBeUndefined();
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/restart after 0 s", "GET ts_1 after 0 s"]);
    expect(processes.statuses).toEqual([]);
  });

  test("has worked if the session ends within a few seconds", async () => {
    let lookups = 0;
    const { processes, first, fail, calls } = await start({}, "linux", {
      onRequest: (_, emulator) => {
        if (++lookups === 3) emulator.api("POST", "/tunnel_sessions/ts_1/restart", {});
      },
    });
    fail("restart", lost);
    expect((await up(first, restart)).error).toBeUndefined();
    expect(calls().slice(2)).toEqual(["GET ts_1 after 0 s", "GET ts_1 after 1 s", "GET ts_1 after 2 s"]);
    expect(processes.statuses).toEqual([checking(2), checking(3)]);
  });

  test.each([
    ["stays online", undefined],
    ["cannot be read", rejected("not allowed", 403)],
  ])("may have worked if the session %s", async (_, reading) => {
    const { emulator, processes, first, fail, calls } = await start();
    fail("restart", lost);
    if (reading) emulator.fail({ method: "GET", skip: 1, times: Number.POSITIVE_INFINITY, ...reading });
    const { saved, error } = await up(first, restart);
    expect(error).toMatch(/ returned 503 .* It may have run\. The next `pulumi up` checks/);
    expect(progressOf(saved)).toEqual({ sent: [], lost: "restart" });
    expect(calls().slice(2)).toEqual([0, 1, 2, 3, 4, 5].map((seconds) => `GET ts_1 after ${seconds} s`));
    expect(processes.statuses).toEqual([2, 3, 4, 5, 6].map(checking));
  });

  test("is looked up until the timeout", async () => {
    const { first, fail, calls } = await start();
    fail("restart", lost);
    expect((await up(first, restart, undefined, { timeouts: { create: "3s" } })).error).toMatch(
      / Timed out after 3s \(customTimeouts\.create\)\. It may have run\./,
    );
    expect(calls().slice(2)).toEqual([0, 1, 2, 3, 4].map((seconds) => `GET ts_1 after ${seconds} s`));
  });

  /** A restart that was lost in an earlier run, and has not ended the session within its seconds. */
  async function startLost() {
    const started = await start();
    started.fail("restart", lost);
    const { saved } = await up(started.first, both);
    expect(progressOf(saved)).toEqual({ sent: ["update"], lost: "restart" });
    const clear = () => {
      started.emulator.clearRequests();
      started.processes.logs.splice(0);
    };
    clear();
    return { ...started, clear, saved: saved!, next: started.startProcess() };
  }

  test("is sent again by the next run if the session is still online", async () => {
    const { next, calls, saved } = await startLost();
    expect(await up(next, both, saved)).toEqual({
      saved: { id: saved.id, properties: { ...both, sentAt: isoTime, __managed: "sessionId commands" } },
    });
    expect(calls()).toEqual(["GET ts_1 after 15 s", "GET ts_1 after 15 s", "POST ts_1/restart after 15 s"]);
  });

  test("is no error of the next run if the session ends before the command", async () => {
    const { next, fail, saved } = await startLost();
    fail("restart", rejected("gone", 404));
    expect((await up(next, both, saved)).error).toBeUndefined();
  });

  test.each([["ts_1"], ["ts_2"]])(
    "is not sent again if the session has ended, also with the id %s",
    async (sessionId) => {
      const { emulator, seed, next, calls, saved } = await startLost();
      emulator.api("POST", "/tunnel_sessions/ts_1/stop", {});
      seed("ts_2");
      const { __progress, ...properties } = saved.properties;
      expect(await up(next, { ...both, sessionId }, saved)).toEqual({
        saved: { id: saved.id, properties: { ...properties, __managed: "sessionId commands" } },
      });
      expect(calls()).toEqual(["GET ts_1 after 15 s"]);
    },
  );

  test("starts over with other triggers", async () => {
    const { emulator, seed, next, saved } = await startLost();
    emulator.api("POST", "/tunnel_sessions/ts_1/stop", {});
    seed("ts_2");
    await up(next, { ...both, sessionId: "ts_2", triggers: [1] }, saved);
    expect(emulator.calls()).toEqual([
      "GET /tunnel_sessions/{id}",
      "POST /tunnel_sessions/{id}/update",
      "POST /tunnel_sessions/{id}/restart",
    ]);
  });
});

describe("the wait after an update", () => {
  test("is for the session that was updated, also by another resource at the same time", async () => {
    const { emulator, seed, first, calls } = await start();
    seed("ts_2");
    await Promise.all([
      up(first, argsOf(["update"])),
      up(first, argsOf(["stop"]), undefined, { key: "other" }),
      up(first, argsOf(["stop"], { sessionId: "ts_2" }), undefined, { key: "elsewhere" }),
    ]);
    const posts = calls().filter((call) => call.startsWith("POST"));
    expect(posts.sort()).toEqual([
      "POST ts_1/stop after 10 s",
      "POST ts_1/update after 0 s",
      "POST ts_2/stop after 0 s",
    ]);
    expect(emulator.account.sessions).toEqual([]);
  });

  test.each([
    ["4 seconds ago", -4, 6],
    ["a moment ago, by a clock that is ahead", 3_600, 10],
    ["a minute ago", -60, 0],
  ])("lasts as long as is left of it, if the state says that the update was %s", async (_, seconds, wait) => {
    const { processes, first, startProcess } = await start();
    const { saved } = await up(first, argsOf(["update"]));
    const sentAt = new Date(time.now() + seconds * 1_000).toISOString();
    const next = startProcess();
    const state = next.parse(saved!.id, { ...saved!.properties, sentAt });
    await next.diff(state, argsOf(["update"]), optionsOf("rollout"));
    await up(next, argsOf(["stop"]), undefined, { key: "other" });
    expect(processes.statuses).toEqual(wait > 0 ? [`Waiting ${wait} s for the update of ts_1 before "stop"…`] : []);
  });

  test("is for the last update, whatever other resources say", async () => {
    const { processes, first, startProcess } = await start();
    const { saved } = await up(first, argsOf(["update"]));
    const next = startProcess();
    for (const seconds of [2, 5]) {
      const sentAt = new Date(time.now() - seconds * 1_000).toISOString();
      const state = next.parse(saved!.id, { ...saved!.properties, sentAt });
      await next.diff(state, argsOf(["update"]), optionsOf("rollout"));
    }
    await up(next, argsOf(["stop"]), undefined, { key: "other" });
    expect(processes.statuses).toEqual(['Waiting 8 s for the update of ts_1 before "stop"…']);
  });

  test("is not for a restart that the state has", async () => {
    const { seed, processes, first, startProcess } = await start();
    const { saved } = await up(first, both);
    processes.logs.splice(0);
    seed("ts_1");
    const next = startProcess();
    await up(next, { ...both, triggers: [1], commands: ["stop"] }, saved);
    expect(processes.statuses).toEqual([]);
  });

  test("must fit into the timeout; otherwise the next run goes on after it", async () => {
    const { emulator, processes, first, startProcess, calls } = await start();
    const { saved, error } = await up(first, both, undefined, { timeouts: { create: "9s" } });
    expect(error).toBe(
      '"restart" could not be sent to tunnel session ts_1: the agent needs another 10 s to finish its update, longer than ' +
        'customTimeouts allows. Increase the timeout. Already sent: "update". The next `pulumi up` continues from there.',
    );
    expect(progressOf(saved)).toEqual({ sent: ["update"] });
    await pass(4);
    emulator.clearRequests();
    expect((await up(startProcess(), both, saved, { timeouts: { update: "7s" } })).error).toBeUndefined();
    expect(calls()).toEqual(["GET ts_1 after 4 s", "POST ts_1/restart after 10 s"]);
    expect(processes.statuses).toEqual(['Waiting 6 s for the update of ts_1 before "restart"…']);
  });
});

describe("a sequence that stopped halfway", () => {
  async function startHalfway() {
    const started = await start();
    started.fail("restart", rejected("not now"));
    const { saved, error } = await up(started.first, both);
    expect(error).toMatch(
      /^"restart" could not be sent .* not now\. Already sent: "update"\. The next `pulumi up` continues/,
    );
    started.emulator.clearRequests();
    return { ...started, saved: saved! };
  }

  test("goes on where it stopped, also with a retry of the create", async () => {
    const { emulator, first, saved } = await startHalfway();
    const { saved: after } = await up(first, both);
    expect(after!.id).toBe(saved.id);
    expect(emulator.calls()).toEqual(["GET /tunnel_sessions/{id}", "POST /tunnel_sessions/{id}/restart"]);
    // What is complete is no longer gone on with.
    expect((await up(first, both)).error).toMatch(/not online/);
  });

  test("goes on with a retry of the update, from where the last attempt stopped", async () => {
    const { emulator, first, fail } = await start();
    const before = { id: "command", properties: argsOf(["stop"]) };
    fail("restart", rejected("not now"));
    await up(first, both, before);
    emulator.clearRequests();
    expect((await up(first, both, before)).error).toBeUndefined();
    expect(emulator.calls()).toEqual(["GET /tunnel_sessions/{id}", "POST /tunnel_sessions/{id}/restart"]);
  });

  test.each([
    ["other triggers", { triggers: [1] }],
    ["other commands", { commands: ["update", "stop"] }],
    ["another session", {}],
  ])("starts over with %s", async (_, more) => {
    const { emulator, seed, startProcess, saved } = await startHalfway();
    seed("ts_2");
    await up(startProcess(), { ...both, sessionId: "ts_2", ...more }, saved);
    expect(emulator.calls()[1]).toBe("POST /tunnel_sessions/{id}/update");
  });
});

describe("a diff", () => {
  const complete = { ...both, triggers: [1], sentAt: "2026-01-01T00:00:00.000Z", __managed: "" };
  const args = { ...both, triggers: [1] };
  const none = { updates: [], replaces: [], changes: [], needsCall: false };
  const update = (name: string, action = "update") => ({
    updates: [name],
    replaces: [],
    changes: [{ path: [name], action, replaces: false }],
    needsCall: true,
  });

  async function diff(properties: JsonObject, args: JsonObject, more: Partial<Options> = {}, announces = true) {
    const processes = new Processes(time);
    const deployment = processes.startDeployment(configOf({ url: "http://localhost:1", apiKey: "key" }));
    if (announces) deployment.announcesPlans = true;
    const provider = commandsOf(deployment);
    const found = await provider.diff(provider.parse("command", properties), args, optionsOf("rollout", more));
    return { found, messages: processes.messages };
  }

  test.each<[string, JsonObject, JsonObject, object, string[]]>([
    ["the same", complete, args, none, []],
    ["another session", complete, { ...args, sessionId: "ts_2" }, none, []],
    ["a session that is not known yet", complete, { ...args, sessionId: unknownValue }, none, []],
    [
      "other triggers",
      complete,
      { ...args, triggers: [2] },
      update("triggers"),
      ['"update", then "restart" will be sent to session ts_1.'],
    ],
    [
      "no triggers any more",
      complete,
      both,
      update("triggers", "delete"),
      ['"update", then "restart" will be sent to session ts_1.'],
    ],
    [
      "the first trigger",
      both,
      args,
      update("triggers", "add"),
      ['"update", then "restart" will be sent to session ts_1.'],
    ],
    ["an empty list of triggers", both, { ...both, triggers: [] }, none, []],
    [
      "triggers that are not known yet",
      complete,
      { ...args, triggers: unknownValue },
      update("triggers"),
      ['"update", then "restart" will be sent to session ts_1.'],
    ],
    [
      "other commands",
      complete,
      { ...args, commands: ["stop"] },
      update("commands"),
      ['"stop" will be sent to session ts_1.'],
    ],
    ["commands that are not known yet", complete, { ...args, commands: unknownValue }, update("commands"), []],
    [
      "other triggers and a session that is not known yet",
      complete,
      { ...args, triggers: [2], sessionId: unknownValue },
      update("triggers"),
      [],
    ],
    [
      "a sequence that stopped halfway",
      { ...complete, __progress: { sent: ["update"] } },
      args,
      update("commands"),
      ['Already sent: "update". "restart" will be sent to session ts_1.'],
    ],
    [
      "one that stopped halfway, and starts over",
      { ...complete, __progress: { sent: ["update"] } },
      { ...args, sessionId: "ts_2" },
      update("commands"),
      ['"update", then "restart" will be sent to session ts_2.'],
    ],
    [
      "a lost restart",
      { ...complete, __progress: { sent: ["update"], lost: "restart" } },
      args,
      update("commands"),
      ['Already sent: "update". "restart" will be sent to session ts_1 again, unless the first one took effect.'],
    ],
    [
      "a lost restart, and another session",
      { ...complete, __progress: { sent: ["update"], lost: "restart" } },
      { ...args, sessionId: "ts_2" },
      update("commands"),
      ['"update", then "restart" will be sent to session ts_2, unless the first one took effect.'],
    ],
    [
      "a lost update",
      { ...complete, __progress: { sent: [], lost: "update" } },
      args,
      update("commands"),
      ['"update", then "restart" will be sent to session ts_1 again, unless the first one took effect.'],
    ],
    [
      "a lost restart, and other triggers",
      { ...complete, __progress: { sent: ["update"], lost: "restart" } },
      { ...args, triggers: [2] },
      update("triggers"),
      ['"update", then "restart" will be sent to session ts_1.'],
    ],
    [
      "a sequence that was complete, but for what failed after it",
      { ...complete, __progress: { sent: both["commands"]! } },
      args,
      update("commands"),
      [],
    ],
  ])("shows what will be sent: %s", async (_, properties, args, expected, messages) => {
    const { found, messages: said } = await diff(properties, args);
    expect(found).toEqual({ ...expected, needsRecord: false, deleteBeforeReplace: false });
    expect(said).toEqual(messages);
  });

  test("only a preview says what will be sent", async () => {
    expect((await diff(complete, both, {}, false)).messages).toEqual([]);
  });

  test("replaceOnChanges replaces the resource", async () => {
    const { found } = await diff(complete, both, { replaceOnChanges: ["triggers"] });
    expect(found).toMatchObject({ replaces: ["triggers"], changes: [{ path: ["triggers"], replaces: true }] });
  });
});

test("the arguments are checked", async () => {
  const { first } = await start();
  const { args, problems } = await first.check(undefined, argsOf(["stop", "restart"]));
  expect(args).toEqual(argsOf(["stop", "restart"]));
  expect(problems).toEqual(['commands has "restart" after "stop", which ends the session; "stop" must come last']);
  expect((await first.check(undefined, both)).problems).toEqual([]);
});

describe("the state", () => {
  const sentAt = "2026-01-01T00:00:00.000Z";
  const values = { sessionId: "ts_1", commands: ["update", "stop"] };

  test.each<[string, JsonObject, object]>([
    [
      "of all",
      { ...values, sentAt },
      { values: { ...values, sentAt }, isComplete: true, sent: ["update", "stop"], sentAt },
    ],
    [
      "of a part",
      { ...values, sentAt, __progress: { sent: ["update"] } },
      { values: { ...values, sentAt }, isComplete: false, sent: ["update"], sentAt },
    ],
    [
      "of one that was lost",
      { ...values, sentAt, __progress: { sent: [], lost: "update" } },
      { values: { ...values, sentAt }, isComplete: false, sent: [], lost: "update", sentAt },
    ],
    [
      "of none",
      { ...values, sentAt: null },
      { values: { ...values, sentAt: null }, isComplete: true, sent: ["update", "stop"] },
    ],
    [
      "without what is no command",
      { ...values, commands: ["update", "pause", 1] },
      { values: { ...values, commands: ["update", "pause", 1] }, isComplete: true, sent: ["update"] },
    ],
  ])("is read: what was sent, %s", (_, properties, expected) => {
    expect(parseState("command", { ...properties, __managed: "" })).toStrictEqual({
      id: "command",
      lost: undefined,
      ...expected,
    });
  });

  const __managed = "sessionId commands";
  test.each<[string, Parameters<typeof toProperties>[0], JsonObject]>([
    ["nothing", { id: "", values, isComplete: true, sent: [] }, { ...values, __managed }],
    ["all", { id: "", values, isComplete: true, sent: ["update", "stop"], sentAt }, { ...values, __managed, sentAt }],
    [
      "a part",
      { id: "", values, isComplete: false, sent: ["update"], sentAt },
      { ...values, __managed, sentAt, __progress: { sent: ["update"] } },
    ],
    [
      "a lost one",
      { id: "", values, isComplete: false, sent: ["update"], lost: "stop", sentAt },
      { ...values, __managed, sentAt, __progress: { sent: ["update"], lost: "stop" } },
    ],
  ])("is written: %s was sent", (_, state, expected) => {
    expect(toProperties(state)).toStrictEqual(expected);
  });

  test("the arguments keep their triggers", () => {
    const args = { ...values, triggers: ["a"] };
    expect(parseArgs(args)).toEqual(args);
  });
});
