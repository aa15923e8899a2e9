import http from "node:http";
import { waitUntil } from "../support/waitUntil";
import { createHeaders, errorResponse, send, setUpEmulator } from "./support";

const emulator = setUpEmulator();

describe("a request", () => {
  test.each([
    ["no header", {}],
    ["another token", { Authorization: "Bearer nobody" }],
    ["another scheme", { Authorization: "Basic emulator-api-key" }],
    ["no token", { Authorization: "Bearer " }],
    ["a property of every object", { Authorization: "Bearer __proto__" }],
  ])("needs a valid API key: %s", async (_, authorization) => {
    const response = await fetch(`${emulator().url}/api_keys`, {
      headers: { "Service-Version": "2", ...authorization },
    });
    expect({ status: response.status, body: await response.json() }).toEqual(errorResponse(401, "UNAUTHENTICATED"));
  });

  test.each([undefined, "1", "3", ""])("needs the right version: %p", async (version) => {
    const headers = { ...createHeaders(emulator().apiKey), "Service-Version": version ?? "" };
    if (version === undefined) delete (headers as Record<string, string>)["Service-Version"];
    const response = await fetch(`${emulator().url}/api_keys`, { headers });
    expect({ status: response.status, body: await response.json() }).toEqual(
      errorResponse(400, "VERSION", "Service-Version"),
    );
  });

  test("may have a created key until it is deleted", async () => {
    const key = (await send(emulator(), "POST", "/api_keys", {})).body;
    const mine = { url: emulator().url, apiKey: key.token };
    expect((await send(mine, "GET", "/api_keys")).status).toBe(200);
    expect((await send(mine, "DELETE", `/api_keys/${key.id}`)).status).toBe(204);
    expect(await send(mine, "GET", "/api_keys")).toMatchObject(errorResponse(401, "UNAUTHENTICATED"));
  });

  test("may have the first key, of an admin, until it is deleted", async () => {
    const { keys } = (await send(emulator(), "GET", "/api_keys")).body;
    expect(keys).toHaveLength(1);
    expect(emulator().account.users).toEqual([{ id: keys[0].owner_id, admin: true }]);
    await send(emulator(), "DELETE", `/api_keys/${keys[0].id}`);
    expect((await send(emulator(), "GET", "/api_keys")).status).toBe(401);
  });
});

describe("bodies", () => {
  const post = (body: string | Buffer, type?: string) =>
    fetch(`${emulator().url}/edges/tcp`, {
      method: "POST",
      headers: { ...createHeaders(emulator().apiKey), ...(type !== undefined && { "Content-Type": type }) },
      body,
    }).then(async (response) => ({ status: response.status, body: await response.json() }));
  const json = "application/json";

  test.each([
    ["another type", "{}", "text/plain", 415, "CONTENT_TYPE"],
    ["a type with the same start", "{}", "application/jsonx", 415, "CONTENT_TYPE"],
    ["not JSON", "{", json, 400, "BODY_NOT_JSON"],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), json, 400, "BODY_NOT_JSON"],
    ["nothing", "", json, 400, "BODY_NOT_OBJECT"],
    ["null", "null", json, 400, "BODY_NOT_OBJECT"],
    ["a list", "[]", json, 400, "BODY_NOT_OBJECT"],
    ["a string", '"{}"', json, 400, "BODY_NOT_OBJECT"],
    ["too large", JSON.stringify({ metadata: "x".repeat(1024 * 1024) }), json, 413, "BODY_TOO_LARGE"],
  ])("are rejected: %s", async (_, body, type, status, code) => {
    expect(await post(body, type)).toEqual(errorResponse(status, code));
    expect(emulator().account.tcpEdges).toEqual([]);
  });

  test("are accepted with a charset", async () => {
    expect((await post("{}", "application/json; charset=utf-8")).status).toBe(201);
  });

  test("have no effect if they are incomplete", async () => {
    const headers = { ...createHeaders(emulator().apiKey), "Content-Type": json, "Content-Length": "100" };
    const request = http.request(`${emulator().url}/edges/tcp`, { method: "POST", headers });
    request.on("error", () => {}).write('{"description":');
    await waitUntil(() => emulator().requests.length > 0);
    expect(emulator().requests[0]!.status).toBe("pending");
    request.destroy();
    await waitUntil(() => emulator().requests[0]!.status !== "pending");
    expect(emulator().requests[0]).toMatchObject({ status: "aborted", processed: false });
    expect(emulator().account.tcpEdges).toEqual([]);
  });

  test("are rejected if the operation has none", async () => {
    const { id } = emulator().api<{ id: string }>("POST", "/edges/tls", {});
    expect(await send(emulator(), "DELETE", `/edges/tls/${id}`, {})).toMatchObject(
      errorResponse(400, "BODY_NOT_ALLOWED"),
    );
    expect(emulator().account.tlsEdges).toHaveLength(1);
  });
});

