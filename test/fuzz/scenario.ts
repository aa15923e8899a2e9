/** A scenario: a program that changes from one `pulumi up` to the next, changes outside of Pulumi, and disruptions. */
import fc from "fast-check";
import type { Fault, Seed } from "pulumi-tunnel-edge/emulator";
import { declare } from "../support/declare";
import type { Options, Properties } from "../support/provider";
import { publicKey } from "../support/publicKey";
import type { Program } from "../support/simulatedStack";
import { createSampledResources } from "./sampledResources";

export interface Scenario {
  service: keyof typeof services;
  steps: Step[];
}

export type Step = Up | Destroy | Refresh | Edit;

interface Up {
  kind: "up";
  refresh: boolean;
  /** Permanent changes of the program: arguments by resource. null removes. */
  changes: Changes;
  /** A mistake in the program of this step only. */
  mistake?: Mistake;
  disruption?: Disruption;
}
interface Destroy {
  kind: "destroy";
  disruption?: Disruption;
}
interface Refresh {
  kind: "refresh";
  disruption?: Disruption;
}
/** An API call outside of Pulumi. `{tcp}` in its path is replaced by the id of that resource. */
export interface Edit {
  kind: "edit";
  method: string;
  path: string;
  body?: Properties;
}

type Changes = Partial<Record<Name, Properties | null>>;

/** Disrupts the request after a number of others: its response, or the provider's process. */
export interface Disruption {
  after: number;
  fault: Fault | "kill";
}

/** How the service behaves where its document leaves that open. */
export const services = {
  usual: {},
  reticent: { oidcSecrets: "masked", emptyModule: "empty", pageSize: 2, emptyStrings: "reject" },
} as const;

/** Objects in the account that the program does not manage. */
export const foreignObjects = {
  tcp: "edgtcp_theirs",
  tls: "edgtls_theirs",
  https: "edghts_theirs",
  routes: ["edghtsrt_one", "edghtsrt_two"],
} as const;

export const seed: Seed = {
  apiKeys: [{ id: "ak_theirs", description: "theirs" }],
  sshCredentials: [{ id: "sshcr_theirs", public_key: publicKey("theirs") }],
  tcpEdges: [{ id: foreignObjects.tcp, hostports: ["theirs.example.com:1"], backend: { backend_id: "bkdhr_theirs" } }],
  tlsEdges: [{ id: foreignObjects.tls, description: "theirs" }],
  httpsEdges: [{ id: foreignObjects.https, routes: foreignObjects.routes.map((id) => ({ id })) }],
};

/** The resources that scenarios vary by hand: type and required arguments. */
const named = {
  key: { type: "ApiKey", minimal: {} },
  ssh: { type: "SshCredential", minimal: { publicKey: publicKey("1") } },
  tcp: { type: "TcpEdge", minimal: {} },
  tls: { type: "TlsEdge", minimal: {} },
  tcpIps: { type: "TcpEdgeIpRestriction", minimal: { edgeId: foreignObjects.tcp, ipPolicyIds: ["ipp_a"] } },
  tlsAt: { type: "TlsEdgeTlsTermination", minimal: { edgeId: foreignObjects.tls } },
  httpsAt: { type: "HttpsEdgeTlsTermination", minimal: { edgeId: foreignObjects.https } },
  oidc: { type: "HttpsEdgeRouteOidc", minimal: { edgeId: foreignObjects.https, routeId: foreignObjects.routes[0] } },
  headers: {
    type: "HttpsEdgeRouteRequestHeaders",
    minimal: { edgeId: foreignObjects.https, routeId: foreignObjects.routes[0] },
  },
  agents: {
    type: "HttpsEdgeRouteUserAgentFilter",
    minimal: { edgeId: foreignObjects.https, routeId: foreignObjects.routes[0] },
  },
} satisfies Record<string, { type: string; minimal: Properties }>;

export type Name = keyof typeof named;

export const sampled = createSampledResources(Object.values(named).map(({ type }) => type));
const resources: Record<Name, { type: string; minimal: Properties }> = { ...named, ...sampled };

export const names = Object.keys(resources) as Name[];
export const types = Object.values(resources).map(({ type }): string => type);

