import { errorResponse, publicKey, send, setUpEmulator } from "./support";

const emulator = setUpEmulator({ clock: () => Date.UTC(2024, 5, 1, 12, 30, 15, 678) });
const call = (method: string, path: string, body?: unknown) => send(emulator(), method, path, body);

const created_at = "2024-06-01T12:30:15Z";
const ref = (id: string, path: string) => ({ id, uri: `${emulator().url}${path}/${id}` });

test("API keys: create, read, list, update, delete", async () => {
  const created = await call("POST", "/api_keys", { description: "CI", metadata: "{}" });
  const { id, token, owner_id } = created.body;
  const key = { ...ref(id, "/api_keys"), description: "CI", metadata: "{}", created_at, token: null, owner_id };
  expect(created).toMatchObject({ status: 201, body: { ...key, token: expect.stringMatching(/^\w{40,}$/) } });
  expect(id).toMatch(/^ak_\w{27}$/);
  expect(owner_id).toMatch(/^usr_/);

  expect(await call("GET", `/api_keys/${id}`)).toMatchObject({ status: 200, body: key });
  const listed = await call("GET", "/api_keys");
  expect(listed.headers.get("date")).toBe("Sat, 01 Jun 2024 12:30:15 GMT");
  expect(listed.body).toEqual({
    keys: [key, expect.objectContaining({ token: null })],
    uri: `${emulator().url}/api_keys`,
    next_page_uri: null,
  });
  expect(await call("PATCH", `/api_keys/${id}`, { description: "" })).toMatchObject({
    status: 200,
    body: { ...key, description: "" },
  });
  expect(await call("DELETE", `/api_keys/${id}`)).toMatchObject({ status: 204, body: undefined });
  expect(await call("GET", `/api_keys/${id}`)).toMatchObject(errorResponse(404, "NOT_FOUND", id));
  expect(token).not.toBe(emulator().apiKey);
});

test("an empty list removes the rules of an SSH credential", async () => {
  const public_key = publicKey("one");
  const { id } = (await call("POST", "/ssh_credentials", { public_key, acl: ["bind:a.example.com"], metadata: "m" }))
    .body;
  expect((await call("PATCH", `/ssh_credentials/${id}`, { acl: [] })).body).toMatchObject({ acl: null, metadata: "m" });
});

const policy = {
  inbound: [
    { name: "block", expressions: ["conn.client_ip != ''"], actions: [{ type: "deny", config: { a: { __b: 1 } } }] },
    {},
  ],
  outbound: [{ actions: [{ type: "log" }] }],
};
const policyShown = {
  enabled: true,
  inbound: [
    { name: "block", expressions: ["conn.client_ip != ''"], actions: [{ type: "deny", config: { a: { __b: 1 } } }] },
    { name: "", expressions: [], actions: [] },
  ],
  outbound: [{ name: "", expressions: [], actions: [{ type: "log", config: null }] }],
};

test.each([
  ["tcp", "edgtcp_", {}],
  ["tls", "edgtls_", { mutual_tls: null, tls_termination: null }],
])("%s edges: create, read, list, update", async (kind, prefix, further) => {
  const bare = await call("POST", `/edges/${kind}`, {});
  expect(bare).toMatchObject({ status: 201 });
  expect(bare.body).toEqual({
    ...ref(bare.body.id, `/edges/${kind}`),
    created_at,
    description: "",
    metadata: "",
    hostports: null,
    backend: null,
    ip_restriction: null,
    policy: null,
    ...further,
  });
  const created = await call("POST", `/edges/${kind}`, {
    description: "d",
    metadata: "m",
    hostports: ["a.example.com:443"],
    backend: { backend_id: "bkdhr_1" },
    ip_restriction: { enabled: false, ip_policy_ids: ["ipp_1", "ipp_2"] },
    policy,
  });
  const { id } = created.body;
  expect(id.startsWith(prefix)).toBe(true);
  const shown = {
    ...bare.body,
    ...ref(id, `/edges/${kind}`),
    description: "d",
    metadata: "m",
    hostports: ["a.example.com:443"],
    backend: { enabled: true, backend: ref("bkdhr_1", "/backends/http_response") },
    ip_restriction: { enabled: false, ip_policies: [ref("ipp_1", "/ip_policies"), ref("ipp_2", "/ip_policies")] },
    policy: policyShown,
  };
  expect(created.body).toMatchObject(shown);
  const edge = created.body;
  expect((await call("GET", `/edges/${kind}/${id}`)).body).toEqual(edge);
  expect((await call("GET", `/edges/${kind}`)).body).toEqual({
    [`${kind}_edges`]: [edge, bare.body],
    uri: `${emulator().url}/edges/${kind}`,
    next_page_uri: null,
  });

  // A module that is left out is unchanged; one that is sent is replaced as a whole.
  const changed = await call("PATCH", `/edges/${kind}/${id}`, {
    description: "",
    ip_restriction: { ip_policy_ids: ["ipp_3"] },
  });
  const ip_restriction = { enabled: true, ip_policies: [ref("ipp_3", "/ip_policies")] };
  expect(changed).toMatchObject({ status: 200 });
  expect(changed.body).toEqual({ ...edge, description: "", ip_restriction: expect.objectContaining(ip_restriction) });
  expect((await call("PATCH", `/edges/${kind}/${id}`, { hostports: [], metadata: "" })).body).toEqual({
    ...changed.body,
    hostports: null,
    metadata: "",
  });
  // A null string or list means absent.
  const kept = await call("PATCH", `/edges/${kind}/${bare.body.id}`, {
    hostports: null,
    description: null,
    metadata: "k",
  });
  expect(kept.body).toEqual({ ...bare.body, metadata: "k" });
});

