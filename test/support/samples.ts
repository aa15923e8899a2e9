/** Each resource as programs state it, and as the service's account shows what was made of it. */
import type { Account, Emulator } from "pulumi-tunnel-edge/emulator";
import type { Bag } from "./host";

export interface Sample {
  type: string;
  /** What a message calls it. */
  noun: string;
  /** Makes what the resource needs to be there before it, and gives the arguments that name it. */
  parents?(emulator: Emulator): Bag;
  /** What a program states first, and what it states later. The tag makes the object one of its kind. */
  programs(tag: string): [Bag, Bag];
  /** What the account holds of it. */
  held(account: Account, tag: string, parents: Bag): Held[];
}

export interface Held {
  id: string;
  object: Bag;
}

const tagged = (objects: { id: string }[], tag: string): Held[] =>
  objects.filter((object) => JSON.stringify(object).includes(tag)).map((object) => ({ id: object.id, object }));

const part = (id: string, object: object | null | undefined): Held[] => (object ? [{ id, object: object as Bag }] : []);

const httpsParents = (emulator: Emulator): Bag => {
  const [edge] = emulator.seed({ httpsEdges: [{ routes: [{}] }] }).httpsEdges;
  return { edgeId: edge!.id, routeId: edge!.routes[0]!.id };
};

const route = (name: "oidc" | "request_headers" | "user_agent_filter"): Pick<Sample, "parents" | "held"> => ({
  parents: httpsParents,
  held: ({ httpsEdges }, _, { edgeId, routeId }) => {
    const found = httpsEdges.find(({ id }) => id === edgeId)?.routes.find(({ id }) => id === routeId);
    return part(`${edgeId}/${routeId}`, found?.[name]);
  },
});

const policy = {
  inbound: [{ name: "no", expressions: ["true"], actions: [{ type: "deny", config: { some_Key: 1 } }] }],
};

