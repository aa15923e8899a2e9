import {
  type Account,
  type Emulator,
  EmulatorError,
  type LoggedRequest,
  startEmulator,
  type TcpEdge,
} from "../../src/emulator";
import objectTypes from "../../src/emulator/objects";
import { waitUntil } from "../support/waitUntil";
import { createMinimalSeed, publicKey, send, setUpEmulator } from "./support";

const emulator = setUpEmulator();

describe("the request log", () => {
  test("contains the requests in order of arrival, with secrets", async () => {
    const { body } = await send(emulator(), "POST", "/edges/tcp", { description: "d" }, { "X-Extra": "1" });
    await send(emulator(), "PATCH", `/edges/tcp/${body.id}`, "{");
    await send(emulator(), "GET", "/edges/tcp?limit=5");
    await send(emulator(), "GET", "/nothing");
    expect(emulator().requests).toMatchObject([
      { method: "POST", path: "/edges/tcp", operation: "/edges/tcp", status: 201, body: { description: "d" } },
      { method: "PATCH", path: `/edges/tcp/${body.id}`, operation: "/edges/tcp/{id}", status: 400, body: "{" },
      { method: "GET", path: "/edges/tcp?limit=5", operation: "/edges/tcp", status: 200, processed: true },
      { method: "GET", path: "/nothing", operation: null, status: 404 },
    ]);
    const [first, second] = emulator().requests;
    expect(second!.seq).toBe(first!.seq + 1);
    expect(first!.operationId).toMatch(/^op_/);
    expect(first!.headers).toMatchObject({ "x-extra": "1", authorization: `Bearer ${emulator().apiKey}` });
    expect(first!.ms).toBeGreaterThan(0);
    expect(emulator().requests[2]).not.toHaveProperty("body");

    expect(emulator().calls()).toEqual(["POST /edges/tcp", "PATCH /edges/tcp/{id}", "GET /edges/tcp", "GET /nothing"]);
    expect(emulator().calls({ ids: true })[1]).toBe(`PATCH /edges/tcp/${body.id}`);
    emulator().clearRequests();
    expect(emulator().calls()).toEqual([]);
  });

  test("has the operation id of an error response", async () => {
    const { body } = await send(emulator(), "GET", "/edges/tcp/edgtcp_1");
    expect(emulator().requests[0]!.operationId).toBe(body.details.operation_id);
  });

  test("is limited to `keepRequests`", async () => {
    const limited = await startEmulator({ keepRequests: 10 });
    for (let count = 1; count <= 25; count++) await send(limited, "GET", `/edges/tcp/edgtcp_${count}`);
    expect(limited.requests.length).toBeLessThanOrEqual(11);
    expect(limited.requests.at(-1)!.path).toBe("/edges/tcp/edgtcp_25");
    await limited.close();
  });
});

describe("onRequest", () => {
  const seen: [string, number][] = [];
  const watched = setUpEmulator({
    onRequest: (request: LoggedRequest, self: Emulator) => {
      if (request.path.endsWith("edgtcp_bad")) throw new Error("unexpected");
      seen.push([`${request.method} ${request.operation} ${request.status}`, self.account.tcpEdges.length]);
    },
  });

  test("is called after every request that the service has processed", async () => {
    await send(watched(), "POST", "/edges/tcp", {});
    watched().fail({ status: 500 });
    await send(watched(), "POST", "/edges/tcp", {});
    watched().fail({ resetAfter: true });
    await expect(send(watched(), "POST", "/edges/tcp", {})).rejects.toThrow();
    await send(watched(), "POST", "/edges/tcp", { x: 1 });
    expect(seen).toEqual([
      ["POST /edges/tcp 201", 1],
      ["POST /edges/tcp 201", 2],
      ["POST /edges/tcp 400", 2],
    ]);
  });

  test("makes the response an error if it throws", async () => {
    const response = await send(watched(), "GET", "/edges/tcp/edgtcp_bad");
    expect(response).toMatchObject({ status: 500, body: { msg: expect.stringContaining("unexpected") } });
  });
});

