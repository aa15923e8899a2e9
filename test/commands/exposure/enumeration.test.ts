/**
 * Silence is a proof. Every change of a small world is previewed as the CLI prints it. All changes with the same preview
 * are what its hidden values could be. Who gets in is asked of a model that knows nothing of previews: where `exposure` is
 * silent, no stranger gets in by any of them; where it says "anyone can", anyone does by all of them.
 */
import { findOpenedAddresses } from "../../../src/commands/exposure";
import { unknown } from "../../support/engine/provider";
import { type Edge, letsStrangerIn, opensToAnyone, type Restriction, type World } from "./support/people";
import {
  type Argument,
  type Arguments,
  type Provider,
  printPreview,
  type ResourceChange,
  urnOf,
} from "./support/printed";

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
  toModule(value: Value): Record<string, unknown>;
}

const ofIds = (argument: string, type: string, list: string): Kind => ({
  argument,
  type,
  list,
  restricts: "some",
  toModule: ({ on, ids }) => ({ enabled: on, [list]: ids }),
});
const ipRestriction = ofIds("ipRestriction", "TcpEdge", "ipPolicyIds");
const mutualTls = ofIds("mutualTls", "TlsEdge", "certificateAuthorityIds");
const policy: Kind = {
  argument: "policy",
  type: "TcpEdge",
  list: "inbound",
  restricts: "every",
  toModule: ({ on, ids }) => ({
    enabled: on,
    inbound: ids.map((id) => ({
      ...(id !== "" && { expressions: [id] }),
      actions: [{ type: id === "log" ? "log" : "deny" }],
    })),
  }),
};

const values: (Value | undefined)[] = [
  undefined,
  { on: false, ids: ["a"] },
  { on: false, ids: ["b"] },
  { on: true, ids: ["a"] },
  { on: true, ids: ["b"] },
  { on: true, ids: ["a", "b"] },
];
const rules: (Value | undefined)[] = [...values, { on: true, ids: [""] }, { on: true, ids: ["log"] }];

/** A value in each form in which a preview can show or hide it. */
function* formsOf(
  value: Value | undefined,
  { list, toModule }: Kind,
  isAfter: boolean,
): Generator<Argument | undefined> {
  if (!value) return yield undefined;
  const module = toModule(value);
  yield { value: module };
  for (const how of isAfter ? (["secret", "unknown"] as const) : (["secret"] as const)) {
    for (const field of [undefined, "enabled", list]) yield { value: module, hidden: { how, ...(field && { field }) } };
  }
}

interface Shown {
  value?: Value;
  argument?: Argument;
}

const listShown = (kind: Kind, isAfter: boolean): Shown[] =>
  (kind === policy ? rules : values).flatMap((value) =>
    [...formsOf(value, kind, isAfter)].map((argument) => ({ value, argument })),
  );

/** What may restrict an edge: what another action than deny does is not known, so it restricts in one world of two. */
const toEdge = (isReached: boolean, ...all: [Kind, Value | undefined][]): Edge[] =>
  [true, false].map((logRestricts) => ({
    isReached,
    restrictions: all.flatMap(([{ restricts }, value]): Restriction[] =>
      value?.on && (logRestricts || !value.ids.includes("log")) ? [{ kind: restricts, ids: value.ids }] : [],
    ),
  }));

interface Scene {
  changes: ResourceChange[];
  worlds: World[];
  /** Changes the steps as printed, for what the printer does not know. */
  adapt?(preview: object): object;
}

const at = (hostport: string): Arguments => ({ hostports: { value: [hostport] } });
const backend: Arguments = { backend: { value: { enabled: true, backendId: "bkdhr_1" } } };
const withArgument = ({ argument: name }: Kind, { argument }: Shown): Arguments =>
  argument ? { [name]: argument } : {};
const worldOf = (...addresses: World["addresses"]): World => ({ addresses });
const zip = (before: (Edge | undefined)[], after: (Edge | undefined)[]) =>
  [0, 1].map((index) => ({ before: before[index], after: after[index] }));

