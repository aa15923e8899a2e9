/**
 * What messages quote. The provider cannot know which inputs the program marked as secret, so it quotes only ids,
 * hostports, booleans, numbers and enums, the program's and the service's.
 */
import { definitions } from "../../src/definitions";
import { shareHost } from "../support/emulatorHost";
import type { Properties } from "../support/provider";

const shared = shareHost({}, { config: { "tunnel-edge:maxRetries": "0" } });

const errorLines = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    (error: Error) => error.message.split("\n"),
  );

const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
const oidcPath = "/edges/https/edghts_a/routes/edghtsrt_a";
beforeEach(() => {
  shared().emulator.seed({ httpsEdges: [{ id: "edghts_a", routes: [{ id: "edghtsrt_a" }] }] });
});

const policy = (word: string) => ({
  inbound: [{ name: word, expressions: [word], actions: [{ type: word, config: { [word]: word } }] }],
});

/** Every argument whose values may be secrets, as declared by the program and with the same value in the service. */
const unquotedArgs: Record<string, { args: (word: string) => Properties; create: (word: string) => string }> = {
  ApiKey: {
    args: (word) => ({ description: word, metadata: word }),
    create: (word) => shared().emulator.api("POST", "/api_keys", { description: word, metadata: word }).id as string,
  },
  SshCredential: {
    args: (word) => ({
      publicKey: `ssh-ed25519 ${word}`,
      acl: [`bind:${word}.example.com`],
      description: word,
      metadata: word,
    }),
    create: (word) =>
      shared().emulator.api("POST", "/ssh_credentials", {
        public_key: `ssh-ed25519 ${word}`,
        acl: [`bind:${word}.example.com`],
        description: word,
        metadata: word,
      }).id as string,
  },
  TcpEdge: {
    args: (word) => ({ description: word, metadata: word, policy: policy(word) }),
    create: (word) =>
      shared().emulator.api("POST", "/edges/tcp", { description: word, metadata: word, policy: policy(word) })
        .id as string,
  },
  TlsEdge: {
    args: (word) => ({ description: word, metadata: word, policy: { outbound: policy(word).inbound } }),
    create: (word) =>
      shared().emulator.api("POST", "/edges/tls", {
        description: word,
        metadata: word,
        policy: { outbound: policy(word).inbound },
      }).id as string,
  },
  HttpsEdgeRouteOidc: {
    args: (word) => ({
      ...route,
      cookiePrefix: word,
      issuer: `https://${word}.example.com`,
      clientId: word,
      clientSecret: word,
      scopes: [word],
    }),
    create: (word) => {
      shared().emulator.api("PUT", `${oidcPath}/oidc`, {
        cookie_prefix: word,
        issuer: `https://${word}.example.com`,
        client_id: word,
        client_secret: word,
        scopes: [word],
      });
      return "edghts_a/edghtsrt_a";
    },
  },
  HttpsEdgeRouteRequestHeaders: {
    args: (word) => ({ ...route, add: { [word]: word }, remove: [word] }),
    create: (word) => {
      shared().emulator.api("PUT", `${oidcPath}/request_headers`, { add: { [word]: word }, remove: [word] });
      return "edghts_a/edghtsrt_a";
    },
  },
  HttpsEdgeRouteUserAgentFilter: {
    args: (word) => ({ ...route, allow: [word], deny: [word] }),
    create: (word) => {
      shared().emulator.api("PUT", `${oidcPath}/user_agent_filter`, { allow: [word], deny: [word] });
      return "edghts_a/edghtsrt_a";
    },
  },
};

/** The arguments of a resource whose values may be secrets: `description`, `policy.inbound`. */
const listUnquotedArgs = (type: string): string[] => {
  const { fields } = definitions.find((definition) => definition.type === type)!;
  return Object.entries(fields).flatMap(([name, { module, quotable, clientOnly }]) =>
    module
      ? Object.keys(module.fields)
          .filter((inner) => !module.fields[inner]!.quotable)
          .map((inner) => `${name}.${inner}`)
      : quotable || clientOnly
        ? []
        : [name],
  );
};

test("only ids, hostports, booleans, numbers and enums are quoted", () => {
  const quotable = new Set<string>();
  for (const { fields } of definitions) {
    for (const [name, field] of Object.entries(fields)) {
      for (const [inner, { quotable: isQuoted }] of Object.entries(field.module?.fields ?? { [name]: field })) {
        if (isQuoted) quotable.add(inner);
      }
    }
  }
  expect([...quotable].sort()).toEqual([
    "backendId",
    "certificateAuthorityIds",
    "edgeId",
    "enabled",
    "hostports",
    "inactivityTimeout",
    "ipPolicyIds",
    "maximumDuration",
    "minVersion",
    "optionsPassthrough",
    "ownerId",
    "routeId",
    "terminateAt",
  ]);
});

describe.each(Object.keys(unquotedArgs))("importing a %s that differs in everything", (type) => {
  const { args, create } = unquotedArgs[type]!;

  test("names each argument, and quotes neither the program's value nor the service's", async () => {
    const { host } = shared();
    const id = create("theirhush");
    const found = await errorLines(host.resource(type).preview(args("ourhush"), { import: id }));
    const named = found.map((sentence) => /^(\S+) differs from that of /.exec(sentence)?.[1]);
    const declared = listUnquotedArgs(type).filter((path) =>
      path.split(".").reduce<unknown>((value, key) => (value as Properties)?.[key], args("x")),
    );
    expect(named.sort()).toEqual(declared.sort());
    expect(found.join()).not.toContain("hush");
  });

  test("quotes nothing if only one of the two has it", async () => {
    const { host } = shared();
    const id = create("theirhush");
    const { edgeId, routeId } = args("x");
    const modules = Object.fromEntries(
      Object.keys(args("x"))
        .filter((name) => name === "policy")
        .map((name) => [name, {}]),
    );
    const minimal = type === "SshCredential" ? { publicKey: "ssh-ed25519 ourhush" } : { edgeId, routeId, ...modules };
    const found = await errorLines(host.resource(type).preview(minimal, { import: id }));
    expect(found.join()).not.toContain("hush");
  });
});

