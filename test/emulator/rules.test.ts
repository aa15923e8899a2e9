import { generateKeyPairSync } from "node:crypto";
import { encodeKey } from "../support/data/publicKey";
import { errorResponse, publicKey, send, setUpEmulator } from "./support";

const emulator = setUpEmulator();
const sendRequest = (method: string, path: string, body?: unknown) => send(emulator(), method, path, body);
const route = "/edges/https/edghts_1/routes/edghtsrt_1";

beforeEach(() => {
  emulator().seed({
    apiKeys: [{ id: "ak_1" }],
    sshCredentials: [{ id: "sshcr_1", public_key: publicKey("seeded") }],
    tcpEdges: [{ id: "edgtcp_1" }],
    tlsEdges: [{ id: "edgtls_1" }],
    httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }],
  });
});

/** Valid bodies by request. */
const validBodies = {
  "POST /api_keys": {},
  "PATCH /api_keys/ak_1": {},
  "POST /ssh_credentials": { public_key: publicKey("new") },
  "PATCH /ssh_credentials/sshcr_1": {},
  "POST /edges/tcp": {},
  "PATCH /edges/tcp/edgtcp_1": {},
  "POST /edges/tls": {},
  "PATCH /edges/tls/edgtls_1": {},
};

const sendField = (request: string, field: object) => {
  const [method = "", path = ""] = request.split(" ");
  return sendRequest(method, path, { ...validBodies[request as keyof typeof validBodies], ...field });
};

