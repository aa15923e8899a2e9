/**
 * A secret stays a secret, wherever it is and whatever happens, on the real engine. One stack has a resource of each
 * provider for each place. After each step the state and everything printed are searched for every secret so far.
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { declare, startService, wrapProgram } from "../support/cli/cliStack";
import { type Result, Stack } from "../support/cli/pulumi";

const providers = ["dynamic", "plugin"] as const;
type Provider = (typeof providers)[number];
type Args = Record<string, unknown>;

const routeOf = (provider: Provider) => ({ edgeId: "edghts_a", routeId: `edghtsrt_${provider}` });
const inbound = (token: string) => [{ actions: [{ type: "custom", config: { token } }] }];

/** A place: the resource's type, its arguments with a value there, and without. `header` is the name of a header. */
interface Place {
  type: string;
  argument: string;
  /** Of a module of a route. */
  args?: Args;
  at(value: string, header: string): Args;
}

const places: Record<string, Place> = {
  top: { type: "ApiKey", argument: "metadata", at: (value) => ({ metadata: value }) },
  nested: { type: "TcpEdge", argument: "policy", at: (value) => ({ policy: { inbound: inbound(value) } }) },
  map: {
    type: "HttpsEdgeRouteRequestHeaders",
    argument: "add",
    args: { remove: ["X-Old"] },
    at: (value, header) => ({ add: { [header]: value, "X-Team": "edge" } }),
  },
  item: {
    type: "HttpsEdgeRouteUserAgentFilter",
    argument: "allow",
    args: { deny: ["curl"] },
    at: (value) => ({ allow: [value, "wget"] }),
  },
  whole: {
    type: "TlsEdge",
    argument: "policy",
    at: (value) => {
      const plain = /^=pulumi\.secret\('(.*)'\)$/.exec(value)?.[1];
      const module = { inbound: inbound(plain ?? value) };
      return { policy: plain ? `=pulumi.secret(${JSON.stringify(module).replaceAll('"', "'")})` : module };
    },
  },
};

interface Declaration {
  /** The version of the value, and whether it is marked; without one, the program drops it. */
  version?: string;
  isPlain?: boolean;
  ignored?: boolean;
  /** Something that has nothing to do with the secret. */
  other?: string;
  header?: string;
  keeper?: string;
}

/** The name of a provider's resource at a place. */
const nameOf = (provider: Provider, place: string) => `${provider}_${place}`;
const valueAt = (name: string, version: string) => `hush+${name}/${version}`;
const names = providers.flatMap((provider) => Object.keys(places).map((place) => nameOf(provider, place)));
const otherOf = (provider: Provider) => providers.find((each) => each !== provider)!;

/** The statements of both providers. */
const both = (statementsOf: (provider: Provider) => string[], isMoved = false) =>
  providers
    .map((provider) => wrapProgram(statementsOf(provider).join("\n"), isMoved ? otherOf(provider) : provider))
    .map((statements) => `{\n${statements}}`)
    .join("\n");

/** The resources of a provider. `from` is where they come from, by alias. */
function resourcesOf(provider: Provider, declaration: Declaration, from?: Provider): string[] {
  const { version, isPlain, ignored, other, header = "X-Api-Key", keeper } = declaration;
  return Object.entries(places).map(([place, { type, argument, args, at }]) => {
    const name = nameOf(provider, place);
    const value = version && (isPlain ? valueAt(name, version) : `=pulumi.secret('${valueAt(name, version)}')`);
    const type_ = from === "dynamic" ? `pulumi-nodejs:dynamic/tunnel-edge:${type}` : `tunnel-edge:index:${type}`;
    return declare(
      type,
      name,
      {
        ...(args && routeOf(provider)),
        ...args,
        ...(value && at(value, header)),
        ...(other && !args && { description: other }),
        ...(other && args && { enabled: false }),
        ...(keeper && type === "ApiKey" && { keepers: { keeper } }),
      },
      { ...(ignored && { ignoreChanges: [argument] }), ...(from && { aliases: [{ type: type_ }] }) },
    );
  });
}

const formsOf = (secret: string) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64"),
];