const some = fc.constantFrom;
const few = <T>(...items: T[]) =>
  fc.subarray(items, { minLength: 1 }).chain((chosen) => fc.shuffledSubarray(chosen, { minLength: chosen.length }));
const anyFew = <T>(...items: T[]) => fc.oneof(some([] as T[]), few(...items));
const optionalRecord = (model: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(model, { requiredKeys }) as fc.Arbitrary<Properties>;

const enabled = fc.boolean();
/** Strings begin with a letter: one that begins with `=` would be an expression. */
const text = fc.oneof(
  some("", "a", "b", "für dich", '"quoted" \\ \n'),
  fc.string({ unit: "grapheme", maxLength: 20 }).map((rest) => `t${rest}`),
);
/** A string of a module, which must not be empty. */
const nonEmptyText = text.filter((value) => value !== "");
const owner = some("usr_a", "usr_b");
const texts = { description: text, metadata: text };
const version = some("1.0", "1.2", "1.3");
const backend = optionalRecord({ enabled, backendId: some("bkdhr_1", "bkdhr_2") }, ["backendId"]);
const ipPolicyIds = few("ipp_a", "ipp_b", "ipp_c");
const ipRestriction = optionalRecord({ enabled, ipPolicyIds }, ["ipPolicyIds"]);
const mutualTls = optionalRecord({ enabled, certificateAuthorityIds: few("ca_1", "ca_2") }, [
  "certificateAuthorityIds",
]);
const terminateAt = some("edge", "edge", "upstream");
const tlsTermination = optionalRecord({ enabled, terminateAt, minVersion: version });
const config = fc.dictionary(
  some("Some_Key", "camelCase", "a", "__proto"),
  fc.oneof(text, fc.integer(), enabled, some(null)),
  { maxKeys: 2 },
);
const rule = optionalRecord({
  name: nonEmptyText,
  expressions: fc.array(some("true", "conn.client_ip != '1.2.3.4'"), { maxLength: 2 }),
  actions: fc.array(optionalRecord({ type: some("deny", "log"), config }, ["type"]), { maxLength: 2 }),
});
const policy = optionalRecord({
  enabled,
  inbound: fc.array(rule, { maxLength: 2 }),
  outbound: fc.array(rule, { maxLength: 1 }),
});
const hostports = (kind: string) =>
  anyFew(`${kind}.example.com:1`, `${kind.toUpperCase()}.example.com:2`, `${kind}.example.com:65535`);
const on = {
  edgeId: some(foreignObjects.https as string),
  routeId: some(...(foreignObjects.routes as readonly string[])),
};
const header = some("X-Api_Key", "x-camelCase", "Cookie", "constructor");
const patterns = anyFew("(?i)curl/.*", "bot", "[a-z]+", "\\Q(\\E");

/** The values of each argument. */
const values: Record<Name, Record<string, fc.Arbitrary<unknown>>> = {
  key: { ...texts, ownerId: owner, keepers: some({}, { quarter: "1" }, { quarter: "2" }) },
  ssh: {
    ...texts,
    ownerId: owner,
    publicKey: some(publicKey("1"), `${publicKey("1")} laptop\n`, publicKey("2")),
    acl: fc.oneof(some(["*"]), anyFew("bind:*.example.com", "bind:app=*", "bind:example.com:443")),
  },
  tcp: { ...texts, hostports: hostports("tcp"), backend, ipRestriction, policy },
  tls: { ...texts, hostports: hostports("tls"), backend, ipRestriction, mutualTls, tlsTermination, policy },
  tcpIps: { edgeId: some(foreignObjects.tcp, "=tcp.id"), enabled, ipPolicyIds },
  tlsAt: { edgeId: some(foreignObjects.tls, "=tls.id"), enabled, terminateAt, minVersion: version },
  httpsAt: { enabled, minVersion: version },
  oidc: {
    ...on,
    enabled,
    optionsPassthrough: enabled,
    cookiePrefix: some("p.", "q."),
    inactivityTimeout: some(0, 60, 0xffffffff),
    maximumDuration: some(0, 3600),
    issuer: some("https://id.example.com", "https://login.example.com"),
    clientId: some("edge", "web"),
    clientSecret: some("secret-one", "secret-two"),
    scopes: anyFew("openid", "email"),
  },
  headers: {
    ...on,
    enabled,
    add: fc.dictionary(
      header,
      text.map((value) => value.replace(/[\r\n]/g, "")),
      { maxKeys: 2 },
    ),
    remove: anyFew("Cookie", "x-a"),
  },
  agents: { ...on, enabled, allow: patterns, deny: patterns },
};

/** A mistake in a program, which either the preview or only the service can find. */
interface Mistake {
  name: Name;
  args: Properties;
  foundBy: "preview" | "service";
}

const mistakes: Mistake[] = [
  { name: "key", args: { description: "ä".repeat(128) }, foundBy: "preview" },
  { name: "key", args: { descripton: "a" }, foundBy: "preview" },
  { name: "key", args: { keepers: { quarter: 1 } }, foundBy: "preview" },
  { name: "key", args: { ownerId: "nobody" }, foundBy: "preview" },
  { name: "ssh", args: { publicKey: " " }, foundBy: "preview" },
  { name: "ssh", args: { acl: ["*", "bind:a"] }, foundBy: "preview" },
  { name: "ssh", args: { publicKey: "no key" }, foundBy: "preview" },
  { name: "tcp", args: { hostports: ["https://a:1"] }, foundBy: "preview" },
  { name: "tcp", args: { hostports: ["a:1", "A:1"] }, foundBy: "preview" },
  { name: "tcp", args: { ipRestriction: { ipPolicyIds: [] } }, foundBy: "preview" },
  { name: "tcp", args: { backend: {} }, foundBy: "preview" },
  { name: "tls", args: { mutualTls: { certificateAuthorityIds: [] } }, foundBy: "preview" },
  { name: "tls", args: { tlsTermination: { terminateAt: "nowhere" } }, foundBy: "preview" },
  { name: "tls", args: { tlsTermination: { terminateAt: "upstream", minVersion: "1.2" } }, foundBy: "preview" },
  {
    name: "tls",
    args: { tlsTermination: { terminateAt: "upstream" }, mutualTls: { certificateAuthorityIds: ["ca_1"] } },
    foundBy: "preview",
  },
  { name: "tls", args: { tlsTermination: { minVersion: "9" } }, foundBy: "service" },
  { name: "tls", args: { tlsTermination: { minVersion: "" } }, foundBy: "preview" },
  { name: "tcp", args: { policy: { inbound: [{ name: "" }] } }, foundBy: "preview" },
  { name: "tcpIps", args: { edgeId: "edgtls_theirs" }, foundBy: "preview" },
  { name: "tcpIps", args: { edgeId: "edgtcp_nowhere" }, foundBy: "service" },
  { name: "oidc", args: { issuer: "nowhere" }, foundBy: "preview" },
  { name: "oidc", args: { cookiePrefix: "" }, foundBy: "preview" },
  { name: "oidc", args: { inactivityTimeout: 1.5 }, foundBy: "preview" },
  { name: "headers", args: { add: { "x-a": "1", "X-A": "2" } }, foundBy: "preview" },
  { name: "agents", args: { allow: ["("] }, foundBy: "preview" },
];

const argumentsOf = (name: Name) => {
  const each = Object.entries(sampled[name]?.values ?? values[name]).map(([key, value]) => [
    key,
    key in resources[name].minimal
      ? value
      : fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: some(null) }),
  ]);
  return optionalRecord(Object.fromEntries(each));
};

