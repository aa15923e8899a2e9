/** Commands to agents: what is sent and when, what the state records of it, and what the messages say. */
import type { AgentSeed, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { Clock } from "../../../src/base/clock";
import { RequestTime } from "../../support/clock";
import { unsetLists } from "../../support/engine/differences";
import { type Properties, unknown } from "../../support/engine/provider";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const time = new RequestTime();

const argsOf = (commands: string[], more: Properties = {}) => ({ sessionId: "ts_1", commands, ...more });
const both = argsOf(["update", "restart"]);

async function start(agent: AgentSeed = {}, os = "linux", options: EmulatorOptions = {}) {
  const stack = await Stack.start({ time, ...options });
  const { emulator } = stack;
  const seed = (id: string) => emulator.seed({ sessions: [{ id, os, agent_version: "3.5.0", agent }] });
  seed("ts_1");
  let began = time.now();
  return {
    stack,
    emulator,
    seed,
    rollout: stack.resource("TunnelSessionCommand", "rollout"),
    /** Begins the next deployment. */
    next: () => {
      stack.next();
      began = time.now();
    },
    /** A fault of the next such command. */
    fail: (command: string, fault: object) =>
      emulator.fail({ method: "POST", path: `/tunnel_sessions/*/${command}`, ...fault }),
    /** The calls for sessions, each with the seconds since the deployment began. */
    calls: () =>
      emulator.requests.flatMap(({ method, path, time: sentAt }) => {
        const [, call] = /^\/tunnel_sessions\/(.*)/.exec(path) ?? [];
        return call === undefined ? [] : [`${method} ${call} after ${(Date.parse(sentAt) - began) / 1_000} s`];
      }),
    versions: () => emulator.account.sessions.map(({ agent_version }) => agent_version),
  };
}

const lost = { status: 503, body: "<html>busy</html>" };
const rejected = (msg: string, status = 400) => ({ status, body: { status_code: status, msg } });
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const waiting = "Waiting 10 s for the update of ts_1…";
const withName = (message: string) => expect.stringContaining(message);

describe("a sequence", () => {
  test("is sent in order, with the restart when the agent is ready, and is in the state", async () => {
    const { stack, emulator, rollout, calls, versions } = await start();
    await rollout.up(both);
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/update after 0 s", "POST ts_1/restart after 10 s"]);
    expect(emulator.requests.map(({ body }) => body)).toEqual([undefined, {}, {}]);
    expect(versions()).toEqual(["3.6.0"]);
    expect(stack.statuses).toEqual([withName(waiting)]);
    expect(rollout.outputs).toEqual({ ...unsetLists("triggers"), ...both, sentAt: isoTime });
    expect(rollout.state!.outputs).not.toHaveProperty("__failure");
    expect(await rollout.up(both)).toBe("same");
  });

  test("that ends with an update ends when the agent is ready", async () => {
    const { rollout } = await start();
    const began = time.now();
    await rollout.up(argsOf(["update"]));
    expect(time.now() - began).toBe(10_000);
    expect(Date.parse(rollout.outputs["sentAt"])).toBe(began);
  });

  test("waits for another sequence to the same agent, and for no other", async () => {
    const { stack, emulator, seed, calls } = await start();
    seed("ts_2");
    const resource = (name: string) => stack.resource("TunnelSessionCommand", name);
    await Promise.all([
      resource("updates").up(argsOf(["update"])),
      resource("stops").up(argsOf(["stop"])),
      resource("elsewhere").up(argsOf(["stop"], { sessionId: "ts_2" })),
    ]);
    const posts = calls().filter((call) => call.startsWith("POST"));
    expect(posts.sort()).toEqual([
      "POST ts_1/stop after 10 s",
      "POST ts_1/update after 0 s",
      "POST ts_2/stop after 0 s",
    ]);
    expect(emulator.account.sessions).toEqual([]);
  });

  test("with an update is not sent if the timeout is over before the agent is ready", async () => {
    const { rollout, calls } = await start();
    expect(await errorOf(rollout.up(both, { customTimeouts: { create: "9s" } }))).toBe(
      '"update", then "restart" could not be sent to tunnel session ts_1: the agent needs 10 s after an update, longer ' +
        "than customTimeouts allows. Increase the timeout.",
    );
    expect(calls()).toEqual(["GET ts_1 after 0 s"]);
    expect(rollout.state).toBeUndefined();
  });
});

describe("a command that the agent cannot run", () => {
  const notOnline =
    "the session is not online. An agent gets a new session id when it restarts or reconnects. Look it up with " +
    "getTunnelSessions, by credentialId, ip or metadata.";

  test("is not sent to a session that is not online", async () => {
    const { rollout, calls } = await start();
    expect(await errorOf(rollout.up(argsOf(["update", "stop"], { sessionId: "ts_2" })))).toBe(
      `"update", then "stop" could not be sent to tunnel session ts_2: ${notOnline}`,
    );
    expect(calls()).toEqual(["GET ts_2 after 0 s"]);
    expect(rollout.state).toBeUndefined();
  });

  test.each(["update", "restart"])("fails as not online if the session ends before the %s", async (command) => {
    const { rollout, fail } = await start();
    fail(command, rejected("gone", 404));
    expect(await errorOf(rollout.up(argsOf([command])))).toBe(
      `"${command}" could not be sent to tunnel session ts_1: ${notOnline}`,
    );
  });

  test("fails with the fix if it is a restart on Windows, where a stop works", async () => {
    const { rollout, calls } = await start({}, "Microsoft Windows");
    expect(await errorOf(rollout.up(both))).toMatch(
      /: the agent runs on Windows, where it cannot restart itself\. Use "stop" if a service manager starts it again/,
    );
    expect(calls()).toEqual(["GET ts_1 after 0 s"]);
    await rollout.up(argsOf(["stop"]));
  });

  const installed = 'Its new version is already installed. Remove "update" from commands and use "restart".';
  const wait = "Wait until the update has finished, then run `pulumi up` again.";
  const allow = 'Allow update checks in the agent\'s configuration, or remove "update" from commands.';
  const none = 'Remove "update" from commands. A new major version can only be installed by hand.';

  test.each([
    ["It is already updated.", installed],
    ["It has updated and has not been restarted.", installed],
    ["It is currently updating.", wait],
    ["An update is already in progress.", wait],
    ["It has disabled automatic updates.", allow],
    ["Update checks are disabled.", allow],
    ["There is no newer version.", none],
    ["An update is not available.", none],
    ["It is up-to-date.", none],
    ["It is disabled.", undefined],
  ])("fails with the fix if an update is rejected: %s", async (msg, fix) => {
    const { rollout, fail, calls } = await start();
    fail("update", rejected(msg));
    const message = `"update" could not be sent to tunnel session ts_1: POST /tunnel_sessions/ts_1/update returned 400: ${msg}`;
    expect(await errorOf(rollout.up(argsOf(["update"])))).toBe(fix === undefined ? message : `${message} ${fix}`);
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/update after 0 s"]);
    expect(rollout.state).toBeUndefined();
  });

  test("fails without a lookup if a restart is rejected", async () => {
    const { rollout, fail, calls } = await start();
    fail("restart", rejected("not now"));
    expect(await errorOf(rollout.up(argsOf(["restart"])))).toMatch(/: POST \S+ returned 400: not now\.$/);
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/restart after 0 s"]);
  });
});

describe("an update whose response was lost", () => {
  test.each([
    ["was not executed", undefined, undefined],
    ["was executed", rejected("The agent has already updated."), undefined],
    ["is being executed", rejected("The agent is currently updating."), undefined],
    ["was rejected", rejected("Updates are disabled."), /Updates are disabled\. Allow update checks/],
    ["is rejected for an unknown reason", rejected("not now"), /returned 400: not now\. The next `pulumi up` sends/],
  ])("is sent again when the agent is ready; the first %s", async (_, response, error) => {
    const { rollout, fail, calls } = await start();
    fail("update", lost);
    if (response) fail("update", response);
    if (error) {
      expect(await errorOf(rollout.up(argsOf(["update"])))).toMatch(error);
      expect(rollout.state!.outputs).toMatchObject({ __failure: "failed" });
    } else await rollout.up(argsOf(["update"]));
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/update after 0 s", "POST ts_1/update after 10 s"]);
  });

  test("is sent again by the next `pulumi up` if the second is lost, too", async () => {
    const { next, rollout, fail, calls, versions } = await start();
    fail("update", { ...lost, processed: true, times: 2 });
    expect(await errorOf(rollout.up(both))).toMatch(
      /^"update", then "restart" could not be sent .* returned 503 .* The next `pulumi up` sends "update", then "restart" again\.$/,
    );
    expect(rollout.state!.outputs).toMatchObject({ ...both, sentAt: isoTime, __failure: "failed" });
    next();
    expect(await rollout.up(both)).toBe("update");
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/update after 0 s", "POST ts_1/restart after 10 s"]);
    expect(versions()).toEqual(["3.6.0"]);
    expect(rollout.state!.outputs).not.toHaveProperty("__failure");
  });
});

describe("a restart whose response was lost", () => {
  const restart = argsOf(["restart"]);

  test("has worked if the session is gone", async () => {
    const { stack, rollout, fail, calls } = await start();
    fail("restart", { resetAfter: true });
    await rollout.up(restart);
    expect(calls()).toEqual(["GET ts_1 after 0 s", "POST ts_1/restart after 0 s", "GET ts_1 after 0 s"]);
    expect(stack.statuses).toEqual([]);
  });

  test("has worked if the session ends within a few seconds", async () => {
    let lookups = 0;
    const { stack, rollout, fail, calls } = await start({}, "linux", {
      onRequest: (_, emulator) => {
        if (++lookups === 3) emulator.api("POST", "/tunnel_sessions/ts_1/restart", {});
      },
    });
    fail("restart", lost);
    await rollout.up(restart);
    expect(calls().slice(2)).toEqual(["GET ts_1 after 0 s", "GET ts_1 after 0.5 s", "GET ts_1 after 1 s"]);
    expect(stack.statuses[0]).toContain("The response was lost. Checking for a few seconds");
  });

  test.each([
    ["stays online", undefined],
    ["cannot be read", rejected("not allowed", 403)],
  ])("may have worked if the session %s", async (_, reading) => {
    const { emulator, rollout, fail, calls } = await start();
    fail("restart", lost);
    if (reading) emulator.fail({ method: "GET", skip: 1, times: Number.POSITIVE_INFINITY, ...reading });
    expect(await errorOf(rollout.up(restart))).toMatch(
      / returned 503 .* It may have run\. The next `pulumi up` checks, and sends "restart" again if needed\.$/,
    );
    expect(rollout.state!.outputs).toMatchObject({ __failure: "lost" });
    expect(calls().at(-1)).toBe("GET ts_1 after 9.5 s");
  });

  test("is looked up until the timeout", async () => {
    const { rollout, fail, calls } = await start();
    fail("restart", lost);
    expect(await errorOf(rollout.up(restart, { customTimeouts: { create: "3s" } }))).toMatch(/ It may have run\./);
    expect(calls().at(-1)).toBe("GET ts_1 after 2.5 s");
  });

  test("is in the state if the deployment is cancelled before its outcome is known", async () => {
    const { stack, rollout, fail } = await start();
    fail("restart", lost);
    const running = errorOf(rollout.up(restart));
    await new Clock(time).sleep(1_000);
    stack.provider.cancel!();
    await running;
    expect(rollout.state!.outputs).toMatchObject({ __failure: "lost" });
  });

  /** A restart that was lost in an earlier deployment, and has not ended the session within its seconds. */
  async function startLost() {
    const started = await start();
    started.fail("restart", lost);
    expect(await errorOf(started.rollout.up(both))).toMatch(
      /^"restart" could not be sent .* It may have run\. The next `pulumi up` checks, and sends "update", then "restart" again if needed\.$/,
    );
    expect(started.rollout.state!.outputs).toMatchObject({ __failure: "lost" });
    started.next();
    return started;
  }

  test("is sent again with its sequence if the session is still online", async () => {
    const { rollout, calls, versions } = await startLost();
    await rollout.up(both);
    expect(calls()).toEqual([
      "GET ts_1 after 0 s",
      "GET ts_1 after 0 s",
      "POST ts_1/update after 0 s",
      "POST ts_1/restart after 10 s",
    ]);
    expect(versions()).toEqual(["3.6.0"]);
  });

  test.each(["ts_1", "ts_2"])("has worked if the session has ended, also with the id %s", async (sessionId) => {
    const { emulator, seed, rollout, calls } = await startLost();
    emulator.api("POST", "/tunnel_sessions/ts_1/stop", {});
    seed("ts_2");
    const { sentAt } = rollout.outputs;
    await rollout.up({ ...both, sessionId });
    expect(calls()).toEqual(["GET ts_1 after 0 s"]);
    expect(rollout.outputs).toEqual({ ...unsetLists("triggers"), ...both, sentAt });
    expect(rollout.state!.outputs).not.toHaveProperty("__failure");
    expect(await rollout.up({ ...both, sessionId })).toBe("same");
  });

  test("stays recorded as lost if the session ends right before the next attempt", async () => {
    const { next, emulator, seed, rollout, fail, calls } = await startLost();
    fail("update", rejected("gone", 404));
    expect(await errorOf(rollout.up(both))).toContain("not online");
    emulator.api("POST", "/tunnel_sessions/ts_1/stop", {});
    seed("ts_2");
    next();
    await rollout.up({ ...both, sessionId: "ts_2" });
    expect(calls()).toEqual(["GET ts_1 after 0 s"]);
  });

  test("does not count as the restart for other triggers", async () => {
    const { emulator, seed, rollout, calls } = await startLost();
    emulator.api("POST", "/tunnel_sessions/ts_1/stop", {});
    seed("ts_2");
    await rollout.up({ ...both, sessionId: "ts_2", triggers: [1] });
    expect(calls()).toEqual(["GET ts_2 after 0 s", "POST ts_2/update after 0 s", "POST ts_2/restart after 10 s"]);
  });
});

describe("a sequence that failed", () => {
  async function startFailed() {
    const started = await start();
    started.fail("restart", rejected("not now"));
    expect(await errorOf(started.rollout.up(both))).toMatch(
      /^"restart" could not be sent to tunnel session ts_1: .* not now\. The next `pulumi up` sends "update", then "restart" again\.$/,
    );
    expect(started.rollout.state).toMatchObject({ hasInitErrors: true, outputs: { ...both, __failure: "failed" } });
    return started;
  }
  const again = ["GET ts_1 after 0 s", "POST ts_1/update after 0 s", "POST ts_1/restart after 10 s"];

  test("starts over, and an agent that is updated already is no error", async () => {
    const { next, stack, rollout, calls, versions } = await startFailed();
    const { id } = rollout.state!;
    next();
    expect((await rollout.preview(both)).step).toBe("update");
    expect(stack.said).toEqual([
      'TunnelSessionCommand "rollout": "update", then "restart" will be sent to session ts_1 again, because the last attempt failed.',
    ]);
    expect(await rollout.up(both)).toBe("update");
    expect(calls()).toEqual(again);
    expect(versions()).toEqual(["3.6.0"]);
    expect(rollout.state!.id).toBe(id);
    expect(rollout.state!.outputs).not.toHaveProperty("__failure");
    expect(await rollout.up(both)).toBe("same");
  });

  test("starts over after a refresh, which clears the failure of the engine only", async () => {
    const { next, rollout, calls } = await startFailed();
    expect(await rollout.refresh()).toBe("same");
    next();
    expect(await rollout.up(both)).toBe("update");
    expect(calls()).toEqual(again);
  });

  test.each([
    ["other triggers", { triggers: [1] }],
    ["other commands", { commands: ["update", "stop"] }],
    ["another session of the agent", {}],
  ])("tolerates the update that the agent has, with %s, too", async (_, more) => {
    const { next, emulator, seed, rollout, fail, calls } = await startFailed();
    seed("ts_2");
    fail("update", rejected("The agent has already updated."));
    next();
    await rollout.up({ ...both, sessionId: "ts_2", ...more });
    expect(calls().slice(0, 2)).toEqual(["GET ts_2 after 0 s", "POST ts_2/update after 0 s"]);
    expect(emulator.account.sessions.map(({ id }) => id)).not.toContain("ts_2");
  });

  test("stays failed if nothing can be sent", async () => {
    const { next, emulator, rollout, fail } = await startFailed();
    next();
    expect(await errorOf(rollout.up({ ...both, sessionId: "ts_gone" }))).toContain("not online");
    expect(rollout.state!.outputs).toMatchObject({ sessionId: "ts_1", __failure: "failed" });
    fail("restart", rejected("not now"));
    expect(await errorOf(rollout.up(both))).toContain("not now");
    expect(rollout.state!.outputs).toMatchObject({ __failure: "failed" });
    await rollout.up(both);
    expect(emulator.account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
  });

  test("is not taken for another one that could not be sent either", async () => {
    const { next, emulator, seed, rollout, fail } = await start();
    fail("restart", lost);
    await errorOf(rollout.up(both));
    emulator.api("POST", "/tunnel_sessions/ts_1/stop", {});
    next();
    emulator.fail({ method: "GET", status: 403 });
    const other = { ...both, triggers: [1] };
    expect(await errorOf(rollout.up(other))).toContain("403");
    seed("ts_2");
    next();
    await rollout.up({ ...other, sessionId: "ts_2" });
    expect(rollout.outputs).toMatchObject({ sessionId: "ts_2", triggers: [1] });
  });

  test("is sent from its first command if an earlier one was complete", async () => {
    const { next, seed, rollout, fail, calls } = await start();
    await rollout.up(argsOf(["stop"]));
    seed("ts_1");
    fail("restart", rejected("not now"));
    await errorOf(rollout.up(both));
    next();
    await rollout.up(both);
    expect(calls()).toEqual(again);
  });

  test("starts over in the retry of an onError hook, and stays recorded if that fails", async () => {
    const { next, rollout, fail, calls } = await startFailed();
    /** The engine has forgotten what the failed attempt returned. */
    const retry = async () => {
      rollout.state = undefined;
      await rollout.create(await rollout.check(both));
    };
    fail("restart", rejected("not now"));
    expect(await errorOf(retry())).toContain("not now");
    expect(rollout.state!.outputs).toMatchObject({ __failure: "failed" });
    await retry();
    next();
    expect(await rollout.up(both)).toBe("same");
    expect(calls()).toEqual([]);
  });
});

describe("a preview", () => {
  test.each<[string, Properties, string[]]>([
    ["the same", {}, []],
    ["another session", { sessionId: "ts_2" }, []],
    ["other triggers", { triggers: [2] }, ['"update", then "restart" will be sent to session ts_1.']],
    ["other commands", { commands: ["stop"] }, ['"stop" will be sent to session ts_1.']],
    ["commands that are not known yet", { commands: unknown }, []],
    ["other triggers, and a session that is not known yet", { triggers: [2], sessionId: unknown }, []],
  ])("names the commands that will be sent: %s", async (_, more, messages) => {
    const { next, stack, rollout } = await start();
    await rollout.up({ ...both, triggers: [1] });
    next();
    await rollout.preview({ ...both, triggers: [1], ...more });
    expect(stack.said).toEqual(messages.map((message) => `TunnelSessionCommand "rollout": ${message}`));
  });

  test("informs that a lost restart may have taken effect, unless triggers change", async () => {
    const { next, stack, rollout, fail } = await start();
    fail("restart", lost);
    await errorOf(rollout.up(both));
    next();
    await rollout.preview({ ...both, sessionId: "ts_2" });
    await rollout.preview({ ...both, triggers: [1] });
    expect(stack.said).toEqual([
      withName(
        'will be sent to session ts_2 again, because the last attempt failed, unless "restart" has taken effect.',
      ),
      withName('"update", then "restart" will be sent to session ts_1.'),
    ]);
  });
});
