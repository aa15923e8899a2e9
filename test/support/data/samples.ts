/** Each resource as programs declare it, and the objects that it becomes in the account. */
import type { Account, Emulator } from "pulumi-tunnel-edge/emulator";
import { definitions } from "../../../src/definitions";
import type { Definition, ObjectDefinition } from "../../../src/definitions/definition";
import type { Fields } from "../../../src/definitions/fields/field";
import type { Properties } from "../engine/provider";
import { publicKey } from "./publicKey";

export interface Sample {
  type: string;
  /** Creates the parent objects and returns the arguments that reference them. */
  parents?(emulator: Emulator): Properties;
  /** What the program declares first, and what it declares later. The tag makes the object unique. */
  programs(tag: string): [Properties, Properties];
  /** Every argument that messages must not quote, because its value may be a secret. */
  unquoted?(word: string): Properties;
  /** The outputs that are lists: `[]` if unset. */
  lists?: string[];
  /** The resource's objects in the account. */
  findObjects(account: Account, tag: string, parents: Properties): ServiceObject[];
}

export interface ServiceObject {
  id: string;
  object: Properties;
}

/** The objects that were declared with a tag. Their ids, addresses and tokens are random, and may contain it. */
const findTagged = (objects: { id: string }[], tag: string): ServiceObject[] =>
  objects
    .filter(({ id: _, uri, token, ...declared }: Properties) => JSON.stringify(declared).includes(tag))
    .map((object) => ({ id: object.id, object }));

const moduleObject = (id: string, object: object | null | undefined): ServiceObject[] =>
  object ? [{ id, object: object as Properties }] : [];

const httpsParents = (emulator: Emulator): Properties => {
  const [edge] = emulator.seed({ httpsEdges: [{ routes: [{}] }] }).httpsEdges;
  return { edgeId: edge!.id, routeId: edge!.routes[0]!.id };
};

const route = (name: "oidc" | "request_headers" | "user_agent_filter"): Pick<Sample, "parents" | "findObjects"> => ({
  parents: httpsParents,
  findObjects: ({ httpsEdges }, _, { edgeId, routeId }) => {
    const found = httpsEdges.find(({ id }) => id === edgeId)?.routes.find(({ id }) => id === routeId);
    return moduleObject(`${edgeId}/${routeId}`, found?.[name]);
  },
});

const policy = {
  inbound: [{ name: "no", expressions: ["true"], actions: [{ type: "deny", config: { some_Key: 1 } }] }],
};

const unquotedTexts = (word: string) => ({ description: word, metadata: word });
const unquotedEdge = (word: string) => {
  const rule = { name: word, expressions: [word], actions: [{ type: word, config: { [word]: word } }] };
  return { ...unquotedTexts(word), policy: { inbound: [rule], outbound: [rule] } };
};

export const samples: Sample[] = [
  {
    type: "ApiKey",
    programs: (tag) => [
      { description: `ci ${tag}`, metadata: "metadata-hush", keepers: { quarter: "1" } },
      { description: `cd ${tag}`, keepers: { quarter: "1" } },
    ],
    unquoted: unquotedTexts,
    findObjects: ({ apiKeys }, tag) => findTagged(apiKeys, tag),
  },
  {
    type: "SshCredential",
    programs: (tag) => [
      {
        publicKey: publicKey(tag),
        acl: ["bind:*.example.com"],
        description: "ci",
        metadata: "metadata-hush",
      },
      {
        publicKey: publicKey(tag),
        acl: ["bind:app=web", "bind:example.com"],
        metadata: "metadata-hush-2",
      },
    ],
    unquoted: (word) => ({
      ...unquotedTexts(word),
      publicKey: publicKey(word),
      acl: [`bind:${word}.example.com`],
    }),
    lists: ["acl"],
    findObjects: ({ sshCredentials }, tag) => findTagged(sshCredentials, tag),
  },
  {
    type: "TcpEdge",
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
    unquoted: unquotedEdge,
    lists: ["hostports"],
    findObjects: ({ tcpEdges }, tag) => findTagged(tcpEdges, tag),
  },
  {
    type: "TlsEdge",
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
      // Mutual TLS must be removed before TLS passes through to the upstream.
      {
        description: "passed through",
        hostports: [`${tag}.example.com:443`],
        backend: { backendId: "bkdhr_2", enabled: false },
        tlsTermination: { terminateAt: "upstream" },
      },
    ],
    unquoted: unquotedEdge,
    lists: ["hostports"],
    findObjects: ({ tlsEdges }, tag) => findTagged(tlsEdges, tag),
  },
  {
    type: "TcpEdgeIpRestriction",
    parents: (emulator) => ({ edgeId: emulator.api<{ id: string }>("POST", "/edges/tcp", {}).id }),
    programs: () => [{ ipPolicyIds: ["ipp_a"] }, { enabled: false, ipPolicyIds: ["ipp_b", "ipp_c"] }],
    lists: ["ipPolicyIds"],
    findObjects: ({ tcpEdges }, _, { edgeId }) =>
      moduleObject(edgeId, tcpEdges.find(({ id }) => id === edgeId)?.ip_restriction),
  },
  {
    type: "TlsEdgeTlsTermination",
    parents: (emulator) => ({ edgeId: emulator.api<{ id: string }>("POST", "/edges/tls", {}).id }),
    programs: () => [{ minVersion: "1.2" }, { enabled: false, terminateAt: "upstream" }],
    findObjects: ({ tlsEdges }, _, { edgeId }) =>
      moduleObject(edgeId, tlsEdges.find(({ id }) => id === edgeId)?.tls_termination),
  },
  {
    type: "HttpsEdgeTlsTermination",
    parents: (emulator) => ({ edgeId: httpsParents(emulator).edgeId }),
    programs: () => [{ minVersion: "1.2" }, { enabled: false, minVersion: "1.3" }],
    findObjects: ({ httpsEdges }, _, { edgeId }) =>
      moduleObject(edgeId, httpsEdges.find(({ id }) => id === edgeId)?.tls_termination),
  },
  {
    type: "HttpsEdgeRouteOidc",
    ...route("oidc"),
    programs: () => [
      { issuer: "https://id.example.com", clientId: "edge", clientSecret: "client-hush", scopes: ["openid", "email"] },
      { issuer: "https://id.example.com", clientId: "edge", clientSecret: "client-hush-2", inactivityTimeout: 60 },
    ],
    unquoted: (word) => ({
      cookiePrefix: word,
      issuer: `https://${word}.example.com`,
      clientId: word,
      clientSecret: word,
      scopes: [word],
    }),
    lists: ["scopes"],
  },
  {
    type: "HttpsEdgeRouteRequestHeaders",
    ...route("request_headers"),
    programs: () => [
      { add: { "X-Api_Key": "header-hush" }, remove: ["Cookie"] },
      { enabled: false, add: { "x-api_key": "header-hush-2", constructor: "header-hush" } },
    ],
    unquoted: (word) => ({ add: { [word]: word }, remove: [word] }),
    lists: ["remove"],
  },
  {
    type: "HttpsEdgeRouteUserAgentFilter",
    ...route("user_agent_filter"),
    programs: () => [{ allow: ["(?i)curl/.*"], deny: ["bot"] }, { deny: ["(?i)bot", "spider"] }],
    unquoted: (word) => ({ allow: [word], deny: [word] }),
    lists: ["allow", "deny"],
  },
];

