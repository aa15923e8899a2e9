/** Commands to agents with the real CLI. */
import { createStack, declare, extractErrors, startService, urnOf } from "../support/cli/cliStack";
import { fastClock } from "../support/clock";

const timeScale = 0.05;
const updateGraceMs = 10_000 * timeScale;

const rollout = (sessionId: string, build: number) => {
  const args = { sessionId, commands: ["update", "restart"], triggers: [{ build }, "=pulumi.secret('hush-hush')"] };
  return declare("TunnelSessionCommand", "rollout", args);
};

test("a failed sequence is displayed and sent again, and then only if a trigger changes", async () => {
  const emulator = await startService({ timeScale });
  const listPosts = () => emulator.calls({ ids: true }).filter((call) => call.startsWith("POST"));
  emulator.seed({ sessions: [{ id: "ts_1", os: "linux", agent_version: "3.5.0" }] });
  const { stack } = await createStack(emulator, rollout("ts_1", 1), { env: fastClock(1 / timeScale) });

  const body = { status_code: 400, msg: "not now" };
  emulator.fail({ method: "POST", path: "/tunnel_sessions/ts_1/restart", status: 400, body });
  const failed = await stack.up({ fails: true });
  expect(extractErrors(failed)).toEqual([
    '"restart" could not be sent to tunnel session ts_1: POST /tunnel_sessions/ts_1/restart returned 400: not now. ' +
      'The next `pulumi up` sends "update", then "restart" again.',
  ]);
  const [updated, restarted] = emulator.requests.filter(({ method }) => method === "POST");
  expect(Date.parse(restarted!.time) - Date.parse(updated!.time)).toBeGreaterThanOrEqual(updateGraceMs);
  const waiting = { ephemeral: true, message: expect.stringMatching(/Waiting 10 s for the update of ts_1…/) };
  expect(failed.diagnostics).toContainEqual(expect.objectContaining(waiting));

  emulator.clearRequests();
  const repeated = await stack.up({ preview: true });
  expect(repeated.stdout).toContain(
    '"update", then "restart" will be sent to session ts_1 again, because the last attempt failed.',
  );
  expect(repeated.steps).toMatchObject([{ op: "update" }]);
  expect(listPosts()).toEqual(["POST /tunnel_sessions/ts_1/update", "POST /tunnel_sessions/ts_1/restart"]);
  const command = (await stack.export()).resources!.find(({ urn }) => urn === urnOf("TunnelSessionCommand", "rollout"));
  expect(command!.outputs["sentAt"]).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(JSON.stringify(command)).not.toContain("hush-hush");

  // The agent has a new session after its restart.
  const [session] = emulator.account.sessions;
  expect(session!.id).not.toBe("ts_1");
  stack.write(rollout(session!.id, 1));
  await stack.preview({ expectNoChanges: true });
  stack.write(rollout(session!.id, 2));
  const { steps, stdout } = await stack.preview();
  expect(steps).toMatchObject([{ op: "update", changed: ["sessionId"] }]); // and the triggers, which are secret
  expect(stdout).toContain(`"update", then "restart" will be sent to session ${session!.id}.`);

  emulator.clearRequests();
  await stack.destroy();
  expect(emulator.calls()).toEqual([]);
});

test("a trigger that JSON cannot carry, and that is known later, fails in the preview without a stack", async () => {
  const { stack, calls } = await createStack(
    await startService(),
    `const triggers = [pulumi.output(1).apply(() => new Date())];
     new tunnel.TunnelSessionCommand("c", { sessionId: "ts_a", commands: ["stop"], triggers });`,
  );
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([
    expect.stringContaining('TunnelSessionCommand "c": triggers[0] is a Date, which JSON cannot carry.'),
  ]);
  expect(calls()).toEqual([]);
});
