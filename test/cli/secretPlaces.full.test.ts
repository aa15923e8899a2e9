/**
 * A secret stays a secret, wherever it is and whatever happens, on the real engine. One stack has a resource for each
 * place. After each step the state and everything printed are searched for every secret so far.
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { declare, startService, wrapProgram } from "../support/cli/cliStack";
import { type Result, Stack } from "../support/cli/pulumi";

type Provider = "dynamic" | "plugin";
type Args = Record<string, unknown>;

const route = (id: string) => ({ edgeId: "edghts_a", routeId: `edghtsrt_${id}` });
const inbound = (token: string) => [{ actions: [{ type: "custom", config: { token } }] }];

/** A place: the resource's type, its arguments with a value there, and without. `header` is the name of a header. */
const places: Record<string, { type: string; argument: string; args?: Args; at(value: string, header: string): Args }> =
  {
    top: { type: "ApiKey", argument: "metadata", at: (value) => ({ metadata: value }) },
    nested: { type: "TcpEdge", argument: "policy", at: (value) => ({ policy: { inbound: inbound(value) } }) },
    map: {
      type: "HttpsEdgeRouteRequestHeaders",
      argument: "add",
      args: { ...route("a"), remove: ["X-Old"] },
      at: (value, header) => ({ add: { [header]: value, "X-Team": "edge" } }),
    },
    item: {
      type: "HttpsEdgeRouteUserAgentFilter",
      argument: "allow",
      args: { ...route("a"), deny: ["curl"] },
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
  /** The provider that the resources come from, by alias. */
  from?: Provider;
}

const valueAt = (place: string, version: string) => `hush+${place}/${version}`;

function programOf({ version, isPlain, ignored, other, header = "X-Api-Key", keeper, from }: Declaration): string {
  return Object.entries(places)
    .map(([place, { type, argument, args, at }]) => {
      const value = version && (isPlain ? valueAt(place, version) : `=pulumi.secret('${valueAt(place, version)}')`);
      const type_ = from === "dynamic" ? `pulumi-nodejs:dynamic/tunnel-edge:${type}` : `tunnel-edge:index:${type}`;
      return declare(
        type,
        place,
        {
          ...args,
          ...(value && at(value, header)),
          ...(other && !args && { description: other }),
          ...(other && args && { enabled: false }),
          ...(keeper && type === "ApiKey" && { keepers: { keeper } }),
        },
        { ...(ignored && { ignoreChanges: [argument] }), ...(from && { aliases: [{ type: type_ }] }) },
      );
    })
    .join("\n");
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
  service?(emulator: Emulator): ReturnType<Emulator["fail"]>[];
  fails?: true;
  /** The other provider runs it. */
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
    service: (emulator) => {
      const { account } = emulator;
      const policy = (place: string) => ({ policy: { inbound: inbound(valueAt(place, "drift")) } });
      emulator.api("PATCH", `/api_keys/${account.apiKeys[0]!.id}`, { metadata: valueAt("top", "drift") });
      emulator.api("PATCH", `/edges/tcp/${account.tcpEdges[0]!.id}`, policy("nested"));
      emulator.api("PATCH", `/edges/tls/${account.tlsEdges[0]!.id}`, policy("whole"));
      return [];
    },
  },
  { name: "plain", declares: { version: "plain", isPlain: true } },
  { name: "plain becomes secret", declares: { version: "plain" }, wasPlain: true },
  { name: "replacement", declares: { version: "4", keeper: "1" } },
  { name: "moved by alias", declares: { version: "4", keeper: "1" }, isMoved: true },
  { name: "moved back, and dropped", declares: { keeper: "1" } },
];

const providers: Provider[] = ["dynamic", "plugin"];
const count = steps.length * Object.keys(places).length * providers.length;