describe("api", () => {
  test("executes operations as the admin, without logging them", () => {
    emulator().rateLimit = { requests: 0, windowMs: 1000 };
    const edge = emulator().api<TcpEdge>("POST", "/edges/tcp", { hostports: ["a.example.com:1"] });
    expect(edge.uri).toBe(`${emulator().url}/edges/tcp/${edge.id}`);
    expect(emulator().api("PATCH", `/edges/tcp/${edge.id}`, { description: "drift" })).toMatchObject({
      description: "drift",
    });
    expect(emulator().api("DELETE", `/edges/tcp/${edge.id}`)).toBeUndefined();
    expect(emulator().requests).toEqual([]);
  });

  test("throws the service's errors", () => {
    const attempt = () => emulator().api("GET", "/edges/tcp/edgtcp_1");
    expect(attempt).toThrow(EmulatorError);
    expect(attempt).toThrow(expect.objectContaining({ status: 404, code: "ERR_TUNNEL_NOT_FOUND" }));
  });

  test("shares no objects with the caller", () => {
    const body = { policy: { inbound: [{ actions: [{ type: "log", config: { deep: [1] } }] }] } };
    const edge = emulator().api<TcpEdge>("POST", "/edges/tcp", body);
    body.policy.inbound[0]!.actions[0]!.config.deep.push(2);
    (edge.policy!.inbound[0]!.actions[0]!.config as { deep: number[] }).deep.push(3);
    (emulator().account.tcpEdges[0] as TcpEdge).description = "mine";
    const now = emulator().api<TcpEdge>("GET", `/edges/tcp/${edge.id}`);
    expect(now.description).toBe("");
    expect(now.policy!.inbound[0]!.actions[0]!.config).toEqual({ deep: [1] });
  });
});

describe("seed", () => {
  test("generates what is not given, and returns all objects", () => {
    const kinds = Object.keys(objectTypes) as (keyof Account)[];
    const minimal = Object.fromEntries(kinds.map((kind) => [kind, [createMinimalSeed(kind, "s")]]));
    const seeded = emulator().seed({
      ...minimal,
      httpsEdges: [{ routes: [{}, {}] }],
      tunnels: [{ proto: "http", public_url: "http://a.example.com" }],
    });
    for (const [kind, { prefix }] of Object.entries(objectTypes)) {
      expect(seeded).toHaveProperty(kind, [
        expect.objectContaining({ id: expect.stringMatching(`^${prefix}\\w{27}$`) }),
      ]);
    }
    expect(seeded).toMatchObject({
      users: [{ admin: false }],
      apiKeys: [{ token: expect.any(String) }],
      httpsEdges: [{ routes: [{ id: expect.stringMatching(/^edghtsrt_/) }, {}] }],
      sessions: [{ credential: { id: expect.stringMatching(/^cr_/) } }],
      tunnels: [{ endpoint: { id: expect.stringMatching(/^ep_/) } }],
    });
    const { account } = emulator();
    expect(account.httpsEdges).toEqual(seeded.httpsEdges);
    expect(account.apiKeys[1]).toEqual({ ...seeded.apiKeys[0], token: null });
  });

  test.each([
    [{ edges: [] }, '"edges"'],
    [{ tcpEdges: {} }, '"tcpEdges"'],
    [{ tcpEdges: [{}, { id: "edgtls_1" }] }, '"tcpEdges[1].id"'],
    [{ tcpEdges: [{ id: "edgtcp_1" }, { id: "edgtcp_1" }] }, '"edgtcp_1"'],
    [{ tlsEdges: [{ ip_restriction: { ip_policy_ids: [] } }] }, '"tlsEdges[0].ip_restriction.ip_policy_ids"'],
    [{ httpsEdges: [{ routes: [{ oidc: { secret: "x" } }] }] }, '"httpsEdges[0].routes[0].oidc.secret"'],
    [{ apiKeys: [{ token: "emulator-api-key" }] }, "token"],
    [{ tunnels: [{}] }, "session"],
    [{ tunnels: [{ session_id: "ts_0" }] }, '"ts_0"'],
  ])("rejects %j and leaves the account unchanged", (seed, message) => {
    const before = emulator().account;
    const whole = { users: [{}], sshCredentials: [{ public_key: publicKey("s") }], ...seed };
    expect(() => emulator().seed(whole as never)).toThrow(message);
    expect(emulator().account).toEqual(before);
    emulator().seed({ sshCredentials: [{ public_key: publicKey("s") }] });
  });
});

test("reset restores the initial account", async () => {
  emulator().seed({ tcpEdges: [{ hostports: ["a.example.com:1"] }], sessions: [{}] });
  emulator().fail({ status: 500, times: Number.POSITIVE_INFINITY });
  emulator().rateLimit = { requests: 0, windowMs: 1000 };
  emulator().reset();
  expect(emulator().account).toMatchObject({ tcpEdges: [], sessions: [], apiKeys: [{}] });
  expect((await send(emulator(), "POST", "/edges/tls", { hostports: ["a.example.com:1"] })).status).toBe(201);
});

test("close ends open connections and delays immediately", async () => {
  const closing = await startEmulator();
  closing.fail({ delayMs: 60_000 });
  const pending = send(closing, "GET", "/tunnels");
  const rejection = expect(pending).rejects.toThrow("fetch failed");
  await waitUntil(() => closing.requests.length > 0);
  await closing.close();
  await rejection;
  expect(closing.requests[0]!.processed).toBe(false);
  await closing.close();
});
