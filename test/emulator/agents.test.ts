import type { AgentSeed } from "../../src/emulator";
import { errorResponse, send, setUpEmulator } from "./support";

let now = Date.UTC(2024, 0, 1);
const emulator = setUpEmulator({ clock: () => now, updateMs: 2000 });
const scaled = setUpEmulator({ clock: () => now, timeScale: 0.01 });

const command = (name: string, body: unknown = {}, id = "ts_1") =>
  send(emulator(), "POST", `/tunnel_sessions/${id}/${name}`, body);
const sessions = async () => (await send(emulator(), "GET", "/tunnel_sessions")).body.tunnel_sessions;

const seed = (agent: AgentSeed = {}, os = "linux") =>
  emulator().seed({
    sessions: [
      { id: "ts_1", agent_version: "3.5.1", credential_id: "cr_1", ip: "192.0.2.7", metadata: "box", os, agent },
    ],
    tunnels: [
      { id: "tn_1", proto: "tcp", public_url: "tcp://1.example.com:1" },
      { id: "tn_2", labels: { a: "b" } },
    ],
  });

describe.each(["restart", "stop", "update"])("%s", (name) => {
  test("requires an empty object and a session that is online", async () => {
    seed();
    expect(await command(name, { force: true })).toMatchObject(errorResponse(400, "UNKNOWN_FIELD", "force"));
    for (const body of ["null", "[]", '""', "0"])
      expect(await command(name, body)).toMatchObject(errorResponse(400, "BODY_NOT_OBJECT"));
    expect(await command(name, "{")).toMatchObject(errorResponse(400, "BODY_NOT_JSON"));
    expect(await command(name, {}, "ts_0")).toMatchObject(errorResponse(404, "NOT_FOUND", "ts_0"));
    expect(await command(name)).toMatchObject({ status: 204, body: undefined });
  });

  test.each([
    ["no body", undefined],
    ["an empty body", ""],
  ])("accepts %s", async (_, body) => {
    seed();
    const path = `/tunnel_sessions/ts_1/${name}`;
    expect(await send(emulator(), "POST", path, body)).toMatchObject({ status: 204, body: undefined });
  });
});

test("restart: the agent has a new session with new tunnels", async () => {
  const other = emulator().seed({ sessions: [{ id: "ts_0" }], tunnels: [{ id: "tn_0" }] });
  const [before] = seed().sessions;
  now += 5000;
  await command("restart");
  const [after, ...others] = await sessions();
  expect(after.id).toMatch(/^ts_\w{27}$/);
  expect(after).toEqual({
    ...before,
    id: after.id,
    uri: `${emulator().url}/tunnel_sessions/${after.id}`,
    started_at: new Date(now).toISOString().replace(".000", ""),
  });
  expect(others).toEqual(other.sessions);
  expect((await send(emulator(), "GET", "/tunnel_sessions/ts_1")).status).toBe(404);

  const { tunnels } = (await send(emulator(), "GET", "/tunnels")).body;
  expect(tunnels).toHaveLength(3);
  expect(tunnels.slice(0, 2)).toMatchObject([
    { labels: { a: "b" }, tunnel_session: { id: after.id } },
    { public_url: "tcp://1.example.com:1", tunnel_session: { id: after.id } },
  ]);
  expect((await send(emulator(), "GET", "/tunnels/tn_1")).status).toBe(404);
  expect((await send(emulator(), "GET", "/tunnels/tn_0")).status).toBe(200);
});

test.each(["windows", "Windows Server 2022"])("restart is not supported on %s", async (os) => {
  seed({}, os);
  expect(await command("restart")).toMatchObject(errorResponse(400, "RESTART_WINDOWS", "Windows"));
  expect((await command("stop")).status).toBe(204);
});

test("stop: the session and its tunnels are no longer online", async () => {
  emulator().seed({ sessions: [{ id: "ts_0" }], tunnels: [{ id: "tn_0" }] });
  seed();
  await command("stop");
  expect(await sessions()).toMatchObject([{ id: "ts_0" }]);
  expect((await send(emulator(), "GET", "/tunnels")).body.tunnels).toMatchObject([{ id: "tn_0" }]);
  expect((await command("stop")).status).toBe(404);
});

test.each<[AgentSeed, string]>([
  [{ updateAvailable: false }, "UPDATE_NOT_AVAILABLE"],
  [{ latestVersion: "4.0.0" }, "UPDATE_NOT_AVAILABLE"],
  [{ latestVersion: "3.5.1" }, "UPDATE_NOT_AVAILABLE"],
  [{ updatesDisabled: true }, "UPDATE_DISABLED"],
  [{ updating: true }, "UPDATE_RUNNING"],
  [{ updated: true }, "UPDATE_DONE"],
])("update fails with %j", async (agent, code) => {
  seed(agent);
  expect(await command("update")).toMatchObject(errorResponse(400, code));
});

test("update, wait, restart: the agent has the new version", async () => {
  seed({ latestVersion: "3.9.0" });
  expect((await command("update")).status).toBe(204);
  expect(await command("update")).toMatchObject(errorResponse(400, "UPDATE_RUNNING"));
  now += 2000;
  expect(await command("update")).toMatchObject(errorResponse(400, "UPDATE_DONE"));
  expect((await sessions())[0].agent_version).toBe("3.5.1");
  now += 10_000;
  await command("restart");
  const [session] = await sessions();
  expect(session.agent_version).toBe("3.9.0");
  expect(await command("update", {}, session.id)).toMatchObject(errorResponse(400, "UPDATE_NOT_AVAILABLE"));
});

test("update, restart too soon: the agent has the old version and can be updated again", async () => {
  seed();
  await command("update");
  now += 11_999;
  await command("restart");
  const [session] = await sessions();
  expect(session.agent_version).toBe("3.5.1");
  expect((await command("update", {}, session.id)).status).toBe(204);
});

test("the time scale shortens the wait", async () => {
  scaled().seed({ sessions: [{ id: "ts_1", agent_version: "3.5.1" }] });
  scaled().api("POST", "/tunnel_sessions/ts_1/update", {});
  now += 100;
  scaled().api("POST", "/tunnel_sessions/ts_1/restart", {});
  expect(scaled().account.sessions).toMatchObject([{ agent_version: "3.6.0" }]);
});
