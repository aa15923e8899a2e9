/** What the program of a stack declares, as data that changes from run to run, and the program that it stands for. */

import { publicKey } from "../support/data/publicKey";
import type { Properties } from "../support/engine/provider";
import { type Declared, type Program, urnOf } from "./engine";
import type { Random } from "./random";
import { secretPrefix } from "./secrets";

const components = ["", "A", "B"] as const;
type Component = (typeof components)[number];

export interface EdgeModel {
  kind: "tcp" | "tls";
  name: string;
  component: Component;
  ports: number[];
  /** Who declares the IP restriction of a TCP edge, or the TLS termination of a TLS edge. */
  module: "none" | "own" | "separate";
  separate: { name: string; component: Component };
  /** Whether the edge ignores the module of the separate resource, which moves there without a gap then. */
  ignores: boolean;
  /** Whether the separate resource has the edge's id as a string, once there is one. */
  literal: boolean;
  policyIds: string[];
  policy: boolean;
  mutualTls: boolean;
  upstream: boolean;
  description: string;
  /** Declares the option `import` with the edge's own id. */
  imports: boolean;
  /** The provider of the edge and its module: the stack's, an explicit one, or one of the other kind. */
  provider?: "second" | "other";
}

export interface Model {
  edges: EdgeModel[];
  keys: { name: string; description: string; keeper: number }[];
  credentials: { name: string; key: number; description: string }[];
  /** Modules of the HTTPS edge's route, with a secret each. */
  oidc?: { scopes: string[]; secret: number };
  headers?: { value: number };
  /** Restarts the agent. */
  command?: { trigger: number };
  /** Another resource, which updates it. */
  update?: { trigger: number };
  /** The version of the stack's provider: what another version no longer needs, its own process deletes. */
  version?: number;
}

export const httpsEdge = "edghts_theirs";
export const httpsRoute = "edghtsrt_theirs";
const ports = 6;

/** The secrets in programs, which no message and no state may contain in plain text. */
export const secretOf = {
  metadata: `${secretPrefix}metadata`,
  oidc: `${secretPrefix}client-`,
  header: `${secretPrefix}header-`,
  config: `${secretPrefix}config`,
};

/** Often a namesake of the one of another edge, under another parent. */
const newSeparate = (random: Random, edge: string): EdgeModel["separate"] => ({
  name: random.pick(["r", `r${edge}`, `s${edge}`]),
  component: random.pick(["", "", "A", "B"]),
});

const newEdge = (random: Random, kind: "tcp" | "tls", name: string, port: number): EdgeModel => ({
  kind,
  name,
  component: random.once(5) ? random.pick(["A", "B"]) : "",
  ports: [port],
  module: random.pick(["none", "own", "own", "separate", "separate"]),
  separate: newSeparate(random, name),
  ignores: random.once(2),
  literal: random.once(4),
  policyIds: somePolicies(random),
  policy: random.once(4),
  mutualTls: random.once(3),
  upstream: false,
  description: random.pick(["", "a"]),
  imports: false,
  ...(random.once(8) && { provider: "second" as const }),
});

export function newModel(random: Random): Model {
  const edges = Array.from({ length: random.pick([1, 2, 2, 3, 4]) }, (_, index) =>
    newEdge(random, random.once(4) ? "tls" : "tcp", `e${index}`, index),
  );
  const keys = random.some(["k0", "k1", "k2"], random.pick([0, 0, 1, 2]));
  return {
    edges,
    keys: keys.map((name) => ({ name, description: random.pick(["same", "same", name]), keeper: 0 })),
    credentials: random.some(["c0", "c1"]).map((name, key) => ({ name, key, description: "" })),
    ...(random.once(4) && { oidc: { scopes: ["openid"], secret: 1 } }),
    ...(random.once(4) && { headers: { value: 1 } }),
    ...(random.once(6) && { command: { trigger: 0 } }),
  };
}

type Change = (model: Model, random: Random) => void;

const somePolicies = (random: Random) => random.some(["ipp_a", "ipp_b", "ipp_c"], 1);

/** What a user changes of an edge. */
const edgeChanges: Record<string, (edge: EdgeModel, random: Random, model: Model) => Partial<EdgeModel>> = {
  moveModule: ({ module }, random) => ({ module: random.other(["none", "own", "separate"], module) }),
  renameModule: ({ name }, random) => ({ separate: newSeparate(random, name) }),
  changePolicies: (_, random) => ({ policyIds: somePolicies(random) }),
  changeProtection: ({ kind, policy }, random) => {
    const upstream = random.once(2);
    const tls = { upstream, mutualTls: !upstream && random.once(2), policy: random.once(2) };
    return kind === "tcp" ? { policy: !policy } : tls;
  },
  describe: (_, random) => ({ description: random.pick(["", "a", "b"]) }),
  changePorts: ({ ports: before }, random, model) => {
    const port = freePort(model, random);
    if (port < 0) return { ports: before.slice(0, 1) };
    return { ports: random.once(2) ? [port] : [...before, port] };
  },
  /** Under another parent it is another resource, which imports what the old one has. */
  moveEdge: ({ component }, random) => ({ component: random.other(components, component), imports: true }),
  /** It is declared anew with another provider, which imports what the old one has. */
  moveToProvider: ({ component, provider }, random) => ({
    component: random.other(components, component),
    provider: random.other([undefined, "second", "other"], provider),
    imports: true,
  }),
  declareImport: ({ imports }) => ({ imports: !imports }),
};