describe.each(Object.keys(validBodies))("%s", (request) => {
  test.each([
    ["description", 255],
    ["metadata", 4096],
  ])("%s is limited in bytes", async (field, bytes) => {
    const longest = "é".repeat(Math.floor(bytes / 2)) + "x".repeat(bytes % 2);
    expect((await sendField(request, { [field]: longest })).status).toBeLessThan(300);
    const other = { public_key: publicKey("other") };
    const more = { ...(request === "POST /ssh_credentials" && other), [field]: `${longest}x` };
    expect(await sendField(request, more)).toMatchObject(errorResponse(400, "FIELD_TOO_LONG", `"${field}"`));
    expect(await sendField(request, { [field]: 5 })).toMatchObject(errorResponse(400, "FIELD_TYPE", `"${field}"`));
  });

  test.each(["id_", "token", "created_at", "__proto__", "constructor", "hostPorts"])(
    "the field %s is not known",
    async (field) => {
      const body = JSON.stringify(validBodies[request as keyof typeof validBodies])
        .replace(/\{/, `{"${field}":1,`)
        .replace(",}", "}");
      const [method = "", path = ""] = request.split(" ");
      expect(await sendRequest(method, path, body)).toMatchObject(errorResponse(400, "UNKNOWN_FIELD", `"${field}"`));
    },
  );
});

test.each(["PATCH /api_keys/ak_1", "PATCH /ssh_credentials/sshcr_1"])("%s cannot change the owner", async (request) => {
  expect(await sendField(request, { owner_id: "usr_1" })).toMatchObject(
    errorResponse(400, "UNKNOWN_FIELD", '"owner_id"'),
  );
});

test("the public key is required on creation and cannot be changed", async () => {
  expect(await sendRequest("POST", "/ssh_credentials", {})).toMatchObject(
    errorResponse(400, "FIELD_REQUIRED", '"public_key"'),
  );
  const change = await sendRequest("PATCH", "/ssh_credentials/sshcr_1", { public_key: publicKey("x") });
  expect(change).toMatchObject(errorResponse(400, "UNKNOWN_FIELD", '"public_key"'));
});

describe.each(["POST /edges/tcp", "PATCH /edges/tcp/edgtcp_1", "POST /edges/tls", "PATCH /edges/tls/edgtls_1"])(
  "%s",
  (request) => {
    test.each([
      [{ hostports: "a:1" }, "FIELD_TYPE", "hostports"],
      [{ hostports: [1] }, "FIELD_TYPE", "hostports[0]"],
      [{ hostports: ["a.example.com"] }, "FIELD_VALUE", "hostports[0]"],
      [{ hostports: ["a.example.com:1", ":443"] }, "FIELD_VALUE", "hostports[1]"],
      [{ hostports: ["a.example.com:0"] }, "FIELD_VALUE", "hostports[0]"],
      [{ hostports: ["a.example.com:65536"] }, "FIELD_VALUE", "hostports[0]"],
      [{ hostports: ["a.example.com:0443"] }, "FIELD_VALUE", "hostports[0]"],
      [{ hostports: ["a b:443"] }, "FIELD_VALUE", "hostports[0]"],
      [{ hostports: ["https://a.example.com:443"] }, "FIELD_VALUE", "hostports[0]"],
      [{ hostports: ["a.example.com:443", "A.example.com:443"] }, "FIELD_VALUE", "hostports"],
      [{ backend: {} }, "FIELD_REQUIRED", "backend.backend_id"],
      [{ backend: { backend_id: "" } }, "FIELD_VALUE", "backend.backend_id"],
      [{ backend: { backend_id: "bkdhr_1", backend: {} } }, "UNKNOWN_FIELD", "backend.backend"],
      [{ backend: "bkdhr_1" }, "FIELD_TYPE", "backend"],
      [{ backend: { backend_id: "bkdhr_1", enabled: "true" } }, "FIELD_TYPE", "backend.enabled"],
      [{ ip_restriction: {} }, "FIELD_REQUIRED", "ip_restriction.ip_policy_ids"],
      [{ ip_restriction: { ip_policy_ids: [] } }, "FIELD_VALUE", "ip_restriction.ip_policy_ids"],
      [{ ip_restriction: { ip_policy_ids: "ipp_1" } }, "FIELD_TYPE", "ip_restriction.ip_policy_ids"],
      [{ ip_restriction: { ip_policy_ids: ["ipp_1", "1"] } }, "FIELD_VALUE", "ip_restriction.ip_policy_ids[1]"],
      [{ ip_restriction: { ip_policy_ids: ["ipp_"] } }, "FIELD_VALUE", "ip_restriction.ip_policy_ids[0]"],
      [{ ip_restriction: { ip_policies: ["ipp_1"] } }, "UNKNOWN_FIELD", "ip_restriction.ip_policies"],
      [{ policy: { inbound: {} } }, "FIELD_TYPE", "policy.inbound"],
      [{ policy: { rules: [] } }, "UNKNOWN_FIELD", "policy.rules"],
      [{ policy: { inbound: [{ actions: [{ type: 1 }] }] } }, "FIELD_TYPE", "policy.inbound[0].actions[0].type"],
      [
        { policy: { outbound: [{ actions: [{ type: "a", config: [] }] }] } },
        "FIELD_TYPE",
        "policy.outbound[0].actions[0].config",
      ],
      [{ policy: { inbound: [{ expressions: [true] }] } }, "FIELD_TYPE", "policy.inbound[0].expressions[0]"],
    ])("rejects %j", async (field, code, name) => {
      const before = emulator().account;
      expect(await sendField(request, field)).toMatchObject(errorResponse(400, code, `"${name}"`));
      expect(emulator().account).toEqual(before);
    });

    test("accepts every form of a hostport", async () => {
      const hostports = [
        "a.example.com:443",
        "*.example.com:443",
        "localhost:1",
        "192.0.2.1:65535",
        "[2001:db8::1]:22",
      ];
      expect((await sendField(request, { hostports })).body.hostports).toEqual(hostports);
    });
  },
);

describe.each(["POST /edges/tls", "PATCH /edges/tls/edgtls_1"])("%s", (request) => {
  test.each([
    [{ mutual_tls: {} }, "FIELD_REQUIRED", "mutual_tls.certificate_authority_ids"],
    [{ mutual_tls: { certificate_authority_ids: [] } }, "FIELD_VALUE", "mutual_tls.certificate_authority_ids"],
    [{ tls_termination: { terminate_at: "agent" } }, "FIELD_VALUE", "tls_termination.terminate_at"],
    [{ tls_termination: { min_version: "1.4" } }, "FIELD_VALUE", "tls_termination.min_version"],
    [{ tls_termination: { min_version: 1.2 } }, "FIELD_TYPE", "tls_termination.min_version"],
  ])("rejects %j", async (field, code, name) => {
    expect(await sendField(request, field)).toMatchObject(errorResponse(400, code, `"${name}"`));
  });
});

test.each(["mutual_tls", "tls_termination"])("a TCP edge has no %s", async (name) => {
  expect(await sendRequest("POST", "/edges/tcp", { [name]: {} })).toMatchObject(
    errorResponse(400, "UNKNOWN_FIELD", name),
  );
});

describe("null", () => {
  test.each(["backend", "ip_restriction", "policy"])(
    "leaves %s unset in a POST, and is rejected in a PATCH",
    async (name) => {
      for (const kind of ["tcp", "tls"]) {
        expect(await sendRequest("POST", `/edges/${kind}`, { [name]: null })).toMatchObject({
          status: 201,
          body: { [name]: null },
        });
        const change = await sendRequest("PATCH", `/edges/${kind}/edg${kind}_1`, { [name]: null });
        expect(change).toMatchObject(errorResponse(400, "MODULE_NOT_REMOVABLE", name));
      }
    },
  );
});

describe("terminate_at", () => {
  const upstream = { tls_termination: { terminate_at: "upstream" } };
  const mutual = { mutual_tls: { certificate_authority_ids: ["ca_1"] } };
  const edge = "/edges/tls/edgtls_1";

  test.each(["", "1.2"])("requires null as min_version upstream, not %j", async (min_version) => {
    const module = { terminate_at: "upstream", min_version };
    const rejected = errorResponse(400, "MIN_VERSION_UPSTREAM", "min_version must be null");
    expect(await sendRequest("POST", "/edges/tls", { tls_termination: module })).toMatchObject(rejected);
    expect(await sendRequest("PATCH", edge, { tls_termination: module })).toMatchObject(rejected);
    expect(await sendRequest("PUT", `${edge}/tls_termination`, module)).toMatchObject(rejected);
  });

  test.each([null, undefined, "", "1.0", "1.1", "1.2", "1.3"])(
    "allows min_version %j at the edge",
    async (min_version) => {
      const response = await sendRequest("PUT", `${edge}/tls_termination`, { terminate_at: "edge", min_version });
      expect(response.body.min_version).toBe(min_version || null);
    },
  );

  test("does not allow mutual TLS upstream, whichever is set first", async () => {
    const rejected = errorResponse(400, "MODULE_UPSTREAM", "mutual_tls");
    expect(await sendRequest("POST", "/edges/tls", { ...upstream, ...mutual })).toMatchObject(rejected);
    expect(await sendRequest("PATCH", edge, { ...upstream, ...mutual })).toMatchObject(rejected);

    expect((await sendRequest("PATCH", edge, upstream)).status).toBe(200);
    expect(await sendRequest("PATCH", edge, mutual)).toMatchObject(rejected);
    expect((await sendRequest("PATCH", edge, { tls_termination: {}, ...mutual })).status).toBe(200);

    expect(await sendRequest("PATCH", edge, upstream)).toMatchObject(rejected);
    expect(await sendRequest("PUT", `${edge}/tls_termination`, upstream.tls_termination)).toMatchObject(rejected);
    expect((await sendRequest("DELETE", `${edge}/mutual_tls`)).status).toBe(204);
    expect((await sendRequest("PUT", `${edge}/tls_termination`, upstream.tls_termination)).status).toBe(200);
  });
});

describe("a hostport", () => {
  const taken = errorResponse(
    409,
    "HOSTPORT_TAKEN",
    /^The hostport "A\.example\.com:443" is already served by an edge\.$/,
  );

  test("belongs to only one edge, TCP or TLS", async () => {
    await sendRequest("PATCH", "/edges/tcp/edgtcp_1", { hostports: ["a.example.com:443"] });
    const body = { hostports: ["b.example.com:443", "A.example.com:443"], description: "x" };
    for (const [method, path] of [
      ["POST", "/edges/tcp"],
      ["POST", "/edges/tls"],
      ["PATCH", "/edges/tls/edgtls_1"],
    ] as const) {
      expect(await sendRequest(method, path, body)).toMatchObject(taken);
    }
    expect((await sendRequest("GET", "/edges/tls/edgtls_1")).body).toMatchObject({ hostports: null, description: "" });
    // The rejected requests claimed no hostport.
    expect((await sendRequest("POST", "/edges/tls", { hostports: ["b.example.com:443"] })).status).toBe(201);
    // An edge may repeat its own hostports.
    const own = { hostports: ["a.example.com:443", "c.example.com:443"] };
    expect((await sendRequest("PATCH", "/edges/tcp/edgtcp_1", own)).body).toMatchObject(own);
  });

  test.each([
    ["by an update", "PATCH", "/edges/tls/edgtls_1", { hostports: [] }],
    ["with its TLS edge", "DELETE", "/edges/tls/edgtls_1", undefined],
    ["with its TCP edge", "DELETE", "/edges/tcp/edgtcp_1", undefined],
  ])("is released %s", async (_, method, path, body) => {
    await sendRequest("PATCH", path, { hostports: ["A.example.com:443"] });
    expect(await sendRequest("POST", "/edges/tcp", { hostports: ["A.example.com:443"] })).toMatchObject(taken);
    await sendRequest(method, path, body);
    expect((await sendRequest("POST", "/edges/tcp", { hostports: ["A.example.com:443"] })).status).toBe(201);
  });
});

describe("a public key", () => {
  test.each([publicKey("seeded"), `${publicKey("seeded")} on another machine\r\n`])(
    "belongs to only one credential: %j",
    async (public_key) => {
      expect(await sendRequest("POST", "/ssh_credentials", { public_key })).toMatchObject(
        errorResponse(400, "PUBLIC_KEY_TAKEN"),
      );
      await sendRequest("DELETE", "/ssh_credentials/sshcr_1");
      expect(await sendRequest("POST", "/ssh_credentials", { public_key })).toMatchObject({
        status: 201,
        body: { public_key },
      });
    },
  );

  const whole = publicKey("a").split(" ")[1]!;
  const cut = Buffer.from(whole, "base64").subarray(0, -1).toString("base64");
  const [type, part] = ["ssh-ed25519", Buffer.alloc(32)];

  test.each([
    "",
    "key",
    "BEGIN PUBLIC KEY",
    "ssh-ed25519 hello",
    "ssh-ed25519 AAAA",
    `ssh-ed25519 ${whole.slice(0, -1)}`,
    `ssh-ed25519 ${cut}`,
    `ssh-rsa ${whole}`,
    `ssh-ed25519 ${encodeKey(type, part, part)}`,
    `ssh-ed25519 ${encodeKey(type, Buffer.alloc(31))}`,
    `ecdsa-sha2-nistp256 ${encodeKey("ecdsa-sha2-nistp256", "nistp384", Buffer.alloc(65))}`,
    `restrict ${publicKey("a")}`,
    `${publicKey("a")}\n${publicKey("b")}`,
    `ssh-ed25519-cert-v01@openssh.com ${encodeKey("ssh-ed25519-cert-v01@openssh.com", part)}`,
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n",
  ])("cannot be %j", async (public_key) => {
    expect(await sendRequest("POST", "/ssh_credentials", { public_key })).toMatchObject(
      errorResponse(400, "FIELD_VALUE", "public_key"),
    );
  });

  test.each([
    `ssh-rsa ${encodeKey("ssh-rsa", Buffer.from([1, 0, 1]), Buffer.alloc(129, 1))}`,
    `ecdsa-sha2-nistp256 ${encodeKey("ecdsa-sha2-nistp256", "nistp256", Buffer.alloc(65, 4))} comment`,
    `ssh-new ${encodeKey("ssh-new", "anything")}`,
    generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }),
    generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "pem", type: "pkcs1" }),
  ])("can be %j", async (public_key) => {
    expect((await sendRequest("POST", "/ssh_credentials", { public_key })).status).toBe(201);
  });
});

