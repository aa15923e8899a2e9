import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import {
  documentedOperations,
  type Emulator,
  startEmulator,
  undocumentedOperations,
} from "pulumi-tunnel-edge/emulator";
import { commands, definitions } from "../../src/definitions";
import { type Definition, parentsOf, routesOf } from "../../src/definitions/definition";
import type { Field, Fields } from "../../src/definitions/fields";
import { toCamelCase, toSnakeCase } from "../../src/json";
import { exceptions, listContractViolations, listUnknownNames, type Names, operations } from "./document";

/** Responses have references where requests have ids: the names of the arguments. */
const asArgument: Record<string, string> = {
  ip_policies: "ip_policy_ids",
  certificate_authorities: "certificate_authority_ids",
};

// Objects with every field set, as in requests.
const rule = { name: "n", expressions: ["true"], actions: [{ type: "deny", config: { k: 1 } }] };
const tcp = {
  description: "d",
  metadata: "m",
  hostports: ["a.example.com:1"],
  backend: { enabled: true, backend_id: "bkdhr_1" },
  ip_restriction: { enabled: true, ip_policy_ids: ["ipp_1"] },
  policy: { enabled: true, inbound: [rule], outbound: [rule] },
};
const termination = { enabled: true, terminate_at: "edge", min_version: "1.2" };
const tls = {
  ...tcp,
  hostports: ["b.example.com:1"],
  mutual_tls: { enabled: true, certificate_authority_ids: ["ca_1"] },
  tls_termination: termination,
};
const oidc = {
  enabled: true,
  options_passthrough: true,
  cookie_prefix: "c",
  inactivity_timeout: 1,
  maximum_duration: 2,
  issuer: "https://a.example",
  client_id: "i",
  client_secret: "secret",
  scopes: ["openid"],
};

/** Every operation in a definition. */
const listRoutes = (definition: Definition): string[] => [
  ...Object.values(routesOf(definition)),
  ...(definition.kind === "object" ? [definition.list, ...(definition.unique?.among ?? [])] : []).map(
    ({ route }) => route,
  ),
  ...Object.values<Field>(definition.fields).flatMap(({ module }) => [module?.put ?? [], module?.remove ?? []].flat()),
];

describe("the document", () => {
  test("has 44 operations, and the emulator has the same", () => {
    expect(Object.keys(operations)).toHaveLength(44);
    expect([...documentedOperations].sort()).toEqual(Object.keys(operations).sort());
    expect([...undocumentedOperations].sort()).toEqual(Object.keys(exceptions).sort());
  });
});

describe.each(definitions.map((definition) => [definition.type, definition] as const))("%s", (_, definition) => {
  const { computed } = definition;
  const fields: Fields = definition.fields;
  const routes = routesOf(definition);
  const parents = parentsOf(definition);

  test("uses only operations of the document and the listed exceptions", () => {
    for (const route of listRoutes(definition)) {
      expect({ ...operations, ...exceptions }).toHaveProperty([route]);
    }
  });

  test("has exactly the document's arguments", () => {
    const own = Object.keys(fields).filter((name) => !parents.includes(name) && !fields[name]!.clientOnly);
    const body = operations[routes.create]!.body as Record<string, Names>;
    expect(own.map(toSnakeCase).sort()).toEqual(Object.keys(body).sort());
    for (const [name, field] of Object.entries(fields)) {
      if (!field.module) continue;
      const inside = body[toSnakeCase(name)] as Record<string, Names>;
      expect(Object.keys(field.module.fields).map(toSnakeCase).sort()).toEqual(Object.keys(inside).sort());
    }
  });

  test("has an output for every field of the document's response", () => {
    const response = operations[routes.read]!.response as Record<string, Names>;
    const shown = [...Object.keys(fields).filter((name) => !fields[name]!.clientOnly), ...Object.keys(computed)].map(
      toSnakeCase,
    );
    const inAnswers: Record<string, string> = {
      ip_policy_ids: "ip_policies",
      certificate_authority_ids: "certificate_authorities",
    };
    const names = shown.filter((name) => !parents.map(toSnakeCase).includes(name));
    expect(["id", ...names.map((name) => inAnswers[name] ?? name)].sort()).toEqual(
      [...new Set(["id", ...Object.keys(response)])].sort(),
    );
  });

  test("puts each argument into the right place of a request", () => {
    const { create, update } = routes;
    for (const route of [create, update]) {
      const names = operations[route]!.body!;
      const changing = Object.entries(fields).filter(
        ([name, field]) => !parents.includes(name) && !field.clientOnly && !(route === update && field.replaces),
      );
      const body = fillBody(Object.fromEntries(changing));
      expect(listUnknownNames(body, names)).toEqual([]);
    }
  });
});

/** A body with every field in it, with any values. */
const fillBody = (fields: Fields): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      toSnakeCase(name),
      field.module ? fillBody(field.module.fields) : null,
    ]),
  );

