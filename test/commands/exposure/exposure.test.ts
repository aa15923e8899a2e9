/** What a preview says about the public addresses that its change opens. */
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findOpenedAddresses } from "../../../src/commands/exposure";
import { main } from "../../../src/commands/exposure/main";
import type { Step } from "../../../src/commands/exposure/preview";
import { type Properties, unknown } from "../../support/engine/provider";
import { collectOutput } from "../output";
import { backend, having, ipRestriction, mutualTls, ofClasses, preview, type StepOptions, step } from "./support/steps";

const secret = "[secret]";
const policy = { inbound: [{ actions: [{ type: "deny" }] }] };
const denying = (expression: string) => ({ inbound: [{ expressions: [expression], actions: [{ type: "deny" }] }] });
const logging = { inbound: [{ actions: [{ type: "log" }] }] };
const off = { ...ipRestriction, enabled: false };
const upstream = { terminateAt: "upstream" };
const to = (...ipPolicyIds: string[]) => having({ ipRestriction: { ipPolicyIds } });

const none = undefined;
const reachable = having();
const restricted = having({ ipRestriction });
const hidden = having({ ipRestriction: secret });
const mutual = having({ mutualTls });
const elsewhere = { hostports: ["b.example:2"] };
const another = having(elsewhere);
const two = having({ hostports: ["a.example:1", "b.example:2"] });
const wide = having({ hostports: ["*.example:1"] });

/** A resource's arguments before and after the change. */
type Change = [was?: Properties, is?: Properties, options?: StepOptions];
const edge = (...change: Change) => step("TcpEdge", "ssh", ...change);
const tls = (...change: Change) => step("TlsEdge", "ssh", ...change);
const web = (was?: Properties, is?: Properties) => step("TcpEdge", "web", was, is, { id: "edgtcp_2" });
const separate = (...change: Change) => step("TcpEdgeIpRestriction", "office", ...change);
const termination = (...change: Change) => step("TlsEdgeTlsTermination", "inside", ...change);

/** The arguments of a separate IP restriction. */
const of = (edgeId: string, module: Properties = ipRestriction) => ({ edgeId, ...module });
const own = of("edgtcp_1");
const foreign = of("edgtcp_2");
const ofUnknown = of(unknown);
const dependsOnEdge = { propertyDependencies: { edgeId: [edge().urn] } };
const deletedWithEdge = { ...dependsOnEdge, deletedWith: edge().urn };

const route = "edghts_1/edghtsrt_1";
const onRoute = { edgeId: "edghts_1", routeId: "edghtsrt_1" };
const login = { ...onRoute, issuer: "https://id.example" };
const filter = { ...onRoute, deny: ["bot"] };
const oidc = (was?: Properties, is?: Properties, options?: StepOptions) =>
  step("HttpsEdgeRouteOidc", "login", was, is, { id: route, ...options });
const bots = (was?: Properties, is?: Properties) =>
  step("HttpsEdgeRouteUserAgentFilter", "bots", was, is, { id: route });

/** A change that the preview shows without details, or with the paths of what changes. */
const vague: StepOptions = { detailedDiff: null };
const at = (...paths: string[]): StepOptions => ({ detailedDiff: Object.fromEntries(paths.map((path) => [path, {}])) });

/** The line of an address to which anyone can connect, or might be able to, for the resource of a step. */
function lineOf({ urn }: Step, can: string, reason: string, address = "a.example:1"): string {
  const [, , type, name] = urn.split("::");
  return `${type!.split(":").at(-1)} "${name}": after this change anyone ${can} to ${address} (${reason}).`;
}
const can = (each: Step, reason: string, address?: string) => lineOf(each, "can connect", reason, address);
const might = (each: Step, reason: string, address?: string) =>
  lineOf(each, "might be able to connect", reason, address);
const messagesOf = (steps: Step[]) => findOpenedAddresses(preview(...steps)).map(({ message }) => message);

/** Why a change opens the address of its first resource. */
type Row = [reason: string, steps: Step[], address?: string];