/** Another edge, which stays as it is: it has nothing, one of the ids, or one beside another restriction. */
const neighbours: { changes: ResourceChange[]; addresses: World["addresses"] }[] = [
  { changes: [], addresses: [] },
  ...[false, true].map((isBeside) => {
    const args: Arguments = {
      ...at("z.example:9"),
      ...backend,
      ipRestriction: { value: { enabled: true, ipPolicyIds: ["b"] } },
      ...(isBeside && { mutualTls: { value: { enabled: true, certificateAuthorityIds: ["ca"] } } }),
    };
    const [edge] = toEdge(
      true,
      [ipRestriction, { on: true, ids: ["b"] }],
      [mutualTls, isBeside ? { on: true, ids: ["ca"] } : undefined],
    );
    return {
      changes: [{ type: "TlsEdge", name: "neighbour", id: "edgtls_9", before: args, after: args }],
      addresses: [{ name: "z.example:9", before: edge!, after: edge! }],
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
function* oneRestriction(kind: Kind): Generator<Scene> {
  const base = { ...at("a.example:1"), ...backend };
  for (const was of listShown(kind, false)) {
    for (const is of listShown(kind, true)) {
      for (const { before, after, ...options } of besides) {
        for (const neighbour of kind === ipRestriction && !after.description ? neighbours : neighbours.slice(0, 1)) {
          const edges = zip(toEdge(true, [kind, was.value]), toEdge(true, [kind, is.value]));
          yield {
            changes: [
              {
                type: kind.type,
                name: "edge",
                before: { ...base, ...before, ...withArgument(kind, was) },
                after: { ...base, ...after, ...withArgument(kind, is) },
                ...options,
              },
              ...neighbour.changes,
            ],
            worlds: edges.map((each) => worldOf({ name: "a.example:1", ...each }, ...neighbour.addresses)),
          };
        }
      }
    }
  }
}

/** A backend that is on or off, shown or hidden, or not there, beside one restriction. */
function* backends(): Generator<Scene> {
  const states = [true, false, undefined].flatMap((on) => {
    if (on === undefined) return [{ isReached: false, shown: {} as Arguments }];
    const value = { enabled: on, backendId: "bkdhr_1" };
    return [undefined, { how: "secret" as const }, { how: "secret" as const, field: "enabled" }].map((hidden) => ({
      isReached: on,
      shown: { backend: { value, ...(hidden && { hidden }) } } as Arguments,
    }));
  });
  // How its parts are hidden is the same without a backend.
  const isWhole = ({ argument }: Shown) => argument?.hidden?.field === undefined;
  for (const was of listShown(ipRestriction, false).filter(isWhole)) {
    for (const is of listShown(ipRestriction, true).filter(isWhole)) {
      for (const [from, to] of states.flatMap((one) => states.map((other) => [one, other] as const))) {
        const edges = zip(
          toEdge(from.isReached, [ipRestriction, was.value]),
          toEdge(to.isReached, [ipRestriction, is.value]),
        );
        yield {
          changes: [
            {
              type: "TcpEdge",
              name: "edge",
              before: { ...at("a.example:1"), ...from.shown, ...withArgument(ipRestriction, was) },
              after: { ...at("a.example:1"), ...to.shown, ...withArgument(ipRestriction, is) },
            },
          ],
          worlds: edges.map((each) => worldOf({ name: "a.example:1", ...each })),
        };
      }
    }
  }
}

/** An address that a new edge has in place of another, or that only a new edge has. */
function* moves(kind: Kind): Generator<Scene> {
  const base = { ...at("a.example:1"), ...backend };
  for (const is of listShown(kind, true)) {
    const created = { type: kind.type, name: "new", after: { ...base, ...withArgument(kind, is) } };
    const after = toEdge(true, [kind, is.value]);
    yield { changes: [created], worlds: after.map((edge) => worldOf({ name: "a.example:1", after: edge })) };
    for (const was of listShown(kind, false)) {
      const deleted = { type: kind.type, name: "old", before: { ...base, ...withArgument(kind, was) } };
      const edges = zip(toEdge(true, [kind, was.value]), after);
      yield { changes: [created, deleted], worlds: edges.map((each) => worldOf({ name: "a.example:1", ...each })) };
    }
  }
}

/** A name that one edge has before or afterwards, and a wildcard that may serve it otherwise, or may not. */
function* wildcards(): Generator<Scene> {
  const kind = ipRestriction;
  for (const wildcard of ["*.example:1", "*.b.example:1"]) {
    for (const ofWildcard of listShown(kind, false)) {
      for (const ofName of listShown(kind, false)) {
        const [wide] = toEdge(true, [kind, ofWildcard.value]);
        const [named] = toEdge(true, [kind, ofName.value]);
        const args = { ...at(wildcard), ...backend, ...withArgument(kind, ofWildcard) };
        const stays = { type: "TcpEdge", name: "wide", id: "edgtcp_2", before: args, after: args };
        const own = { ...at("a.b.example:1"), ...backend, ...withArgument(kind, ofName) };
        const serving = [wide, undefined];
        const [address, rest] = ["a.b.example:1", { name: wildcard, before: wide!, after: wide! }];
        yield {
          changes: [stays, { type: "TcpEdge", name: "named", before: own }],
          worlds: serving.map((after) => worldOf({ name: address, before: named!, after }, rest)),
        };
        yield {
          changes: [stays, { type: "TcpEdge", name: "named", after: own }],
          worlds: serving.map((before) => worldOf({ name: address, before, after: named! }, rest)),
        };
      }
    }
  }
}

/** Hostports that are hidden: those of an edge that stays, goes or comes, beside another edge with a known one. */
function* hiddenHostports(): Generator<Scene> {
  const kind = ipRestriction;
  const plain = values.flatMap((value) => ({ value, argument: value && { value: kind.toModule(value) } }));
  const places = ["a.example:1", "b.example:2"];
  const secretly = (hostport: string): Arguments => ({
    hostports: { value: [hostport], hidden: { how: "secret" } },
  });
  for (const was of plain) {
    for (const is of plain) {
      const [before, after] = [toEdge(true, [kind, was.value])[0]!, toEdge(true, [kind, is.value])[0]!];
      const old = { ...backend, ...withArgument(kind, was) };
      const next = { ...backend, ...withArgument(kind, is) };
      for (const from of places) {
        const left = (name: string) => places.map((each) => ({ name: each, ...(each === name && { before }) }));
        // It stays hidden, where it was or elsewhere.
        for (const to of places) {
          yield {
            changes: [
              {
                type: "TcpEdge",
                name: "edge",
                before: { ...secretly(from), ...old },
                after: { ...secretly(to), ...next },
              },
            ],
            worlds: [worldOf(...left(from).map((each) => ({ ...each, ...(each.name === to && { after }) })))],
          };
        }
        // Another edge has a known address afterwards, while this one goes.
        const changes = [
          { type: "TcpEdge", name: "old", before: { ...secretly(from), ...old } },
          { type: "TcpEdge", name: "new", after: { ...at("a.example:1"), ...next } },
        ];
        const worlds = [
          worldOf(...left(from).map((each) => ({ ...each, ...(each.name === "a.example:1" && { after }) }))),
        ];
        yield { changes, worlds };
        // A known address goes, and the hidden one of a new edge may be the same.
        yield {
          changes: [
            { type: "TcpEdge", name: "old", before: { ...at("a.example:1"), ...old } },
            { type: "TcpEdge", name: "new", after: { ...secretly(from), ...next } },
          ],
          worlds: [worldOf(...left("a.example:1").map((each) => ({ ...each, ...(each.name === from && { after }) })))],
        };
      }
    }
  }
}

/** A module that is a resource of its own, of an edge in the program. */
function* separateModules(): Generator<Scene> {
  const base = { ...at("a.example:1"), ...backend };
  const edge = { type: "TcpEdge", name: "edge", before: base, after: base };
  const hiddenArguments = [{}, { enabled: true }, { ipPolicyIds: true }] as { enabled?: true; ipPolicyIds?: true }[];
  const shown = (isAfter: boolean) =>
    values.flatMap((value): { value?: Value; args?: Arguments }[] => {
      if (!value) return [{}];
      const hows = isAfter ? (["secret", "unknown"] as const) : (["secret"] as const);
      return hiddenArguments.flatMap((which) =>
        hows.map((how) => ({
          value,
          args: {
            edgeId: { value: "edgtcp_1" },
            enabled: { value: value.on, ...(which.enabled && { hidden: { how } }) },
            ipPolicyIds: { value: value.ids, ...(which.ipPolicyIds && { hidden: { how } }) },
          } as Arguments,
        })),
      );
    });
  for (const was of shown(false)) {
    for (const is of shown(true)) {
      const [pair] = zip(toEdge(true, [ipRestriction, was.value]), toEdge(true, [ipRestriction, is.value]));
      for (const { before, after, ...options } of [
        { before: {}, after: {} },
        { before: {}, after: {}, hasOtherOptions: true },
      ]) {
        const module = {
          type: "TcpEdgeIpRestriction",
          name: "module",
          ...(was.args && { before: { ...was.args, ...before } }),
          ...(is.args && { after: { ...is.args, ...after } }),
          ...options,
        };
        yield {
          changes: [edge, ...(was.args || is.args ? [module] : [])],
          worlds: [worldOf({ name: "a.example:1", ...pair! })],
        };
        // Nobody knows what an edge that is not in the program has, until a module of it is known.
        if (was.args || !is.args) continue;
        const foreign = { ...module, id: "edgtcp_2", after: { ...is.args, edgeId: { value: "edgtcp_2" } } };
        for (const value of values) {
          const [before] = toEdge(true, [ipRestriction, value]);
          yield {
            changes: [foreign],
            worlds: [worldOf({ name: "edgtcp_2", ...(before && { before }), after: pair!.after! })],
          };
        }
      }
    }
  }
}

/** A module whose edge is not known in the preview: it may overwrite what an edge has, or may not. */
function* modulesOfUnknownEdges(provider: Provider): Generator<Scene> {
  for (const isDeclared of [true, false]) {
    for (const was of values) {
      for (const is of values.slice(1)) {
        const own: Arguments = was && isDeclared ? { ipRestriction: { value: ipRestriction.toModule(was) } } : {};
        const base = { ...at("a.example:1"), ...backend, ...own };
        const unmanaged = was && !isDeclared ? { ipRestriction: ipRestriction.toModule(was) } : {};
        const edge = { type: "TcpEdge", name: "edge", before: base, after: base, unmanaged };
        const { enabled, ipPolicyIds } = ipRestriction.toModule(is!);
        const module = {
          type: "TcpEdgeIpRestriction",
          name: "module",
          after: { edgeId: { value: unknown }, enabled: { value: enabled }, ipPolicyIds: { value: ipPolicyIds } },
        };
        const [before] = toEdge(true, [ipRestriction, was]);
        const [overwritten] = toEdge(true, [ipRestriction, is]);
        const depends = { edgeId: [urnOf(provider, { type: "TcpEdge", name: "edge" })] };
        yield {
          changes: [edge, module],
          worlds: [before!, overwritten!].map((after) => worldOf({ name: "a.example:1", before: before!, after })),
          adapt: (preview) => {
            const { steps } = preview as { steps: { newState: object }[] };
            Object.assign(steps[1]!.newState, { propertyDependencies: depends });
            return preview;
          },
        };
      }
    }
  }
}

/** A login of a route, of which the issuer and what needs no login decide. */
function* logins(): Generator<Scene> {
  const all = [
    { on: true, ids: ["a"] },
    { on: false, ids: ["a"] },
    { on: true, ids: ["b"] },
    { on: true, ids: ["a", "OPTIONS"] },
  ];
  const secrets = [undefined, "enabled", "issuer"];
  const args = ({ on, ids }: Value, hidden?: string): Arguments => ({
    edgeId: { value: "edghts_1" },
    routeId: { value: "edghtsrt_1" },
    enabled: { value: on, ...(hidden === "enabled" && { hidden: { how: "secret" } }) },
    issuer: { value: `https://${ids[0]}.example`, ...(hidden === "issuer" && { hidden: { how: "secret" } }) },
    optionsPassthrough: { value: ids.includes("OPTIONS") },
  });
  const id = "edghts_1/edghtsrt_1";
  for (const was of all) {
    for (const is of [...all, undefined]) {
      for (const [from, to] of secrets.flatMap((one) => secrets.map((other) => [one, other] as const))) {
        const edges = [was, is].map((value): Edge => {
          const restriction: Restriction[] = value?.on ? [{ kind: "some", ids: value.ids }] : [];
          return { isReached: true, restrictions: restriction };
        });
        yield {
          changes: [
            {
              type: "HttpsEdgeRouteOidc",
              name: "login",
              id,
              before: args(was, from),
              ...(is && { after: args(is, to) }),
            },
          ],
          worlds: [worldOf({ name: id, before: edges[0]!, after: edges[1]! })],
        };
      }
    }
  }
}

/** Two restrictions of an edge: every pair of what each of them does. */
function* twoRestrictions(one: Kind, other: Kind): Generator<Scene> {
  const base = { ...at("a.example:1"), ...backend };
  // Off is as absent, and both ids of the other as both of the one.
  const isTried = (kind: Kind, value: Value | undefined) =>
    value === undefined || (value.on && (kind === one || value.ids.length === 1));
  const some = (kind: Kind, isAfter: boolean) =>
    listShown(kind, isAfter).filter(
      ({ value, argument }) =>
        isTried(kind, value) && argument?.hidden?.field !== "enabled" && argument?.hidden?.how !== "unknown",
    );
  const prefixed = (kind: Kind, { value, argument }: Shown): Shown => ({
    ...(value && {
      value: { ...value, ids: value.ids.map((id) => (id === "" || id === "log" ? id : `${kind.argument}-${id}`)) },
    }),
    ...(argument && { argument }),
  });
  for (const [was1, is1] of some(one, false).flatMap((was) => some(one, true).map((is) => [was, is] as const))) {
    for (const [was2, is2] of some(other, false).flatMap((was) => some(other, true).map((is) => [was, is] as const))) {
      const edge = (a: Shown, b: Shown) =>
        toEdge(true, [one, prefixed(one, a).value], [other, prefixed(other, b).value]);
      yield {
        changes: [
          {
            type: "TlsEdge",
            name: "edge",
            before: { ...base, ...withArgument(one, was1), ...withArgument(other, was2) },
            after: { ...base, ...withArgument(one, is1), ...withArgument(other, is2) },
          },
        ],
        worlds: zip(edge(was1, was2), edge(is1, is2)).map((each) => worldOf({ name: "a.example:1", ...each })),
      };
    }
  }
}

const scenes: Record<string, (provider: Provider) => Generator<Scene>> = {
  "one IP restriction": () => oneRestriction(ipRestriction),
  "mutual TLS": () => oneRestriction(mutualTls),
  "a policy": () => oneRestriction(policy),
  "a backend beside an IP restriction": backends,
  "an edge in place of another, or a new one, with an IP restriction": () => moves(ipRestriction),
  "an edge in place of another, or a new one, with a policy": () => moves(policy),
  wildcards,
  "hidden hostports": hiddenHostports,
  "a separate IP restriction": separateModules,
  "a module whose edge is not known": modulesOfUnknownEdges,
  "a login": logins,
  "an IP restriction and mutual TLS": () => twoRestrictions(ipRestriction, mutualTls),
  "an IP restriction and a policy": () => twoRestrictions(ipRestriction, policy),
};

interface Tally {
  previews: number;
  possibilities: number;
  silent: number;
  certain: number;
  might: number;
  /** Lines that say "might" although no possibility opens anything, by their class. */
  needless: Map<string, number>;
}

/** Why no possibility opens anything. */
const classes: [name: string, holds: (address: World["addresses"][number]) => boolean][] = [
  [
    "nobody can connect afterwards",
    ({ after }) => !after?.isReached || after.restrictions.some(({ ids }) => ids[0] === ""),
  ],
  ["nobody could connect before, and something restricts it now", ({ before }) => !before?.isReached],
  ["anyone could connect before", ({ before }) => before?.restrictions.length === 0],
  ["it is restricted as before", ({ before, after }) => JSON.stringify(before) === JSON.stringify(after)],
  ["it is restricted otherwise, and lets in nobody else", () => true],
];

/** The classes of all possibilities: each is named by the first that fits. */
function classify(worlds: World[], address: string | undefined): string {
  const found = worlds.flatMap(({ addresses }) =>
    addresses
      .filter(({ name }) => name === address || !addresses.some((each) => each.name === address))
      .map((each) => classes.findIndex(([, holds]) => holds(each))),
  );
  return [...new Set(found)]
    .sort()
    .map((index) => classes[index]![0])
    .join(", or ");
}

/** Compares what is said of each preview with everything that it could be. */
function compare(provider: Provider, all: Iterable<Scene>): Tally {
  const groups = new Map<string, Map<string, World>>();
  let possibilities = 0;
  for (const { changes, worlds, adapt = (preview: object) => preview } of all) {
    const printed = JSON.stringify(adapt(printPreview(provider, changes)));
    const known = groups.get(printed) ?? new Map<string, World>();
    for (const world of worlds) known.set(JSON.stringify(world), world);
    groups.set(printed, known);
    possibilities++;
  }
  const tally: Tally = { previews: groups.size, possibilities, silent: 0, certain: 0, might: 0, needless: new Map() };
  for (const [printed, possible] of groups) {
    const worlds = [...possible.values()];
    const lines = findOpenedAddresses(JSON.parse(printed));
    const isHidden = ({ address = "" }: { address?: string }) =>
      !worlds[0]!.addresses.some(({ name }) => name === address);
    const strangers = worlds.flatMap((world) =>
      world.addresses.filter((address) => letsStrangerIn(world, address)).map(({ name }) => name),
    );
    const unsaid = strangers.find((name) => !lines.some((line) => line.address === name || isHidden(line)));
    if (unsaid) throw new Error(`Silent, although a stranger may get in at ${unsaid}: ${printed}`);
    for (const line of lines) {
      const { isCertain, address, message } = line;
      const opened = worlds.filter((world) =>
        world.addresses.some((each) => each.name === address && opensToAnyone(each)),
      );
      if (isCertain && opened.length < worlds.length) throw new Error(`Not so: ${message} ${printed}`);
      if (isCertain || strangers.some((name) => name === address || isHidden(line))) continue;
      const reason = classify(worlds, address);
      tally.needless.set(reason, (tally.needless.get(reason) ?? 0) + 1);
    }
    if (lines.length === 0) tally.silent++;
    else if (lines.every(({ isCertain }) => isCertain)) tally.certain++;
    else tally.might++;
  }
  return tally;
}

const tallies: string[] = [];
const reasons = new Map<string, number>();
const sums = { previews: 0, changes: 0, silent: 0, certain: 0, might: 0, needless: 0 };
afterAll(() => {
  const sorted = [...reasons].sort(([, one], [, other]) => other - one);
  tallies.push(
    `all: ${Object.entries(sums)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ")}`,
  );
  process.stdout.write(`${[...tallies, ...sorted.map(([reason, count]) => `${count} × ${reason}`)].join("\n")}\n`);
});

test.each(
  Object.entries(scenes).flatMap(([name, all]) =>
    (["dynamic", "plugin"] as const).map((provider) => [name, provider, all] as const),
  ),
)("%s, previewed by the %s provider: silence is a proof, and certainty too", (name, provider, all) => {
  const { previews, possibilities, silent, certain, might, needless } = compare(provider, all(provider));
  const total = [...needless.values()].reduce((sum, count) => sum + count, 0);
  tallies.push(
    `${name} (${provider}): ${previews} previews of ${possibilities} changes: ${silent} silent, ${certain} certain, ${might} "might", of which ${total} open nothing`,
  );
  const counts = { previews, changes: possibilities, silent, certain, might, needless: total };
  for (const [each, count] of Object.entries(counts)) sums[each as keyof typeof sums] += count;
  for (const [reason, count] of needless) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  expect(silent).toBeGreaterThan(0);
});

test("few lines say what nothing that is hidden could be", () => {
  expect(sums.needless).toBeLessThanOrEqual(2_500);
});
