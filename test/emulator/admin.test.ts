import http from "node:http";
import os from "node:os";
import { startEmulator } from "../../src/emulator";
import { testIf } from "../support/testIf";
import { waitUntil } from "../support/waitUntil";
import { send, setUpEmulator } from "./support";

const emulator = setUpEmulator();
const admin = (method: string, path: string, body?: unknown) =>
  fetch(emulator().url + path, {
    method,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

/** Sends a request with headers that fetch does not allow. */
const getStatus = (path: string, headers: http.OutgoingHttpHeaders, method = "GET", url = emulator().url, body = "") =>
  new Promise<number>((resolve, reject) => {
    http
      .request(url + path, { method, headers, agent: false }, (response) => {
        response.destroy();
        resolve(response.statusCode!);
      })
      .on("error", reject)
      .end(body);
  });

const secrets = {
  httpsEdges: [
    {
      id: "edghts_1",
      routes: [
        {
          id: "edghtsrt_1",
          oidc: { client_id: "app", client_secret: "hush-oidc" },
          request_headers: { add: { Authorization: "hush-authorization", "X-Api-Key": "hush-header" } },
        },
      ],
    },
  ],
};

test("the log contains neither secrets nor admin requests", async () => {
  emulator().seed(secrets);
  const { body } = await send(emulator(), "POST", "/api_keys", { description: "d" });
  await send(emulator(), "PUT", "/edges/https/edghts_1/routes/edghtsrt_1/oidc", { client_secret: "hush-put" });
  await send(emulator(), "PUT", "/edges/https/edghts_1/routes/edghtsrt_1/oidc", '{"client_secret":"hush-broken"');
  const text = await (await admin("GET", "/_emulator/requests")).text();
  expect(JSON.parse(text)).toMatchObject([
    { method: "POST", path: "/api_keys", status: 201, body: { description: "d" } },
    { method: "PUT", body: { client_secret: "********" } },
    { status: 400, body: expect.stringContaining("not JSON") },
  ]);
  expect(text).not.toMatch(new RegExp(`hush-|${emulator().apiKey}|${body.token}`));
  expect(emulator().requests).toHaveLength(3);

  expect((await admin("DELETE", "/_emulator/requests")).status).toBe(204);
  expect(emulator().requests).toEqual([]);
});

test("the account contains no secrets", async () => {
  emulator().seed(secrets);
  const text = await (await admin("GET", "/_emulator/account")).text();
  expect(text).not.toMatch(/hush-/);
  expect(JSON.parse(text)).toMatchObject({
    apiKeys: [{ token: null }],
    httpsEdges: [
      {
        routes: [
          {
            oidc: { client_id: "app", client_secret: "********" },
            request_headers: { add: { "X-Api-Key": "********" } },
          },
        ],
      },
    ],
  });
});

test("faults can be injected, listed and deleted", async () => {
  const injected = await (
    await admin("POST", "/_emulator/faults", { path: "/tunnels", status: 503, times: "Infinity" })
  ).json();
  expect(injected).toEqual({
    id: expect.any(Number),
    hits: 0,
    fault: { path: "/tunnels", status: 503, times: "Infinity" },
  });
  expect((await send(emulator(), "GET", "/tunnels")).status).toBe(503);
  expect(await (await admin("GET", "/_emulator/faults")).json()).toEqual([{ ...(injected as object), hits: 1 }]);
  expect((await admin("DELETE", `/_emulator/faults/${(injected as { id: number }).id}`)).status).toBe(204);
  expect((await send(emulator(), "GET", "/tunnels")).status).toBe(200);
  emulator().fail({ status: 500 });
  await admin("DELETE", "/_emulator/faults");
  expect((await send(emulator(), "GET", "/tunnels")).status).toBe(200);
});

test.each([
  [{ times: -1 }, '"times"'],
  [{ status: 99 }, '"status"'],
  [{ path: 5 }, '"path"'],
  [{ hang: "x" }, '"hang"'],
  [{ truncate: 1 }, '"truncate"'],
  [{ resetAfter: "yes" }, '"resetAfter"'],
  [{ headers: { a: 1 } }, '"headers"'],
  [{ body: null }, '"body"'],
  [{ oops: 1 }, '"oops"'],
  [[], "JSON object"],
])("the fault %j is rejected", async (fault, message) => {
  const response = await admin("POST", "/_emulator/faults", fault);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringContaining(message) });
});

test("the account can be seeded and reset", async () => {
  const response = await admin("POST", "/_emulator/seed", { sessions: [{ id: "ts_1" }] });
  expect(await response.json()).toMatchObject({ sessions: [{ id: "ts_1" }] });
  const rejected = await admin("POST", "/_emulator/seed", { sessions: [{ id: "x" }] });
  expect([rejected.status, await rejected.json()]).toEqual([
    400,
    { error: expect.stringContaining('"sessions[0].id"') },
  ]);
  expect((await admin("POST", "/_emulator/reset")).status).toBe(204);
  expect(emulator().account.sessions).toEqual([]);
});