const certain: Row[] = [
  ["ipRestriction is removed", [edge(restricted, reachable)]],
  ["ipRestriction is removed", [edge(restricted, having(), { op: "replace" })]],
  ["ipRestriction is removed", [edge(reachable, reachable), separate(own, none)]],
  ["ipRestriction is removed", [edge(reachable, reachable, { found: { ipRestriction } }), separate(own, none)]],
  ["ipRestriction is removed", [edge(reachable, having(), { op: "replace" }), separate(own, own)]],
  ["ipRestriction is disabled", [edge(restricted, having({ ipRestriction: off }))]],
  ["ipRestriction is disabled", [edge(reachable, reachable), separate(own, of("edgtcp_1", off))]],
  [
    "ipRestriction is removed and policy is disabled",
    [edge(having({ ipRestriction, policy }), having({ policy: { enabled: false } }))],
  ],
  ["mutualTls is removed", [tls(mutual, having({ tlsTermination: upstream }))]],
  [
    "TLS is terminated upstream, which ends mutualTls",
    [tls(reachable, having({ tlsTermination: upstream }), { found: { mutualTls } })],
  ],
  [
    "TLS is terminated upstream, which ends mutualTls",
    [tls(mutual, mutual), termination(none, { edgeId: "edgtcp_1", ...upstream })],
  ],
  [
    "policy has no action for incoming traffic",
    [edge(having({ policy }), having({ policy: { inbound: [], outbound: policy.inbound } }))],
  ],
  ["new edge; nothing restricts it", [edge(none, reachable)]],
  ['new edge in place of TcpEdge "web"; ipRestriction is removed', [edge(none, reachable), web(restricted, none)]],
  ['moved from TcpEdge "web"; ipRestriction is removed', [edge(another, two), web(restricted, { backend })]],
  ["new hostport; nothing restricts it", [edge(reachable, two)], "b.example:2"],
  ["new hostport; nothing restricts it", [edge({ backend }, reachable)]],
  ["backend is added; nothing restricts it", [edge({ hostports: reachable["hostports"] }, reachable)]],
  ["backend is enabled; nothing restricts it", [edge(having({ backend: { ...backend, enabled: false } }), reachable)]],
  ["oidc is removed", [oidc(login, none)], route],
  ["oidc is disabled", [oidc(login, { ...login, enabled: false }), bots(filter, filter)], route],
];

