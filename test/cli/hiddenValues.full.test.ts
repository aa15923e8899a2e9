/**
 * What the real CLI prints of hidden values, for each way of hiding them and each provider, is what the enumeration of
 * test/commands/exposure believes. And nothing that opens an address is silent because a value is hidden.
 */
import { isDeepStrictEqual } from "node:util";
import { findOpenedAddresses } from "pulumi-tunnel-edge/exposure";
import {
  type Argument,
  type Arguments,
  type Provider,
  printDifference,
  printStep,
  type ResourceChange,
  urnOf,
} from "../commands/exposure/support/printed";
import { declare, startService, wrapProgram } from "../support/cli/cliStack";
import { Stack } from "../support/cli/pulumi";

type Hidden = Argument["hidden"];

const values = {
  a: { enabled: true, ipPolicyIds: ["ipp_a", "ipp_c"] },
  b: { enabled: true, ipPolicyIds: ["ipp_b"] },
  off: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_c"] },
};
const rule = (expression: string) => ({
  enabled: true,
  inbound: [{ expressions: [expression], actions: [{ type: "deny" }] }],
});
const secrets = (...fields: string[]): Hidden[] => [
  undefined,
  { how: "secret" },
  ...fields.map((field): Hidden => ({ how: "secret", field })),
];
const unknowns = (...fields: string[]): Hidden[] => [
  { how: "unknown" },
  ...fields.map((field): Hidden => ({ how: "unknown", field })),
];
const hide = (value: unknown, hidden: Hidden): Argument => ({ value, ...(hidden && { hidden }) });
const pairs = <A, B>(some: A[], others: B[]) => some.flatMap((one) => others.map((other) => [one, other] as const));

const cases: ResourceChange[] = [];
let port = 0;
const base = (): Arguments => ({
  hostports: { value: [`a.example.com:${++port}`] },
  backend: { value: { enabled: true, backendId: "bkdhr_1" } },
});
function add(type: string, before: Arguments, after: Arguments, hasOtherOptions = false): void {
  const same = base();
  const name = `edge${cases.length}`;
  cases.push({ type, name, before: { ...same, ...before }, after: { ...same, ...after }, hasOtherOptions });
}

// Every form of an IP restriction before and afterwards.
for (const [was, is] of pairs(secrets("enabled", "ipPolicyIds"), [
  ...secrets("enabled", "ipPolicyIds"),
  ...unknowns("enabled", "ipPolicyIds"),
])) {
  for (const value of Object.values(values))
    add("TcpEdge", { ipRestriction: hide(values.a, was) }, { ipRestriction: hide(value, is) });
}
for (const was of secrets("enabled", "ipPolicyIds")) {
  add("TcpEdge", { ipRestriction: hide(values.a, was) }, {});
  add("TcpEdge", {}, { ipRestriction: hide(values.a, was) });
}
// The same beside a change of something else.
const description: Argument = { value: "a" };
for (const [was, is] of pairs(secrets(), secrets())) {
  for (const value of [values.a, values.b]) {
    const [before, after] = [{ description, ipRestriction: hide(values.a, was) }, { ipRestriction: hide(value, is) }];
    add("TcpEdge", before, { ...after, description: { value: "b" } });
    add("TcpEdge", before, { ...after, description: hide("a", { how: "secret" }) });
    add("TcpEdge", before, { ...after, description }, true);
  }
}
// Other arguments.
for (const [was, is] of pairs(secrets("inbound"), secrets("inbound"))) {
  for (const expression of ["a", "false"])
    add("TcpEdge", { policy: hide(rule("a"), was) }, { policy: hide(rule(expression), is) });
}
for (const [was, is] of pairs(secrets("enabled"), secrets("enabled"))) {
  for (const enabled of [true, false]) {
    const backend = (on: boolean, hidden: Hidden) => ({ backend: hide({ enabled: on, backendId: "bkdhr_1" }, hidden) });
    add("TcpEdge", backend(true, was), backend(enabled, is));
  }
}
for (const [was, is] of pairs(secrets(), secrets())) {
  const hostport = `b.example.com:${++port}`;
  for (const [index, to] of [hostport, `b.example.com:${++port}`].entries()) {
    const from = index === 0 ? `c.example.com:${++port}` : hostport;
    add("TcpEdge", { hostports: hide([from], was) }, { hostports: hide([index === 0 ? from : to], is) });
  }
}
const authorities = (enabled: boolean) => ({ enabled, certificateAuthorityIds: ["ca_a"] });
for (const hidden of secrets("enabled")) {
  for (const enabled of [true, false])
    add("TlsEdge", { mutualTls: hide(authorities(true), hidden) }, { mutualTls: hide(authorities(enabled), hidden) });
}