interface Step {
  name: string;
  declares?: Declaration;
  /** Only a refresh. */
  isRefresh?: true;
  /** What the service does meanwhile. */
  service?(emulator: Emulator, idOf: (name: string) => string): ReturnType<Emulator["fail"]>[];
  fails?: true;
  /** Each provider's resources are the other one's. */
  isMoved?: true;
  /** The state still has it in plain text before this step, so the preview shows it. */
  wasPlain?: true;
}

const rejecting = { status: 400, body: { status_code: 400, msg: "No." }, times: Infinity };

const steps: Step[] = [
  { name: "create", declares: { version: "1" } },
  { name: "update", declares: { version: "2" } },
  {
    name: "dropped, and the removal fails",
    declares: {},
    service: (emulator) => [
      emulator.fail({ method: "PUT", ...rejecting }),
      emulator.fail({ method: "DELETE", ...rejecting }),
      emulator.fail({ method: "PATCH", status: 500, times: Infinity }),
    ],
    fails: true,
  },
  { name: "refresh", isRefresh: true },
  {
    name: "response lost",
    declares: { version: "3" },
    service: (emulator) =>
      ["PUT", "PATCH"].map((method) => emulator.fail({ method, resetAfter: true, times: Infinity })),
    fails: true,
  },
  { name: "completed", declares: { version: "3" } },
  { name: "header in other case", declares: { version: "3", header: "x-api-key" } },
  { name: "ignored", declares: { ignored: true } },
  { name: "no longer ignored", declares: { other: "other" } },
  {
    name: "refresh with drift",
    isRefresh: true,
    service: (emulator, idOf) => {
      for (const provider of providers) {
        const [top, nested, whole] = ["top", "nested", "whole"].map((place) => nameOf(provider, place)) as [
          string,
          string,
          string,
        ];
        const policy = (name: string) => ({ policy: { inbound: inbound(valueAt(name, "drift")) } });
        emulator.api("PATCH", `/api_keys/${idOf(top)}`, { metadata: valueAt(top, "drift") });
        emulator.api("PATCH", `/edges/tcp/${idOf(nested)}`, policy(nested));
        emulator.api("PATCH", `/edges/tls/${idOf(whole)}`, policy(whole));
      }
      return [];
    },
  },
  { name: "plain", declares: { version: "plain", isPlain: true } },
  { name: "plain becomes secret", declares: { version: "plain" }, wasPlain: true },
  { name: "replacement", declares: { version: "4", keeper: "1" } },
  { name: "moved by alias", declares: { version: "4", keeper: "1" }, isMoved: true },
  { name: "moved back, and dropped", declares: { keeper: "1" } },
];

/** The forms of these words that are in a text. */
const find = (text: string, words: Iterable<string>) =>
  [...words].flatMap((word) => formsOf(word).filter((form) => text.includes(form)));

test(`no secret is in plain text (of ${steps.length * names.length} combinations)`, async () => {
  const emulator = await startService();
  emulator.seed({
    httpsEdges: [{ id: "edghts_a", routes: providers.map((provider) => ({ id: routeOf(provider).routeId })) }],
  });
  const stack = await Stack.create({ program: "", emulator, env: { TUNNEL_EDGE_MAX_RETRIES: "0" } });
  const resources = async () => (await stack.export()).resources ?? [];
  const secrets = new Set<string>();
  let wasMoved = false;
  for (const { name, declares = {}, isRefresh, service, fails, isMoved = false, wasPlain } of steps) {
    const { version, isPlain } = declares;
    const saved = isRefresh ? await resources() : [];
    const faults = service?.(emulator, (own) => saved.find(({ urn }) => urn.endsWith(`::${own}`))!.id) ?? [];
    const from = (provider: Provider) => (isMoved === wasMoved ? undefined : wasMoved ? otherOf(provider) : provider);
    if (!isRefresh) stack.write(both((provider) => resourcesOf(provider, declares, from(provider)), isMoved));
    const results: Result[] = isRefresh
      ? [await stack.refresh({ args: ["--diff"] })]
      : [
          await stack.preview({ args: ["--json"] }),
          await stack.up({ args: ["--diff", "--continue-on-error"], ...(fails && { fails }) }),
        ];
    wasMoved = isMoved;
    for (const fault of faults) fault.cancel();
    const failed = results.flatMap(({ steps: done }) => done.filter((step) => step.failed).map((step) => step.name));
    expect({ name, failed: failed.sort() }).toEqual({ name, failed: fails ? [...names].sort() : [] });
    const printed = results.map(({ stdout, stderr }) => stdout + stderr).join();
    const known = names.map((own) => valueAt(own, version ?? "drift"));
    if (!isPlain) for (const word of known) secrets.add(word);
    const hidden = [...secrets].filter((word) => !wasPlain || !known.includes(word));
    expect({ name, printed: find(printed, hidden) }).toEqual({ name, printed: [] });
    expect({ name, state: find(JSON.stringify(await stack.export()), secrets) }).toEqual({ name, state: [] });
    if (isPlain)
      for (const provider of providers) expect(printed).toContain(valueAt(nameOf(provider, "top"), version!));
  }
});