const uncertain: Row[] = [
  // What another restriction lets in.
  ["ipp_b is new in ipRestriction", [edge(restricted, to("ipp_b")), web({ ...to("ipp_b"), ...elsewhere })]],
  ["ipp_b and ipp_c are new in ipRestriction", [edge(restricted, to("ipp_a", "ipp_b", "ipp_c"))]],
  ["ca_b is new in mutualTls", [tls(mutual, having({ mutualTls: { certificateAuthorityIds: ["ca_b"] } }))]],
  ["mutualTls is removed; only ipRestriction restricts it now", [tls(mutual, restricted)]],
  ["ipRestriction is removed; only policy restricts it now", [edge(restricted, having({ policy: denying("a") }))]],
  [
    "ipRestriction is removed; only policy and mutualTls restrict it now",
    [tls(restricted, having({ mutualTls, policy: denying("a") }))],
  ],
  ["policy may deny others than before", [edge(having({ policy: denying("a") }), having({ policy: denying("b") }))]],
  ["policy may deny others than before", [edge(having({ policy: secret }), having({ policy: denying("a") }), vague)]],
  ["ipRestriction is removed; policy has other actions than deny", [edge(restricted, having({ policy: logging }))]],
  ["ipRestriction has no ids", [edge(restricted, to())]],
  ["oidc has another issuer or clientId", [oidc(login, { ...login, issuer: "https://other.example" })], route],
  ["oidc begins to let OPTIONS requests through", [oidc(login, { ...login, optionsPassthrough: true })], route],
  ["userAgentFilter is removed; oidc is unknown", [bots(filter, none)], route],

  // What is not known.
  ["policy.inbound is unknown", [edge(having({ policy }), having({ policy: { inbound: [unknown] } }))]],
  ["ipRestriction is unknown", [edge(restricted, having({ ipRestriction: unknown }), at("ipRestriction"))]],
  ["ipRestriction.enabled is unknown", [edge(restricted, having({ ipRestriction: { ...off, enabled: unknown } }))]],
  ["the ids of ipRestriction are unknown", [edge(restricted, having({ ipRestriction: { ipPolicyIds: unknown } }))]],
  ["tlsTermination is unknown", [tls(mutual, { ...mutual, tlsTermination: { terminateAt: unknown } })]],
  ["whom oidc lets in is unknown", [oidc(login, { ...login, issuer: unknown })], route],
  [
    "oidc.enabled is unknown; anyone can send any user agent",
    [oidc(login, { ...login, enabled: unknown }), bots(filter, filter)],
    route,
  ],
  ["the old value of ipRestriction is not known", [edge(hidden, to("ipp_b"), vague)]],
  ["the old value of backend is not known; nothing restricts it", [edge(having({ backend: secret }), reachable)]],
  ["the old value of oidc is not known", [oidc(none, login)], route],
  ["ipRestriction is removed; hostports are unknown", [edge(restricted, having({ hostports: unknown }))], "edgtcp_1"],
  [
    "ipRestriction is removed; hostports are unknown",
    [edge({ ...restricted, hostports: secret }, having({ hostports: secret }))],
    "edgtcp_1",
  ],
  ["new edge; hostports are unknown; nothing restricts it", [edge(none, having({ hostports: unknown }))], "it"],
  ["new edge; backend is unknown; nothing restricts it", [edge(none, having({ backend: unknown }))]],
  ["new edge; policy has other actions than deny", [edge(none, having({ policy: logging }))]],

  // A secret that changes, or that may: two look the same.
  [
    "the ids of ipRestriction are unknown",
    [edge(having({ ipRestriction: { ipPolicyIds: secret } }), having({ ipRestriction: { ipPolicyIds: secret } }))],
  ],
  [
    "the old value of ipRestriction is not known",
    [edge(restricted, having({ ipRestriction }), { ...vague, found: { __unconfirmed: "ipRestriction" } })],
  ],
  [
    'new edge in place of TcpEdge "web"; the ids of ipRestriction are unknown',
    [
      edge(none, having({ ipRestriction: { ipPolicyIds: secret } })),
      web(having({ ipRestriction: { ipPolicyIds: secret } }), none),
    ],
  ],
  [
    'moved from TcpEdge "web"; the ids of ipRestriction are unknown',
    [
      edge(
        { ...another, ipRestriction: { ipPolicyIds: secret } },
        { ...two, ipRestriction: { ipPolicyIds: secret } },
        at("hostports"),
      ),
      web(having({ ipRestriction: { ipPolicyIds: secret } }), none),
    ],
  ],
  [
    "oidc.enabled is unknown",
    [oidc({ ...login, enabled: secret }, { ...login, enabled: secret }, at("enabled"))],
    route,
  ],
  ["ipRestriction is unknown", [edge(hidden, hidden, { found: { __unconfirmed: "ipRestriction" } })]],

  // Another edge that may serve the address.
  [
    'moved from TcpEdge "web"; ipRestriction is removed; TcpEdge "ssh" may serve it',
    [edge(wide, wide), web(restricted, none)],
  ],
  ['new edge; nothing restricts it; TcpEdge "web" may have served it', [edge(none, reachable), web(wide, wide)]],

  // A module whose edge is not in the program, or not known.
  [
    "ipRestriction is removed; policy, backend and hostports are unknown",
    [separate(foreign, none, { id: "edgtcp_2" })],
    "edgtcp_2",
  ],
  [
    "ipRestriction is disabled; policy, backend and hostports are unknown",
    [separate(none, of("edgtcp_2", off))],
    "edgtcp_2",
  ],
  [
    "the old value of ipRestriction is not known; policy, backend and hostports are unknown",
    [separate(none, foreign)],
    "edgtcp_2",
  ],
  [
    "TLS is terminated upstream, which ends mutualTls; ipRestriction, policy, backend and hostports are unknown",
    [termination(none, { edgeId: "edgtls_2", ...upstream })],
    "edgtls_2",
  ],
  ["ipRestriction is unknown", [edge(restricted, restricted), separate(none, of("edgtcp_1", off))]],
  [
    "ipRestriction is unknown",
    [edge(reachable, reachable), separate(own, ofUnknown, { op: "replace", next: deletedWithEdge })],
  ],
  [
    "new edge; ipRestriction is unknown",
    [
      edge(none, reachable),
      separate(none, ofUnknown, { next: { propertyDependencies: { edgeId: [edge().urn, web().urn] } } }),
    ],
  ],
];

