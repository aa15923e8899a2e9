import { documentedOperations, undocumentedOperations } from "../../src/emulator";
import { errorResponse, send, setUpEmulator } from "./support";

const seed = {
  tcpEdges: [{ id: "edgtcp_1", hostports: ["a.example.com:1"], backend: { backend_id: "bkdhr_1" }, policy: {} }],
  tlsEdges: [
    {
      id: "edgtls_1",
      backend: { backend_id: "bkdhr_1" },
      policy: {},
      ip_restriction: { ip_policy_ids: ["ipp_1"] },
      mutual_tls: { certificate_authority_ids: ["ca_1"] },
    },
  ],
  httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1", oidc: { client_secret: "hush" } }] }],
};
const oidc = "/edges/https/edghts_1/routes/edghtsrt_1/oidc";

describe("deletes that the API document does not have", () => {
  const full = setUpEmulator();
  const documented = setUpEmulator({ documentedOnly: true });

  const paths = undocumentedOperations
    .map((operation) => operation.replace("DELETE ", ""))
    .map((path) => path.replace("{id}", path.includes("tcp") ? "edgtcp_1" : "edgtls_1"));

  test("are listed", () => {
    expect([...undocumentedOperations].sort()).toEqual([
      "DELETE /edges/tcp/{id}",
      "DELETE /edges/tcp/{id}/backend",
      "DELETE /edges/tcp/{id}/policy",
      "DELETE /edges/tls/{id}/backend",
      "DELETE /edges/tls/{id}/ip_restriction",
      "DELETE /edges/tls/{id}/mutual_tls",
      "DELETE /edges/tls/{id}/policy",
    ]);
    expect(documentedOperations).not.toEqual(expect.arrayContaining([undocumentedOperations[0]]));
  });

  test.each(paths)("DELETE %s works by default", async (path) => {
    full().seed(seed);
    expect((await send(full(), "DELETE", path)).status).toBe(204);
    expect((await send(full(), "DELETE", path)).status).toBe(404);
    const [, , kind, id, module] = path.split("/");
    const edge = await send(full(), "GET", `/edges/${kind}/${id}`);
    if (module === undefined) expect(edge.status).toBe(404);
    else expect(edge.body[module]).toBeNull();
  });

  test.each(paths)("DELETE %s is rejected with documentedOnly", async (path) => {
    documented().seed(seed);
    const before = documented().account;
    const response = await send(documented(), "DELETE", path);
    expect(response).toMatchObject(errorResponse(405, "METHOD_NOT_ALLOWED"));
    expect(response.headers.get("allow")).toBe(path === "/edges/tcp/edgtcp_1" ? "GET, PATCH" : "");
    expect(documented().account).toEqual(before);
    expect(documented().requests.at(-1)!.operation).toBeNull();
  });

  test("the documented deletes still work", async () => {
    documented().seed(seed);
    expect((await send(documented(), "DELETE", oidc)).status).toBe(204);
    expect((await send(documented(), "DELETE", "/edges/tls/edgtls_1")).status).toBe(204);
  });
});

describe("a module that is not set", () => {
  const withNull = setUpEmulator({ emptyModule: "null" });
  const withEmpty = setUpEmulator({ emptyModule: "empty" });
  const path = "/edges/tcp/edgtcp_1/ip_restriction";

  test.each([
    ["null", withNull, "null"],
    ["empty", withEmpty, ""],
  ])("reads as %s", async (_, emulator, text) => {
    emulator().seed({ tcpEdges: [{ id: "edgtcp_1" }] });
    const response = await fetch(emulator().url + path, {
      headers: { Authorization: `Bearer ${emulator().apiKey}`, "Service-Version": "2" },
    });
    expect([response.status, await response.text()]).toEqual([200, text]);
    expect((await send(emulator(), "GET", path.replace("edgtcp_1", "edgtcp_0"))).status).toBe(404);
    expect((await send(emulator(), "DELETE", path)).status).toBe(404);
  });
});

describe("an empty string in a module", () => {
  const kept = setUpEmulator();
  const replaced = setUpEmulator({ emptyStrings: "default" });
  const rejected = setUpEmulator({ emptyStrings: "reject" });
  const edge = "/edges/tls/edgtls_1";
  const https = "/edges/https/edghts_1/tls_termination";

  test.each([
    ["is kept by default", kept, "", null],
    ["means the default", replaced, "tunnel.", "1.2"],
  ])("%s", async (_, emulator, cookie_prefix, min_version) => {
    emulator().seed(seed);
    expect((await send(emulator(), "PUT", oidc, { cookie_prefix: "" })).body).toMatchObject({ cookie_prefix });
    for (const body of [{ min_version: "" }, {}]) {
      expect((await send(emulator(), "PUT", https, body)).body).toMatchObject({ min_version });
      const { tls_termination } = (await send(emulator(), "PATCH", edge, { tls_termination: body })).body;
      expect(tls_termination).toMatchObject({ min_version });
    }
    expect((await send(emulator(), "PUT", oidc, {})).body).toMatchObject({ cookie_prefix: "tunnel.", issuer: "" });
  });

  test("means null in place of the default if TLS is terminated upstream", async () => {
    replaced().seed({ tlsEdges: [{ id: "edgtls_1" }] });
    const module = { terminate_at: "upstream", min_version: "" };
    expect((await send(replaced(), "PUT", `${edge}/tls_termination`, module)).body.min_version).toBeNull();
  });

  test.each([
    ["PUT", https, { min_version: "" }, "min_version"],
    ["PATCH", edge, { tls_termination: { min_version: "" } }, "tls_termination.min_version"],
    ["PUT", oidc, { cookie_prefix: "" }, "cookie_prefix"],
    ["PUT", oidc, { issuer: "" }, "issuer"],
    ["PUT", oidc, { client_id: "" }, "client_id"],
    ["PUT", oidc, { client_secret: "" }, "client_secret"],
    ["PUT", oidc, { scopes: ["openid", ""] }, "scopes[1]"],
    ["PATCH", edge, { policy: { inbound: [{ name: "" }] } }, "policy.inbound[0].name"],
    ["PATCH", edge, { policy: { outbound: [{ expressions: [""] }] } }, "policy.outbound[0].expressions[0]"],
    ["PATCH", edge, { policy: { inbound: [{ actions: [{ type: "" }] }] } }, "policy.inbound[0].actions[0].type"],
  ])("is rejected: %s %s %j", async (method, path, body, name) => {
    rejected().seed(seed);
    const before = rejected().account;
    const response = await send(rejected(), method, path, body);
    expect(response).toMatchObject(errorResponse(400, "FIELD_VALUE", `"${name}" must not be empty`));
    expect(rejected().account).toEqual(before);
    // Empty values outside a module, and those in the user's own data, are accepted.
    const emptyValues = {
      description: "",
      metadata: "",
      hostports: [],
      policy: { inbound: [{ actions: [{ config: { a: "" } }] }] },
    };
    expect((await send(rejected(), "PATCH", edge, emptyValues)).status).toBe(200);
  });
});

