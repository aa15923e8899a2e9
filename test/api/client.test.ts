import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CallError } from "../../src/api/callError";
import { type CallOptions, Client, type Expected, type ListItem, maxPages } from "../../src/api/client";
import type { Route } from "../../src/api/routes";
import type { Network } from "../../src/api/transport";
import { Clock, systemTime, type Time } from "../../src/base/clock";
import { isObject } from "../../src/base/json";
import { readSettings, type Settings } from "../../src/base/settings";
import { RequestTime } from "../support/clock";

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server that sends the queued responses in turn, and repeats the last one. */
async function startServer(...handlers: Handler[]) {
  const seen: { call: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      const handler = handlers[Math.min(seen.length, handlers.length - 1)]!;
      seen.push({ call: `${request.method} ${request.url}`, headers: request.headers, body });
      handler(request, response, body);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  servers.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen };
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const status =
  (code: number, body: unknown = {}, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    void response.writeHead(code, headers).end(typeof body === "string" ? body : JSON.stringify(body));
const ok = status(200, { id: "x" });
const cutOff: Handler = (request, response) => {
  response.writeHead(200, { "content-length": "99" }).write("{", () => request.socket.destroy());
};
const unaskedContinue: Handler = (request, response, body) => {
  response.writeContinue();
  ok(request, response, body);
};
const reset: Handler = (request) => void request.socket.destroy();

const watched = { onRateLimit: jest.fn(), onWait: jest.fn(), onRequest: jest.fn() };
beforeEach(() => jest.clearAllMocks());

/** Waits until the mock is called. */
const once = (mock: jest.Mock) => new Promise<void>((called) => mock.mockImplementationOnce(() => called()));

/** The time of what waits for long; other tests have the clock's. */
const time = new RequestTime();

/** Pauses before retries are random. */
let random: () => number = Math.random;

/** The object that `ok` returns, or any other. */
const expects: Expected = { findProblem: (value) => (isObject(value) ? undefined : "something else") };

function createClient(url: string, settings: Partial<Settings> = {}, network?: Network, ownTime?: Time) {
  const read = readSettings({ "tunnel-edge:baseUrl": url, "tunnel-edge:apiKey": "key" }, {});
  const clock = new Clock(ownTime ?? { ...systemTime, random });
  const client = new Client({ ...read.settings, ...settings }, watched, clock, undefined, network);
  return {
    call: (route: Route, options: Partial<CallOptions> = {}) => client.call(route, { expects, ...options }),
    async list(route: Route, key: string) {
      const items: ListItem[] = [];
      for await (const page of client.pages(route, key)) items.push(...page);
      return items;
    },
  };
}

const catchError = async (call: Promise<unknown>): Promise<CallError> => {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(CallError);
  return error;
};

describe("a request", () => {
  test("has the key, the version and JSON, and goes to a path below the base URL", async () => {
    const { url, seen } = await startServer(ok);
    const result = await createClient(`${url}/api/v2/`).call("PATCH /edges/tcp/{id}", {
      params: { id: "edgtcp_1" },
      body: { description: "é" },
    });
    expect(result).toEqual({ id: "x" });
    expect(seen[0]).toMatchObject({
      call: "PATCH /api/v2/edges/tcp/edgtcp_1",
      body: '{"description":"é"}',
      headers: { authorization: "Bearer key", "service-version": "2", "content-type": "application/json" },
    });
  });

  test("reuses the connection of the previous one", async () => {
    const ports = new Set<number | undefined>();
    const { url } = await startServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("{}");
    });
    const client = createClient(url);
    for (let i = 0; i < 5; i++) await client.call("GET /tunnels");
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test("has the headers of the settings, which can change the version but not the key", async () => {
    const { url, seen } = await startServer(ok);
    await createClient(url, { headers: { "Service-Version": "3", "X-Team": "edge" } }).call("GET /tunnels");
    expect(seen[0]!.headers).toMatchObject({ "service-version": "3", "x-team": "edge", authorization: "Bearer key" });
  });

  test.each(["a/b", "a?b", "a%2fb", "a#b", "a\r\nX: y", "../x", "é"])(
    "keeps the id %j in its path segment",
    async (id) => {
      const { url, seen } = await startServer(ok);
      await createClient(url).call("GET /edges/tcp/{id}", { params: { id } });
      expect(seen[0]!.call).toBe(`GET /edges/tcp/${encodeURIComponent(id)}`);
    },
  );

  test.each(["", ".", ".."])("is not sent for the id %j, which would leave its path segment", (id) => {
    expect(() => createClient("http://127.0.0.1:1").call("GET /edges/tcp/{id}", { params: { id } })).toThrow(TypeError);
  });
});

test("skips informational responses, such as 103 Early Hints", async () => {
  const { url, seen } = await startServer((request, response, body) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: "</x>; rel=preload" });
    ok(request, response, body);
  });
  expect(await createClient(url).call("POST /x")).toEqual({ id: "x" });
  expect(seen).toHaveLength(1);
});