test("importing quotes what may be quoted", async () => {
  const { host, emulator } = shared();
  const { id } = emulator.api("POST", "/edges/tls", {
    hostports: ["a.example.com:1"],
    backend: { backend_id: "bkdhr_a", enabled: false },
    tls_termination: { min_version: "1.2" },
  });
  const args = {
    hostports: ["b.example.com:1", "c.example.com:1"],
    backend: { backendId: "bkdhr_b" },
    tlsTermination: { minVersion: "1.3" },
  };
  const there = `TLS edge ${id}`;
  expect(await errorLines(host.resource("TlsEdge").preview(args, { import: String(id) }))).toEqual([
    `hostports is ["b.example.com:1", "c.example.com:1"] in the program, but ["a.example.com:1"] in ${there}; declare what it has, or leave it out`,
    `backend.enabled is not declared, which means true, but ${there} has false; declare it`,
    `backend.backendId is "bkdhr_b" in the program, but "bkdhr_a" in ${there}; declare what it has`,
    `tlsTermination.minVersion is "1.3" in the program, but "1.2" in ${there}; declare what it has, or leave it out`,
  ]);
});

/** Wrong arguments that contain a secret. */
const wrong: [type: string, args: Properties, names: string[]][] = [
  ["ApiKey", { description: "hush".repeat(100), metadata: { hush: "hush" } }, ["description", "metadata"]],
  ["ApiKey", { keepers: { hush: 1 } }, ["keepers"]],
  ["SshCredential", { publicKey: "hush" }, ["publicKey"]],
  ["SshCredential", { publicKey: ["hush"] }, ["publicKey"]],
  ...[
    "hush",
    "bind:hush..example.com",
    "bind:*hush",
    "bind:hush=",
    "bind:hush=h*",
    "bind:hush:0443",
    "bind:hush://x",
  ].map((rule): [string, Properties, string[]] => [
    "SshCredential",
    { publicKey: "ssh-rsa AAAA", acl: [rule] },
    ["acl[0]"],
  ]),
  ["SshCredential", { publicKey: "ssh-rsa AAAA", acl: ["*", "bind:hush"] }, ["acl"]],
  ["SshCredential", { publicKey: "ssh-rsa AAAA", acl: "bind:hush" }, ["acl"]],
  ["TcpEdge", { policy: { inbound: "hush" } }, ["policy.inbound"]],
  ["TcpEdge", { policy: { inbound: [{ name: ["hush"] }] } }, ["policy.inbound[0].name"]],
  ["TcpEdge", { policy: { inbound: [{ expressions: "hush" }] } }, ["policy.inbound[0].expressions"]],
  [
    "TcpEdge",
    { policy: { inbound: [{ actions: [{ type: { hush: "hush" }, config: { hush: { hush: Number.NaN } } }] }] } },
    ["policy.inbound[0].actions[0].type", "policy.inbound[0].actions[0].config"],
  ],
  ["TcpEdge", { backend: "hush", hostports: { hush: "hush" } }, ["hostports", "backend"]],
  ["HttpsEdgeRouteOidc", { ...route, issuer: "hush.example.com", scopes: "hush" }, ["issuer", "scopes"]],
  [
    "HttpsEdgeRouteOidc",
    { ...route, clientId: ["hush"], clientSecret: { hush: "hush" } },
    ["clientId", "clientSecret"],
  ],
  [
    "HttpsEdgeRouteRequestHeaders",
    { ...route, add: { "hush hush": "hush" }, remove: ["hush hush"] },
    ["add", "remove[0]"],
  ],
  ["HttpsEdgeRouteRequestHeaders", { ...route, add: { hush: "a", HUSH: "b" } }, ["add"]],
  ["HttpsEdgeRouteRequestHeaders", { ...route, add: { hush: "hush\n" } }, ["add"]],
  ["HttpsEdgeRouteRequestHeaders", { ...route, add: { hush: 1 } }, ["add"]],
  ["HttpsEdgeRouteUserAgentFilter", { ...route, allow: ["(hush"], deny: ["[hush"] }, ["allow[0]", "deny[0]"]],
];

test.each(wrong)("a wrong %s is rejected without quoting it: %j", async (type, args, names) => {
  const found = await errorLines(shared().host.resource(type).preview(args));
  expect(found.map((sentence) => /^[^\s:]+/.exec(sentence)?.[0])).toEqual(names);
  expect(found.join()).not.toMatch(/hush/i);
});

test("a value that may be quoted is quoted, unless it is as long as a key", async () => {
  const { host } = shared();
  const wrongArgs = { enabled: "yes", minVersion: "1.2", edgeId: "ak_1" };
  expect(await errorLines(host.resource("HttpsEdgeTlsTermination").preview(wrongArgs))).toEqual([
    'edgeId must be the id of an HTTPS edge ("edghts_…"), not "ak_1"',
    "enabled must be a boolean, not a string",
  ]);
  const key = "2ZvqwLXQnLkGqwSjZpYhTdKcVbN_3mXrTjWqPzKsHdYg";
  expect(await errorLines(host.resource("HttpsEdgeTlsTermination").preview({ edgeId: key }))).toEqual([
    'edgeId must be the id of an HTTPS edge ("edghts_…")',
  ]);
});
