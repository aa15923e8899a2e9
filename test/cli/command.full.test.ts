/** Commands to agents with the real CLI. */
import { TunnelSessionCommand } from "pulumi-tunnel-edge";
import { createStack, declare, extractErrors, startService, urnOf } from "../support/cli/cliStack";
import { fastClock } from "../support/clock";

const timeScale = 0.05;
const updateGraceMs = 10_000 * timeScale;

const rollout = (sessionId: string, build: number, opts: object = {}) => {
  const args = { sessionId, commands: ["update", "restart"], triggers: [{ build }, "=pulumi.secret('hush-hush')"] };
  return declare("TunnelSessionCommand", "rollout", args, opts);
};

test("commands are sent once, start over if they failed, and are sent again only when a trigger changes", async () => {
  const emulator = await startService({ timeScale });
  const listPosts = () => emulator.calls({ ids: true }).filter((call) => call.startsWith("POST"));
  emulator.seed({ sessions: [{ id: "ts_1", os: "linux", agent_version: "3.5.0" }] });
  const { stack } = await createStack(emulator, rollout("ts_1", 1), { env: fastClock(1 / timeScale) });

  emulator.fail({
    method: "POST",
    path: "/tunnel_sessions/ts_1/restart",
    status: 400,
    body: { status_code: 400, msg: "not now" },
  });
  const failed = await stack.up({ fails: true, preview: true, args: ["--diff"] });
  expect(failed.stdout.split(/^Updating /m)[0]).toMatch(/commands\s*: \[\s*\[0\]: "update"\s*\[1\]: "restart"/);
  expect(extractErrors(failed)).toEqual([
    '"restart" could not be sent to tunnel session ts_1: POST /tunnel_sessions/ts_1/restart returned 400: not now. ' +
      'The next `pulumi up` sends "update", then "restart" again.',
  ]);
  expect(listPosts()).toEqual(["POST /tunnel_sessions/ts_1/update", "POST /tunnel_sessions/ts_1/restart"]);
  const [updated, restarted] = emulator.requests.filter(({ method }) => method === "POST");
  expect(Date.parse(restarted!.time) - Date.parse(updated!.time)).toBeGreaterThanOrEqual(updateGraceMs);
  expect(failed.diagnostics).toContainEqual(
    expect.objectContaining({
      ephemeral: true,
      message: expect.stringMatching(/Waiting 10 s for the update of ts_1…/),
    }),
  );

  await stack.refresh();
  emulator.clearRequests();
  const repeated = await stack.up({ preview: true });
  expect(repeated.stdout).toContain(
    '"update", then "restart" will be sent to session ts_1 again, because the last attempt failed.',
  );
  expect(repeated.steps).toMatchObject([{ op: "update" }]);
  // The agent rejects the second update, which counts as sent.
  expect(emulator.requests.map(({ status }) => status)).toEqual([200, 400, 204]);
  expect(listPosts()).toEqual(["POST /tunnel_sessions/ts_1/update", "POST /tunnel_sessions/ts_1/restart"]);
  const [session] = emulator.account.sessions;
  expect(session).toMatchObject({ agent_version: "3.6.0" });
  const command = (await stack.export()).resources!.find(({ urn }) => urn === urnOf("TunnelSessionCommand", "rollout"));
  expect(command!.outputs["sentAt"]).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(JSON.stringify(command)).not.toContain("hush-hush");

  // The agent has a new session after its restart.
  expect(session!.id).not.toBe("ts_1");
  emulator.clearRequests();
  stack.write(rollout(session!.id, 1));
  await stack.preview({ expectNoChanges: true });
  expect(emulator.calls()).toEqual([]);

  emulator.reset();
  emulator.seed({ sessions: [{ id: "ts_2", os: "linux" }] });
  stack.write(rollout("ts_2", 2));
  const again = await stack.up({ preview: true });
  expect(again.steps).toMatchObject([{ op: "update", changed: ["sessionId"] }]); // and the triggers, which are secret
  expect(again.stdout).toContain('"update", then "restart" will be sent to session ts_2.');
  expect(listPosts()).toEqual(["POST /tunnel_sessions/ts_2/update", "POST /tunnel_sessions/ts_2/restart"]);

  emulator.clearRequests();
  await stack.destroy();
  expect(emulator.calls()).toEqual([]);
});

test("a command cannot be imported or read", async () => {
  const problem = (option: string) =>
    expect.stringMatching(
      `TunnelSessionCommand "rollout": remove the option ${option}\\. Commands cannot be read or imported`,
    );
  const { stack } = await createStack(await startService(), rollout("ts_1", 1, { import: "ts_1" }));
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([problem("import")]);

  const args = { sessionId: "ts_1", commands: ["restart" as const] };
  expect(() => new TunnelSessionCommand("rollout", args, { id: "ts_1" })).toThrow(
    /TunnelSessionCommand "rollout": remove the option id\. Commands cannot be read or imported/,
  );
  expect(TunnelSessionCommand).not.toHaveProperty("get");
});

test("triggers that JSON cannot carry fail in the preview, in a message without a stack", async () => {
  const emulator = await startService();
  const source = (trigger: string) =>
    `new tunnel.TunnelSessionCommand("c", { sessionId: "ts_a", commands: ["stop"], triggers: [${trigger}] });`;
  const { stack, calls } = await createStack(emulator, source("new Date()"));
  const problem =
    'TunnelSessionCommand "c": triggers[0] is a Date, which JSON cannot carry. Pass a string, number, boolean, list or object.';
  for (const trigger of ["new Date()", "pulumi.output(1).apply(() => new Date())", "Promise.resolve(new Date())"]) {
    stack.write(source(trigger));
    expect(extractErrors(await stack.preview({ fails: true }))).toEqual([expect.stringContaining(problem)]);
  }
  expect(calls()).toEqual([]);
});
