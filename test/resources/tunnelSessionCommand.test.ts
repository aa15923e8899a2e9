import type { AgentSeed, Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { fastClock } from "../support/clock";
import { expected, isPlugin, unsetLists } from "../support/engine/differences";
import { connectHost, startHost } from "../support/engine/emulatorHost";
import { type TestedProvider, unknown } from "../support/engine/provider";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { waitUntil } from "../support/waitUntil";

const timeScale = 0.03;
const updateGraceMs = 10_000 * timeScale;
const env = fastClock(1 / timeScale);
/** Each test has its own session, because the host remembers what it has sent. */
let session = "ts_100";
const other = () => `${session}b`;
const commandArgs = (commands: string[], more: object = {}) => ({ sessionId: session, commands, ...more });

const start = (options: EmulatorOptions = {}) => startHost({ timeScale, ...options }, { env });

let emulator: Emulator;
let host: TestedProvider;
let rollout: ResourceDriver;
beforeAll(async () => {
  ({ emulator, host } = await start());
});
beforeEach(() => {
  emulator.reset();
  host.logs.splice(0);
  session = session.replace(/\d+/, (count) => String(Number(count) + 1));
  rollout = host.resource("TunnelSessionCommand");
});

const seedSession = (agent: AgentSeed = {}, os = "linux", id = session) =>
  emulator.seed({ sessions: [{ id, os, agent_version: "3.5.0", agent }] });
const listPosts = () => emulator.calls({ ids: true }).filter((call) => call.startsWith("POST"));
const post = (command: string, id = session) => `POST /tunnel_sessions/${id}/${command}`;
const matchPost = (command: string, id = session) => ({ method: "POST", path: `/tunnel_sessions/${id}/${command}` });
const reset = () => emulator.clearRequests();
/** What the host logged about this test's sessions, which it does asynchronously. */
const listLogs = (ephemeral: boolean, id = session) =>
  host.logs
    .filter((entry) => entry.ephemeral === ephemeral && entry.message.includes(id))
    .map(({ message }) => message);

/** The time between the first two posts. */
function measurePause(): number {
  const [first, second] = emulator.requests
    .filter(({ method }) => method === "POST")
    .map(({ time }) => Date.parse(time));
  return second! - first!;
}

describe("arguments", () => {
  const bad: [string, object, RegExp | string][] = [
    ["nothing", {}, /^sessionId is required\ncommands is required$/],
    ["no commands", commandArgs([]), /^commands must contain at least one command$/],
    ["another command", commandArgs(["reboot"]), /^commands\[0\] must be "update", "restart" or "stop", not "reboot"$/],
    [
      "an id of another kind",
      { sessionId: "tn_1", commands: ["stop"] },
      /^sessionId must be the id of a tunnel session \("ts_…"\), not "tn_1"$/,
    ],
    [
      "one thing after a restart",
      commandArgs(["restart", "stop"]),
      /^commands has "stop" after "restart", which ends the session; "restart" must come last$/,
    ],
    ["things after a stop", commandArgs(["stop", "update", "restart"]), /"update", then "restart" after "stop"/],
    ["update twice", commandArgs(["update", "update"]), /has "update" twice/],
    ["triggers other than a list", commandArgs(["stop"], { triggers: "a" }), /^triggers must be a list, not a string$/],
    [
      "a misspelled argument",
      { sessionId: session, commands: ["stop"], trigger: [] },
      /trigger is not an argument: did you mean "triggers"\?/,
    ],
  ];
  test.each(bad)("%s is rejected in the preview", async (_, args, message) => {
    await expect(rollout.preview(args)).rejects.toThrow(message);
    expect(emulator.calls()).toEqual([]);
  });

  test("unknown values are not checked", async () => {
    await rollout.preview({ sessionId: unknown, commands: unknown, triggers: unknown });
    await rollout.preview({ sessionId: unknown, commands: ["update", unknown], triggers: [unknown] });
    expect(emulator.calls()).toEqual([]);
  });

  test("triggers may be values of any type", async () => {
    seedSession();
    const triggers = ["a", 1, true, null, { deep: [1, { snake_case: "x" }] }];
    await rollout.up(commandArgs(["update"], { triggers }));
    expect(rollout.outputs).toMatchObject({ triggers });
    expect(await rollout.up(commandArgs(["update"], { triggers }))).toBe("same");
  });
});

describe("what is sent, and when", () => {
  test("the commands in order, each with an empty object, after reading the session once", async () => {
    seedSession();
    expect(await rollout.up(commandArgs(["update", "restart"]))).toBe("create");
    expect(emulator.calls({ ids: true })).toEqual([`GET /tunnel_sessions/${session}`, post("update"), post("restart")]);
    expect(emulator.requests.map(({ body }) => body)).toEqual([undefined, {}, {}]);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
    expect(rollout.outputs).toEqual({
      ...unsetLists("triggers"),
      sessionId: session,
      commands: ["update", "restart"],
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(rollout.state!.outputs).not.toHaveProperty("__progress");
    expect(host.printed).toBe("");
  });

  test("each resource has its own id", async () => {
    seedSession();
    const other = host.resource("TunnelSessionCommand");
    await rollout.up(commandArgs(["update"]));
    await other.up(commandArgs(["stop"]));
    expect(rollout.state!.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(other.state!.id).not.toBe(rollout.state!.id);
  });

  test("changed triggers or commands send again, another session by itself does not", async () => {
    seedSession();
    seedSession({}, "linux", other());
    const args = commandArgs(["restart"], { triggers: [1] });
    await rollout.up(args);
    const { id } = rollout.state!;
    reset();
    const moved = { ...args, sessionId: other() };
    expect((await rollout.preview(moved)).step).toBe("same");
    expect(await rollout.up(moved)).toBe("same");
    expect((await rollout.preview({ ...moved, sessionId: unknown })).step).toBe("same");
    expect(emulator.calls()).toEqual([]);
    expect(rollout.outputs.sessionId).toBe(session);

    expect(await rollout.up({ ...moved, triggers: [2] })).toBe("update");
    expect(listPosts()).toEqual([post("restart", other())]);
    expect(rollout.state!.id).toBe(id);
    expect(rollout.outputs.sessionId).toBe(other());

    const [last] = emulator.account.sessions;
    reset();
    expect(await rollout.up({ sessionId: last!.id, commands: ["stop"], triggers: [2] })).toBe("update");
    expect(listPosts()).toEqual([post("stop", last!.id)]);
  });

  test("no triggers and an empty list are the same; adding the first one and removing it are changes", async () => {
    seedSession();
    const args = commandArgs(["update"]);
    await rollout.up(args);
    expect((await rollout.preview({ ...args, triggers: [] })).step).toBe("same");
    expect((await rollout.preview({ ...args, triggers: ["a"] })).step).toBe("update");
    expect((await rollout.preview({ ...args, triggers: [unknown] })).step).toBe("update");
    expect((await rollout.preview({ ...args, triggers: unknown })).step).toBe("update");
    rollout.state!.outputs.triggers = ["a"];
    expect((await rollout.preview({ ...args, triggers: ["a"] })).step).toBe("same");
    expect((await rollout.preview(args)).step).toBe("update");
  });

  test("a preview sends nothing and says what will be sent", async () => {
    seedSession();
    const args = commandArgs(["update", "restart"]);
    const { step, changed } = await rollout.preview(args);
    expect({ step, changed: changed.sort() }).toEqual({ step: "create", changed: ["commands", "sessionId"] });
    expect(emulator.calls()).toEqual([]);
    await rollout.up(args);
    reset();
    await rollout.preview({ ...args, sessionId: other(), triggers: ["again"] });
    expect(emulator.calls()).toEqual([]);
    await waitUntil(() => listLogs(false).length > 0);
    expect(listLogs(false)).toEqual([
      `TunnelSessionCommand "it": "update", then "restart" will be sent to session ${other()}.`,
    ]);
  });

  test("replaceOnChanges replaces the resource", async () => {
    seedSession();
    await rollout.up(commandArgs(["update"]));
    const again = commandArgs(["update"], { triggers: [1] });
    expect(await rollout.preview(again, { replaceOnChanges: ["triggers"] })).toMatchObject({ replaces: ["triggers"] });
  });
});

describe("an event, not a state", () => {
  test("refresh and destroy send nothing, even if the session is gone", async () => {
    seedSession();
    await rollout.up(commandArgs(["stop"], { triggers: ["a"] }));
    const before = structuredClone(rollout.state);
    reset();
    expect(await rollout.refresh()).toBe("same");
    expect(rollout.state).toEqual(before);
    expect(await rollout.up(commandArgs(["stop"], { triggers: ["a"] }))).toBe("same");
    await rollout.destroy();
    expect(emulator.calls()).toEqual([]);
  });

  test("a session that does not exist at the start is an error that says how to find the new one", async () => {
    const failing = rollout.up(commandArgs(["update", "restart"]));
    await expect(failing).rejects.toThrow(
      `"update", then "restart" could not be sent to tunnel session ${session}: the session is not online. An agent ` +
        "gets a new session id when it restarts or reconnects. Look it up with getTunnelSessions, by credentialId, ip " +
        "or metadata.",
    );
    expect(listPosts()).toEqual([]);
    expect(rollout.state).toBeUndefined();
  });

  test("a proxy's 404 does not mean that the session is gone", async () => {
    seedSession();
    emulator.fail({ method: "GET", path: "/tunnel_sessions/*", status: 404, body: "<html>no such page</html>" });
    await expect(rollout.up(commandArgs(["stop"]))).rejects.toThrow(/returned 404/);
    expect(listPosts()).toEqual([]);
  });
});

describe("the wait after an update", () => {
  test("restart waits, and displays a status meanwhile", async () => {
    seedSession();
    await rollout.up(commandArgs(["update", "restart"]));
    expect(measurePause()).toBeGreaterThanOrEqual(updateGraceMs);
    expect(listLogs(true)).toEqual([
      expect.stringMatching(/^Waiting \d+ s for the update of ts_\d+ before "restart"…$/),
    ]);
    expect(listLogs(false)).toEqual([]);
  });

  test("stop waits too, because it would interrupt the update", async () => {
    seedSession();
    await rollout.up(commandArgs(["update", "stop"]));
    expect(measurePause()).toBeGreaterThanOrEqual(updateGraceMs);
  });

  test("nothing waits without an update", async () => {
    seedSession();
    await rollout.up(commandArgs(["restart"]));
    expect(listLogs(true)).toEqual([]);
  });

  test("also if another resource has sent the update concurrently", async () => {
    seedSession();
    seedSession({}, "linux", other());
    emulator.fail({ ...matchPost("update"), delayMs: 150, delayAfter: true });
    const [updating, restarting, elsewhere] = [
      rollout,
      host.resource("TunnelSessionCommand"),
      host.resource("TunnelSessionCommand"),
    ];
    const running = updating.up(commandArgs(["update"]));
    await waitUntil(() => listPosts().length === 1);
    await Promise.all([
      running,
      restarting.up(commandArgs(["restart"])),
      elsewhere.up({ sessionId: other(), commands: ["restart"] }),
    ]);
    expect(listPosts()).toEqual([post("update"), post("restart", other()), post("restart")]);
    expect(emulator.account.sessions.map((each) => each.agent_version).sort()).toEqual(["3.5.0", "3.6.0"]);
  });

  test("also if an earlier run has just sent the update, according to the state", async () => {
    seedSession();
    await rollout.up(commandArgs(["update"]));
    const next = await host.next();
    await rollout.useProvider(next).preview(commandArgs(["update"]));
    await next.resource("TunnelSessionCommand").up(commandArgs(["restart"]));
    expect(measurePause()).toBeGreaterThanOrEqual(updateGraceMs);
  });

  test("a timestamp ahead of this machine's clock waits no longer than needed", async () => {
    seedSession();
    await rollout.up(commandArgs(["update"]));
    rollout.state!.outputs.sentAt = "2999-01-01T00:00:00.000Z";
    await rollout.preview(commandArgs(["update"]));
    expect(await host.resource("TunnelSessionCommand").up(commandArgs(["restart"]))).toBe("create");
    await waitUntil(() => listLogs(true).length > 0);
    expect(listLogs(true)).toEqual([`Waiting 10 s for the update of ${session} before "restart"…`]);
  });

  test("a customTimeouts that ends earlier is named, and the sequence continues later", async () => {
    seedSession();
    const patient = await connectHost(emulator);
    const args = commandArgs(["update", "restart"]);
    await expect(rollout.useProvider(patient).up(args, { customTimeouts: { create: "9s" } })).rejects.toThrow(
      /the agent needs another 10 s to finish its update, longer than customTimeouts allows\. Increase the timeout\. Already sent: "update"\. The next `pulumi up` continues from there\.$/,
    );
    expect(await rollout.useProvider(host).up(args)).toBe("update");
    expect(listPosts()).toEqual([post("update"), post("restart")]);
  });
});

test("a customTimeouts that ends while waiting for a response is named, and ends the lookups too", async () => {
  seedSession();
  const silence = emulator.fail({ ...matchPost("restart"), hang: "headers", processed: false });
  const patient = await connectHost(emulator);
  // A duration that is not a whole number of milliseconds, as Pulumi allows.
  const customTimeouts = { create: "2000.5ms" };
  await expect(rollout.useProvider(patient).up(commandArgs(["restart"]), { customTimeouts })).rejects.toThrow(
    new RegExp(
      ` failed: .* Timed out after ${expected("timeoutInMessages")} \\(customTimeouts\\.create\\)\\. It may have run\\.`,
    ),
  );
  expect(emulator.calls()).toHaveLength(2);
  silence.cancel();
  expect(await rollout.useProvider(host).up(commandArgs(["restart"]))).toBe("update");
});

describe("what an agent rejects", () => {
  test.each(["windows", "Windows Server 2022", "Microsoft Windows"])(
    "restart on %s, before anything is sent",
    async (os) => {
      seedSession({}, os);
      await expect(rollout.up(commandArgs(["update", "restart"]))).rejects.toThrow(
        /^"update", then "restart" could not be sent to tunnel session ts_\d+: the agent runs on Windows, where it cannot restart itself\. Use "stop"/,
      );
      expect(listPosts()).toEqual([]);
      expect(rollout.state).toBeUndefined();
      await rollout.up(commandArgs(["update", "stop"]));
      expect(listPosts()).toEqual([post("update"), post("stop")]);
    },
  );

  const rejections: [string, AgentSeed, string, string][] = [
    [
      "none is available",
      { updateAvailable: false },
      "No update is available",
      'Remove "update" from commands. A new major version',
    ],
    [
      "checks are disabled",
      { updatesDisabled: true },
      "has disabled update checks",
      "Allow update checks in the agent's configuration",
    ],
    ["it is updating", { updating: true }, "is currently updating", "Wait until the update has finished"],
    [
      "it has updated",
      { updated: true },
      "has already updated successfully",
      'Remove "update" from commands and use "restart"',
    ],
  ];
  test.each(rejections)("update, because %s: in the service's words, with the fix", async (_, agent, words, next) => {
    seedSession(agent);
    const error: Error = await rollout.up(commandArgs(["update", "restart"])).then(fail, (e) => e);
    expect(error.message).toContain(words);
    expect(error.message).toContain(next);
    expect(error.message).toMatch(
      /POST \/tunnel_sessions\/ts_\d+\/update returned 400 ERR_TUNNEL_UPDATE_\w+: .*\(operation op_/,
    );
    expect(error.message).not.toContain("was sent");
    expect(listPosts()).toEqual([post("update")]);
    expect(rollout.state).toBeUndefined();
  });

  const messages: [number, string, string | undefined][] = [
    [409, "The agent already updated successfully but has not restarted.", "already installed"],
    [500, "agent is currently updating", "Wait until the update has finished"],
    [422, "Update checks are disabled by the agent configuration", "Allow update checks"],
    [503, "no update available", "A new major version"],
    [403, "This account is disabled.", undefined],
  ];
  test.each(messages)("a service that responds %i: %s", async (status, msg, next) => {
    seedSession();
    emulator.fail({ ...matchPost("update"), status, body: { status_code: status, msg } });
    const error: Error = await rollout.up(commandArgs(["update"])).then(fail, (e) => e);
    expect(error.message).toContain(msg);
    if (next) expect(error.message).toContain(next);
    else expect(error.message).not.toMatch(/Allow update checks|from commands/);
    expect(listPosts()).toEqual([post("update")]);
  });

  test("a secret setting in the service's words is redacted", async () => {
    seedSession();
    emulator.fail({
      ...matchPost("stop"),
      status: 400,
      body: { status_code: 400, msg: `key ${emulator.apiKey} may not` },
    });
    await expect(rollout.up(commandArgs(["stop"]))).rejects.toThrow("key [secret] may not");
  });
});

describe("a sequence that failed halfway", () => {
  const args = (more: object = {}) => commandArgs(["update", "restart"], { triggers: ["a"], ...more });
  const rejection = { status: 400, body: { status_code: 400, msg: "not now" } };

  beforeEach(async () => {
    seedSession();
    emulator.fail({ ...matchPost("restart"), ...rejection });
    await expect(rollout.up(args())).rejects.toThrow(
      /^"restart" could not be sent to tunnel session ts_\d+: .* not now\. Already sent: "update"\. The next `pulumi up` continues from there\.$/,
    );
    reset();
  });

  test("says what was sent, and continues from there", async () => {
    expect(rollout.state).toMatchObject({
      hasInitErrors: true,
      outputs: { __progress: { sent: ["update"] }, ...(!isPlugin && { __provider: expect.any(String) }) },
    });
    const { id } = rollout.state!;
    expect((await rollout.preview(args())).step).toBe("update");
    await waitUntil(() => listLogs(false).length > 0);
    expect(listLogs(false)).toEqual([
      `TunnelSessionCommand "it": Already sent: "update". "restart" will be sent to session ${session}.`,
    ]);
    expect(await rollout.up(args())).toBe("update");
    expect(listPosts()).toEqual([post("restart")]);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
    expect(rollout.state).toMatchObject({ id, outputs: args() });
    expect(rollout.state!.outputs).not.toHaveProperty("__progress");
    expect(await rollout.up(args())).toBe("same");
  });

  test("continues in another process with the rest of the wait", async () => {
    const other = await connectHost(emulator, { env });
    const began = Date.now();
    rollout.state!.outputs.sentAt = new Date(began - 10_000 / 3).toISOString();
    await rollout.useProvider(other).up(args());
    // A plugin's process is used again by later tests, with the time that it has reached.
    if (!isPlugin) expect(Date.now() - began).toBeGreaterThanOrEqual(updateGraceMs / 3);
    expect(listPosts()).toEqual([post("restart")]);
  });

  test("continues after a refresh, which clears the failure but not the progress", async () => {
    expect(await rollout.refresh()).toBe("same");
    expect(rollout.state!.hasInitErrors).toBeUndefined();
    expect(await rollout.up(args())).toBe("update");
    expect(listPosts()).toEqual([post("restart")]);
  });

  test.each([
    ["triggers", { triggers: ["b"] }, ["update", "restart"]],
    ["commands", { commands: ["update", "stop"] }, ["update", "stop"]],
    ["commands, to what was sent", { commands: ["update"] }, ["update"]],
  ])("starts over with other %s", async (_, more, sent) => {
    // The agent would reject a second update.
    seedSession({}, "linux", other());
    const changed = args({ ...more, sessionId: other() });
    await rollout.preview(changed);
    await waitUntil(() => listLogs(false).length > 0);
    const names = sent.map((command) => `"${command}"`).join(", then ");
    expect(listLogs(false)).toEqual([`TunnelSessionCommand "it": ${names} will be sent to session ${other()}.`]);
    expect(await rollout.up(changed)).toBe("update");
    expect(listPosts()).toEqual(sent.map((command) => post(command, other())));
    expect(rollout.outputs).toMatchObject(changed);
    expect(await rollout.up(changed)).toBe("same");
  });

  test("starts over with other triggers in the same session", async () => {
    emulator.fail({ ...matchPost("update"), status: 200, body: {} });
    await rollout.up(args({ triggers: ["b"] }));
    expect(listPosts()).toEqual([post("update"), post("restart")]);
  });

  test("fails again, and keeps the progress", async () => {
    emulator.fail({ ...matchPost("restart"), ...rejection });
    await expect(rollout.up(args())).rejects.toThrow("not now");
    await rollout.up(args());
    expect(listPosts()).toEqual([post("restart"), post("restart")]);
  });

  test("starts over with other commands, after the wait", async () => {
    await rollout.up(args({ commands: ["restart"] }));
    expect(listPosts()).toEqual([post("restart")]);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
  });

  test("starts over with another session, and one that is not online changes nothing", async () => {
    await expect(rollout.up(args({ sessionId: "ts_gone" }))).rejects.toThrow("not online");
    expect(rollout.state!.outputs).toMatchObject({ sessionId: session, __progress: { sent: ["update"] } });
    seedSession({}, "linux", other());
    await rollout.up(args({ sessionId: other() }));
    expect(listPosts()).toEqual([post("update", other()), post("restart", other())]);
  });
});

describe("a lost response", () => {
  test.each(["restart", "stop"])("%s: succeeds if the session is gone", async (command) => {
    seedSession();
    emulator.fail({ ...matchPost(command), resetAfter: true });
    expect(await rollout.up(commandArgs([command]))).toBe("create");
    expect(listPosts()).toEqual([post(command)]);
  });

  test("restart: succeeds if the session ends a moment later", async () => {
    seedSession();
    emulator.fail({ ...matchPost("restart"), resetBefore: true });
    const running = rollout.up(commandArgs(["restart"]));
    await waitUntil(() => emulator.calls().length >= 4);
    emulator.api("POST", `/tunnel_sessions/${session}/stop`, {});
    expect(await running).toBe("create");
  });

  describe.each(["restart", "stop"])("%s: a session that stays online", (command) => {
    const args = (more: object = {}) => commandArgs(["update", command], more);
    beforeEach(async () => {
      seedSession();
      emulator.fail({ ...matchPost(command), status: 503, body: "<html>busy</html>" });
      await expect(rollout.up(args())).rejects.toThrow(
        /returned 503 .* It may have run\. The next `pulumi up` checks, and sends it again if needed\. Already sent: "update"\. The next `pulumi up` continues from there\.$/,
      );
      expect(emulator.calls().filter((call) => call.startsWith("GET"))).toHaveLength(7);
      expect(rollout.state!.outputs.__progress).toEqual({ sent: ["update"], lost: command });
      reset();
    });

    test("is sent the command again by the next run", async () => {
      await rollout.preview(args());
      await waitUntil(() => listLogs(false).length > 0);
      expect(listLogs(false).at(-1)).toMatch(
        /Already sent: "update"\. "\w+" will be sent to session ts_\w+ again, unless the first one took effect\./,
      );
      expect(await rollout.up(args())).toBe("update");
      expect(listPosts()).toEqual([post(command)]);
    });

    test("and ends before the next run is sent nothing", async () => {
      const sentAt = rollout.outputs.sentAt;
      emulator.api("POST", `/tunnel_sessions/${session}/stop`, {});
      expect(await rollout.up(args())).toBe("update");
      expect(listPosts()).toEqual([]);
      expect(rollout.outputs).toEqual({ ...unsetLists("triggers"), ...args({ sentAt }) });
      expect(await rollout.up(args())).toBe("same");
    });

    test("and has another id in the next run is sent nothing", async () => {
      emulator.api("POST", `/tunnel_sessions/${session}/restart`, {});
      const [found] = emulator.account.sessions;
      await rollout.preview(args({ sessionId: found!.id }));
      await waitUntil(() => listLogs(false, found!.id).length > 0);
      expect(listLogs(false, found!.id).at(-1)).toMatch(
        /will be sent to session \w+, unless the first one took effect\.$/,
      );
      await rollout.up(args({ sessionId: found!.id }));
      expect(listPosts()).toEqual([]);
      expect(await rollout.up(args({ sessionId: found!.id }))).toBe("same");
    });

    test("and has another id in the next run, with another trigger, is sent everything", async () => {
      emulator.api("POST", `/tunnel_sessions/${session}/restart`, {});
      reset();
      const sessionId = emulator.account.sessions[0]!.id;
      emulator.fail({ method: "POST", path: `/tunnel_sessions/${sessionId}/update`, status: 200, body: {} });
      const changed = args({ sessionId, triggers: ["b"] });
      await rollout.preview(changed);
      await waitUntil(() => listLogs(false, sessionId).length > 0);
      expect(listLogs(false, sessionId).at(-1)).toMatch(/: "update", then "\w+" will be sent to session \w+\.$/);
      expect(await rollout.up(changed)).toBe("update");
      expect(listPosts()).toEqual([post("update", sessionId), post(command, sessionId)]);
      expect(rollout.outputs).toMatchObject(changed);
    });

    test("and ends between the read and the command is no error", async () => {
      emulator.fail({ ...matchPost(command), status: 404, body: { status_code: 404, msg: "gone" } });
      expect(await rollout.up(args())).toBe("update");
    });
  });

  test("update: it is sent again, and an agent that has already updated is no error", async () => {
    seedSession();
    emulator.fail({ ...matchPost("update"), resetAfter: true });
    await rollout.up(commandArgs(["update", "restart"]));
    expect(listPosts()).toEqual([post("update"), post("update"), post("restart")]);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
  });

  test("update: the second is applied if the first was not", async () => {
    seedSession();
    emulator.fail({ ...matchPost("update"), status: 502, body: "<html></html>" });
    await rollout.up(commandArgs(["update", "restart"]));
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
  });

  test("update: lost twice, the next run finds out", async () => {
    seedSession();
    emulator.fail({ ...matchPost("update"), resetAfter: true, times: 2 });
    const args = commandArgs(["update", "restart"]);
    await expect(rollout.up(args)).rejects.toThrow(/ failed: .* It may have run\./);
    expect(rollout.state!.outputs.__progress).toEqual({ sent: [], lost: "update" });
    expect(await rollout.useProvider(await host.next()).up(args)).toBe("update");
    expect(listPosts()).toEqual([post("update"), post("update"), post("update"), post("restart")]);
  });
});

test("update: an agent that is busy with the lost update is no error", async () => {
  const slow = await start({ updateMs: 200 });
  slow.emulator.seed({ sessions: [{ id: session }] });
  slow.emulator.fail({ ...matchPost("update"), resetAfter: true });
  await slow.host.resource("TunnelSessionCommand").up(commandArgs(["update"]));
  expect(slow.emulator.requests.map(({ status }) => status)).toEqual([200, "reset", 400]);
});

const fail = () => {
  throw new Error("it did not fail");
};