describe("retries", () => {
  // Here the pauses are short.
  beforeEach(() => {
    random = () => 0.02;
  });
  afterEach(() => {
    random = Math.random;
  });

  const methods = ["GET", "PUT", "PATCH", "DELETE"] as const;
  const transientFailures: [string, Handler][] = [
    ...[408, 500, 502, 503, 504].map((code): [string, Handler] => [String(code), status(code)]),
    ["a reset", reset],
    ["a body that is not JSON", status(200, "<html>")],
    ["a response that is cut off", cutOff],
    ["100 Continue, which the HTTP library rejects where nobody has asked for it", unaskedContinue],
  ];
  test.each(methods.flatMap((method) => transientFailures.map(([name, handler]) => [method, name, handler] as const)))(
    "%s after %s",
    async (method, _, handler) => {
      const { url, seen } = await startServer(handler, ok);
      expect(await createClient(url).call(`${method} /x`)).toEqual({ id: "x" });
      expect(seen).toHaveLength(2);
    },
  );

  test("as often as the settings say, four times by default", async () => {
    const { url, seen } = await startServer(status(503));
    const error = await catchError(createClient(url).call("GET /x"));
    expect(error.message).toBe("GET /x returned 503.");
    expect(seen).toHaveLength(5);
    await catchError(createClient(url, { maxRetries: 0 }).call("GET /x"));
    expect(seen).toHaveLength(6);
  });

  test("name the setting to check if they receive only a web page", async () => {
    const { url } = await startServer(status(200, "<html>"));
    expect((await catchError(createClient(url, { maxRetries: 1 }).call("GET /x"))).message).toBe(
      "GET /x returned 200 with a body that is not JSON. Check tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.",
    );
  });

  test.each([400, 401, 403, 404, 409, 422, 501, 301])("not after %s", async (code) => {
    const { url, seen } = await startServer(status(code), ok);
    expect((await catchError(createClient(url).call("GET /x"))).status).toBe(code);
    expect(seen.filter(({ call }) => call === "GET /x")).toHaveLength(1);
  });

  test.each(transientFailures)("not a POST after %s, because it may have succeeded", async (_, handler) => {
    const { url, seen } = await startServer(handler, ok);
    expect((await catchError(createClient(url).call("POST /x"))).evidence.call).toBe("unknown");
    expect(seen).toHaveLength(1);
  });

  test("leave it unknown whether a lost attempt was executed, even if the next one is rejected", async () => {
    const { url, seen } = await startServer(
      (request) => request.socket.destroy(),
      status(400, { error_code: "ERR_1" }),
    );
    const error = await catchError(createClient(url).call("PATCH /x"));
    expect(error).toMatchObject({ status: 400, evidence: { call: "unknown" } });
    expect(seen).toHaveLength(2);
  });

  test("a POST after a refused connection, and after 429", async () => {
    const { url, seen } = await startServer(status(429), status(429), ok);
    expect(await createClient(url).call("POST /x")).toEqual({ id: "x" });
    expect(seen).toHaveLength(3);
    const refused = await catchError(createClient("http://127.0.0.1:1").call("POST /x"));
    expect(refused).toMatchObject({
      evidence: { call: "not executed" },
      message: "POST /x failed to connect to http://127.0.0.1:1: the connection was refused. Is the emulator running?",
    });
    const read = await catchError(createClient("http://127.0.0.1:1", { maxRetries: 0 }).call("GET /x"));
    expect(read.message).toContain(
      "If tunnel-edge:baseUrl has changed, note that `pulumi refresh`, `pulumi destroy` and",
    );
  });

  test("not beyond the deadline", async () => {
    const { url, seen } = await startServer(status(503));
    const client = createClient(url, { maxRetries: 30 }, undefined, time);
    await catchError(client.call("GET /x", { deadline: time.now() + 300 }));
    expect(seen.length).toBeLessThan(31);
  });

  test("not forever after 429", async () => {
    const { url } = await startServer(status(429));
    const client = createClient(url, {}, undefined, time);
    const error = await catchError(client.call("GET /x", { deadline: time.now() + 2_000 }));
    expect(error.message).toContain("set tunnel-edge:requestsPerMinute");
  });
});