describe("paths", () => {
  test.each([
    ["GET", "/nothing"],
    ["GET", "/edges"],
    ["GET", "/edges/tcp/"],
    ["GET", "//edges/tcp"],
    ["GET", "/edges/tcp/edgtcp_1/nothing"],
    ["GET", "/__proto__"],
    ["GET", "/edges/{}"],
  ])("are rejected if they are unknown: %s %s", async (method, path) => {
    expect(await send(emulator(), method, path)).toMatchObject(errorResponse(404, "PATH_NOT_FOUND"));
    expect(emulator().requests.at(-1)).toMatchObject({ operation: null, status: 404 });
  });

  test.each([
    ["PUT", "/edges/tcp", "POST, GET"],
    ["POST", "/edges/tcp/edgtcp_1", "GET, PATCH, DELETE"],
    ["PATCH", "/edges/tcp/edgtcp_1/ip_restriction", "PUT, GET, DELETE"],
    ["GET", "/tunnel_sessions/ts_1/stop", "POST"],
    ["DELETE", "/tunnels/tn_1", "GET"],
  ])("reject methods that they do not have: %s %s", async (method, path, allow) => {
    const response = await send(emulator(), method, path, method === "DELETE" || method === "GET" ? undefined : {});
    expect(response).toMatchObject(errorResponse(405, "METHOD_NOT_ALLOWED", method));
    expect(response.headers.get("allow")).toBe(allow);
  });

  test("may have a percent-encoded id", async () => {
    emulator().seed({ tcpEdges: [{ id: "edgtcp_a b" }] });
    expect((await send(emulator(), "GET", "/edges/tcp/edgtcp_a%20b")).body.uri).toBe(
      `${emulator().url}/edges/tcp/edgtcp_a%20b`,
    );
    expect((await send(emulator(), "GET", "/edges/tcp/%")).status).toBe(404);
  });

  test("reject unknown query parameters", async () => {
    for (const path of ["/edges/tcp?page=2", "/edges/tcp/edgtcp_1?limit=1"]) {
      expect(await send(emulator(), "GET", path)).toMatchObject(
        errorResponse(400, "UNKNOWN_QUERY", /"(?:page|limit)"/),
      );
    }
  });

  test("are returned with the host of the request", async () => {
    const localhost = emulator().url.replace("127.0.0.1", "localhost");
    const { uri } = (await send({ url: localhost, apiKey: emulator().apiKey }, "GET", "/edges/tcp")).body;
    expect(uri).toBe(`${localhost}/edges/tcp`);
  });
});

describe("a base path", () => {
  const elsewhere = setUpEmulator({ basePath: "/api/v2" });

  test("is part of the base URL and of every URL in responses", async () => {
    expect(elsewhere().url).toMatch(/:\d+\/api\/v2$/);
    const { uri } = (await send(elsewhere(), "POST", "/edges/tcp", {})).body;
    expect(uri.startsWith(`${elsewhere().url}/edges/tcp/`)).toBe(true);
    expect((await send(elsewhere(), "GET", uri)).status).toBe(200);
    expect(await send(elsewhere(), "GET", uri.replace("/api/v2", ""))).toMatchObject(
      errorResponse(404, "PATH_NOT_FOUND"),
    );
    expect(elsewhere().calls()[0]).toBe("POST /edges/tcp");
  });
});