describe("data functions", () => {
  const seed = {
    apiKeys: [{ id: "ak_1", description: "d", metadata: "m" }],
    sshCredentials: [
      { id: "sshcr_1", description: "d", metadata: "m", acl: ["bind:example.com"], public_key: "ssh-ed25519 AAAA" },
    ],
    tcpEdges: [{ id: "edgtcp_1", ...tcp }],
    tlsEdges: [{ id: "edgtls_1", ...tls }],
    httpsEdges: [
      {
        id: "edghts_1",
        tls_termination: { min_version: "1.2" },
        routes: [
          {
            id: "edghtsrt_1",
            oidc: { ...oidc },
            request_headers: { add: { "X-A": "b" }, remove: ["X-B"] },
            user_agent_filter: { allow: ["a"], deny: ["b"] },
          },
        ],
      },
    ],
    sessions: [{ id: "ts_1", metadata: "m" }],
    tunnels: [
      {
        id: "tn_1",
        metadata: "m",
        public_url: "https://a.example",
        proto: "https" as const,
        labels: { a: "b" },
        backend_ids: ["bkdtg_1"],
      },
    ],
  };
  const route = { edgeId: "edghts_1", routeId: "edghtsrt_1" };
  const singles: [operation: string, ask: () => Promise<object>][] = [
    ["GET /api_keys/{id}", () => tunnel.getApiKey({ id: "ak_1" })],
    ["GET /ssh_credentials/{id}", () => tunnel.getSshCredential({ id: "sshcr_1" })],
    ["GET /tunnel_sessions/{id}", () => tunnel.getTunnelSession({ id: "ts_1" })],
    ["GET /tunnels/{id}", () => tunnel.getTunnel({ id: "tn_1" })],
    ["GET /edges/tcp/{id}", () => tunnel.getTcpEdge({ id: "edgtcp_1" })],
    ["GET /edges/tls/{id}", () => tunnel.getTlsEdge({ id: "edgtls_1" })],
    ["GET /edges/tcp/{id}/ip_restriction", () => tunnel.getTcpEdgeIpRestriction({ edgeId: "edgtcp_1" })],
    ["GET /edges/tls/{id}/tls_termination", () => tunnel.getTlsEdgeTlsTermination({ edgeId: "edgtls_1" })],
    ["GET /edges/https/{id}/tls_termination", () => tunnel.getHttpsEdgeTlsTermination({ edgeId: "edghts_1" })],
    ["GET /edges/https/{edge_id}/routes/{id}/oidc", () => tunnel.getHttpsEdgeRouteOidc(route)],
    ["GET /edges/https/{edge_id}/routes/{id}/request_headers", () => tunnel.getHttpsEdgeRouteRequestHeaders(route)],
    ["GET /edges/https/{edge_id}/routes/{id}/user_agent_filter", () => tunnel.getHttpsEdgeRouteUserAgentFilter(route)],
  ];
  const lists: [operation: string, ask: () => Promise<object>][] = [
    ["GET /api_keys", () => tunnel.getApiKeys()],
    ["GET /ssh_credentials", () => tunnel.getSshCredentials()],
    ["GET /tunnel_sessions", () => tunnel.getTunnelSessions()],
    ["GET /tunnels", () => tunnel.getTunnels()],
    ["GET /edges/tcp", () => tunnel.getTcpEdges()],
    ["GET /edges/tls", () => tunnel.getTlsEdges()],
  ];

  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator();
    emulator.seed(seed);
    pulumi.runtime.setAllConfig({ "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": emulator.apiKey });
  });
  beforeEach(() => emulator.clearRequests());
  afterEach(() => expect(emulator.requests.flatMap(listContractViolations)).toEqual([]));
  afterAll(() => emulator.close());

  /** The names in a function's result, from the document's response. A token is returned only on creation. */
  const resultNames = (response: Names) =>
    Object.keys(response)
      .filter((name) => name !== "token")
      .map((name) => toCamelCase(asArgument[name] ?? name));

  test.each(singles)("%s: every name of the document's response is in the result", async (operation, ask) => {
    const result = await ask();
    expect(emulator.calls()).toEqual([operation]);
    expect(Object.keys(result)).toEqual(expect.arrayContaining(resultNames(operations[operation]!.response!)));
  });

  test.each(lists)("%s: the list has the document's name, and so have its items", async (operation, ask) => {
    const result = (await ask()) as Record<string, object[]>;
    expect(emulator.calls()).toEqual([operation]);
    const { uri: _, next_page_uri: __, ...response } = operations[operation]!.response as Record<string, Names>;
    const [key] = Object.keys(response) as [string];
    expect(Object.keys(result)).toEqual([toCamelCase(key)]);
    const names = result[toCamelCase(key)]!.flatMap((item) => Object.keys(item));
    expect(names).toEqual(expect.arrayContaining(resultNames(response[key]!)));
  });

  test("resources, commands and functions together use all 44 operations, and the exceptions", () => {
    const used = [
      ...definitions.flatMap(listRoutes),
      ...commands.flatMap(({ routes }) => Object.values(routes)),
      ...[...singles, ...lists].map(([operation]) => operation),
    ];
    expect([...new Set(used)].sort()).toEqual([...Object.keys(operations), ...Object.keys(exceptions)].sort());
  });
});