/** The separate resources, each with an edge or a route of its own. */
const separate: ResourceChange[] = [];
const modules = (value: (typeof values)["a"], hidden?: "enabled" | "ipPolicyIds"): Arguments => ({
  enabled: hide(value.enabled, hidden === "enabled" ? { how: "secret" } : undefined),
  ipPolicyIds: hide(value.ipPolicyIds, hidden === "ipPolicyIds" ? { how: "secret" } : undefined),
});
const fields = [undefined, "enabled", "ipPolicyIds"] as const;
for (const [was, is] of pairs([...fields], [...fields])) {
  for (const value of Object.values(values))
    separate.push({
      type: "TcpEdgeIpRestriction",
      name: `module${separate.length}`,
      before: modules(values.a, was),
      after: modules(value, is),
    });
}
const login = (more: Arguments = {}): Arguments => ({
  enabled: { value: true },
  issuer: { value: "https://id.example" },
  clientId: { value: "a" },
  ...more,
});
const logins: ResourceChange[] = [
  [login({ enabled: hide(true, { how: "secret" }) }), login({ enabled: hide(false, { how: "secret" }) })],
  [login(), login({ issuer: { value: "https://other.example" } })],
  [login(), login({ optionsPassthrough: { value: true } })],
  [login(), login({ maximumDuration: { value: 9 } })],
].map(([before, after], index) => ({
  type: "HttpsEdgeRouteOidc",
  name: `login${index}`,
  before: before!,
  after: after!,
}));

const quote = (value: unknown) => JSON.stringify(value).replaceAll('"', "'");
const code = (value: unknown, how: "secret" | "unknown") =>
  how === "secret" ? `=pulumi.secret(${quote(value)})` : `=key.id.apply(() => (${quote(value)}))`;

/** The argument as a program declares it. */
function write({ value, hidden }: Argument): unknown {
  if (!hidden) return value;
  const { how, field } = hidden;
  if (field === undefined) return code(value, how);
  return { ...(value as object), [field]: code((value as Record<string, unknown>)[field], how) };
}
const writeAll = (args: Arguments = {}) =>
  Object.fromEntries(Object.entries(args).map(([name, argument]) => [name, write(argument)]));

const parents = (change: ResourceChange, index: number) =>
  change.type === "TcpEdgeIpRestriction"
    ? { edgeId: `=parent${index}.id` }
    : { edgeId: "edghts_1", routeId: `edghtsrt_${index}` };

function program(side: "before" | "after"): string[] {
  const options = (change: ResourceChange) =>
    side === "after" && change.hasOtherOptions ? { customTimeouts: { create: "9m" } } : {};
  return [
    ...(side === "after" ? [declare("ApiKey", "key")] : []),
    ...cases.map((change) => declare(change.type, change.name, writeAll(change[side]), options(change))),
    ...[separate, logins].flatMap((all) =>
      all.flatMap((change, index) => [
        ...(all === separate
          ? [
              declare("TcpEdge", `parent${index}`, {
                hostports: [`p.example.com:${index + 1}`],
                backend: { backendId: "bkdhr_1" },
              }),
            ]
          : []),
        declare(change.type, change.name, { ...parents(change, index), ...writeAll(change[side]) }),
      ]),
    ),
    ...others[side],
  ];
}

const open = (hostport: string) => ({ hostports: [hostport], backend: { backendId: "bkdhr_1" } });
const worldAndTls = { ipRestriction: { ipPolicyIds: ["ipp_world"] }, mutualTls: { certificateAuthorityIds: ["ca_a"] } };
/** What opens an address without anything that is hidden; `undeclared` gets its IP restriction by hand. */
const others = {
  before: [
    declare("TlsEdge", "wide", open("*.example.org:443")),
    declare("TlsEdge", "named", { ...open("b.example.org:443"), ipRestriction: { ipPolicyIds: ["ipp_a"] } }),
    declare("TlsEdge", "both", { ...open("d.example.org:1"), ...worldAndTls }),
    declare("TcpEdge", "world", { ...open("d.example.org:2"), ipRestriction: { ipPolicyIds: ["ipp_a"] } }),
    declare("TcpEdge", "undeclared", open("d.example.org:3")),
  ],
  after: [
    declare("TlsEdge", "wide", open("*.example.org:443")),
    declare("TlsEdge", "both", { ...open("d.example.org:1"), ...worldAndTls }),
    declare("TcpEdge", "world", { ...open("d.example.org:2"), ipRestriction: worldAndTls.ipRestriction }),
    declare("TcpEdge", "undeclared", open("d.example.org:3")),
    declare("TcpEdgeIpRestriction", "elsewhere", {
      edgeId: "=pulumi.all([key.id, undeclared.id]).apply(() => 'edgtcp_other')",
      ipPolicyIds: ["ipp_world"],
    }),
  ],
};