export const sampleOf = (type: string): Sample => samples.find((sample) => sample.type === type)!;

export const definitionOf = ({ type }: Pick<Sample, "type">): Definition =>
  definitions.find((definition) => definition.type === type)!;

export interface ObjectSample extends Sample {
  definition: ObjectDefinition;
}

/** Resources with an id of their own. */
export const objectSamples: ObjectSample[] = samples.flatMap((sample) => {
  const definition = definitionOf(sample);
  return definition.kind === "object" ? [{ ...sample, definition }] : [];
});

/** Of each, the service accepts one object with the same value of an argument. */
export const uniqueSamples = objectSamples.filter(({ definition }) => definition.unique);

/** Every secret in the programs contains this, and nothing else does: an id has no hyphen. */
export const secretMark = "-hush";

/** What the service returns in addition to the arguments, and what is not part of the object. */
const readOnlyNames = new Set(["id", "uri", "created_at", "createdAt", "owner_id", "ownerId", "token"]);
const identifyingNames = new Set(["keepers", "edgeId", "routeId"]);
const userMaps = new Set(["config", "add", "keepers"]);
/** By the names of arguments: the API's defaults, and what the emulator chooses. */
const defaults: [string, unknown][] = [
  ...definitions.flatMap(({ fields }) => listDefaults(fields)),
  ["terminateAt", "edge"],
  ["cookiePrefix", "tunnel."],
  ["inactivityTimeout", 0],
  ["maximumDuration", 0],
];

function listDefaults(fields: Fields): [string, unknown][] {
  return Object.entries(fields).flatMap(([name, { default: assumed, module }]) => [
    ...(assumed === undefined ? [] : [[name, assumed] as [string, unknown]]),
    ...listDefaults(module?.fields ?? {}),
  ]);
}

/**
 * Normalizes an object of the account or the arguments of a program so that they can be compared: the arguments' names,
 * ids instead of references, and nothing that is unset or has its default.
 */
export function normalize(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => normalize(item));
  if (typeof value !== "object" || value === null || userMaps.has(key)) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !readOnlyNames.has(name) && !identifyingNames.has(name))
    .map(([name, inner]): [string, unknown] => {
      if (name === "backend" && inner?.id) return ["backendId", inner.id];
      if (name === "ip_policies") return ["ipPolicyIds", ids(inner)];
      if (name === "certificate_authorities") return ["certificateAuthorityIds", ids(inner)];
      return [name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), normalize(inner, name)];
    });
  return Object.fromEntries(entries.filter(([name, inner]) => !isUnset(name, inner) && !isDefault(name, inner)));
}

const ids = (references: { id: string }[]) => references.map(({ id }) => id);

const isDefault = (name: string, value: unknown) => defaults.some(([each, usual]) => each === name && usual === value);

/** An empty module counts as set, an empty map of the user does not. */
const isUnset = (name: string, value: unknown) =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (userMaps.has(name) && Object.keys(value as object).length === 0);