export const samples: Sample[] = [
  {
    type: "ApiKey",
    noun: "API key",
    programs: (tag) => [
      { description: `ci ${tag}`, metadata: "metadata-hush", keepers: { quarter: "1" } },
      { description: `cd ${tag}`, keepers: { quarter: "1" } },
    ],
    held: ({ apiKeys }, tag) => tagged(apiKeys, tag),
  },
  {
    type: "SshCredential",
    noun: "SSH credential",
    programs: (tag) => [
      {
        publicKey: `ssh-ed25519 AAAA${tag} ci`,
        acl: ["bind:*.example.com"],
        description: "ci",
        metadata: "metadata-hush",
      },
      {
        publicKey: `ssh-ed25519 AAAA${tag} ci`,
        acl: ["bind:app=web", "bind:example.com"],
        metadata: "metadata-hush-2",
      },
    ],
    held: ({ sshCredentials }, tag) => tagged(sshCredentials, tag),
  },
  {
    type: "TcpEdge",
    noun: "TCP edge",
    programs: (tag) => [
      {
        description: "ssh",
        metadata: "metadata-hush",
        hostports: [`${tag}.example.com:20022`],
        backend: { backendId: "bkdhr_1" },
        ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] },
        policy,
      },
      {
        description: "two",
        hostports: [`${tag}.example.com:20022`, `${tag}.example.com:20023`],
        ipRestriction: { ipPolicyIds: ["ipp_c"] },
      },
    ],
    held: ({ tcpEdges }, tag) => tagged(tcpEdges, tag),
  },
  {
    type: "TlsEdge",
    noun: "TLS edge",
    programs: (tag) => [
      {
        description: "api",
        metadata: "metadata-hush",
        hostports: [`${tag}.example.com:443`],
        backend: { backendId: "bkdhr_1" },
        ipRestriction: { ipPolicyIds: ["ipp_a"] },
        mutualTls: { certificateAuthorityIds: ["ca_1", "ca_2"] },
        tlsTermination: { minVersion: "1.2" },
        policy,
      },
      // What is passed through must lose its mutual TLS first: the removals go before the rest.
      {
        description: "passed through",
        hostports: [`${tag}.example.com:443`],
        backend: { backendId: "bkdhr_2", enabled: false },
        tlsTermination: { terminateAt: "upstream" },
      },
    ],
    held: ({ tlsEdges }, tag) => tagged(tlsEdges, tag),
  },
  {
    type: "TcpEdgeIpRestriction",
    noun: "IP restriction of TCP edge",
    parents: (emulator) => ({ edgeId: emulator.api<{ id: string }>("POST", "/edges/tcp", {}).id }),
    programs: () => [{ ipPolicyIds: ["ipp_a"] }, { enabled: false, ipPolicyIds: ["ipp_b", "ipp_c"] }],
    held: ({ tcpEdges }, _, { edgeId }) => part(edgeId, tcpEdges.find(({ id }) => id === edgeId)?.ip_restriction),
  },
  {
    type: "TlsEdgeTlsTermination",
    noun: "TLS termination of TLS edge",
    parents: (emulator) => ({ edgeId: emulator.api<{ id: string }>("POST", "/edges/tls", {}).id }),
    programs: () => [{ minVersion: "1.2" }, { enabled: false, terminateAt: "upstream" }],
    held: ({ tlsEdges }, _, { edgeId }) => part(edgeId, tlsEdges.find(({ id }) => id === edgeId)?.tls_termination),
  },
  {
    type: "HttpsEdgeTlsTermination",
    noun: "TLS termination of HTTPS edge",
    parents: (emulator) => ({ edgeId: httpsParents(emulator).edgeId }),
    programs: () => [{ minVersion: "1.2" }, { enabled: false, minVersion: "1.3" }],
    held: ({ httpsEdges }, _, { edgeId }) => part(edgeId, httpsEdges.find(({ id }) => id === edgeId)?.tls_termination),
  },
  {
    type: "HttpsEdgeRouteOidc",
    noun: "OIDC module of route",
    ...route("oidc"),
    programs: () => [
      { issuer: "https://id.example.com", clientId: "edge", clientSecret: "client-hush", scopes: ["openid", "email"] },
      { issuer: "https://id.example.com", clientId: "edge", clientSecret: "client-hush-2", inactivityTimeout: 60 },
    ],
  },
  {
    type: "HttpsEdgeRouteRequestHeaders",
    noun: "request headers module of route",
    ...route("request_headers"),
    programs: () => [
      { add: { "X-Api_Key": "header-hush" }, remove: ["Cookie"] },
      { enabled: false, add: { "x-api_key": "header-hush-2", constructor: "header-hush" } },
    ],
  },
  {
    type: "HttpsEdgeRouteUserAgentFilter",
    noun: "user agent filter of route",
    ...route("user_agent_filter"),
    programs: () => [{ allow: ["(?i)curl/.*"], deny: ["bot"] }, { deny: ["(?i)bot", "spider"] }],
  },
];

/** Every secret in the programs has this in it, and nothing else does. */
export const secretMark = "hush";

/** What the service tells beyond the arguments, and what is no part of its object. */
const told = new Set(["id", "uri", "created_at", "createdAt", "owner_id", "ownerId", "token"]);
const named = new Set(["keepers", "edgeId", "routeId"]);
const users = new Set(["config", "add", "keepers"]);
const defaults: [string, unknown][] = [
  ["enabled", true],
  ["terminateAt", "edge"],
  ["optionsPassthrough", false],
  ["cookiePrefix", "tunnel."],
  ["inactivityTimeout", 0],
  ["maximumDuration", 0],
];

/**
 * An object of the account, or the arguments of a program, in one form that can be compared: the arguments' names,
 * ids instead of references, and nothing that is unset or as it would be anyway.
 */
export function comparable(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item));
  if (typeof value !== "object" || value === null || users.has(key)) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !told.has(name) && !named.has(name))
    .map(([name, inner]): [string, unknown] => {
      if (name === "backend" && inner?.id) return ["backendId", inner.id];
      if (name === "ip_policies") return ["ipPolicyIds", ids(inner)];
      if (name === "certificate_authorities") return ["certificateAuthorityIds", ids(inner)];
      return [name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), comparable(inner, name)];
    });
  return Object.fromEntries(entries.filter(([name, inner]) => !isUnset(name, inner) && !isDefault(name, inner)));
}

const ids = (references: { id: string }[]) => references.map(({ id }) => id);

const isDefault = (name: string, value: unknown) => defaults.some(([each, usual]) => each === name && usual === value);

/** An empty module is a module; an empty map of the user's is none. */
const isUnset = (name: string, value: unknown) =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (users.has(name) && Object.keys(value as object).length === 0);
