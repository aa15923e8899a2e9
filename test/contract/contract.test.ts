/** Promise: "The emulator is independent". */
import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import {
  documentedOperations,
  type Emulator,
  type Seed,
  startEmulator,
  undocumentedOperations,
} from "pulumi-tunnel-edge/emulator";
import { toCamelCase, toSnakeCase } from "../../src/base/json";
import { agentCommands, definitions, readOnly } from "../../src/definitions";
import { type Definition, parentsOf, routesOf } from "../../src/definitions/definition";
import type { Field, Fields } from "../../src/definitions/fields/field";
import { createBody, fillPath } from "../support/data/bodies";
import * as modules from "../support/data/modules";
import { definitionOf, samples } from "../support/data/samples";
import { exceptions, listContractViolations, listUnknownNames, type Names, operations } from "./document";

/** Responses have references where requests have ids: the names of the arguments. */
const asArgument: Record<string, string> = {
  ip_policies: "ip_policy_ids",
  certificate_authorities: "certificate_authority_ids",
};

// Objects with every field set, as in requests.
const tcp = {
  description: "d",
  metadata: "m",
  hostports: ["a.example.com:1"],
  backend: modules.backend.wire,
  ip_restriction: modules.ipRestriction.wire,
  policy: modules.policy.wire,
};
const tls = {
  ...tcp,
  hostports: ["b.example.com:1"],
  mutual_tls: modules.mutualTls.wire,
  tls_termination: modules.tlsTermination.wire,
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

/** The bodies for resources whose samples leave fields to their defaults. */
const completeBodies: Record<string, object> = {
  "POST /edges/tcp": tcp,
  "PATCH /edges/tcp/{id}": tcp,
  "POST /edges/tls": tls,
  "PATCH /edges/tls/{id}": tls,
  "PUT /edges/tcp/{id}/ip_restriction": tcp.ip_restriction,
  "PUT /edges/tls/{id}/tls_termination": tls.tls_termination,
  "PUT /edges/https/{id}/tls_termination": { enabled: true, min_version: "1.2" },
  "PUT /edges/https/{edge_id}/routes/{id}/oidc": oidc,
  "PUT /edges/https/{edge_id}/routes/{id}/request_headers": { enabled: true, add: { "X-A": "b" }, remove: ["X-B"] },
  "PUT /edges/https/{edge_id}/routes/{id}/user_agent_filter": { enabled: true, allow: ["a"], deny: ["b"] },
};
const sampleBodies = samples.flatMap((sample) => {
  const definition = definitionOf(sample);
  const { create, update } = routesOf(definition);
  const [args] = sample.programs("it");
  return [
    [create, createBody(definition, "create", args)],
    [update, createBody(definition, "update", args)],
  ];
});
const bodies: Record<string, object> = { ...Object.fromEntries(sampleBodies), ...completeBodies };

/** An account with what no operation creates. */
const seed: Seed = {
  httpsEdges: [{ id: "edghts_1", routes: [{ id: "edghtsrt_1" }] }],
  sessions: [{ metadata: "m" }, {}, {}],
  tunnels: [
    {
      id: "tn_1",
      metadata: "m",
      public_url: "https://a.example",
      proto: "https",
      labels: { a: "b" },
      backend_ids: ["bkdtg_1"],
    },
  ],
};

/** The ids of objects by the path of their list, for the paths of operations. */
class Ids {
  private readonly ids: Record<string, string> = { "/tunnels": "tn_1", "/edges/https": "edghts_1" };

  constructor(private readonly emulator: Emulator) {}

  /** Notes an object that an operation has created. */
  add(operation: string, { id }: { id?: string }): void {
    const [method, path] = operation.split(" ") as [string, string];
    if (method === "POST" && id) this.ids[path] = id;
  }

  /** The ids of an operation's path, in its order. */
  of(operation: string): string[] {
    const [, list] = /^\w+ (.+?)\/\{/.exec(operation) ?? [];
    if (!list) return [];
    // A restart replaces the session.
    if (list === "/tunnel_sessions") return [this.emulator.account.sessions[0]!.id];
    return operation.includes("{edge_id}") ? [this.ids[list]!, "edghtsrt_1"] : [this.ids[list]!];
  }

  pathOf(operation: string): string {
    return fillPath(operation, this.of(operation));
  }
}

/** Every operation in a definition. */
const listRoutes = (definition: Definition): string[] => [
  ...Object.values(routesOf(definition)),
  ...(definition.kind === "object" ? [definition.list, ...(definition.unique?.among ?? [])] : []).map(
    ({ route }) => route,
  ),
  ...Object.values<Field>(definition.fields).flatMap(({ module }) => [module?.put ?? [], module?.remove ?? []].flat()),
];

describe("the document", () => {
  test("has the same operations as the emulator", () => {
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
  type Read = (args?: object) => Promise<Record<string, object[]>>;
  const functions = tunnel as unknown as Record<string, Read>;
  const listed = [...definitions, ...readOnly].filter((definition) => definition.kind !== "module");
  const singles = [...definitions, ...readOnly].map((definition): [operation: string, read: Read, names: string[]] => [
    definition.kind === "readOnly" ? definition.route : routesOf(definition).read,
    functions[`get${definition.type}`]!,
    definition.kind === "module" ? definition.parents : ["id"],
  ]);
  const lists = listed.map(({ list, plural }): [operation: string, read: Read] => [
    list.route,
    functions[`get${plural}`]!,
  ]);

  let emulator: Emulator;
  let ids: Ids;
  beforeAll(async () => {
    emulator = await startEmulator();
    ids = new Ids(emulator);
    emulator.seed(seed);
    for (const [operation, body] of Object.entries(bodies)) {
      const [method] = operation.split(" ") as [string];
      ids.add(operation, emulator.api(method, ids.pathOf(operation), body));
    }
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

  test.each(singles)("%s: every name of the document's response is in the result", async (operation, read, names) => {
    const values = ids.of(operation);
    const result = await read(Object.fromEntries(names.map((name, index) => [name, values[index]])));
    expect(emulator.calls()).toEqual([operation]);
    expect(Object.keys(result)).toEqual(expect.arrayContaining(resultNames(operations[operation]!.response!)));
  });

  test.each(lists)("%s: the list has the document's name, and so have its items", async (operation, read) => {
    const result = await read();
    expect(emulator.calls()).toEqual([operation]);
    const { uri: _, next_page_uri: __, ...response } = operations[operation]!.response as Record<string, Names>;
    const [key] = Object.keys(response) as [string];
    expect(Object.keys(result)).toEqual([toCamelCase(key)]);
    const names = result[toCamelCase(key)]!.flatMap((item) => Object.keys(item));
    expect(names).toEqual(expect.arrayContaining(resultNames(response[key]!)));
  });

  test("resources, commands and functions together use all operations, and the exceptions", () => {
    const used = [
      ...definitions.flatMap(listRoutes),
      ...agentCommands.flatMap(({ routes }) => Object.values(routes)),
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

  /** Every operation, in an order in which each finds its object. */
  const inOrder = Object.keys(operations).sort((a, b) => rank(a) - rank(b));
  function rank(operation: string): number {
    const [method, path] = operation.split(" ") as [string, string];
    if (method === "DELETE") return path.split("/").length > 4 ? 5 : 6;
    if (path.endsWith("/stop")) return 4; // ends the session
    return { POST: 0, PUT: 1, PATCH: 2, GET: 3 }[method]!;
  }

  test("for each operation, with all fields set", async () => {
    emulator.seed(seed);
    const ids = new Ids(emulator);
    for (const operation of inOrder) {
      const [method, template] = operation.split(" ") as [string, string];
      const path = ids.pathOf(operation);
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
      ids.add(operation, returned);
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