describe("the emulator's responses have the document's names", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator();
  });
  afterAll(() => emulator.close());

  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8 someone";
  const bodies: Record<string, object> = {
    "POST /api_keys": { description: "d", metadata: "m" },
    "PATCH /api_keys/{id}": { description: "d", metadata: "m" },
    "POST /ssh_credentials": { description: "d", metadata: "m", acl: ["bind:example.com"], public_key: key },
    "PATCH /ssh_credentials/{id}": { description: "d", metadata: "m", acl: ["bind:example.com"] },
    "POST /edges/tcp": tcp,
    "PATCH /edges/tcp/{id}": tcp,
    "POST /edges/tls": tls,
    "PATCH /edges/tls/{id}": tls,
    "PUT /edges/tcp/{id}/ip_restriction": tcp.ip_restriction,
    "PUT /edges/tls/{id}/tls_termination": termination,
    "PUT /edges/https/{id}/tls_termination": { enabled: true, min_version: "1.2" },
    "PUT /edges/https/{edge_id}/routes/{id}/oidc": oidc,
    "PUT /edges/https/{edge_id}/routes/{id}/request_headers": { enabled: true, add: { "X-A": "b" }, remove: ["X-B"] },
    "PUT /edges/https/{edge_id}/routes/{id}/user_agent_filter": { enabled: true, allow: ["a"], deny: ["b"] },
  };

  /** Every operation, in an order in which each finds its object. */
  const inOrder = Object.keys(operations).sort((a, b) => rank(a) - rank(b));
  function rank(operation: string): number {
    const [method, path] = operation.split(" ") as [string, string];
    if (method === "DELETE") return path.split("/").length > 4 ? 5 : 6;
    if (path.endsWith("/stop")) return 4; // ends the session
    return { POST: 0, PUT: 1, PATCH: 2, GET: 3 }[method]!;
  }

  test("for each of the 44, with all fields set", async () => {
    const { httpsEdges } = emulator.seed({
      httpsEdges: [{ routes: [{}] }],
      sessions: [{}, {}, {}],
      tunnels: [
        { public_url: "https://a.example", proto: "https" },
        { labels: { a: "b" }, backend_ids: ["bkdtg_1"] },
      ],
    });
    const { account } = emulator;
    const [edge] = httpsEdges;
    const ids: Record<string, () => string> = {
      "/api_keys": () => emulator.account.apiKeys.at(-1)!.id,
      "/ssh_credentials": () => emulator.account.sshCredentials[0]!.id,
      "/tunnel_sessions": () => emulator.account.sessions[0]!.id,
      "/tunnels": () => account.tunnels[0]!.id,
      "/edges/tcp": () => emulator.account.tcpEdges[0]!.id,
      "/edges/tls": () => emulator.account.tlsEdges[0]!.id,
      "/edges/https": () => edge!.id,
    };
    for (const operation of inOrder) {
      const [method, template] = operation.split(" ") as [string, string];
      const kind = Object.keys(ids).find((path) => template.startsWith(path))!;
      const id = template.includes("{edge_id}") ? edge!.routes[0]!.id : template.includes("{id}") ? ids[kind]!() : "";
      const path = template.replace("{edge_id}", edge!.id).replace("{id}", id);
      const { body, status, response: expected } = operations[operation]!;
      const response = await fetch(emulator.url + path, {
        method,
        headers: {
          Authorization: `Bearer ${emulator.apiKey}`,
          "Service-Version": "2",
          ...(body && { "Content-Type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(bodies[operation] ?? {}) }),
      });
      const text = await response.text();
      expect(`${operation} ${response.status} ${text}`).toBe(`${operation} ${status} ${text}`);
      if (!expected) {
        expect(text).toBe("");
        continue;
      }
      const returned = JSON.parse(text);
      expect(listUnknownNames(returned, expected)).toEqual([]);
      // Fields that do not apply to a tunnel may be absent.
      if (!template.startsWith("/tunnels")) expect(listMissingNames(returned, expected)).toEqual([]);
    }
    expect(emulator.requests.flatMap(listContractViolations)).toEqual([]);
  });

  /** The names that a complete value should have and does not. */
  function listMissingNames(value: unknown, names: Names | true): string[] {
    if (names === "*" || names === true) return [];
    if (Array.isArray(value)) return value.flatMap((item) => listMissingNames(item, names));
    return Object.entries(names).flatMap(([name, inner]) => {
      const held = (value as Record<string, unknown>)[name];
      return held === undefined || (held === null && inner !== true) ? [name] : listMissingNames(held, inner);
    });
  }
});