const changesOf = (name: Name): fc.Arbitrary<[Name, Properties | null]> =>
  fc.tuple(some(name), fc.oneof({ weight: 7, arbitrary: argumentsOf(name) }, { weight: 1, arbitrary: some(null) }));

/** A scenario has a few resources, more often edges than others. */
const resourceNames = fc.uniqueArray(some<Name>(...names, "tcp", "tls", "tcpIps"), { minLength: 1, maxLength: 4 });

const faults: Fault[] = [
  ...[400, 401, 403, 409, 422, 500, 503].map((status) => ({ status })),
  { resetAfter: true },
  { status: 504, processed: true },
  { status: 500, processed: true },
  { truncate: true },
  { truncate: "complete" },
];

const disruption: fc.Arbitrary<Disruption> = fc.record({
  after: fc.nat({ max: 4 }),
  fault: fc.oneof(
    {
      weight: 100,
      arbitrary: fc.tuple(some(...faults), some(1, 1, 2, 100)).map(([fault, times]) => ({ ...fault, times })),
    },
    { weight: 1, arbitrary: some("kill" as const) },
  ),
});
/** Once in so many times. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, times: number) =>
  fc.oneof({ weight: times - 1, arbitrary: some(undefined) }, { weight: 1, arbitrary });

const refs = {
  ip_policy_ids: few("ipp_a", "ipp_x"),
  certificate_authority_ids: few("ca_1", "ca_x"),
};
const foreignRule = some({ name: "theirs", expressions: [], actions: [{ type: "deny", config: { Their_Key: 1 } }] });
const foreignModules: Record<string, fc.Arbitrary<Properties>> = {
  backend: optionalRecord({ enabled, backend_id: some("bkdhr_1", "bkdhr_x") }, ["backend_id"]),
  ip_restriction: optionalRecord({ enabled, ip_policy_ids: refs.ip_policy_ids }, ["ip_policy_ids"]),
  policy: optionalRecord({ enabled, inbound: fc.array(foreignRule, { maxLength: 1 }) }),
  mutual_tls: optionalRecord({ enabled, certificate_authority_ids: refs.certificate_authority_ids }, [
    "certificate_authority_ids",
  ]),
  tls_termination: optionalRecord({ enabled, terminate_at: terminateAt, min_version: some("1.1", "1.2") }),
};
const foreignTexts = { description: some("", "a", "theirs"), metadata: some("", "b", "theirs") };

const edit = (method: string, path: string, body?: fc.Arbitrary<Properties>): fc.Arbitrary<Edit> =>
  fc.record({
    kind: some("edit"),
    method: some(method),
    path: some(path),
    ...(body && { body }),
  }) as fc.Arbitrary<Edit>;

function editsOf(name: Name): fc.Arbitrary<Edit> {
  const { edgeId, routeId } = { edgeId: foreignObjects.https, routeId: foreignObjects.routes[0] };
  switch (name) {
    case "key":
      return fc.oneof(
        edit("PATCH", "/api_keys/{key}", optionalRecord(foreignTexts)),
        edit("DELETE", "/api_keys/{key}"),
      );
    case "ssh":
      return fc.oneof(
        edit(
          "PATCH",
          "/ssh_credentials/{ssh}",
          optionalRecord({ ...foreignTexts, acl: some([], ["*"], ["bind:theirs"]) }),
        ),
        edit("DELETE", "/ssh_credentials/{ssh}"),
      );
    case "tcp":
    case "tls": {
      const modules = Object.entries(foreignModules).slice(0, name === "tcp" ? 3 : 5);
      const path = `/edges/${name}/{${name}}`;
      const foreign = {
        ...foreignTexts,
        hostports: some([], [`theirs.${name}.example.com:1`]),
        ...Object.fromEntries(modules),
      };
      return fc.oneof(
        { weight: 4, arbitrary: edit("PATCH", path, optionalRecord(foreign)) },
        { weight: 3, arbitrary: fc.oneof(...modules.map(([module]) => edit("DELETE", `${path}/${module}`))) },
        { weight: 1, arbitrary: edit("DELETE", path) },
      );
    }
    case "tcpIps":
      return onModule(`/edges/tcp/${foreignObjects.tcp}/ip_restriction`, foreignModules.ip_restriction!);
    case "tlsAt":
      return onModule(`/edges/tls/${foreignObjects.tls}/tls_termination`, foreignModules.tls_termination!);
    case "httpsAt":
      return onModule(
        `/edges/https/${edgeId}/tls_termination`,
        optionalRecord({ enabled, min_version: some("1.1", "1.2") }),
      );
    case "oidc":
      // A service that masks the secret does not show that it was changed, so all use the same one.
      return onModule(
        `/edges/https/${edgeId}/routes/${routeId}/oidc`,
        optionalRecord({
          enabled,
          scopes: some(["openid"], ["theirs"]),
          client_id: some("edge", "theirs"),
          maximum_duration: some(0, 7),
        }),
      );
    case "headers":
      return onModule(
        `/edges/https/${edgeId}/routes/${routeId}/request_headers`,
        optionalRecord({ enabled, add: some({ Cookie: "theirs" }), remove: some(["x-a"]) }),
      );
    case "agents":
      return onModule(
        `/edges/https/${edgeId}/routes/${routeId}/user_agent_filter`,
        optionalRecord({ enabled, allow: some(["theirs"]), deny: some(["bot"]) }),
      );
    default:
      return fc.oneof(...sampled[name]!.edits.map((each) => edit(...each)));
  }
}

const onModule = (path: string, body: fc.Arbitrary<Properties>) =>
  fc.oneof(edit("PUT", path, body), edit("DELETE", path));

function stepsWith(few: Name[]): fc.Arbitrary<Step> {
  const changes = fc.oneof(...few.map(changesOf));
  const possibleMistakes = mistakes.filter(({ name }) => few.includes(name));
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: some("up" as const),
        refresh: fc.boolean(),
        changes: fc.array(changes, { maxLength: 3 }).map((all) => Object.fromEntries(all) as Changes),
        mistake: possibleMistakes.length > 0 ? rarely(some(...possibleMistakes), 20) : some(undefined),
        disruption: rarely(disruption, 4),
      }),
    },
    { weight: 5, arbitrary: fc.oneof(...few.map(editsOf)) },
    { weight: 1, arbitrary: fc.record({ kind: some("refresh" as const), disruption: rarely(disruption, 4) }) },
    { weight: 1, arbitrary: fc.record({ kind: some("destroy" as const), disruption: rarely(disruption, 3) }) },
  );
}

/** The first `pulumi up` creates the resources; then anything may happen. */
export const scenarios: fc.Arbitrary<Scenario> = resourceNames
  .chain((few) =>
    fc.record({
      service: some("usual", "usual", "reticent"),
      steps: fc
        .tuple(
          fc.record({
            kind: some("up" as const),
            refresh: some(false),
            changes: fc.record(
              Object.fromEntries(few.map((name) => [name, argumentsOf(name)])),
            ) as fc.Arbitrary<Changes>,
            disruption: rarely(disruption, 8),
          }),
          fc.array(stepsWith(few), { minLength: 1, maxLength: 9, size: "max" }),
        )
        .map(([first, rest]): Step[] => [first, ...rest]),
    }),
  )
  // Plain objects, as JSON makes them.
  .map((scenario) => JSON.parse(JSON.stringify(scenario)));