describe("acl", () => {
  const patch = (acl: unknown) => sendRequest("PATCH", "/ssh_credentials/sshcr_1", { acl });

  test.each([
    [["*"]],
    [["bind:example.com"]],
    [["bind:*.example.com", "bind:1.tcp.example.com:20000"]],
    [["bind:192.0.2.1", "bind:2001:db8::1", "bind:[2001:db8::1]:22"]],
    [["bind:app=web", "bind:*=web", "bind:app=*", "bind:*=*"]],
  ])("%j is accepted", async (acl) => {
    expect(await patch(acl)).toMatchObject({ status: 200, body: { acl } });
  });

  test.each([
    [["*", "bind:example.com"], "acl[0]"],
    [["bind:example.com", "*"], "acl[1]"],
    [["bind:"], "acl[0]"],
    [["bind:*"], "acl[0]"],
    [["bind:a.*.com"], "acl[0]"],
    [["bind:*example.com"], "acl[0]"],
    [["bind:a b"], "acl[0]"],
    [["bind:=web"], "acl[0]"],
    [["bind:app="], "acl[0]"],
    [["bind:app=w*"], "acl[0]"],
    [["deny:example.com"], "acl[0]"],
    [[""], "acl[0]"],
  ])("%j is rejected", async (acl, name) => {
    expect(await patch(acl)).toMatchObject(errorResponse(400, "FIELD_VALUE", `"${name}"`));
  });

  test("is unchanged by null", async () => {
    await patch(["bind:example.com"]);
    expect((await patch(null)).body.acl).toEqual(["bind:example.com"]);
  });
});