const movedLogin = oidc(login, { ...login, routeId: "edghtsrt_2" }, { op: "replace" });
const lostLogin = oidc(login, { ...login, edgeId: unknown }, { op: "replace" });
const unplaced = separate(own, ofUnknown, { op: "replace" });
const partlyKnown = edge(restricted, having({ hostports: ["a.example:1", unknown] }));
const gone = edge(restricted, two);

/** Changes that open several addresses. */
const several: [what: string, steps: Step[], ...lines: string[]][] = [
  [
    "a hostport more",
    [gone],
    can(gone, "ipRestriction is removed"),
    can(gone, "new hostport; nothing restricts it", "b.example:2"),
  ],
  [
    "a hostport that is not known",
    [partlyKnown],
    can(partlyKnown, "ipRestriction is removed"),
    might(partlyKnown, "hostports are unknown; nothing restricts it", "edgtcp_1"),
  ],
  [
    "a login that moves to another route",
    [movedLogin],
    can(movedLogin, "oidc is removed", route),
    might(movedLogin, "the old value of oidc is not known", "edghts_1/edghtsrt_2"),
  ],
  [
    "a login that moves to a route that is not known",
    [lostLogin],
    might(lostLogin, "oidc is unknown", route),
    might(lostLogin, "oidc and hostports are unknown", "it"),
  ],
  [
    "a separate module that moves to an edge that is not known",
    [edge(reachable, reachable), unplaced],
    might(edge(), "ipRestriction is unknown"),
    might(unplaced, "ipRestriction, policy, backend and hostports are unknown", "it"),
  ],
];

const secretRule = having({ policy: denying(secret) });
const secretTermination = having({ mutualTls, tlsTermination: secret });
const secretHostports = having({ ipRestriction, hostports: secret });
const described = (args: Properties) => ({ ...args, description: "x" });

/** Changes that nobody should have to read about, and that the enumeration does not have. */
const silent: [what: string, steps: Step[]][] = [
  ["another description", [edge(restricted, described(restricted))]],
  ["an edge that is deleted", [edge(restricted, none)]],
  ["an edge that is replaced", [edge(restricted, having({ ipRestriction }), { op: "replace" })]],
  ["a hostport in other letters", [edge(reachable, having({ hostports: ["A.example:1"] }))]],
  ["a new hostport of a restricted edge", [edge(restricted, { ...two, ipRestriction })]],
  ["hostports that an edge loses", [edge(restricted, { backend })]],
  ["a secret expression", [edge(secretRule, secretRule)]],
  ["a secret expression beside a new description", [edge(secretRule, described(secretRule), at("description"))]],
  ["secret termination", [tls(secretTermination, secretTermination)]],
  [
    "secret termination beside a new description",
    [tls(secretTermination, described(secretTermination), at("description"))],
  ],
  ["secret hostports", [edge(secretHostports, secretHostports)]],
  ["secret hostports beside a new description", [edge(secretHostports, described(secretHostports), at("description"))]],
  ["another module, which the program does not declare", [edge(restricted, reachable, { found: { policy } })]],
  ["a module that was never declared", [edge(reachable, described(reachable), { found: { ipRestriction } })]],
  ["a separate module that moves into its edge", [edge(reachable, restricted), separate(own, none)]],
  ["a module that moves into a separate resource", [edge(restricted, reachable), separate(none, own)]],
  [
    "a separate module that is retained",
    [edge(reachable, reachable), separate(own, none, { old: { retainOnDelete: true } })],
  ],
  ["a separate module of a new edge", [edge(none, reachable), separate(none, ofUnknown, { next: deletedWithEdge })]],
  [
    "a separate module of an edge that is replaced",
    [edge(reachable, having(), { op: "replace" }), separate(own, ofUnknown, { op: "replace", next: deletedWithEdge })],
  ],
  ["a route that gets a filter", [bots(none, filter)]],
  ["a route that keeps its login, and loses its filter", [oidc(login, login), bots(filter, none)]],
  [
    "OPTIONS requests that need a login again, beside values that do not decide who logs in",
    [
      oidc(
        { ...login, optionsPassthrough: true, clientSecret: secret, scopes: ["a"], maximumDuration: 1 },
        { ...login, clientSecret: secret, scopes: ["b"], maximumDuration: 2 },
        at("clientSecret", "optionsPassthrough", "maximumDuration", "scopes[0]"),
      ),
    ],
  ],
  ["a resource of another kind", [step("ApiKey", "key", {}, {})]],
];

