import type { AgentSeed, Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { connectHost, startHost } from "../support/emulatorHost";
import { type Host, type ResourceDriver, unknown } from "../support/host";
import { waitUntil } from "../support/waitUntil";

const timeScale = 0.03;
const settling = 10_000 * timeScale;
const env = { TUNNEL_EDGE_TIME_SCALE: String(timeScale) };
/** Each test has a session of its own: the host remembers what it has sent. */
let session = "ts_100";
const other = () => `${session}b`;
const to = (commands: string[], more: object = {}) => ({ sessionId: session, commands, ...more });

const start = (options: EmulatorOptions = {}) => startHost({ timeScale, ...options }, { env });

let emulator: Emulator;
let host: Host;
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

const online = (agent: AgentSeed = {}, os = "linux", id = session) =>
  emulator.seed({ sessions: [{ id, os, agent_version: "3.5.0", agent }] });
const posted = () => emulator.calls({ ids: true }).filter((call) => call.startsWith("POST"));
const post = (command: string, id = session) => `POST /tunnel_sessions/${id}/${command}`;
const at = (command: string, id = session) => ({ method: "POST", path: `/tunnel_sessions/${id}/${command}` });
const reset = () => emulator.clearRequests();
/** What the host said of this test's sessions; it says it without waiting. */
const tellings = (passing: boolean) =>
  host.logs
    .filter((told) => told.ephemeral === passing && told.message.includes(session))
    .map(({ message }) => message);

/** The time between the first two posts. */
function pause(): number {
  const [first, second] = emulator.requests
    .filter(({ method }) => method === "POST")
    .map(({ time }) => Date.parse(time));
  return second! - first!;
}

describe("what can be stated", () => {
  const bad: [string, object, RegExp | string][] = [
    ["nothing", {}, /^sessionId is required\ncommands is required$/],
    ["no commands", to([]), /^commands must contain at least one command$/],
    ["another command", to(["reboot"]), /^commands\[0\] must be "update", "restart" or "stop", not "reboot"$/],
    [
      "another kind of id",
      { sessionId: "tn_1", commands: ["stop"] },
      /^sessionId must be the id of a tunnel session \("ts_…"\), not "tn_1"$/,
    ],
    [
      "one thing after a restart",
      to(["restart", "stop"]),
      /^commands has "stop" after "restart", which ends the session$/,
    ],
    ["things after a stop", to(["stop", "update", "restart"]), /"update", then "restart" after "stop"/],
    ["update twice", to(["update", "update"]), /has "update" twice/],
    ["triggers that are no list", to(["stop"], { triggers: "a" }), /^triggers must be a list, not a string$/],
    [
      "a misspelt argument",
      { sessionId: session, commands: ["stop"], trigger: [] },
      /trigger is not an argument: did you mean "triggers"\?/,
    ],
  ];
  test.each(bad)("%s is refused at preview", async (_, args, message) => {
    await expect(rollout.preview(args)).rejects.toThrow(message);
    expect(emulator.calls()).toEqual([]);
  });

  test("what is not known yet is not judged", async () => {
    await rollout.preview({ sessionId: unknown, commands: unknown, triggers: unknown });
    await rollout.preview({ sessionId: unknown, commands: ["update", unknown], triggers: [unknown] });
    expect(emulator.calls()).toEqual([]);
  });

  test("triggers are values of any kind", async () => {
    online();
    const triggers = ["a", 1, true, null, { deep: [1, { snake_case: "x" }] }];
    await rollout.up(to(["update"], { triggers }));
    expect(rollout.outputs).toMatchObject({ triggers });
    expect(await rollout.up(to(["update"], { triggers }))).toBe("same");
  });
});

describe("what is sent, and when", () => {
  test("the commands in their order, each with an empty object, after one look at the session", async () => {
    online();
    expect(await rollout.up(to(["update", "restart"]))).toBe("create");
    expect(emulator.calls({ ids: true })).toEqual([`GET /tunnel_sessions/${session}`, post("update"), post("restart")]);
    expect(emulator.requests.map(({ body }) => body)).toEqual([undefined, {}, {}]);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
    expect(rollout.outputs).toEqual({
      sessionId: session,
      commands: ["update", "restart"],
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(rollout.state!.outputs).not.toHaveProperty("__progress");
    expect(host.printed).toBe("");
  });

  test("each has an id of its own", async () => {
    online();
    const other = host.resource("TunnelSessionCommand");
    await rollout.up(to(["update"]));
    await other.up(to(["stop"]));
    expect(rollout.state!.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(other.state!.id).not.toBe(rollout.state!.id);
  });

  test("a change of triggers or commands sends again, another session alone does not", async () => {
    online();
    online({}, "linux", other());
    const args = to(["restart"], { triggers: [1] });
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
    expect(posted()).toEqual([post("restart", other())]);
    expect(rollout.state!.id).toBe(id);
    expect(rollout.outputs.sessionId).toBe(other());

    const [last] = emulator.account.sessions;
    reset();
    expect(await rollout.up({ sessionId: last!.id, commands: ["stop"], triggers: [2] })).toBe("update");
    expect(posted()).toEqual([post("stop", last!.id)]);
  });

  test("triggers: none and an empty list are the same; the first one is a change, and so is taking it away", async () => {
    online();
    const args = to(["update"]);
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
    online();
    const args = to(["update", "restart"]);
    const { step, changed } = await rollout.preview(args);
    expect({ step, changed: changed.sort() }).toEqual({ step: "create", changed: ["commands", "sessionId"] });
    expect(emulator.calls()).toEqual([]);
    await rollout.up(args);
    reset();
    await rollout.preview({ ...args, sessionId: other(), triggers: ["again"] });
    expect(emulator.calls()).toEqual([]);
    await waitUntil(() => tellings(false).length > 0);
    expect(tellings(false)).toEqual([
      `TunnelSessionCommand "it": "update", then "restart" will be sent to session ${other()}.`,
    ]);
  });

  test("replaceOnChanges makes a new event of it", async () => {
    online();
    await rollout.up(to(["update"]));
    const again = to(["update"], { triggers: [1] });
    expect(await rollout.preview(again, { replaceOnChanges: ["triggers"] })).toMatchObject({ replaces: ["triggers"] });
  });
});

describe("an event, not a state", () => {
  test("refresh and destroy send nothing, whatever has become of the session", async () => {
    online();
    await rollout.up(to(["stop"], { triggers: ["a"] }));
    const before = structuredClone(rollout.state);
    reset();
    expect(await rollout.refresh()).toBe("same");
    expect(rollout.state).toEqual(before);
    expect(await rollout.up(to(["stop"], { triggers: ["a"] }))).toBe("same");
    await rollout.destroy();
    expect(emulator.calls()).toEqual([]);
  });

  test("a session that is gone at the start is an error that tells how to find the new one", async () => {
    const failing = rollout.up(to(["update", "restart"]));
    await expect(failing).rejects.toThrow(
      `"update", then "restart" could not be sent to tunnel session ${session}: the session is not online. An agent that ` +
        "restarts or connects again has a new session id: find it with getTunnelSessions, by the agent's credential, " +
        "ip or metadata, and state that one.",
    );
    expect(posted()).toEqual([]);
    expect(rollout.state).toBeUndefined();
  });

  test("a proxy's 404 does not mean that the session is gone", async () => {
    online();
    emulator.fail({ method: "GET", path: "/tunnel_sessions/*", status: 404, body: "<html>no such page</html>" });
    await expect(rollout.up(to(["stop"]))).rejects.toThrow(/returned 404/);
    expect(posted()).toEqual([]);
  });
});

describe("the wait after an update", () => {
  test("restart waits, and says so while it waits", async () => {
    online();
    await rollout.up(to(["update", "restart"]));
    expect(pause()).toBeGreaterThanOrEqual(settling);
    expect(tellings(true)).toEqual([
      expect.stringMatching(/^Waiting \d+ s for the update of ts_\d+ before "restart"…$/),
    ]);
    expect(tellings(false)).toEqual([]);
  });

  test("stop waits too: it would cut the update off", async () => {
    online();
    await rollout.up(to(["update", "stop"]));
    expect(pause()).toBeGreaterThanOrEqual(settling);
  });

  test("nothing waits without an update", async () => {
    online();
    await rollout.up(to(["restart"]));
    expect(tellings(true)).toEqual([]);
  });

  test("also where another resource has sent the update, side by side", async () => {
    online();
    online({}, "linux", other());
    emulator.fail({ ...at("update"), delayMs: 150, delayAfter: true });
    const [updating, restarting, elsewhere] = [
      rollout,
      host.resource("TunnelSessionCommand"),
      host.resource("TunnelSessionCommand"),
    ];
    const running = updating.up(to(["update"]));
    await waitUntil(() => posted().length === 1);
    await Promise.all([
      running,
      restarting.up(to(["restart"])),
      elsewhere.up({ sessionId: other(), commands: ["restart"] }),
    ]);
    expect(posted()).toEqual([post("update"), post("restart", other()), post("restart")]);
    expect(emulator.account.sessions.map((each) => each.agent_version).sort()).toEqual(["3.5.0", "3.6.0"]);
  });

  test("also where the state tells of an update that an earlier run has just sent", async () => {
    online();
    await rollout.up(to(["update"]));
    const next = await host.next();
    await rollout.useHost(next).preview(to(["update"]));
    await next.resource("TunnelSessionCommand").up(to(["restart"]));
    expect(pause()).toBeGreaterThanOrEqual(settling);
  });

  test("a time ahead of this machine's clock waits no longer than needed", async () => {
    online();
    await rollout.up(to(["update"]));
    rollout.state!.outputs.sentAt = "2999-01-01T00:00:00.000Z";
    await rollout.preview(to(["update"]));
    const waited = host.resource("TunnelSessionCommand").up(to(["restart"]));
    expect(await Promise.race([waited, new Promise((done) => setTimeout(done, 20 * settling))])).toBe("create");
  });

  test("customTimeouts that end before it are told, and the sequence goes on later", async () => {
    online();
    const patient = await connectHost(emulator);
    const args = to(["update", "restart"]);
    await expect(rollout.useHost(patient).up(args, { customTimeouts: { create: "9s" } })).rejects.toThrow(
      /the agent's update needs 10 s more, which customTimeouts does not allow: allow more\. "update" was sent, and the next up goes on from there\.$/,
    );
    expect(await rollout.useHost(host).up(args)).toBe("update");
    expect(posted()).toEqual([post("update"), post("restart")]);
  });
});

test("customTimeouts that run out while an answer is waited for are named, and end the look-ups too", async () => {
  online();
  const silence = emulator.fail({ ...at("restart"), hang: "headers", processed: false });
  const began = Date.now();
  // A time that is no whole number of milliseconds, as Pulumi's durations may be.
  await expect(rollout.up(to(["restart"]), { customTimeouts: { create: "2000.5ms" } })).rejects.toThrow(
    / failed: .* Timed out after 2000\.5ms \(customTimeouts\.create\)\. Whether it has worked is not known/,
  );
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(emulator.calls()).toHaveLength(2);
  silence.cancel();
  expect(await rollout.up(to(["restart"]))).toBe("update");
});

describe("what an agent refuses", () => {
  test.each(["windows", "Windows Server 2022", "Microsoft Windows"])(
    "restart on %s, before anything is sent",
    async (os) => {
      online({}, os);
      await expect(rollout.up(to(["update", "restart"]))).rejects.toThrow(
        /^"update", then "restart" could not be sent to tunnel session ts_\d+: the agent runs on Windows, where it cannot restart itself\. State "stop" instead/,
      );
      expect(posted()).toEqual([]);
      expect(rollout.state).toBeUndefined();
      await rollout.up(to(["update", "stop"]));
      expect(posted()).toEqual([post("update"), post("stop")]);
    },
  );

  const refusals: [string, AgentSeed, string, string][] = [
    [
      "none is available",
      { updateAvailable: false },
      "No update is available",
      'Take "update" out of commands; a new major version',
    ],
    [
      "checks are disabled",
      { updatesDisabled: true },
      "has disabled update checks",
      "Allow update checks in the configuration",
    ],
    ["it is updating", { updating: true }, "is currently updating", "Wait until it has finished"],
    [
      "it has updated",
      { updated: true },
      "has already updated successfully",
      'take "update" out of commands, and state "restart"',
    ],
  ];
  test.each(refusals)("update, because %s: in the service's words, with what to do", async (_, agent, words, next) => {
    online(agent);
    const error: Error = await rollout.up(to(["update", "restart"])).then(fail, (e) => e);
    expect(error.message).toContain(words);
    expect(error.message).toContain(next);
    expect(error.message).toMatch(
      /POST \/tunnel_sessions\/ts_\d+\/update returned 400 ERR_TUNNEL_UPDATE_\w+: .*\(operation op_/,
    );
    expect(error.message).not.toContain("was sent");
    expect(posted()).toEqual([post("update")]);
    expect(rollout.state).toBeUndefined();
  });

  const worded: [number, string, string | undefined][] = [
    [409, "The agent already updated successfully but has not restarted.", "only waits for a restart"],
    [500, "agent is currently updating", "Wait until it has finished"],
    [422, "Update checks are disabled by the agent configuration", "Allow update checks"],
    [503, "no update available", "a new major version"],
    [403, "This account is disabled.", undefined],
  ];
  test.each(worded)("a service that answers %i: %s", async (status, msg, next) => {
    online();
    emulator.fail({ ...at("update"), status, body: { msg } });
    const error: Error = await rollout.up(to(["update"])).then(fail, (e) => e);
    expect(error.message).toContain(msg);
    if (next) expect(error.message).toContain(next);
    else expect(error.message).not.toMatch(/Allow update checks|out of commands/);
    expect(posted()).toEqual([post("update")]);
  });

  test("a secret setting in the service's words is not shown", async () => {
    online();
    emulator.fail({ ...at("stop"), status: 400, body: { msg: `key ${emulator.apiKey} may not` } });
    await expect(rollout.up(to(["stop"]))).rejects.toThrow("key [secret] may not");
  });
});

describe("a sequence that failed half way", () => {
  const args = (more: object = {}) => to(["update", "restart"], { triggers: ["a"], ...more });
  const refused = { status: 400, body: { msg: "not now" } };

  beforeEach(async () => {
    online();
    emulator.fail({ ...at("restart"), ...refused });
    await expect(rollout.up(args())).rejects.toThrow(
      /^"restart" could not be sent to tunnel session ts_\d+: .* not now\. "update" was sent, and the next up goes on from there\.$/,
    );
    reset();
  });

  test("says what was sent, and goes on from there", async () => {
    expect(rollout.state).toMatchObject({
      hasInitErrors: true,
      outputs: { __progress: { sent: ["update"] }, __provider: expect.any(String) },
    });
    const { id } = rollout.state!;
    expect((await rollout.preview(args())).step).toBe("update");
    await waitUntil(() => tellings(false).length > 0);
    expect(tellings(false)).toEqual([
      `TunnelSessionCommand "it": "update" was sent, "restart" will be sent to session ${session}.`,
    ]);
    expect(await rollout.up(args())).toBe("update");
    expect(posted()).toEqual([post("restart")]);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
    expect(rollout.state).toMatchObject({ id, outputs: args() });
    expect(rollout.state!.outputs).not.toHaveProperty("__progress");
    expect(await rollout.up(args())).toBe("same");
  });

  test("goes on in another process with the rest of the wait", async () => {
    rollout.state!.outputs.sentAt = new Date(Date.now() - settling / 3).toISOString();
    const began = Date.now();
    await rollout.useHost(await host.next()).up(args());
    expect(Date.now() - began).toBeGreaterThanOrEqual(settling / 3);
    expect(posted()).toEqual([post("restart")]);
  });

  test("goes on after a refresh, which forgets the failure but not the progress", async () => {
    expect(await rollout.refresh()).toBe("same");
    expect(rollout.state!.hasInitErrors).toBeUndefined();
    expect(await rollout.up(args())).toBe("update");
    expect(posted()).toEqual([post("restart")]);
  });

  test("goes on with triggers that change with every run", async () => {
    expect(await rollout.up(args({ triggers: ["b"] }))).toBe("update");
    expect(posted()).toEqual([post("restart")]);
    expect(rollout.outputs.triggers).toEqual(["b"]);
  });

  test("fails again, and still knows", async () => {
    emulator.fail({ ...at("restart"), ...refused });
    await expect(rollout.up(args())).rejects.toThrow("not now");
    await rollout.up(args());
    expect(posted()).toEqual([post("restart"), post("restart")]);
  });

  test("other commands that begin with what was sent go on from there", async () => {
    await rollout.up(args({ commands: ["update", "stop"] }));
    expect(posted()).toEqual([post("stop")]);
  });

  test("what was sent is all that is stated now: nothing is left to send", async () => {
    expect(await rollout.up(args({ commands: ["update"] }))).toBe("update");
    expect(emulator.calls()).toEqual([]);
    expect(await rollout.up(args({ commands: ["update"] }))).toBe("same");
  });

  test("other commands start over, after the wait", async () => {
    await rollout.up(args({ commands: ["restart"] }));
    expect(posted()).toEqual([post("restart")]);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
  });

  test("another session starts over, and one that is not online changes nothing", async () => {
    await expect(rollout.up(args({ sessionId: "ts_gone" }))).rejects.toThrow("not online");
    expect(rollout.state!.outputs).toMatchObject({ sessionId: session, __progress: { sent: ["update"] } });
    online({}, "linux", other());
    await rollout.up(args({ sessionId: other() }));
    expect(posted()).toEqual([post("update", other()), post("restart", other())]);
  });
});

describe("a lost answer", () => {
  test.each(["restart", "stop"])("%s: a session that is gone means that it has worked", async (command) => {
    online();
    emulator.fail({ ...at(command), resetAfter: true });
    expect(await rollout.up(to([command]))).toBe("create");
    expect(posted()).toEqual([post(command)]);
  });

  test("restart: a session that ends a moment later has ended", async () => {
    online();
    emulator.fail({ ...at("restart"), resetBefore: true });
    const running = rollout.up(to(["restart"]));
    await waitUntil(() => emulator.calls().length >= 4);
    emulator.api("POST", `/tunnel_sessions/${session}/stop`, {});
    expect(await running).toBe("create");
  });

  describe.each(["restart", "stop"])("%s: a session that stays", (command) => {
    const args = (more: object = {}) => to(["update", command], more);
    beforeEach(async () => {
      online();
      emulator.fail({ ...at(command), status: 503, body: "<html>busy</html>" });
      await expect(rollout.up(args())).rejects.toThrow(
        /returned 503 .* Whether it has worked is not known; the next up looks again, and sends it again if it must\. "update" was sent, and the next up goes on from there\.$/,
      );
      expect(emulator.calls().filter((call) => call.startsWith("GET"))).toHaveLength(7);
      expect(rollout.state!.outputs.__progress).toEqual({ sent: ["update"], lost: command });
      reset();
    });

    test("is told again by the next run", async () => {
      await rollout.preview(args());
      await waitUntil(() => tellings(false).length > 0);
      expect(tellings(false).at(-1)).toMatch(
        /"update" was sent, "\w+" will be sent again to session ts_\w+, unless it took effect/,
      );
      expect(await rollout.up(args())).toBe("update");
      expect(posted()).toEqual([post(command)]);
    });

    test("and ends before the next run has ended by it", async () => {
      const sentAt = rollout.outputs.sentAt;
      emulator.api("POST", `/tunnel_sessions/${session}/stop`, {});
      expect(await rollout.up(args())).toBe("update");
      expect(posted()).toEqual([]);
      expect(rollout.outputs).toEqual(args({ sentAt }));
      expect(await rollout.up(args())).toBe("same");
    });

    test("and has another id by the next run is not told again", async () => {
      emulator.api("POST", `/tunnel_sessions/${session}/restart`, {});
      const [found] = emulator.account.sessions;
      await rollout.up(args({ sessionId: found!.id }));
      expect(posted()).toEqual([]);
      expect(await rollout.up(args({ sessionId: found!.id }))).toBe("same");
    });

    test("and ends between the look and the command has ended by it", async () => {
      emulator.fail({ ...at(command), status: 404, body: { msg: "gone" } });
      expect(await rollout.up(args())).toBe("update");
    });
  });

  test("update: it is sent again, and an agent that has updated has understood the first", async () => {
    online();
    emulator.fail({ ...at("update"), resetAfter: true });
    await rollout.up(to(["update", "restart"]));
    expect(posted()).toEqual([post("update"), post("update"), post("restart")]);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
  });

  test("update: the second is carried out where the first was not", async () => {
    online();
    emulator.fail({ ...at("update"), status: 502, body: "<html></html>" });
    await rollout.up(to(["update", "restart"]));
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
  });

  test("update: lost twice, the next run finds out", async () => {
    online();
    emulator.fail({ ...at("update"), resetAfter: true, times: 2 });
    const args = to(["update", "restart"]);
    await expect(rollout.up(args)).rejects.toThrow(/ failed: .* Whether it has worked is not known/);
    expect(rollout.state!.outputs.__progress).toEqual({ sent: [], lost: "update" });
    expect(await rollout.useHost(await host.next()).up(args)).toBe("update");
    expect(posted()).toEqual([post("update"), post("update"), post("update"), post("restart")]);
  });
});

test("update: an agent that is busy with the lost update has understood it", async () => {
  const slow = await start({ updateMs: 200 });
  slow.emulator.seed({ sessions: [{ id: session }] });
  slow.emulator.fail({ ...at("update"), resetAfter: true });
  await slow.host.resource("TunnelSessionCommand").up(to(["update"]));
  expect(slow.emulator.requests.map(({ status }) => status)).toEqual([200, "reset", 400]);
});

const fail = () => {
  throw new Error("it did not fail");
};