test.each(providers)(
  `%s: no secret is in plain text (of ${count} combinations of both providers)`,
  async (provider) => {
    const emulator = await startService();
    emulator.seed({ httpsEdges: [{ id: "edghts_a", routes: [{ id: "edghtsrt_a" }] }] });
    const other = providers.find((each) => each !== provider)!;
    const stack = await Stack.create({
      program: wrapProgram("", provider),
      emulator,
      env: { TUNNEL_EDGE_MAX_RETRIES: "0" },
    });
    const secrets = new Set<string>();
    let last: Provider = provider;
    for (const { name, declares = {}, isRefresh, service, fails, isMoved, wasPlain } of steps) {
      const { version, isPlain } = declares;
      const faults = service?.(emulator) ?? [];
      const now = isMoved ? other : provider;
      if (!isRefresh) stack.write(wrapProgram(programOf({ ...declares, ...(now !== last && { from: last }) }), now));
      const results: Result[] = isRefresh
        ? [await stack.refresh({ args: ["--diff"] })]
        : [
            await stack.preview({ args: ["--json"] }),
            await stack.up({ args: ["--diff", "--continue-on-error"], ...(fails && { fails }) }),
          ];
      last = now;
      for (const fault of faults) fault.cancel();
      const printed = results.map(({ stdout, stderr }) => stdout + stderr).join();
      const known = Object.keys(places).map((place) => valueAt(place, version ?? "drift"));
      const find = (text: string, words: Iterable<string>) =>
        [...words].flatMap((word) => formsOf(word).filter((form) => text.includes(form)));
      if (!isPlain) for (const word of known) secrets.add(word);
      expect({
        name,
        printed: find(
          printed,
          [...secrets].filter((word) => !wasPlain || !known.includes(word)),
        ),
      }).toEqual({
        name,
        printed: [],
      });
      expect({ name, state: find(JSON.stringify(await stack.export()), secrets) }).toEqual({ name, state: [] });
      if (isPlain) expect(printed).toContain(valueAt("top", version!));
    }
  },
);

test.each(providers)(
  "%s: an import shows nothing that may be secret, and records what the program declares plain",
  async (provider) => {
    const emulator = await startService();
    const value = (place: string) => valueAt(place, "imported");
    const policy = (place: string) => ({ inbound: inbound(value(place)) });
    const { apiKeys, tcpEdges, tlsEdges } = emulator.seed({
      apiKeys: [{ metadata: value("top") }, { metadata: value("undeclared") }, { metadata: "public-metadata" }],
      tcpEdges: [{ policy: policy("nested") }, { policy: policy("command"), metadata: value("command") }],
      tlsEdges: [{ policy: policy("whole") }],
      httpsEdges: [
        {
          id: "edghts_a",
          routes: [{ id: "edghtsrt_a", request_headers: { add: { "X-Api-Key": value("map"), "X-Team": "edge" } } }],
        },
      ],
    });
    const ids: Record<string, string> = {
      top: apiKeys[0]!.id,
      nested: tcpEdges[0]!.id,
      map: "edghts_a/edghtsrt_a",
      whole: tlsEdges[0]!.id,
    };
    const secretAt = (place: string) => places[place]!.at(`=pulumi.secret('${value(place)}')`, "X-Api-Key");
    const program = [
      ...Object.entries(ids).map(([place, id]) => {
        const { type, args } = places[place]!;
        const { remove: _, ...parents } = args ?? {};
        return declare(type, place, { ...parents, ...secretAt(place) }, { import: id });
      }),
      declare("ApiKey", "undeclared", {}, { import: apiKeys[1]!.id }),
      declare("ApiKey", "open", { metadata: "public-metadata" }, { import: apiKeys[2]!.id }),
    ].join("\n");
    const stack = await Stack.create({ program: wrapProgram(program, provider), emulator });
    const secrets = [...Object.keys(ids), "undeclared", "command"].map(value);
    const results = [await stack.up({ preview: true, args: ["--diff"] }), await stack.preview({ args: ["--json"] })];
    expect(results[1]!.stdout).toContain('"steps"');
    if (provider === "plugin")
      results.push(await stack.import("tunnel-edge:index:TcpEdge", "command", tcpEdges[1]!.id));
    results.push(await stack.refresh({ args: ["--diff"] }));
    for (const text of [...results.map(({ stdout, stderr }) => stdout + stderr), JSON.stringify(await stack.export())])
      expect(secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)))).toEqual([]);
    const { resources = [] } = await stack.export();
    const open = resources.find(({ urn }) => urn.endsWith("::open"))!;
    expect(open).toMatchObject({ inputs: { metadata: "public-metadata" }, outputs: { metadata: "public-metadata" } });
  },
);