test("a PATCH of a TCP edge may repeat its id, a PATCH of a TLS edge may not", async () => {
  const tcp = (await call("POST", "/edges/tcp", {})).body;
  const tls = (await call("POST", "/edges/tls", {})).body;
  expect((await call("PATCH", `/edges/tcp/${tcp.id}`, { id: tcp.id })).body).toEqual(tcp);
  expect(await call("PATCH", `/edges/tcp/${tcp.id}`, { id: tls.id })).toMatchObject(
    errorResponse(400, "FIELD_VALUE", '"id"'),
  );
  expect(await call("PATCH", `/edges/tls/${tls.id}`, { id: tls.id })).toMatchObject(
    errorResponse(400, "UNKNOWN_FIELD", '"id"'),
  );
});

describe("module operations", () => {
  const edge = "edghts_1";
  const routePath = `/edges/https/${edge}/routes/edghtsrt_1`;
  const oidc = {
    enabled: true,
    options_passthrough: false,
    cookie_prefix: "tunnel.",
    inactivity_timeout: 0,
    maximum_duration: 0,
    issuer: "",
    client_id: "",
    client_secret: "",
    scopes: [],
  };

  beforeEach(() => {
    emulator().seed({
      tcpEdges: [{ id: "edgtcp_1" }],
      tlsEdges: [{ id: "edgtls_1" }],
      httpsEdges: [{ id: edge, routes: [{ id: "edghtsrt_1" }] }, { id: "edghts_2" }],
    });
  });

  test.each([
    {
      path: "/edges/tcp/edgtcp_1/ip_restriction",
      put: { ip_policy_ids: ["ipp_1"] },
      shown: () => ({ enabled: true, ip_policies: [ref("ipp_1", "/ip_policies")] }),
    },
    {
      path: "/edges/tls/edgtls_1/tls_termination",
      put: { enabled: false, terminate_at: "upstream", min_version: null },
      shown: () => ({ enabled: false, terminate_at: "upstream", min_version: null }),
    },
    {
      path: "/edges/https/edghts_1/tls_termination",
      put: { min_version: "1.3" },
      shown: () => ({ enabled: true, terminate_at: "edge", min_version: "1.3" }),
    },
    {
      path: `${routePath}/oidc`,
      put: {
        issuer: "https://login.example.com",
        client_secret: "s",
        maximum_duration: 4294967295,
        scopes: ["openid"],
      },
      shown: () => ({
        ...oidc,
        issuer: "https://login.example.com",
        client_secret: "s",
        maximum_duration: 4294967295,
        scopes: ["openid"],
      }),
    },
    { path: `${routePath}/oidc`, put: {}, shown: () => oidc },
    {
      path: `${routePath}/request_headers`,
      put: { add: { "X-Tenant": "a", "x-tenant": "b" }, remove: ["Cookie"] },
      shown: () => ({ enabled: true, add: { "X-Tenant": "a", "x-tenant": "b" }, remove: ["Cookie"] }),
    },
    {
      path: `${routePath}/user_agent_filter`,
      put: { allow: ["(?i)curl"], deny: ["bot"] },
      shown: () => ({ enabled: true, allow: ["(?i)curl"], deny: ["bot"] }),
    },
  ])("PUT, GET and DELETE $path", async ({ path, put, shown }) => {
    const name = path.split("/").at(-1)!;
    expect(await call("GET", path)).toMatchObject(errorResponse(404, "MODULE_NOT_SET", name));
    expect(await call("DELETE", path)).toMatchObject(errorResponse(404, "MODULE_NOT_SET", name));
    const created = await call("PUT", path, put);
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject(shown());
    expect((await call("GET", path)).body).toEqual(created.body);
    expect(await call("DELETE", path)).toMatchObject({ status: 204, body: undefined });
    expect((await call("GET", path)).status).toBe(404);
  });

  test("header names may be those of object properties in JavaScript", async () => {
    const json = '{"enabled":true,"add":{"__proto__":"p","constructor":"c","toString":"t"},"remove":["__proto__"]}';
    await call("PUT", `${routePath}/request_headers`, json);
    const response = await fetch(`${emulator().url}${routePath}/request_headers`, {
      headers: { Authorization: `Bearer ${emulator().apiKey}`, "Service-Version": "2" },
    });
    expect(await response.text()).toBe(json);
  });

  test.each([
    "/edges/tcp/edgtcp_0/ip_restriction",
    "/edges/tls/edgtls_0/tls_termination",
    "/edges/https/edghts_0/tls_termination",
    "/edges/https/edghts_0/routes/edghtsrt_1/oidc",
    "/edges/https/edghts_1/routes/edghtsrt_0/oidc",
    "/edges/https/edghts_2/routes/edghtsrt_1/request_headers",
  ])("reject the path %s, whose edge or route does not exist", async (path) => {
    for (const [method, body] of [
      ["GET"],
      ["DELETE"],
      ["PUT", path.includes("tcp") ? { ip_policy_ids: ["ipp_1"] } : {}],
    ]) {
      expect(await call(method as string, path, body)).toMatchObject(errorResponse(404, "NOT_FOUND", /edg\w+/));
    }
  });
});