describe("an OIDC client secret", () => {
  const clear = setUpEmulator();
  const masked = setUpEmulator({ oidcSecrets: "masked" });
  const absent = setUpEmulator({ oidcSecrets: "absent" });

  test.each([
    ["clear", clear, "hush"],
    ["masked", masked, "********"],
    ["absent", absent, undefined],
  ])("is %s", async (_, emulator, expected) => {
    emulator().seed(seed);
    expect((await send(emulator(), "GET", oidc)).body.client_secret).toBe(expected);
    expect((await send(emulator(), "PUT", oidc, { client_secret: "hush" })).body.client_secret).toBe(expected);
    expect(emulator().account.httpsEdges[0]!.routes[0]!.oidc!.client_secret).toBe("hush");
  });

  test("is not masked if it is not set", async () => {
    masked().seed(seed);
    expect((await send(masked(), "PUT", oidc, {})).body.client_secret).toBe("");
  });
});

describe("a rate limit", () => {
  let now = 1_000_000;
  const limited = setUpEmulator({ clock: () => now, rateLimit: { requests: 2, windowMs: 60_000 } });
  const get = () => send(limited(), "GET", "/api_keys");

  test("has a rolling window, in which rejected requests do not count", async () => {
    expect((await get()).status).toBe(200);
    now += 30_000;
    expect((await get()).status).toBe(200);
    now += 29_999;
    const rejected = await get();
    expect(rejected).toMatchObject(errorResponse(429, "RATE_LIMIT"));
    expect(rejected.headers.get("retry-after")).toBe("1");
    expect(limited().requests.at(-1)).toMatchObject({ status: 429, processed: false });
    now += 1;
    expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(429);
    now += 30_000;
    expect((await get()).status).toBe(200);
  });

  test("can be a number of requests per minute", async () => {
    limited().rateLimit = 1;
    expect(limited().rateLimit).toEqual({ requests: 1, windowMs: 60_000 });
    expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(429);
  });

  test("can count in fixed periods", async () => {
    now = 1_020_000;
    limited().rateLimit = { requests: 2, windowMs: 60_000, algorithm: "fixed" };
    now += 59_000;
    expect([(await get()).status, (await get()).status]).toEqual([200, 200]);
    expect((await get()).headers.get("retry-after")).toBe("1");
    now += 1_000;
    expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([200, 200, 429]);
  });

  test("can have tokens that come back one by one", async () => {
    limited().rateLimit = { requests: 2, windowMs: 60_000, algorithm: "bucket" };
    expect([(await get()).status, (await get()).status]).toEqual([200, 200]);
    expect((await get()).headers.get("retry-after")).toBe("30");
    now += 30_000;
    expect([(await get()).status, (await get()).status]).toEqual([200, 429]);
    now += 600_000;
    expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([200, 200, 429]);
  });

  test.each([
    ["RateLimit", { ratelimit: '"default";r=1;t=60', "ratelimit-policy": '"default";q=2;w=60' }],
    ["RateLimit-Remaining", { "ratelimit-limit": "2", "ratelimit-remaining": "1", "ratelimit-reset": "60" }],
    ["X-RateLimit-Remaining", { "x-ratelimit-limit": "2", "x-ratelimit-remaining": "1", "x-ratelimit-reset": "2060" }],
  ] as const)("can be announced in %s", async (headers, expected) => {
    now = 2_000_000;
    limited().rateLimit = { requests: 2, windowMs: 60_000, headers };
    expect(Object.fromEntries((await get()).headers)).toMatchObject(expected);
    await get();
    const rejected = await get();
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get(Object.keys(expected).find((name) => /(ratelimit|remaining)$/.test(name))!)).toMatch(
      /^0$|r=0/,
    );
  });

  test("can omit Retry-After and can be changed", async () => {
    limited().rateLimit = { requests: 0, windowMs: 1000, retryAfter: false };
    const rejected = await get();
    expect(rejected.status).toBe(429);
    expect(rejected.headers.has("retry-after")).toBe(false);
    limited().rateLimit = undefined;
    for (let count = 0; count < 5; count++) expect((await get()).status).toBe(200);
  });
});