describe("owners", () => {
  const create = (path: string, token: string, owner_id?: string) =>
    send({ url: emulator().url, apiKey: token }, "POST", path, {
      ...(path === "/ssh_credentials" && { public_key: publicKey(`${owner_id}${token.slice(0, 4)}`) }),
      owner_id,
    });

  test.each(["/api_keys", "/ssh_credentials"])("%s: only admins may name another owner", async (path) => {
    const admin = emulator().account.users[0]!.id;
    expect((await create(path, emulator().apiKey)).body.owner_id).toBe(admin);
    expect((await create(path, emulator().apiKey, "usr_2")).body.owner_id).toBe("usr_2");
    expect(await create(path, emulator().apiKey, "nobody")).toMatchObject(
      errorResponse(400, "FIELD_VALUE", "owner_id"),
    );

    const [key] = emulator().seed({ apiKeys: [{ owner_id: "usr_3" }] }).apiKeys;
    expect((await create(path, key!.token!)).body.owner_id).toBe("usr_3");
    expect((await create(path, key!.token!, "usr_3")).status).toBe(201);
    expect(await create(path, key!.token!, admin)).toMatchObject(errorResponse(403, "OWNER_FORBIDDEN", "Only admins"));
  });

  test("a seeded admin may name another owner", async () => {
    const { apiKeys } = emulator().seed({ users: [{ id: "usr_4", admin: true }], apiKeys: [{ owner_id: "usr_4" }] });
    expect((await create("/api_keys", apiKeys[0]!.token!, "usr_2")).status).toBe(201);
  });
});