/** What a user changes in a program. */
export const changes: Record<string, Change> = {
  nothing: () => {},
  ...Object.fromEntries(
    Object.entries(edgeChanges).map(([name, change]): [string, Change] => [
      name,
      (model, random) => {
        if (model.edges.length === 0) return;
        const edge = random.pick(model.edges);
        Object.assign(edge, change(edge, random, model));
      },
    ]),
  ),
  /** TLS passes through the edge, or the edge terminates it and restricts who may connect. */
  passTls: (model, random) => {
    for (const edge of model.edges.filter(({ kind }) => kind === "tls")) {
      edge.upstream = !edge.upstream;
      edge.mutualTls = !edge.upstream;
      edge.module = edge.upstream ? "own" : random.pick(["none", "own"] as const);
      edge.policyIds = somePolicies(random);
    }
  },
  /** Edges pass on their hostports, one to the next. */
  passPorts: (model, random) => {
    const edges = random.shuffle(model.edges.filter(({ kind }) => kind === "tcp"));
    if (edges.length < 2) return;
    const given = [[freePort(model, random)].filter((port) => port >= 0), ...edges.map((edge) => edge.ports)];
    for (const [index, edge] of edges.entries()) edge.ports = given[index]!;
  },
  addEdge: (model, random) => {
    const port = freePort(model, random);
    const name = ["e0", "e1", "e2", "e3"].find((each) => !model.edges.some((edge) => edge.name === each));
    if (port >= 0 && name) model.edges.push(newEdge(random, random.once(4) ? "tls" : "tcp", name, port));
  },
  removeEdge: (model, random) => {
    if (model.edges.length > 0) model.edges.splice(random.int(0, model.edges.length - 1), 1);
  },
  upgrade: (model) => {
    model.version = (model.version ?? 0) + 1;
  },
  reorder: (model, random) => {
    model.edges = random.shuffle(model.edges);
  },
  addKey: (model, random) => {
    const name = ["k0", "k1", "k2"].find((each) => !model.keys.some((key) => key.name === each));
    if (name) model.keys.push({ name, description: random.pick(["same", name]), keeper: 0 });
  },
  removeKey: (model) => void model.keys.pop(),
  rotateKey: (model) => {
    const [key] = model.keys;
    if (key) key.keeper++;
  },
  describeKey: (model, random) => {
    const key = model.keys.at(-1);
    if (key) key.description = random.pick(["same", "other"]);
  },
  changeCredential: (model, random) => {
    const [credential] = model.credentials;
    const change = credential ? random.pick(["key", "key", "description", "remove"]) : "add";
    if (change === "add") model.credentials.push({ name: "c0", key: 0, description: "" });
    if (change === "key") credential!.key = 2 + random.int(0, 1);
    if (change === "description") credential!.description = random.pick(["", "a"]);
    if (change === "remove") model.credentials.shift();
  },
  changeOidc: (model, random) => {
    if (model.oidc && random.once(3)) delete model.oidc;
    else model.oidc = { scopes: random.pick([["openid"], ["email"]]), secret: random.int(1, 2) };
  },
  changeHeaders: (model, random) => {
    if (model.headers && random.once(3)) delete model.headers;
    else model.headers = { value: random.int(1, 3) };
  },
  command: (model) => {
    model.command = { trigger: (model.command?.trigger ?? 0) + 1 };
  },
};

/** Changes that have to do with each other, and find more when nothing else happens. */
export const themes: string[][] = [
  Object.keys(changes),
  ["moveModule", "moveModule", "renameModule", "changePolicies"],
  ["addKey", "rotateKey", "describeKey"],
  ["passTls", "changeProtection", "moveModule"],
  ["passPorts", "changePorts", "moveEdge", "removeEdge", "addEdge"],
  ["command", "nothing"],
  ["upgrade", "upgrade", "moveModule", "renameModule", "moveEdge", "moveToProvider"],
];

function freePort(model: Model, random: Random): number {
  const used = new Set(model.edges.flatMap((edge) => edge.ports));
  const free = Array.from({ length: ports }, (_, port) => port).filter((port) => !used.has(port));
  return free.length > 0 ? random.pick(free) : -1;
}

/** What the program of a stack finds out from the account or the state when it runs. */
export interface Surroundings {
  /** The number of the stack: each has hostports, names and keys of its own. */
  stack: number;
  /** The id that an edge of this name has, if it has one. */
  idOf(type: string, name: string): string | undefined;
  sessionId: string;
}

const parentOf = (component: Component) =>
  component === "" ? {} : { parent: `demo:index:${component}::${component}` };

