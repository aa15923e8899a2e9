import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { unknown } from "../support/engine/provider";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";

const commandArgs = (commands: string[], more: object = {}) => ({ sessionId: "ts_1", commands, ...more });

let emulator: Emulator;
let stack: Stack;
let rollout: ResourceDriver;
beforeEach(async () => {
  stack = await Stack.start();
  emulator = stack.emulator;
  rollout = stack.resource("TunnelSessionCommand");
});

const seedSession = (id = "ts_1") => emulator.seed({ sessions: [{ id, os: "linux", agent_version: "3.5.0" }] });
const listPosts = () => emulator.calls({ ids: true }).filter((call) => call.startsWith("POST"));
const post = (command: string, id = "ts_1") => `POST /tunnel_sessions/${id}/${command}`;
const reset = () => emulator.clearRequests();

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
      { sessionId: "ts_1", commands: ["stop"], trigger: [] },
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

describe("commands", () => {
  test("have an id for each resource", async () => {
    seedSession();
    const other = stack.resource("TunnelSessionCommand");
    await rollout.up(commandArgs(["update"]));
    await other.up(commandArgs(["stop"]));
    expect(rollout.state!.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(other.state!.id).not.toBe(rollout.state!.id);
  });

  test("are sent again if triggers or commands change, but not if only the session does", async () => {
    seedSession();
    seedSession("ts_2");
    const args = commandArgs(["restart"], { triggers: [1] });
    await rollout.up(args);
    const { id } = rollout.state!;
    reset();
    const moved = { ...args, sessionId: "ts_2" };
    expect((await rollout.preview(moved)).step).toBe("same");
    expect(await rollout.up(moved)).toBe("same");
    expect((await rollout.preview({ ...moved, sessionId: unknown })).step).toBe("same");
    expect(emulator.calls()).toEqual([]);
    expect(rollout.outputs.sessionId).toBe("ts_1");

    expect(await rollout.up({ ...moved, triggers: [2] })).toBe("update");
    expect(listPosts()).toEqual([post("restart", "ts_2")]);
    expect(rollout.state!.id).toBe(id);
    expect(rollout.outputs.sessionId).toBe("ts_2");

    const [last] = emulator.account.sessions;
    reset();
    expect(await rollout.up({ sessionId: last!.id, commands: ["stop"], triggers: [2] })).toBe("update");
    expect(listPosts()).toEqual([post("stop", last!.id)]);
  });

  test("do not change if an empty list of triggers is added, but if the first trigger is added or removed", async () => {
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

  test("are replaced because of replaceOnChanges", async () => {
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

  test("a proxy's 404 does not mean that the session is gone", async () => {
    seedSession();
    emulator.fail({ method: "GET", path: "/tunnel_sessions/*", status: 404, body: "<html>no such page</html>" });
    await expect(rollout.up(commandArgs(["stop"]))).rejects.toThrow(/returned 404/);
    expect(listPosts()).toEqual([]);
  });
});