test("tunnel sessions and tunnels: list and read", async () => {
  const seeded = emulator().seed({
    sessions: [
      { id: "ts_1", credential_id: "cr_1", agent_version: "3.1.0", metadata: "box", region: "eu" },
      { transport: "ssh", credential_id: "sshcr_1" },
    ],
    tunnels: [
      { id: "tn_1", session_id: "ts_1", proto: "https", public_url: "https://a.example.com", endpoint_id: "ep_1" },
      { labels: { app: "web", __proto__x: "1" }, backend_ids: ["bkdtg_1"], forwards_to: "localhost:80" },
    ],
  });
  const session = {
    ...ref("ts_1", "/tunnel_sessions"),
    agent_version: "3.1.0",
    credential: ref("cr_1", "/credentials"),
    ip: "192.0.2.10",
    metadata: "box",
    os: "linux",
    region: "eu",
    started_at: created_at,
    transport: "service/v2",
  };
  expect(await call("GET", "/tunnel_sessions/ts_1")).toMatchObject({ status: 200, body: session });
  const sessions = (await call("GET", "/tunnel_sessions")).body;
  expect(sessions).toMatchObject({ tunnel_sessions: [{ credential: ref("sshcr_1", "/ssh_credentials") }, session] });

  const tunnel = await call("GET", "/tunnels/tn_1");
  expect(tunnel.body).toEqual({
    id: "tn_1",
    public_url: "https://a.example.com",
    started_at: created_at,
    metadata: "",
    proto: "https",
    region: "us",
    tunnel_session: ref("ts_1", "/tunnel_sessions"),
    endpoint: ref("ep_1", "/endpoints"),
    forwards_to: "http://localhost:80",
  });
  const { tunnels } = (await call("GET", "/tunnels")).body;
  expect(tunnels[1]).toEqual(tunnel.body);
  expect(tunnels[0]).toMatchObject({ labels: { app: "web" }, backends: [ref("bkdtg_1", "/backends")] });
  expect(tunnels[0]).not.toHaveProperty("endpoint");
  expect(tunnels[0].tunnel_session.id).toBe(seeded.sessions[1]!.id);
  expect(await call("GET", "/tunnels/tn_0")).toMatchObject(errorResponse(404, "NOT_FOUND", "tn_0"));
});