const orNull = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary }, { weight: 1, arbitrary: some(null) });
const reachableBy = (kind: string) => ({
  hostports: few(`${kind}.example.com:1`, `${kind}.example.com:2`),
  backend: some({ backendId: "bkdhr_1" }),
});
const atTimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 1, arbitrary }, { weight: 2, arbitrary: some(null) });

/** Scenarios with edges that can always be reached, and have few restrictions at a time. */
export const openingScenarios: fc.Arbitrary<Scenario> = fc
  .array(
    fc.record({
      kind: some("up"),
      refresh: fc.boolean(),
      changes: fc.record({
        tcp: fc.record({ ...reachableBy("tcp"), ipRestriction: atTimes(ipRestriction), policy: atTimes(policy) }),
        tls: fc.record({
          ...reachableBy("tls"),
          mutualTls: atTimes(mutualTls),
          tlsTermination: atTimes(some({ terminateAt: "upstream" })),
          policy: atTimes(policy),
        }),
        tcpIps: orNull(fc.record({ edgeId: some(foreignObjects.tcp, "=tcp.id"), enabled, ipPolicyIds })),
      }),
    }),
    { minLength: 3, maxLength: 4 },
  )
  .map((steps) => JSON.parse(JSON.stringify({ service: "usual", steps })));

