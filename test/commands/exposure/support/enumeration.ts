/**
 * Every change of a small world, in each form in which a preview shows or hides it, and the comparison of its preview with
 * a model that knows nothing of previews.
 */
import { findOpenedAddresses } from "../../../../src/commands/exposure";
import { unknown } from "../../../support/engine/provider";
import { type Edge, letsStrangerIn, opensToAnyone, type Restriction, type World } from "./people";
import { type Argument, type Arguments, type Provider, printPreview, type ResourceChange, urnOf } from "./printed";

/** What a restriction can be: not there, off, or on. */
interface Value {
  on: boolean;
  ids: string[];
}

interface Kind {
  argument: string;
  type: string;
  list: string;
  restricts: Restriction["kind"];
  values: (Value | undefined)[];
  toModule(value: Value): Record<string, unknown>;
}

const values: Kind["values"] = [
  undefined,
  { on: false, ids: ["a"] },
  { on: false, ids: ["b"] },
  { on: true, ids: ["a"] },
  { on: true, ids: ["b"] },
  { on: true, ids: ["a", "b"] },
];
const ofIds = (argument: string, type: string, list: string): Kind => ({
  argument,
  type,
  list,
  restricts: "some",
  values,
  toModule: ({ on, ids }) => ({ enabled: on, [list]: ids }),
});
const ipRestriction = ofIds("ipRestriction", "TcpEdge", "ipPolicyIds");
const mutualTls = ofIds("mutualTls", "TlsEdge", "certificateAuthorityIds");
const policy: Kind = {
  argument: "policy",
  type: "TcpEdge",
  list: "inbound",
  restricts: "every",
  values: [...values, { on: true, ids: [""] }, { on: true, ids: ["log"] }],
  toModule: ({ on, ids }) => ({
    enabled: on,
    inbound: ids.map((id) => ({
      ...(id !== "" && { expressions: [id] }),
      actions: [{ type: id === "log" ? "log" : "deny" }],
    })),
  }),
};

interface Shown {
  value?: Value;
  argument?: Argument;
}

/** The ways in which a preview hides values. */
const hows = (isAfter: boolean) => (isAfter ? (["secret", "unknown"] as const) : (["secret"] as const));

/** Each value of a restriction, in each form in which a preview can show or hide it. */
const listShown = ({ values: all, list, toModule }: Kind, isAfter: boolean): Shown[] =>
  all.flatMap((value): Shown[] => {
    if (!value) return [{}];
    const module = toModule(value);
    const hidden = hows(isAfter).flatMap((how) =>
      [undefined, "enabled", list].map((field) => ({ value: module, hidden: { how, ...(field && { field }) } })),
    );
    return [{ value: module }, ...hidden].map((argument) => ({ value, argument }));
  });

const pairs = <A, B>(some: A[], others: B[]) => some.flatMap((one) => others.map((other) => [one, other] as const));

/** Each restriction before a change, with each afterwards. */
const changesOf = (kind: Kind, isTried: (shown: Shown) => boolean = () => true) =>
  pairs(listShown(kind, false).filter(isTried), listShown(kind, true).filter(isTried));

/** An edge with these restrictions. Another action than deny may restrict or not, so it does in one world of two. */
const toEdge = (isReached: boolean, ...all: [Kind, Value | undefined][]): Edge[] =>
  [true, false].map((logRestricts) => ({
    isReached,
    restrictions: all.flatMap(([{ restricts }, value]): Restriction[] =>
      value?.on && (logRestricts || !value.ids.includes("log")) ? [{ kind: restricts, ids: value.ids }] : [],
    ),
  }));
const restrictedBy = (kind: Kind, { value }: Shown) => toEdge(true, [kind, value]);

interface Scene {
  changes: ResourceChange[];
  worlds: World[];
  /** Changes the steps as printed, for what the printer does not know. */
  adapt?(preview: object): object;
}

const place = "a.example:1";
const at = (hostport: string): Arguments => ({ hostports: { value: [hostport] } });
const backend: Arguments = { backend: { value: { enabled: true, backendId: "bkdhr_1" } } };
const base: Arguments = { ...at(place), ...backend };
const withArgument = ({ argument: name }: Kind, { argument }: Shown): Arguments =>
  argument ? { [name]: argument } : {};