test("an import hides every value that may be secret, and records plain arguments in plain text", async () => {
  const emulator = await startService();
  const value = (name: string) => valueAt(name, "imported");
  const policy = (name: string) => ({ inbound: inbound(value(name)) });
  /** What the service has for the provider, and the statements that import it. */
  const seed = (provider: Provider) => {
    const own = (place: string) => nameOf(provider, place);
    const { apiKeys, tcpEdges, tlsEdges } = emulator.seed({
      apiKeys: [
        { metadata: value(own("top")) },
        { metadata: value(own("undeclared")) },
        { metadata: "public-metadata" },
      ],
      tcpEdges: [{ policy: policy(own("nested")) }],
      tlsEdges: [{ policy: policy(own("whole")) }],
    });
    const route = routeOf(provider);
    const ids: Record<string, string> = {
      top: apiKeys[0]!.id,
      nested: tcpEdges[0]!.id,
      map: `${route.edgeId}/${route.routeId}`,
      whole: tlsEdges[0]!.id,
    };
    const statements = [
      ...Object.entries(ids).map(([place, id]) => {
        const { type, args, at } = places[place]!;
        const secret = at(`=pulumi.secret('${value(own(place))}')`, "X-Api-Key");
        return declare(type, own(place), { ...(args && route), ...secret }, { import: id });
      }),
      declare("ApiKey", own("undeclared"), {}, { import: apiKeys[1]!.id }),
      declare("ApiKey", own("open"), { metadata: "public-metadata" }, { import: apiKeys[2]!.id }),
    ];
    return { statements, secrets: [...Object.keys(ids), "undeclared"].map((place) => value(own(place))) };
  };
  const headers = (provider: Provider) => ({ add: { "X-Api-Key": value(nameOf(provider, "map")), "X-Team": "edge" } });
  const routes = providers.map((provider) => ({ id: routeOf(provider).routeId, request_headers: headers(provider) }));
  const { tcpEdges } = emulator.seed({
    tcpEdges: [{ policy: policy("command"), metadata: value("command") }],
    httpsEdges: [{ id: "edghts_a", routes }],
  });
  const seeded = { dynamic: seed("dynamic"), plugin: seed("plugin") };
  const stack = await Stack.create({ program: both((provider) => seeded[provider].statements), emulator });
  const secrets = [...providers.flatMap((provider) => seeded[provider].secrets), value("command")];
  const results = [
    await stack.up({ preview: true, args: ["--diff"] }),
    await stack.preview({ args: ["--json"] }),
    await stack.import("tunnel-edge:index:TcpEdge", "command", tcpEdges[0]!.id),
    await stack.refresh({ args: ["--diff"] }),
  ];
  expect(results[1]!.stdout).toContain('"steps"');
  const state = await stack.export();
  for (const text of [...results.map(({ stdout, stderr }) => stdout + stderr), JSON.stringify(state)])
    expect(find(text, secrets)).toEqual([]);
  const open = state.resources!.filter(({ urn }) => /::\w+_open$/.test(urn));
  const plain = { inputs: { metadata: "public-metadata" }, outputs: { metadata: "public-metadata" } };
  expect(open).toMatchObject([plain, plain]);
});