/** The program after the changes so far. It is valid and declares no module twice. */
export function programOf(steps: Step[], upTo: number): Program {
  const declared: Partial<Record<Name, Properties>> = {};
  for (const step of steps.slice(0, upTo + 1)) {
    if (step.kind !== "up") continue;
    for (const [name, args] of Object.entries(step.changes) as [Name, Properties | null][]) {
      if (args === null) delete declared[name];
      else declared[name] = withoutNull({ ...resources[name].minimal, ...declared[name], ...args });
    }
  }
  const { tcp, tls, tcpIps, tlsAt } = dropIncompatible(declared);
  // A module resource references an edge of the program that does not declare the module, or else a foreign edge.
  if (tcpIps?.edgeId === "=tcp.id" && tcp?.ipRestriction) delete declared.tcpIps;
  else if (tcpIps && !tcp) declared.tcpIps = { ...tcpIps, edgeId: foreignObjects.tcp };
  if (tlsAt?.edgeId === "=tls.id" && tls?.tlsTermination) delete declared.tlsAt;
  else if (tlsAt && !tls) declared.tlsAt = { ...tlsAt, edgeId: foreignObjects.tls };
  const step = steps[upTo];
  const mistake = step?.kind === "up" ? step.mistake : undefined;
  if (mistake)
    declared[mistake.name] = { ...resources[mistake.name].minimal, ...declared[mistake.name], ...mistake.args };
  const declaredNames = names.filter((name) => declared[name]);
  return Object.fromEntries(
    declaredNames.map((name) => [
      name,
      { type: resources[name].type, args: declared[name]!, opts: optionsOf(name, declared) },
    ]),
  );
}