interface Step {
  urn: string;
  op: string;
  detailedDiff: object | null;
  oldState?: { inputs: object; outputs: object };
  newState?: { inputs: object };
}

/** What is compared of a step: what the command reads of the arguments that it is about. */
function summarize({ op, detailedDiff, oldState, newState }: Step, change: ResourceChange): object {
  const select = (properties: object = {}, names: string[]) =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
  const [was, is] = [change.before, change.after].map((args) => Object.keys(args ?? {}));
  const withoutOutbound = (_: string, value: unknown) =>
    typeof value === "object" && value !== null && "outbound" in value ? { ...value, outbound: undefined } : value;
  return {
    name: change.name,
    before: change.before,
    after: change.after,
    op,
    changes: detailedDiff && Object.keys(detailedDiff).sort(),
    oldInputs: select(oldState?.inputs, was!),
    oldOutputs: JSON.parse(JSON.stringify(select(oldState?.outputs, was!), withoutOutbound)),
    newInputs: select(newState?.inputs, is!),
  };
}

test.each<Provider>(["dynamic", "plugin"])("the previews of the %s provider", async (provider) => {
  const emulator = await startService();
  emulator.seed({
    tcpEdges: [{ id: "edgtcp_other" }],
    httpsEdges: [{ id: "edghts_1", routes: logins.map((_, index) => ({ id: `edghtsrt_${index}` })) }],
  });
  const stack = await Stack.create({ program: wrapProgram(program("before").join("\n"), provider), emulator });
  await stack.up();
  const undeclared = emulator.account.tcpEdges.find(({ hostports }) => hostports?.includes("d.example.org:3"))!;
  emulator.api("PUT", `/edges/tcp/${undeclared.id}/ip_restriction`, { ip_policy_ids: ["ipp_a"] });
  await stack.run(["refresh", "--yes", "--target", urnOf(provider, { type: "TcpEdge", name: "undeclared" })]);
  stack.write(wrapProgram(program("after").join("\n"), provider));
  const preview = JSON.parse(await stack.previewJson()) as { steps: Step[] };
  const find = (change: ResourceChange) => preview.steps.find(({ urn }) => urn === urnOf(provider, change))!;
  const all = [...cases, ...separate, ...logins];
  const differing = all.flatMap((change) => {
    const [shown, believed] = [find(change), printStep(provider, change) as Step].map((step) =>
      summarize(step, change),
    );
    return isDeepStrictEqual(shown, believed) ? [] : [{ shown, believed }];
  });
  expect(differing).toEqual([]);

  // Whatever turns a restriction off, or gives it other ids, has a line.
  const lines = findOpenedAddresses(preview);
  const said = (address: string) => lines.some((line) => line.address === address);
  const silent = cases.filter(({ before, after, type }) => {
    const [was, is] = [before!, after!].map((args) => args[type === "TlsEdge" ? "mutualTls" : "ipRestriction"]?.value);
    const isOpened = was !== undefined && JSON.stringify(was) !== JSON.stringify(is);
    return isOpened && !said((before!["hostports"]!.value as string[])[0]!);
  });
  expect(silent).toEqual([]);
  const unsaid = separate.flatMap((change, index) =>
    printDifference(provider, change).op !== "same" &&
    JSON.stringify(change.before) !== JSON.stringify(change.after) &&
    change.before!["ipPolicyIds"]!.value !== change.after!["ipPolicyIds"]!.value &&
    !said(`p.example.com:${index + 1}`)
      ? [change]
      : [],
  );
  expect(unsaid).toEqual([]);
  const routes = lines
    .filter(({ address }) => address?.startsWith("edghts_1/"))
    .map(({ address, message }) => [address, /\((.*)\)/.exec(message)![1]]);
  expect(routes).toEqual([
    ["edghts_1/edghtsrt_0", "oidc.enabled is unknown"],
    ["edghts_1/edghtsrt_1", "oidc has another issuer or clientId"],
    ["edghts_1/edghtsrt_2", "oidc begins to let OPTIONS requests through"],
  ]);
  const ofOthers = lines.filter(({ address }) => address?.includes("example.org")).map(({ message }) => message);
  expect(ofOthers).toEqual([
    'TcpEdge "undeclared": after this change anyone might be able to connect to d.example.org:3 (ipRestriction is unknown).',
    'TcpEdge "world": after this change anyone might be able to connect to d.example.org:2 (ipp_world is new in ipRestriction).',
    'TlsEdge "wide": after this change anyone might be able to connect to b.example.org:443 (moved from TlsEdge "named"; ipRestriction is removed; TlsEdge "wide" may serve it).',
  ]);

  // What stays is silent, hidden or not: the program as it was deployed.
  stack.write(wrapProgram(program("before").join("\n"), provider));
  expect(findOpenedAddresses(JSON.parse(await stack.previewJson()))).toEqual([]);
});