const cases = [
  ...certain.map(([reason, steps, address]) => [reason, steps, [can(steps[0]!, reason, address)]] as const),
  ...uncertain.map(([reason, steps, address]) => [reason, steps, [might(steps[0]!, reason, address)]] as const),
  ...several.map(([what, steps, ...lines]) => [what, steps, lines.sort()] as const),
];

test.each(cases)("prints why anyone can connect, or might be able to: %s", (_, steps, lines) => {
  expect(messagesOf([...steps])).toEqual(lines);
});

test.each(silent)("prints nothing about %s", (_, steps) => {
  expect(messagesOf(steps)).toEqual([]);
});

test("prints the same about resources of the classes", () => {
  const all = [...cases, ...silent.map(([what, steps]) => [what, steps, []] as const)];
  const found = all.map(([what, steps]) => [what, messagesOf(steps.map(ofClasses))]);
  expect(found).toEqual(all.map(([what, , lines]) => [what, lines]));
});

test("takes the new edge that a module depends on for the module's edge, with the plugin only", () => {
  const steps = [edge(none, reachable), separate(none, ofUnknown, { next: dependsOnEdge })];
  expect(messagesOf(steps)).toEqual([]);
  expect(messagesOf(steps.map(ofClasses))).toEqual([might(edge(), "new edge; ipRestriction is unknown")]);
});

test("quotes names, and sorts lines", () => {
  const names = ["b", 'a"\n::x'].map((name, index) => {
    const args = having({ hostports: [`a.example:${index + 1}`] });
    return step("TcpEdge", name, { ...args, ipRestriction }, args);
  });
  expect(messagesOf(names)).toEqual([
    'TcpEdge "a\\"\\n::x": after this change anyone can connect to a.example:2 (ipRestriction is removed).',
    'TcpEdge "b": after this change anyone can connect to a.example:1 (ipRestriction is removed).',
  ]);
});

test("prints each message on one line of visible characters", () => {
  const odd = { ...to("ipp\u200b"), hostports: ["a.example:1\n::error::\u202e"] };
  const address = "a.example:1\\u{a}::error::\\u{202e}";
  const changed = edge({ ...odd, ipRestriction }, odd);
  expect(messagesOf([changed])).toEqual([might(changed, "ipp\\u{200b} is new in ipRestriction", address)]);
});