describe("a response", () => {
  test("that never comes, or never ends, times out", async () => {
    const silent: Handler = () => undefined;
    const trickling: Handler = (_, response) => {
      response.writeHead(200);
      // It ends for a client that waits.
      let left = 60;
      const timer = setInterval(() => (--left > 0 ? response.write(" ") : response.end()), 50);
      response.on("close", () => clearInterval(timer));
    };
    for (const handler of [silent, trickling]) {
      const { url } = await startServer(handler);
      const error = await catchError(createClient(url, { timeoutSeconds: 1, maxRetries: 0 }).call("GET /x"));
      expect(error.message).toMatch(/^GET \/x failed: (no response|the response did not end) before the timeout\.$/);
    }
  });

  test("that is too large is rejected", async () => {
    const { url } = await startServer((_, response) => void response.end("x".repeat(50 * 1024 * 1024)));
    const error = await catchError(createClient(url).call("GET /x"));
    expect(error.message).toContain("the response is too large");
  });

  test("that redirects is not followed, and its query is not shown", async () => {
    const { url, seen } = await startServer(status(302, "", { location: "http://127.0.0.1:1/?token=abc" }));
    expect((await catchError(createClient(url).call("GET /x"))).message).toBe(
      "GET /x returned 302, a redirect to http://127.0.0.1:1/. Check tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.",
    );
    expect(seen).toHaveLength(1);
  });

  test("without a body is undefined", async () => {
    const { url } = await startServer((_, response) => void response.writeHead(204).end());
    expect(await createClient(url).call("DELETE /x")).toBeUndefined();
  });

  test("with an error is displayed in the service's words", async () => {
    const body = {
      error_code: "ERR_7",
      status_code: 400,
      msg: "no \u001b[31msuch\u001b[0m\nport",
      details: { operation_id: "op_1" },
    };
    const { url } = await startServer(status(400, body));
    const error = await catchError(createClient(url).call("PATCH /edges/tcp/{id}", { params: { id: "edgtcp_1" } }));
    expect(error.message).toBe("PATCH /edges/tcp/edgtcp_1 returned 400 ERR_7: no  [31msuch [0m port (operation op_1).");
    expect(error).toMatchObject({
      status: 400,
      code: "ERR_7",
      operationId: "op_1",
      evidence: { call: "not executed" },
    });
  });

  test("whose message ends with a question mark is shown without a full stop", async () => {
    const { url } = await startServer(status(400, { msg: "Did you mean 443?" }), status(400, { msg: "Not here." }));
    const client = createClient(url);
    expect((await catchError(client.call("GET /x"))).message).toBe("GET /x returned 400: Did you mean 443?");
    expect((await catchError(client.call("GET /x"))).message).toBe("GET /x returned 400: Not here.");
  });

  test("from a port without TLS fails without a retry, with the setting to check", async () => {
    const { url } = await startServer(status(200));
    const error = await catchError(createClient(url.replace("http:", "https:")).call("GET /x"));
    expect(error.message).toContain("does not speak TLS; check the scheme and the port of tunnel-edge:baseUrl.");
  });

  const keys = status(200, { keys: [], next_page_uri: null });
  const own404 = status(404, { error_code: "ERR_1" });
  const elsewhere = "Something other than the service responds at this address.";
  test.each([
    ["an error code, if the keys can be listed", [own404, keys], "deleted", ""],
    [
      "a status and a message, if the keys can be listed",
      [status(404, { status_code: 404, msg: "a" }), keys],
      "deleted",
      "",
    ],
    [
      "an error code, if the key is rejected",
      [own404, status(401, { error_code: "ERR_2" })],
      "unknown",
      "GET /api_keys returned 401. Check the API key (tunnel-edge:apiKey, TUNNEL_EDGE_API_KEY or the Provider's apiKey). " +
        "`pulumi refresh`, `pulumi destroy` and --refresh use the settings of the last `pulumi up`; add --run-program",
    ],
    ["an error code, if the key may not list keys", [own404, status(403, { error_code: "ERR_2" })], "deleted", ""],
    ["an error code, if a gateway rejects the key", [own404, status(403, { message: "no" })], "unreachable", elsewhere],
    [
      "an error code, if a login page rejects the key",
      [own404, status(403, "<html>Log in</html>")],
      "unreachable",
      elsewhere,
    ],
    ["an error code, if the key is rejected without a body", [own404, status(403, "")], "unreachable", elsewhere],
    [
      "an error code, if the path of the keys is missing too",
      [own404],
      "unreachable",
      "Check the path in tunnel-edge:baseUrl",
    ],
    ["an error code, if the list of keys is something else", [own404, status(200, {})], "unreachable", elsewhere],
    [
      "an error code, if the list of keys is a web page",
      [own404, status(200, "<html>welcome</html>")],
      "unreachable",
      elsewhere,
    ],
    ["an error code, if the keys cannot be read", [own404, status(503, "")], "unknown", "Run the command again."],
    ["an error code, if the connection breaks", [own404, reset], "unknown", "Run the command again."],
    ["a page", [status(404, "<html>not here</html>"), keys], "unreachable", "Check tunnel-edge:baseUrl"],
    ["no body", [status(404, ""), keys], "unreachable", "Check tunnel-edge:baseUrl"],
    ["a message", [status(404, { msg: "gone" }), keys], "unreachable", "Check tunnel-edge:baseUrl"],
  ])("of 404 with %s", async (_, responses, meaning, message) => {
    const { url } = await startServer(...responses);
    const error = await catchError(createClient(url, { maxRetries: 0 }).call("GET /x"));
    const object = meaning === "deleted" ? "deleted" : "unknown";
    expect(error).toMatchObject({ status: 404, evidence: { object }, isUnreachable: meaning === "unreachable" });
    expect(error.message).toContain(message);
  });

  test("of 404 proves a deletion after the service has responded once, without another request", async () => {
    const { url, seen } = await startServer(ok, own404);
    const client = createClient(url);
    await client.call("GET /x");
    expect(await catchError(client.call("GET /x"))).toMatchObject({ evidence: { object: "deleted" } });
    expect(seen).toHaveLength(2);
  });

  test("of 404 proves nothing after the address has returned something else", async () => {
    const { url } = await startServer(status(200, ["x"]), own404);
    const client = createClient(url, { maxRetries: 0 });
    await catchError(client.call("GET /x"));
    expect(await catchError(client.call("GET /x"))).toMatchObject({ evidence: { object: "unknown" } });
  });
});