/** What is added to the names of resources that the other kind of provider has. */
const otherSuffix = "-other";

/** The name in the model of a resource with this name. */
export const modelName = (name: string): string => name.replace(otherSuffix, "");

/** A module that is declared in the edge, and the same as a resource of its own. */
function edgeProgram(edge: EdgeModel, { stack, idOf }: Surroundings, isUsed: (separate: string) => boolean): Program {
  const { kind, name, ports, module, policyIds, separate, mutualTls, upstream } = edge;
  const type = kind === "tcp" ? "TcpEdge" : "TlsEdge";
  const isSeparate = module === "separate";
  const ipRestriction = { ipPolicyIds: policyIds };
  const termination = upstream ? { terminateAt: "upstream" } : { terminateAt: "edge", minVersion: "1.2" };
  const own: Properties =
    kind === "tcp"
      ? module === "own"
        ? { ipRestriction }
        : {}
      : {
          ...(policyIds.length > 1 && { ipRestriction }),
          ...(mutualTls && !upstream && { mutualTls: { certificateAuthorityIds: ["ca_1"] } }),
          ...(module === "own" && { tlsTermination: termination }),
        };
  const importId = edge.imports ? idOf(type, name) : undefined;
  // The types of the two kinds of provider differ.
  const suffix = edge.provider === "other" ? otherSuffix : "";
  const declared: Declared = {
    type,
    name: name + suffix,
    ...parentOf(edge.component),
    args: {
      hostports: ports.map((port) => `s${stack}.example.com:${port + 1}`),
      backend: { backendId: "bkdhr_1" },
      ...(edge.description !== "" && { description: edge.description, metadata: secretOf.metadata }),
      ...(edge.policy && {
        policy: { inbound: [{ name: "deny", actions: [{ type: "deny", config: { token: secretOf.config } }] }] },
      }),
      ...own,
    },
    ...(isSeparate && edge.ignores && { ignoreChanges: [kind === "tcp" ? "ipRestriction" : "tlsTermination"] }),
    ...(importId !== undefined && { import: importId }),
    ...(edge.provider && { provider: edge.provider }),
  };
  if (!isSeparate) return [declared];
  const moduleArgs = kind === "tcp" ? ipRestriction : termination;
  const edgeId = (edge.literal && idOf(type, name)) || `=${urnOf(declared)}`;
  const resource: Declared = {
    type: kind === "tcp" ? "TcpEdgeIpRestriction" : "TlsEdgeTlsTermination",
    name: separate.name + suffix,
    ...parentOf(separate.component),
    args: { edgeId, ...moduleArgs },
    ...(edge.provider && { provider: edge.provider }),
  };
  return [declared, isUsed(urnOf(resource)) ? { ...resource, name: `${separate.name}-${name}` } : resource];
}

/** Every SDK of a plugin names its version, and so has each resource that no explicit provider has. */
export const programOf = (model: Model, surroundings: Surroundings): Program =>
  resourcesOf(model, surroundings).map((resource) => ({
    ...(model.version && { provider: `v${model.version}` }),
    ...resource,
  }));

function resourcesOf(model: Model, surroundings: Surroundings): Program {
  const { stack, sessionId } = surroundings;
  const onRoute = { edgeId: httpsEdge, routeId: `${httpsRoute}${stack}` };
  const edges: Program = [];
  for (const edge of model.edges)
    edges.push(...edgeProgram(edge, surroundings, (urn) => edges.some((each) => urnOf(each) === urn)));
  return [
    ...edges,
    ...model.keys.map(({ name, description, keeper }) => ({
      type: "ApiKey",
      name,
      args: { description, metadata: secretOf.metadata, ...(keeper > 0 && { keepers: { keeper: `${keeper}` } }) },
    })),
    ...model.credentials.map(({ name, key, description }) => ({
      type: "SshCredential",
      name,
      args: { publicKey: publicKey(`${stack}${name}${key}`), ...(description !== "" && { description }) },
    })),
    ...optional(model.oidc, ({ scopes, secret }) => ({
      type: "HttpsEdgeRouteOidc",
      name: "oidc",
      args: {
        ...onRoute,
        issuer: "https://id.example.com",
        clientId: "edge",
        clientSecret: `${secretOf.oidc}${secret}`,
        scopes,
      },
    })),
    ...optional(model.headers, ({ value }) => ({
      type: "HttpsEdgeRouteRequestHeaders",
      name: "headers",
      args: { ...onRoute, add: { "X-Api-Key": `${secretOf.header}${value}` } },
    })),
    ...optional(model.update, ({ trigger }) => ({
      type: "TunnelSessionCommand",
      name: "update",
      args: { sessionId, commands: ["update"], triggers: [trigger] },
    })),
    ...optional(model.command, ({ trigger }) => ({
      type: "TunnelSessionCommand",
      name: "command",
      args: { sessionId, commands: ["restart"], triggers: [trigger] },
    })),
  ];
}

const optional = <T>(part: T | undefined, declare: (part: T) => Declared): Program =>
  part === undefined ? [] : [declare(part)];