describe("several previews of one change", () => {
  const recorded = preview(edge(to("ipp_a"), to("ipp_a")));
  const opened = (...previews: unknown[]) => findOpenedAddresses(...previews).length;

  test("list an address once, with the more certain result", () => {
    const opening = preview(edge(restricted, reachable));
    const quiet = preview(edge(reachable, reachable));
    const unclear = preview(edge(restricted, having({ ipRestriction: unknown })));
    const message = can(edge(), "ipRestriction is removed");
    const found = { address: "a.example:1", urn: edge().urn, id: "edgtcp_1", message };
    const opens = [{ ...found, before: "restricted", after: "anyone", isCertain: true }];
    for (const other of [quiet, unclear, opening]) {
      expect(findOpenedAddresses(other, opening)).toEqual(opens);
      expect(findOpenedAddresses(opening, other)).toEqual(opens);
    }
  });

  test("print nothing about an IP policy that a deployment restores after drift", () => {
    const merge = preview(edge(to("ipp_incident"), to("ipp_a")));
    expect(opened(recorded, merge)).toBe(0);
    expect(opened(merge)).toBe(1);
    // Another policy is new, and so is one that another address had.
    expect(opened(recorded, preview(edge(to("ipp_incident"), to("ipp_b"))))).toBe(1);
    const elsewhere = { ...to("ipp_a"), hostports: ["b.example:2"] };
    expect(opened(preview(edge(elsewhere, elsewhere)), merge)).toBe(1);
  });

  test.each<[what: string, found: Properties, count: number]>([
    ["nothing", {}, 0],
    ["mutual TLS", { mutualTls }, 1],
    ["a policy that denies everybody", { policy }, 1],
    ["a backend that was disabled", { backend: { ...backend, enabled: false } }, 1],
  ])("print a restored policy only if something else restricted the edge beside it: %s", (_, found, count) => {
    const was = to("ipp_a");
    expect(opened(preview(tls(was, was, { found })), preview(tls(to("ipp_incident"), to("ipp_a"))))).toBe(count);
  });

  test("print that a module is removed which drift has added", () => {
    expect(opened(recorded, preview(tls({ ...to("ipp_a"), mutualTls }, to("ipp_a"))))).toBe(1);
  });
});