describe("modules on their own paths", () => {
  test.each([
    ["/edges/tcp/edgtcp_1/ip_restriction", {}, "FIELD_REQUIRED", "ip_policy_ids"],
    ["/edges/tcp/edgtcp_1/ip_restriction", { ip_policy_ids: [] }, "FIELD_VALUE", "ip_policy_ids"],
    ["/edges/tls/edgtls_1/tls_termination", { terminate_at: "x" }, "FIELD_VALUE", "terminate_at"],
    ["/edges/https/edghts_1/tls_termination", { terminate_at: "edge" }, "UNKNOWN_FIELD", "terminate_at"],
    ["/edges/https/edghts_1/tls_termination", { min_version: "2" }, "FIELD_VALUE", "min_version"],
    [`${route}/oidc`, { provider: "x" }, "UNKNOWN_FIELD", "provider"],
    [`${route}/oidc`, { inactivity_timeout: -1 }, "FIELD_TYPE", "inactivity_timeout"],
    [`${route}/oidc`, { inactivity_timeout: 4294967296 }, "FIELD_TYPE", "inactivity_timeout"],
    [`${route}/oidc`, { maximum_duration: 1.5 }, "FIELD_TYPE", "maximum_duration"],
    [`${route}/oidc`, { maximum_duration: "60" }, "FIELD_TYPE", "maximum_duration"],
    [`${route}/oidc`, { issuer: "login.example.com" }, "FIELD_VALUE", "issuer"],
    [`${route}/oidc`, { scopes: "openid" }, "FIELD_TYPE", "scopes"],
    [`${route}/oidc`, { scopes: [null] }, "FIELD_TYPE", "scopes[0]"],
    [`${route}/request_headers`, { add: { a: 1 } }, "FIELD_TYPE", "add.a"],
    [`${route}/request_headers`, { add: { "a b": "1" } }, "FIELD_VALUE", "add.a b"],
    [`${route}/request_headers`, { add: { a: "1\r\nb: 2" } }, "FIELD_VALUE", "add.a"],
    [`${route}/request_headers`, { add: [] }, "FIELD_TYPE", "add"],
    [`${route}/request_headers`, { remove: [""] }, "FIELD_VALUE", "remove[0]"],
    [`${route}/user_agent_filter`, { allow: "curl" }, "FIELD_TYPE", "allow"],
    [`${route}/user_agent_filter`, { allow: ["a", "(b"] }, "FIELD_VALUE", "allow[1]"],
    [`${route}/user_agent_filter`, { deny: ["a)"] }, "FIELD_VALUE", "deny[0]"],
    [`${route}/user_agent_filter`, { deny: ["[a"] }, "FIELD_VALUE", "deny[0]"],
    [`${route}/user_agent_filter`, { deny: ["[]"] }, "FIELD_VALUE", "deny[0]"],
    [`${route}/user_agent_filter`, { deny: ["a\\"] }, "FIELD_VALUE", "deny[0]"],
  ])("PUT %s rejects %j", async (path, body, code, name) => {
    expect(await sendRequest("PUT", path, body)).toMatchObject(errorResponse(400, code, `"${name}"`));
    expect((await sendRequest("GET", path)).status).toBe(404);
  });

  test.each(["(?i)bot", "a\\)", "[(]", "[^])]", "[[:alpha:]]", "\\Q((\\E", "a\\\\", "x{2,}", "]"])(
    "the pattern %s is accepted",
    async (pattern) => {
      expect((await sendRequest("PUT", `${route}/user_agent_filter`, { allow: [pattern] })).body.allow).toEqual([
        pattern,
      ]);
    },
  );
});