const worldOf = (...addresses: World["addresses"]): World => ({ addresses });
/** The worlds in which an address has the first of these edges, the second, and so on. */
const worldsOf = (name: string, was: (Edge | undefined)[], is: (Edge | undefined)[], ...others: World["addresses"]) =>
  [0, 1].map((index) =>
    worldOf({ name, ...(was[index] && { before: was[index] }), ...(is[index] && { after: is[index] }) }, ...others),
  );

/** Another edge, which stays as it is: it has nothing, one of the ids, or one beside another restriction. */
const neighbours: { changes: ResourceChange[]; addresses: World["addresses"] }[] = [
  { changes: [], addresses: [] },
  ...[false, true].map((isBeside) => {
    const [one, other] = [{ on: true, ids: ["b"] }, isBeside ? { on: true, ids: ["ca"] } : undefined];
    const args: Arguments = {
      ...at("z.example:9"),
      ...backend,
      ipRestriction: { value: ipRestriction.toModule(one) },
      ...(other && { mutualTls: { value: mutualTls.toModule(other) } }),
    };
    const edge = toEdge(true, [ipRestriction, one], [mutualTls, other])[0]!;
    return {
      changes: [{ type: "TlsEdge", name: "neighbour", id: "edgtls_9", before: args, after: args }],
      addresses: [{ name: "z.example:9", before: edge, after: edge }],
    };
  }),
];

/** The ways in which something else changes at the same time. */
const besides: { before: Arguments; after: Arguments; hasOtherOptions?: boolean }[] = [
  { before: {}, after: {} },
  { before: { description: { value: "a" } }, after: { description: { value: "b" } } },
  { before: { description: { value: "a" } }, after: { description: { value: "a", hidden: { how: "secret" } } } },
  { before: {}, after: {}, hasOtherOptions: true },
];

/** One restriction of an edge that stays. */
function* oneRestriction(kind: Kind): Generator<() => Scene> {
  for (const [was, is] of changesOf(kind)) {
    for (const { before, after, ...options } of besides) {
      const edge = {
        type: kind.type,
        name: "edge",
        before: { ...base, ...before, ...withArgument(kind, was) },
        after: { ...base, ...after, ...withArgument(kind, is) },
        ...options,
      };
      for (const { changes, addresses } of neighbours.slice(0, kind === ipRestriction && !after.description ? 3 : 1))
        yield () => ({
          changes: [edge, ...changes],
          worlds: worldsOf(place, restrictedBy(kind, was), restrictedBy(kind, is), ...addresses),
        });
    }
  }
}

/** A backend that is on or off, shown or hidden, or not there, beside one restriction. */
function* backends(): Generator<() => Scene> {
  const shown = [true, false].flatMap((enabled) =>
    [undefined, { how: "secret" as const }, { how: "secret" as const, field: "enabled" }].map((hidden) => ({
      isReached: enabled,
      args: { ...at(place), backend: { value: { enabled, backendId: "bkdhr_1" }, ...(hidden && { hidden }) } },
    })),
  );
  const states: { isReached: boolean; args: Arguments }[] = [...shown, { isReached: false, args: at(place) }];
  // How its parts are hidden is the same without a backend.
  for (const [was, is] of changesOf(ipRestriction, ({ argument }) => argument?.hidden?.field === undefined)) {
    for (const [from, to] of pairs(states, states)) {
      const edge = {
        type: "TcpEdge",
        name: "edge",
        before: { ...from.args, ...withArgument(ipRestriction, was) },
        after: { ...to.args, ...withArgument(ipRestriction, is) },
      };
      const [before, after] = [
        toEdge(from.isReached, [ipRestriction, was.value]),
        toEdge(to.isReached, [ipRestriction, is.value]),
      ];
      yield () => ({ changes: [edge], worlds: worldsOf(place, before, after) });
    }
  }
}

/** An address that a new edge has in place of another, or that only a new edge has. */
function* moves(kind: Kind): Generator<() => Scene> {
  for (const is of listShown(kind, true)) {
    const created = { type: kind.type, name: "new", after: { ...base, ...withArgument(kind, is) } };
    const after = restrictedBy(kind, is);
    yield () => ({ changes: [created], worlds: worldsOf(place, [], after) });
    for (const was of listShown(kind, false)) {
      const deleted = { type: kind.type, name: "old", before: { ...base, ...withArgument(kind, was) } };
      yield () => ({ changes: [created, deleted], worlds: worldsOf(place, restrictedBy(kind, was), after) });
    }
  }
}