describe("the command", () => {
  const folder = join(tmpdir(), `exposure-${randomUUID()}`);
  beforeAll(() => mkdirSync(folder));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [file, otherFile, list] = [join(folder, "preview.json"), join(folder, "other.json"), join(folder, "open.txt")];

  /** Runs the command with a preview. What it prints has the names of files without their folder. */
  async function run(content: string | object, ...args: string[]) {
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return runWith(...args, file);
  }
  async function runWith(...args: string[]) {
    const { printed, io } = collectOutput();
    const code = await main(args, io);
    const withoutFolder = (text: string) => text.replaceAll(`${folder}/`, "");
    return { code, out: withoutFolder(printed.out), err: withoutFolder(printed.err) };
  }

  const opening = preview(edge(restricted, reachable));
  const removed = can(edge(), "ipRestriction is removed");

  test("prints the lines, and fails only with --fail", async () => {
    expect(await run(opening)).toEqual({ code: 0, out: `${removed}\n`, err: "" });
    const err = "Failed. Restrict a.example:1, or add it to a file for --accept.\n";
    expect(await run(opening, "--fail")).toEqual({ code: 1, out: `${removed}\n`, err });
    expect(await run(preview(), "--fail")).toEqual({ code: 0, out: "", err: "" });
  });

  describe("--accept", () => {
    function accept(text: string, content: object, ...args: string[]) {
      writeFileSync(list, text);
      return run(content, "--accept", list, ...args);
    }
    const created = (name: string, hostport: string, args?: Properties) =>
      step("TcpEdge", name, none, having({ hostports: [hostport], ...args }));
    const opens = (name: string, address: string) =>
      can(created(name, address), "new edge; nothing restricts it", address);
    const accepted = (message: string) => `${message.slice(0, -1)}, accepted in open.txt.\n`;
    const both = preview(created("db", "b.example:2"), created("web", "w.example:3"));

    test("prints an opening of a listed address first, and does not fail", async () => {
      const [db, web] = [opens("db", "b.example:2"), opens("web", "w.example:3")];
      const out = `${accepted(db)}${accepted(web)}`;
      expect(await accept("b.example:2\nw.example:3 # for everybody", both, "--fail")).toEqual({
        code: 0,
        out,
        err: "",
      });
      expect(await accept("w.example:3", both, "--fail")).toEqual({
        code: 1,
        out: `${accepted(web)}${db}\n`,
        err: "Failed. Restrict b.example:2, or add it to open.txt.\n",
      });
      const err = "Failed. Restrict b.example:2 and w.example:3, or add them to open.txt.\n";
      expect((await accept("", both, "--fail")).err).toBe(err);
      const json = JSON.parse((await accept("w.example:3", both, "--json")).out);
      expect(json).toMatchObject([
        { address: "w.example:3", isAccepted: true },
        { address: "b.example:2", isAccepted: false },
      ]);
    });

    test.each([
      ["a wildcard stands only for itself", "*.example:2", "b.example:2"],
      ["a name does not stand for a wildcard", "b.example:2", "*.example:2"],
      ["another port is another address", "b.example:3", "b.example:2"],
    ])("fails, because %s", async (_, listed, address) => {
      const { code, out } = await accept(listed, preview(created("b", address)), "--fail");
      expect({ code, out }).toEqual({ code: 1, out: `${opens("b", address)}\n` });
    });

    test.each([
      ["an address that might open", "b.example:2", created("b", "B.example:2", { ipRestriction: unknown })],
      ["a route", route, oidc(login, none)],
    ])("accepts %s", async (_, listed, each) => {
      const { code, out } = await accept(listed, preview(each), "--fail");
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/, accepted in open\.txt\.\n$/) });
    });

    test.each<[string, Step]>([
      ["hostports that are not known yet", edge(none, having({ hostports: unknown }))],
      ["a hostport that is not known yet", edge(none, having({ hostports: [unknown] }))],
      ["secret hostports", edge(none, having({ hostports: secret }))],
      ["an edge that is not in the program", separate(foreign, none, { id: "edgtcp_2" })],
    ])("asks for plain hostports in place of %s", async (_, each) => {
      const out = expect.stringMatching(/\)\. Declare its hostports as plain strings\.\n$/);
      expect(await accept("", preview(each), "--fail")).toEqual({ code: 1, out, err: "" });
    });

    const unused = "open.txt, line 1: a.example:1 is not open after this change. Remove the line.\n";
    test.each<[string, Step[], string]>([
      ["no edge has", [], unused],
      ["is restricted", [edge(restricted, restricted)], unused],
      ["is closed", [edge(reachable, restricted)], unused],
      ["is deleted", [edge(reachable, none)], unused],
      ["is open, and stays so", [edge(reachable, reachable)], ""],
      ["may be open", [edge(hidden, hidden)], ""],
    ])("fails for a listed address only if it is not open after the change; this one %s", async (_, steps, err) => {
      expect(await accept("a.example:1", preview(...steps))).toEqual({ code: 0, out: "", err });
      expect(await accept("a.example:1", preview(...steps), "--fail")).toEqual({
        code: err === "" ? 0 : 1,
        out: "",
        err,
      });
    });

    test("does not fail for a listed address that is open by one of two previews", async () => {
      writeFileSync(otherFile, JSON.stringify(preview(edge(reachable, reachable))));
      const closed = preview(edge(reachable, reachable, { found: { policy } }));
      expect((await accept("a.example:1", closed, "--fail")).err).toBe(unused);
      expect(await accept("a.example:1", closed, "--fail", otherFile)).toEqual({ code: 0, out: "", err: "" });
    });

    const noAddress = 'must be "<host>:<port>", such as "1.tcp.example.com:20022".';
    test.each([
      ["# comment\na.example", `line 2: "a.example" ${noAddress}`],
      ["edghtsrt_1", `line 1: "edghtsrt_1" ${noAddress}`],
      ["edgtcp_2", 'line 1: "edgtcp_2" must be a hostport or, for a route of an HTTPS edge, "edghts_…/edghtsrt_…".'],
      ["A.example:1", 'line 1: "A.example:1" is not normalized; use "a.example:1".'],
      ["tcp://a.example:1", 'line 1: "tcp://a.example:1" has a scheme; use "a.example:1".'],
      ["а.example:1", 'line 1: "а.example:1" is not normalized; use "xn--80a.example:1".'],
    ])("rejects %j in the list", async (text, problem) => {
      expect(await accept(text, opening)).toEqual({ code: 2, out: "", err: `open.txt, ${problem}\n` });
    });

    test("rejects a list that does not exist", async () => {
      const err = "Cannot read none.txt: there is no such file.\n";
      expect(await run(opening, "--accept", "none.txt")).toEqual({ code: 2, out: "", err });
    });
  });

  describe("a module that has the id of a deleted edge", () => {
    const deleted = edge(restricted, none);
    const unnamed = step("TcpEdge", "renamed", none, reachable, { op: "import", next: { id: "edgtcp_1" } });
    const importing = step("TcpEdge", "renamed", none, having({ __import: "edgtcp_1" }));
    const lost =
      'TcpEdgeIpRestriction "office" still has the id of TcpEdge "ssh", edgtcp_1, which this change deletes. ' +
      "Remove it from the program too, or give it the id of another edge.\n";

    test.each<[string, Step[], string]>([
      ["causes a warning if it stays", [deleted, separate(own, own)], lost],
      ["causes a warning if it is new", [deleted, separate(none, own)], lost],
      ["causes a warning if it stays, with the classes", [deleted, separate(own, own)].map(ofClasses), lost],
      ["causes no warning if it is deleted too", [deleted, separate(own, none)], ""],
      ["causes no warning if it gets another edge", [deleted, separate(own, foreign, { op: "replace" })], ""],
      [
        "causes no warning if it gets an edge that is not known yet",
        [deleted, separate(own, ofUnknown, { op: "replace" })],
        "",
      ],
      [
        "causes no warning if the edge is retained",
        [edge(restricted, none, { old: { retainOnDelete: true } }), separate(own, own)],
        "",
      ],
      ["causes no warning if another resource imports the edge", [deleted, unnamed, separate(own, own)], ""],
      [
        "causes no warning if another resource imports the edge, with the classes",
        [deleted, importing, separate(own, own)].map(ofClasses),
        "",
      ],
    ])("%s", async (_, steps, err) => {
      expect((await run(preview(...steps))).err).toBe(err);
    });

    test("does not make the command fail", async () => {
      const steps = [deleted, separate(own, own)];
      expect(await run(preview(...steps), "--fail")).toEqual({ code: 0, out: "", err: lost });
    });
  });

  const use = "`pulumi preview --json --show-sames --show-replacement-steps`";
  const failed = { ...opening, diagnostics: [{ severity: "error", message: "error: broken" }] };
  test.each<[string, string | object, string]>([
    ["text", "+ 1 to create", ` is not JSON. Write it with ${use.slice(0, -1)} > preview.json\`.`],
    ["a stack", { version: 3, deployment: {} }, `: This is not the output of ${use}.`],
    [
      "a preview without unchanged resources",
      { steps: [], changeSummary: { same: 2 } },
      `: The preview leaves out unchanged resources. Use ${use}.`,
    ],
    [
      "a preview that failed",
      failed,
      ": The preview failed, so it does not show what would change. Fix its errors first:\nerror: broken",
    ],
  ])("rejects %s", async (_, content, err) => {
    expect(await run(content)).toEqual({ code: 2, out: "", err: `preview.json${err}\n` });
  });

  test("rejects previews of two stacks", async () => {
    writeFileSync(otherFile, JSON.stringify(opening).replaceAll("urn:pulumi:dev::", "urn:pulumi:production::"));
    const err = "The previews are of test/production and test/dev. Give those of one stack.\n";
    for (const args of [[], ["--markdown"]]) {
      expect(await run(opening, ...args, otherFile)).toEqual({ code: 2, out: "", err });
    }
  });

  test.each([
    [[], "Name at least one file; see --help.\n"],
    [["--fial", "preview.json"], "Unknown option '--fial'; see --help.\n"],
    [["missing.json"], "Cannot read missing.json: there is no such file.\n"],
    [["--markdown"], "Name at least one file; see --help.\n"],
    [["--markdown", "--fail", "a"], "--markdown goes with neither --fail nor --json; see --help.\n"],
    [["--markdown", "--json", "a"], "--markdown goes with neither --fail nor --json; see --help.\n"],
    [["--messages", "a", "a"], "--messages and --stack need --markdown; see --help.\n"],
    [["--stack", "a", "a"], "--messages and --stack need --markdown; see --help.\n"],
    [["--markdown", "--messages", "missing.txt", "a"], "Cannot read missing.txt: there is no such file.\n"],
  ])("rejects the arguments %j", async (args, err) => {
    expect(await runWith(...args)).toEqual({ code: 2, out: "", err });
  });
});