test("the event stream has requests and other changes", async () => {
  const controller = new AbortController();
  const stream = await fetch(`${emulator().url}/_emulator/events`, { signal: controller.signal });
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  let text = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body!) text += decoder.decode(chunk as Uint8Array, { stream: true });
  })();
  await send(emulator(), "POST", "/api_keys", { description: "m" });
  emulator().seed({ sessions: [{}] });
  await waitUntil(() => text.includes("event: account"));
  controller.abort();
  await expect(reading).rejects.toThrow("abort");
  const event = text.split("\n\n").find((each) => each.startsWith("event: request"))!;
  expect(JSON.parse(event.split("data: ")[1]!)).toMatchObject({
    path: "/api_keys",
    status: 201,
    body: { description: "m" },
  });
});

test("unknown paths and methods are rejected", async () => {
  expect((await admin("GET", "/_emulator/nothing")).status).toBe(404);
  expect((await admin("GET", "/favicon.ico")).status).toBe(404);
  expect(emulator().requests).toEqual([]);
  expect((await admin("DELETE", "/_emulator/account")).status).toBe(405);
});

describe("the dashboard's own calls", () => {
  const objects = async (method: string, path: string, body?: unknown) => {
    const response = await admin(method, `/_emulator/objects${path}`, body);
    return [response.status, response.status === 204 ? undefined : await response.json()];
  };
  const route = "/edges/https/edghts_1/routes/edghtsrt_1";

  test("read an object as a body that changes nothing, change and delete it", async () => {
    emulator().seed({ tcpEdges: [{ id: "edgtcp_1", description: "d", metadata: "hush", hostports: ["a.example:1"] }] });
    const body = { description: "d", metadata: "********", hostports: ["a.example:1"] };
    expect(await objects("GET", "/edges/tcp/edgtcp_1")).toEqual([
      200,
      { ...body, backend: null, ip_restriction: null, policy: null },
    ]);
    expect(await objects("PATCH", "/edges/tcp/edgtcp_1", { ...body, description: "changed" })).toEqual([
      200,
      expect.objectContaining({ description: "changed", metadata: "********" }),
    ]);
    expect(emulator().account.tcpEdges).toMatchObject([{ description: "changed", metadata: "hush" }]);
    expect(await objects("PATCH", "/edges/tcp/edgtcp_1", { policy: null })).toEqual([
      400,
      { error: expect.stringContaining('"policy" cannot be removed by an update') },
    ]);
    expect(await objects("DELETE", "/edges/tcp/edgtcp_1")).toEqual([204, undefined]);
    expect(await objects("DELETE", "/edges/tcp/edgtcp_1")).toEqual([404, { error: expect.any(String) }]);
    expect(emulator().requests).toEqual([]);
  });

  test("change a module and keep its secrets", async () => {
    emulator().seed(secrets);
    expect(await objects("GET", `${route}/request_headers`)).toEqual([
      200,
      { enabled: true, add: { Authorization: "********", "X-Api-Key": "********" }, remove: [] },
    ]);
    const changed = { add: { "X-Api-Key": "********", "X-New": "new" }, remove: ["Cookie"] };
    expect((await objects("PUT", `${route}/request_headers`, changed))[0]).toBe(200);
    expect(emulator().account.httpsEdges[0]!.routes[0]!.request_headers).toEqual({
      enabled: true,
      add: { "X-Api-Key": "hush-header", "X-New": "new" },
      remove: ["Cookie"],
    });
    expect(await objects("DELETE", `${route}/oidc`)).toEqual([204, undefined]);
    expect(await objects("GET", `${route}/oidc`)).toEqual([200, null]);
    expect((await objects("PUT", "/edges/https/edghts_1/tls_termination", { min_version: "1.3" }))[0]).toBe(200);
    const [, termination] = await objects("GET", "/edges/https/edghts_1/tls_termination");
    expect((await objects("PUT", "/edges/https/edghts_1/tls_termination", termination))[0]).toBe(200);
  });

  test("reject other operations and objects that do not exist", async () => {
    expect((await objects("GET", "/tunnels"))[0]).toBe(404);
    expect((await objects("POST", "/edges/tcp", {}))[0]).toBe(404);
    expect((await objects("GET", "/edges/tcp/edgtcp_none"))[0]).toBe(404);
    expect((await objects("PATCH", "/edges/tcp/edgtcp_none", {}))[0]).toBe(404);
  });
});