describe("pages", () => {
  const page = (items: string[], next: unknown) =>
    status(200, { tunnels: items.map((id) => ({ id })), next_page_uri: next });

  test("are followed, absolute or relative, until the last one", async () => {
    const { url, seen } = await startServer((request, response, body) => {
      const next = { "/tunnels": `${url}/tunnels?before_id=b`, "/tunnels?before_id=b": "/tunnels?before_id=c" };
      const at = request.url as keyof typeof next;
      page([at], next[at] ?? null)(request, response, body);
    });
    const items = await createClient(url).list("GET /tunnels", "tunnels");
    expect(items.map(({ id }) => id)).toEqual(["/tunnels", "/tunnels?before_id=b", "/tunnels?before_id=c"]);
    expect(seen).toHaveLength(3);
  });

  test("that the service does not know are an error, which names the setting to check", async () => {
    const { url } = await startServer(status(404, { error_code: "ERR_1", msg: "There is no such path." }));
    const error = await catchError(createClient(`${url}/v2`).list("GET /tunnels", "tunnels"));
    expect(error.message).toBe(
      "GET /tunnels returned 404 ERR_1: There is no such path. The service does not have GET /api_keys at this address " +
        "either. Check the path in tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.",
    );
  });

  test("on another origin are rejected: the key is never sent elsewhere", async () => {
    const { url, seen } = await startServer(page(["a"], "https://elsewhere.example/tunnels"));
    const error = await catchError(createClient(url).list("GET /tunnels", "tunnels"));
    expect(error.message).toContain("the API key is never sent elsewhere");
    expect(seen).toHaveLength(1);
  });

  const wrong = "Check tunnel-edge:baseUrl or TUNNEL_EDGE_BASE_URL.";

  test.each([
    ["the first page", "/tunnels"],
    ["a later page", "/tunnels?before_id=b"],
  ])("that repeat %s are an error", async (_, repeated) => {
    const { url, seen } = await startServer(page(["a"], "/tunnels?before_id=b"), page(["b"], repeated));
    const error = await catchError(createClient(url).list("GET /tunnels", "tunnels"));
    const message = `GET /tunnels returned the same next_page_uri twice. ${wrong}`;
    expect(error).toMatchObject({ message, isUnreachable: true });
    expect(seen).toHaveLength(2);
  });

  test.each(["", "null", "[]", '"x"', "{}", '{"edges":[{"id":"a"}]}', '{"tunnels":null}', '{"tunnels":{"id":"a"}}'])(
    "without their list are an error, the first or a later one: %s",
    async (body) => {
      const { url } = await startServer(status(200, body), page(["a"], "/tunnels?before_id=b"), status(200, body));
      for (let round = 0; round < 2; round++) {
        const error = await catchError(createClient(url).list("GET /tunnels", "tunnels"));
        expect(error.message).toBe(`GET /tunnels returned a page without the list "tunnels". ${wrong}`);
      }
    },
  );

  test.each(["[null]", '["a"]', "[{}]", '[{"id":1}]', '[{"id":"a"},[]]'])(
    "with items of other types are an error: %s",
    async (items) => {
      const { url } = await startServer(status(200, `{"tunnels":${items}}`));
      const error = await catchError(createClient(url).list("GET /tunnels", "tunnels"));
      expect(error.message).toBe(`GET /tunnels returned an item without an id in "tunnels". ${wrong}`);
    },
  );

  test("without an end are an error, after more than any account has", async () => {
    let pages = 0;
    const request = async () => {
      // It ends for a client that reads on.
      const next = ++pages > maxPages ? null : `/tunnels?page=${pages}`;
      const text = JSON.stringify({ tunnels: [{ id: `${pages}` }], next_page_uri: next });
      return { statusCode: 200, headers: {}, body: { text: async () => text } };
    };
    const client = createClient("http://127.0.0.1:1", {}, () => ({ request }));
    const error = await catchError(client.list("GET /tunnels", "tunnels"));
    expect(error.message).toBe(`GET /tunnels returned more than 10000 pages. ${wrong}`);
    expect(pages).toBe(maxPages);
  });
});