/** An edge ignores a module that a separate resource declares, so that it can move there without a gap. */
function optionsOf(name: Name, { tcp, tls, tcpIps, tlsAt }: Partial<Record<Name, Properties>>): Options {
  const isTcp = name === "tcp" && tcpIps?.edgeId === "=tcp.id" && !tcp?.ipRestriction;
  const isTls = name === "tls" && tlsAt?.edgeId === "=tls.id" && !tls?.tlsTermination;
  return isTcp ? { ignoreChanges: ["ipRestriction"] } : isTls ? { ignoreChanges: ["tlsTermination"] } : {};
}

const withoutNull = (args: Properties): Properties =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));

/** TLS passthrough is incompatible with a minimum version and with mutual TLS. */
function dropIncompatible(declared: Partial<Record<Name, Properties>>): Partial<Record<Name, Properties>> {
  const { tls, tlsAt } = declared;
  if (tlsAt?.terminateAt === "upstream") {
    const { minVersion: _, ...rest } = tlsAt;
    declared.tlsAt = tls?.mutualTls && tlsAt.edgeId === "=tls.id" ? { ...rest, terminateAt: "edge" } : rest;
  }
  if (tls?.tlsTermination?.terminateAt === "upstream") {
    const { mutualTls: _, ...rest } = tls;
    const { minVersion: __, ...termination } = tls.tlsTermination;
    declared.tls = { ...rest, tlsTermination: termination };
  }
  return declared;
}

const json = (value: unknown) => JSON.stringify(value);

/** The statements of a program. */
const declareAll = (program: Program) =>
  Object.entries(program).map(([name, { type, args, opts }]) => declare(type, name, args, opts));

/** The scenario as a program that can be run with `STEP=0 pulumi up` and so on. */
export function printProgram({ service, steps }: Scenario): string {
  const lines = [
    'import * as tunnel from "pulumi-tunnel-edge";',
    "",
    `// The service: startEmulator(${json(services[service])}), with emulator.seed(${json(seed)}), and`,
    "// tunnel-edge:maxRetries 0. Each step is one call of the CLI, with STEP set to its number.",
    "const steps = [",
  ];
  for (const [index, step] of steps.entries()) {
    if ("disruption" in step && step.disruption) {
      const { fault, after } = step.disruption;
      lines.push(
        fault === "kill"
          ? `  // The provider's process is killed when the service has processed request ${after + 1}.`
          : `  // emulator.fail(${json({ ...fault, skip: after })}) until this step is over.`,
      );
    }
    if (step.kind === "edit") {
      const body = step.body ? `, ${json(step.body)}` : "";
      lines.push(
        `  // STEP ${index}, outside of Pulumi: emulator.api("${step.method}", "${step.path}"${body})`,
        "  () => {},",
      );
      continue;
    }
    const command = step.kind === "up" ? `up${step.refresh ? " --refresh" : ""}` : step.kind;
    lines.push(`  // STEP=${index} pulumi ${command}`, "  () => {");
    const program = step.kind === "up" ? programOf(steps, index) : {};
    lines.push(...declareAll(program).map((statement) => `    ${statement}`));
    lines.push("  },");
  }
  return [...lines, "];", "steps[Number(process.env.STEP)]();"].join("\n");
}