describe("pages of other sites", () => {
  const own = () => `127.0.0.1:${emulator().port}`;
  const paths = ["/", "/_emulator/account", "/_emulator/events", "/_emulator/objects/edges/tcp/edgtcp_1"];
  beforeEach(() => {
    emulator().seed({ tcpEdges: [{ id: "edgtcp_1" }] });
  });

  test.each(paths)("cannot read %s by DNS rebinding", async (path) => {
    const { port } = emulator();
    const others = [`rebound.example.com:${port}`, `localhost.example.com:${port}`, `127.0.0.1.example.com:${port}`];
    for (const host of [...others, "::::", "localhost", `localhost:${port + 1}`, `192.0.2.1:${port}`])
      expect([host, await getStatus(path, { Host: host })]).toEqual([host, 403]);
    for (const host of [own(), `localhost:${port}`, `[::1]:${port}`])
      expect([host, await getStatus(path, { Host: host })]).toEqual([host, 200]);
  });

  test("cannot use the API by DNS rebinding, unless its name is allowed", async () => {
    const other = await startEmulator({ allowedHosts: ["Edge.example.com"] });
    const headers = { Authorization: `Bearer ${other.apiKey}`, "Service-Version": "2" };
    const status = (Host: string) => getStatus("/edges/tcp", { ...headers, Host }, "GET", other.url);
    for (const host of [
      "rebound.example.com",
      `127.0.0.1.example.com:${other.port}`,
      "192.0.2.1",
      "::::",
      "localhost.",
    ])
      expect([host, await status(host)]).toEqual([host, 421]);
    // A proxy forwards another port.
    for (const host of ["localhost", `127.0.0.1:${other.port}`, "127.1.2.3:1", "[::1]", "edge.example.com:443"])
      expect([host, await status(host)]).toEqual([host, 200]);
    await other.close();
    const open = await startEmulator({ host: "0.0.0.0" });
    expect(await getStatus("/edges/tcp", { ...headers, Host: "container" }, "GET", open.url)).toBe(200);
    await open.close();
  });

  test("cannot send requests", async () => {
    const path = "/_emulator/account";
    for (const origin of [
      "https://other.example.com",
      "null",
      `https://${own()}`,
      `http://localhost:${emulator().port}`,
    ])
      expect([origin, await getStatus(path, { Host: own(), Origin: origin })]).toEqual([origin, 403]);
    expect(await getStatus(path, { Host: own(), Origin: `http://${own()}` })).toBe(200);
    expect((await admin("GET", path)).headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  test.each([
    ["POST", "/_emulator/seed"],
    ["POST", "/_emulator/reset"],
    ["POST", "/_emulator/faults"],
    ["PATCH", "/_emulator/objects/edges/tcp/edgtcp_1"],
    ["DELETE", "/_emulator/objects/edges/tcp/edgtcp_1"],
  ])("cannot send the body of a form to %s %s", async (method, path) => {
    const body = '{"description":"changed"}';
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", undefined]) {
      const headers = { Host: own(), "Content-Length": body.length, ...(type && { "Content-Type": type }) };
      expect(await getStatus(path, headers, method, undefined, body)).toBe(415);
    }
    expect(emulator().account.tcpEdges).toMatchObject([{ id: "edgtcp_1", description: "" }]);
  });
});

const address = Object.values(os.networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

const testWithAddress = testIf(address, "this machine has no address besides the loopback one.");

testWithAddress("--host 0.0.0.0 also serves the machine's other addresses to the machine", async () => {
  const other = await startEmulator({ host: "0.0.0.0" });
  const url = `http://${address}:${other.port}`;
  expect(await getStatus("/_emulator/account", {}, "GET", url)).toBe(200);
  expect(await getStatus("/_emulator/account", { Origin: url }, "GET", url)).toBe(200);
  expect(await getStatus("/_emulator/account", { Host: `rebound.example.com:${other.port}` }, "GET", url)).toBe(403);
  expect(await getStatus("/_emulator/account", {}, "GET", other.url)).toBe(200);
  await other.close();
});

test("the dashboard runs only its own script and contains no data", async () => {
  emulator().seed(secrets);
  const response = await admin("GET", "/");
  const html = await response.text();
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = response.headers.get("content-security-policy")!;
  const nonce = /script-src 'nonce-([^']+)'/.exec(policy)![1]!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
  expect(html.match(/<(?:script|style)[^>]*>/g)).toEqual([`<style nonce="${nonce}">`, `<script nonce="${nonce}">`]);
  expect((await admin("GET", "/")).headers.get("content-security-policy")).not.toContain(nonce);
  // The script inserts all data as text.
  expect(html).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|\son\w+="/);
  expect(html).not.toMatch(new RegExp(`hush-|${emulator().apiKey}`));
  expect(html).toMatch(/<html lang="en">/);
  const script = /<script[^>]*>([\s\S]*)<\/script>/.exec(html)![1]!;
  expect(() => new Function(script)).not.toThrow();
});