describe("the rate limit", () => {
  const start = (url: string) => createClient(url, {}, undefined, time);

  test("is waited for as long as the service asks, even if its clock is an hour slow", async () => {
    const at = (ms: number) => new Date(time.now() - 3_600_000 + ms).toUTCString();
    const { url, seen } = await startServer(
      (...call) => status(429, {}, { date: at(0), "retry-after": at(2_000) })(...call),
      ok,
    );
    const began = time.now();
    await start(url).call("GET /x");
    expect(time.now() - began).toBeGreaterThanOrEqual(2_000);
    expect(time.now() - began).toBeLessThan(3_000);
    expect(seen).toHaveLength(2);
  });

  test("is not waited for beyond the deadline, neither by the call that tries nor by those behind it", async () => {
    const { url, seen } = await startServer(status(429, {}, { "retry-after": "100" }));
    const client = start(url);
    const urgent = () => catchError(client.call("POST /x", { deadline: time.now() + 2_000 }));
    const first = await Promise.all([urgent(), urgent(), urgent()]);
    const last = await catchError(client.call("POST /x", { deadline: time.now() + 100 }));
    for (const { message } of first) expect(message).toContain("POST /x returned 429");
    expect(last).toMatchObject({
      message: "POST /x was not sent before the timeout.",
      evidence: { call: "not executed" },
    });
    expect(seen).toHaveLength(3);
  });

  test("does not delay a call with an early deadline behind one that waits", async () => {
    const { url, seen } = await startServer(status(429, {}, { "retry-after": "2" }), ok);
    const client = start(url);
    const ended: string[] = [];
    const patient = client.call("POST /x").then(() => ended.push("patient"));
    const early = { deadline: time.now() + 200 };
    const urgent = once(watched.onRateLimit).then(async () => {
      await catchError(client.call("POST /y", early));
      ended.push("urgent");
    });
    await Promise.all([patient, urgent]);
    expect(ended).toEqual(["urgent", "patient"]);
    expect(seen.map(({ call }) => call)).toEqual(["POST /x", "POST /x"]);
  });

  test("is not considered over because of calls that timed out before they were sent", async () => {
    const { url } = await startServer(status(429));
    const client = start(url);
    const urgent = () => catchError(client.call("GET /x", { deadline: time.now() + 100 }));
    await Promise.all(Array.from({ length: 30 }, urgent));
    await catchError(client.call("GET /x", { deadline: time.now() + 600 }));
    expect(watched.onRateLimit).toHaveBeenCalledTimes(1);
  });
});

test("each request can be logged, in one line without secrets", async () => {
  const { url } = await startServer(status(400, { details: { operation_id: "op_9" } }));
  await catchError(createClient(url, { logRequests: true }).call("POST /x", { body: { client_secret: "hush" } }));
  expect(watched.onRequest.mock.calls).toEqual([
    [expect.stringMatching(/^POST \/x → 400 in \d+ ms \(operation op_9\)$/)],
  ]);
});