/** A name that one edge has before or afterwards, and a wildcard that may serve it otherwise, or may not. */
function* wildcards(): Generator<() => Scene> {
  const [kind, name] = [ipRestriction, "a.b.example:1"];
  const shown = listShown(kind, false);
  for (const wildcard of ["*.example:1", "*.b.example:1"]) {
    for (const [ofWildcard, ofName] of pairs(shown, shown)) {
      const [wide] = restrictedBy(kind, ofWildcard) as [Edge];
      const named = restrictedBy(kind, ofName);
      const args = { ...at(wildcard), ...backend, ...withArgument(kind, ofWildcard) };
      const stays = { type: "TcpEdge", name: "wide", id: "edgtcp_2", before: args, after: args };
      const own = { ...at(name), ...backend, ...withArgument(kind, ofName) };
      const rest = { name: wildcard, before: wide, after: wide };
      const leaves = { type: "TcpEdge", name: "named", before: own };
      yield () => ({ changes: [stays, leaves], worlds: worldsOf(name, named, [wide], rest) });
      const comes = { type: "TcpEdge", name: "named", after: own };
      yield () => ({ changes: [stays, comes], worlds: worldsOf(name, [wide], named, rest) });
    }
  }
}

/** Hostports that are hidden: those of an edge that stays, goes or comes, beside another edge with a known one. */
function* hiddenHostports(): Generator<() => Scene> {
  const kind = ipRestriction;
  const plain = values.map((value): Shown => ({ value, ...(value && { argument: { value: kind.toModule(value) } }) }));
  const places = [place, "b.example:2"];
  const secretly = (hostport: string): Arguments => ({ hostports: { value: [hostport], hidden: { how: "secret" } } });
  for (const [was, is] of pairs(plain, plain)) {
    const [before, after] = [restrictedBy(kind, was)[0]!, restrictedBy(kind, is)[0]!];
    const old = { ...backend, ...withArgument(kind, was) };
    const next = { ...backend, ...withArgument(kind, is) };
    /** The world in which the edge was at one address, and an edge is at another. */
    const moved = (from: string, to: string) => [
      worldOf(...places.map((name) => ({ name, ...(name === from && { before }), ...(name === to && { after }) }))),
    ];
    const edge = (name: string, hostports?: Arguments, others?: Arguments): ResourceChange => ({
      type: "TcpEdge",
      name,
      ...(hostports && { before: { ...hostports, ...old } }),
      ...(others && { after: { ...others, ...next } }),
    });
    for (const from of places) {
      // It stays hidden, where it was or elsewhere.
      for (const to of places)
        yield () => ({ changes: [edge("edge", secretly(from), secretly(to))], worlds: moved(from, to) });
      // Another edge has a known address afterwards, while this one goes.
      yield () => ({
        changes: [edge("old", secretly(from)), edge("new", undefined, at(place))],
        worlds: moved(from, place),
      });
      // A known address goes, and the hidden one of a new edge may be the same.
      yield () => ({
        changes: [edge("old", at(place)), edge("new", undefined, secretly(from))],
        worlds: moved(place, from),
      });
    }
  }
}

/** A module that is a resource of its own, of an edge in the program, or of one that nobody knows. */
function* separateModules(): Generator<() => Scene> {
  const edge = { type: "TcpEdge", name: "edge", before: base, after: base };
  const shown = (isAfter: boolean) =>
    values.flatMap((value): { value?: Value; args?: Arguments }[] => {
      if (!value) return [{}];
      return pairs([undefined, "enabled", "ipPolicyIds"], [...hows(isAfter)]).map(([field, how]) => ({
        value,
        args: {
          edgeId: { value: "edgtcp_1" },
          enabled: { value: value.on, ...(field === "enabled" && { hidden: { how } }) },
          ipPolicyIds: { value: value.ids, ...(field === "ipPolicyIds" && { hidden: { how } }) },
        },
      }));
    });
  for (const [was, is] of pairs(shown(false), shown(true))) {
    const [before, after] = [restrictedBy(ipRestriction, was), restrictedBy(ipRestriction, is)];
    for (const options of [{}, { hasOtherOptions: true }]) {
      const module = {
        type: "TcpEdgeIpRestriction",
        name: "module",
        ...(was.args && { before: was.args }),
        ...(is.args && { after: is.args }),
        ...options,
      };
      yield () => ({
        changes: [edge, ...(was.args || is.args ? [module] : [])],
        worlds: worldsOf(place, before, after),
      });
      // Nobody knows what an edge that is not in the program has, until a module of it is known.
      if (was.args || !is.args) continue;
      const foreign = { ...module, id: "edgtcp_2", after: { ...is.args, edgeId: { value: "edgtcp_2" } } };
      for (const value of values)
        yield () => ({
          changes: [foreign],
          worlds: worldsOf("edgtcp_2", restrictedBy(ipRestriction, { value }), after),
        });
    }
  }
}

/** A module whose edge is not known in the preview: it may overwrite what an edge has, or may not. */
function* modulesOfUnknownEdges(provider: Provider): Generator<() => Scene> {
  const propertyDependencies = { edgeId: [urnOf(provider, { type: "TcpEdge", name: "edge" })] };
  const adapt = (preview: object) => {
    const [, module] = (preview as { steps: { newState: object }[] }).steps;
    Object.assign(module!.newState, { propertyDependencies });
    return preview;
  };
  for (const isDeclared of [true, false]) {
    for (const [was, is] of pairs(values, values.slice(1) as Value[])) {
      const module = was && ipRestriction.toModule(was);
      const args = { ...base, ...(module && isDeclared && { ipRestriction: { value: module } }) };
      const unmanaged = module && !isDeclared ? { ipRestriction: module } : {};
      const edge = { type: "TcpEdge", name: "edge", before: args, after: args, unmanaged };
      const after = { edgeId: { value: unknown }, enabled: { value: is.on }, ipPolicyIds: { value: is.ids } };
      const [before, overwritten] = [was, is].map((value) => restrictedBy(ipRestriction, { value })[0]);
      yield () => ({
        changes: [edge, { type: "TcpEdgeIpRestriction", name: "module", after }],
        worlds: worldsOf(place, [before, before], [before, overwritten]),
        adapt,
      });
    }
  }
}

/** A login of a route, of which the issuer and the requests that need no login decide. */
function* logins(): Generator<() => Scene> {
  const all = [
    { on: true, ids: ["a"] },
    { on: false, ids: ["a"] },
    { on: true, ids: ["b"] },
    { on: true, ids: ["a", "OPTIONS"] },
  ];
  const secrets = [undefined, "enabled", "issuer"];
  const id = "edghts_1/edghtsrt_1";
  const args = ({ on, ids }: Value, secret?: string): Arguments => ({
    edgeId: { value: "edghts_1" },
    routeId: { value: "edghtsrt_1" },
    enabled: { value: on, ...(secret === "enabled" && { hidden: { how: "secret" } }) },
    issuer: { value: `https://${ids[0]}.example`, ...(secret === "issuer" && { hidden: { how: "secret" } }) },
    optionsPassthrough: { value: ids.includes("OPTIONS") },
  });
  for (const [was, is] of pairs(all, [...all, undefined])) {
    const [before, after] = [was, is].map((value) => restrictedBy(ipRestriction, { value }));
    for (const [from, to] of pairs(secrets, secrets)) {
      const login = { type: "HttpsEdgeRouteOidc", name: "login", id, before: args(was, from) };
      yield () => ({
        changes: [{ ...login, ...(is && { after: args(is, to) }) }],
        worlds: worldsOf(id, before!, after!),
      });
    }
  }
}

/** Two restrictions of an edge: every pair of what each of them does. */
function* twoRestrictions(one: Kind, other: Kind): Generator<() => Scene> {
  // Off is as absent, and both ids of the other as both of the one.
  const isTried =
    (kind: Kind) =>
    ({ value, argument: { hidden } = { value: undefined } }: Shown) =>
      (!value || (value.on && (kind === one || value.ids.length === 1))) &&
      hidden?.field !== "enabled" &&
      hidden?.how !== "unknown";
  const prefixed = ({ argument }: Kind, { value }: Shown) =>
    value && { ...value, ids: value.ids.map((id) => (id === "" || id === "log" ? id : `${argument}-${id}`)) };
  const toEdges = (a: Shown, b: Shown) => toEdge(true, [one, prefixed(one, a)], [other, prefixed(other, b)]);
  const toArguments = (a: Shown, b: Shown) => ({ ...base, ...withArgument(one, a), ...withArgument(other, b) });
  for (const [[was1, is1], [was2, is2]] of pairs(changesOf(one, isTried(one)), changesOf(other, isTried(other))))
    yield () => ({
      changes: [{ type: "TlsEdge", name: "edge", before: toArguments(was1, was2), after: toArguments(is1, is2) }],
      worlds: worldsOf(place, toEdges(was1, was2), toEdges(is1, is2)),
    });
}

/** How many previews are certain at least, and how many lines are needless at most. */
type Limits = [certain: number, needless: number];

export const scenes: [
  name: string,
  list: (provider: Provider) => Generator<() => Scene>,
  classes: Limits,
  plugin: Limits,
][] = [
  ["one IP restriction", () => oneRestriction(ipRestriction), [96, 16], [125, 215]],
  ["mutual TLS", () => oneRestriction(mutualTls), [48, 8], [75, 129]],
  ["a policy", () => oneRestriction(policy), [64, 39], [66, 213]],
  ["a backend beside an IP restriction", backends, [60, 32], [99, 538]],
  ["a new edge with an IP restriction", () => moves(ipRestriction), [16, 3], [25, 10]],
  ["a new edge with a policy", () => moves(policy), [20, 12], [25, 45]],
  ["a wildcard", wildcards, [18, 0], [32, 24]],
  ["hidden hostports", hiddenHostports, [9, 4], [9, 4]],
  ["a separate IP restriction", separateModules, [31, 13], [25, 27]],
  ["a module whose edge is not known", modulesOfUnknownEdges, [0, 17], [0, 17]],
  ["a login", logins, [16, 10], [17, 12]],
  ["an IP restriction and mutual TLS", () => twoRestrictions(ipRestriction, mutualTls), [16, 6], [26, 38]],
  ["an IP restriction and a policy", () => twoRestrictions(ipRestriction, policy), [24, 8], [34, 100]],
];

/** By address, in one world. */
interface Truth {
  names: string[];
  strangers: string[];
  opened: string[];
}
const truths = new Map<string, Truth>();

/** Who gets in in a world, which many previews could be. */
function judge(world: World): Truth {
  const key = JSON.stringify(world);
  const known = truths.get(key);
  if (known) return known;
  const namesOf = (addresses: World["addresses"]) => addresses.map(({ name }) => name);
  const truth = {
    names: namesOf(world.addresses),
    strangers: namesOf(world.addresses.filter((address) => letsStrangerIn(world, address))),
    opened: namesOf(world.addresses.filter(opensToAnyone)),
  };
  truths.set(key, truth);
  return truth;
}

/** Compares what is said of each preview with everything that it could be, for as many changes, spread over all. */
export function compare(provider: Provider, scenes: Iterable<() => Scene>, most = Number.POSITIVE_INFINITY) {
  const all = [...scenes];
  const previews = new Map<string, Set<Truth>>();
  for (let index = 0; index < Math.min(all.length, most); index++) {
    const { changes, worlds, adapt = (preview: object) => preview } = all[(index * 7919) % all.length]!();
    const printed = JSON.stringify(adapt(printPreview(provider, changes)));
    const possible = previews.get(printed) ?? new Set();
    for (const world of worlds) possible.add(judge(world));
    previews.set(printed, possible);
  }
  const tally = { silent: 0, certain: 0, needless: 0 };
  for (const [printed, possible] of previews) {
    const truths = [...possible];
    const lines = findOpenedAddresses(JSON.parse(printed));
    const isHidden = ({ address = "" }: { address?: string }) => !truths[0]!.names.includes(address);
    const strangers = new Set(truths.flatMap((truth) => truth.strangers));
    const unsaid = [...strangers].find((name) => !lines.some((line) => line.address === name || isHidden(line)));
    if (unsaid) throw new Error(`Silent, although a stranger may get in at ${unsaid}: ${printed}`);
    for (const line of lines) {
      const { isCertain, address = "", message } = line;
      if (isCertain && !truths.every(({ opened }) => opened.includes(address)))
        throw new Error(`Not so: ${message} ${printed}`);
      const isNeeded = strangers.has(address) || (isHidden(line) && strangers.size > 0);
      if (!isCertain && !isNeeded) tally.needless++;
    }
    if (lines.length === 0) tally.silent++;
    else if (lines.every(({ isCertain }) => isCertain)) tally.certain++;
  }
  return tally;
}
