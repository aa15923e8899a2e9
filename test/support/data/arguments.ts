/**
 * Generated arguments for every resource: valid ones by the rules of the API document, not
 * by the package's own schemas, and invalid ones, which are valid ones with mutations.
 */
import fc, { type Arbitrary } from "fast-check";
import type { Seed } from "pulumi-tunnel-edge/emulator";
import { type Properties, unknown } from "../engine/provider";
import { encodeKey } from "./publicKey";
import { anyText } from "./text";

/** The objects that modules and commands belong to. */
export const account: Seed = {
  tcpEdges: [{ id: "edgtcp_a" }],
  tlsEdges: [{ id: "edgtls_a" }],
  httpsEdges: [{ id: "edghts_a", routes: [{ id: "edghtsrt_a" }] }],
  sessions: [{ id: "ts_a" }],
};

const words = (text: string) => text.trim().split(/\s+/);

// Strings. Sizes are in bytes, not in characters.

const longText = anyText(40);
/** A string of a module, which some services reject when it is empty. */
const filled = longText.filter((text) => text.trim() !== "");
const textOf = (maxBytes: number) =>
  fc.oneof(
    { weight: 6, arbitrary: longText.filter((text) => Buffer.byteLength(text) <= maxBytes) },
    fc.constantFrom(
      "",
      "x".repeat(maxBytes),
      "é".repeat(Math.floor(maxBytes / 2)),
      "😀".repeat(Math.floor(maxBytes / 4)),
    ),
  );

const word = fc.stringMatching(/^[A-Za-z0-9]{1,12}$/);
const domain = fc.oneof(
  fc.domain(),
  fc.constantFrom(
    "localhost",
    "1.tcp.example.com",
    "a_b.example.com",
    "xn--bcher-kva.example",
    `${"a".repeat(63)}.example`,
  ),
);
const port = fc.oneof(fc.integer({ min: 1, max: 65535 }), fc.constantFrom(1, 65535)).map(String);
const host = fc.oneof(
  { weight: 5, arbitrary: domain },
  fc.constantFrom("*.example.com", "EXAMPLE.com"),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const hostport = fc.tuple(host, port).map(([name, number]) => `${name}:${number}`);
const id = (prefix: string) => fc.stringMatching(/^\w[\w-]{0,20}$/).map((rest) => prefix + rest);

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const point = bytes(64).map((coordinates) => Buffer.from([4, ...coordinates]));
const number = bytes(128).map((value) => Buffer.from([0, 0x80, ...value]));
const exponent = Buffer.from([1, 0, 1]);
const openSsh = (type: string, ...parts: (string | Uint8Array)[]) => `${type} ${encodeKey(type, ...parts)}`;
const pem = (label: string, ...der: Uint8Array[]) =>
  `-----BEGIN ${label}-----\n${Buffer.concat(der).toString("base64").replace(/.{64}/g, "$&\n")}\n-----END ${label}-----`;
const publicKey = fc.oneof(
  bytes(32).map((key) => `${openSsh("ssh-ed25519", key)} someone@example.com`),
  number.map((key) => `${openSsh("ssh-rsa", exponent, key)}\n`),
  point.map((key) => openSsh("ecdsa-sha2-nistp256", "nistp256", key)),
  bytes(32).map((key) => `${openSsh("sk-ssh-ed25519@openssh.com", key, "ssh:")} key`),
  word.map((name) => openSsh(`ssh-${name}`, "of a type that is not known")),
  bytes(32).map((key) => `${pem("PUBLIC KEY", Buffer.from("302a300506032b6570032100", "hex"), key)}\n`),
  number.map((key) => pem("RSA PUBLIC KEY", Buffer.from("30818a028182", "hex"), key, Buffer.from([2, 3]), exponent)),
);

const label = fc.stringMatching(/^[A-Za-z0-9._:/-]{1,10}$/);
const bindTarget = fc.oneof(
  domain,
  domain.map((name) => `*.${name}`),
  hostport,
  fc.ipV4(),
  fc.ipV6(),
  fc.tuple(label, label).map(([key, value]) => `${key}=${value}`),
  fc.tuple(label, label).map(([key, value]) => `${key}=${value}=${value}`),
  label.map((key) => `${key}=*`),
  label.map((value) => `*=${value}`),
  fc.constant("*=*"),
);
const acl = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(
      bindTarget.map((target) => `bind:${target}`),
      { maxLength: 4 },
    ),
  },
  fc.constant(["*"]),
);

const headerName = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/).filter((name) => name !== "__proto__"),
  fc.constantFrom("X-Api_Key", "constructor", "toString", "hasOwnProperty"),
);
const headerValue = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom("", "é", "日本", "a\tb", " x "));
/** Header names are case-insensitive, so a map has each one once. */
const headers = fc
  .uniqueArray(fc.tuple(headerName, headerValue), { maxLength: 4, selector: ([name]) => name.toLowerCase() })
  .map((pairs) => Object.fromEntries(pairs));

const pattern = fc.constantFrom(
  "",
  ...words(String.raw`(?i)curl/.* bot ^$ []a] [^]] [[:alpha:]] \( \Q(\E (?P<n>a) a{1,2} 😀`),
);
/** As `fc.webUrl`, which takes a second to begin with. */
const webUrl = fc
  .tuple(fc.constantFrom("http", "https"), fc.webAuthority(), fc.array(anyText(8), { maxLength: 4 }))
  .map(
    ([scheme, authority, path]) =>
      `${scheme}://${authority}${path.map((part) => `/${encodeURIComponent(part)}`).join("")}`,
  );
const url = fc.oneof(webUrl, fc.constantFrom("http://localhost:8080", "HTTPS://id.example.com/a?b#c"));
const uint32 = fc.oneof(fc.integer({ min: 0, max: 0xffff_ffff }), fc.constantFrom(0, 0xffff_ffff));
const flag = fc.boolean();

const optional = (shape: Record<string, Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(shape, { requiredKeys }) as Arbitrary<Properties>;

// The modules of edges.

const backend = optional({ enabled: flag, backendId: fc.oneof(id("bkdhr_"), id("bkdtg_")) }, ["backendId"]);
const ipPolicyIds = fc.array(id("ipp_"), { minLength: 1, maxLength: 4 });
const ipRestriction = optional({ enabled: flag, ipPolicyIds }, ["ipPolicyIds"]);
const mutualTls = optional(
  { enabled: flag, certificateAuthorityIds: fc.array(id("ca_"), { minLength: 1, maxLength: 3 }) },
  ["certificateAuthorityIds"],
);
const minVersion = fc.constantFrom("1.0", "1.1", "1.2", "1.3");
const termination = fc.oneof(
  optional({ enabled: flag, terminateAt: fc.constant("edge"), minVersion }),
  optional({ enabled: flag, terminateAt: fc.constant("upstream") }, ["terminateAt"]),
);
const config = fc.dictionary(
  fc.oneof(word, fc.constantFrom("status_code", "constructor", "some.key", "some-Key")),
  fc.oneof(
    fc.string(),
    fc.integer(),
    flag,
    fc.constant(null),
    fc.array(fc.integer(), { maxLength: 2 }),
    fc.constant({ a_B: { c: null } }),
  ),
  { maxKeys: 3, noNullPrototype: true },
);
const rule = optional({
  name: filled,
  expressions: fc.array(filled, { maxLength: 2 }),
  actions: fc.array(optional({ type: word, config }), { maxLength: 2 }),
});
const rules = fc.array(rule, { maxLength: 2 });
const policy = optional({ enabled: flag, inbound: rules, outbound: rules });

const texts = { description: textOf(255), metadata: textOf(4096) };
const ownerId = fc.oneof(id("usr_"), id("bot_"));
const edge = {
  ...texts,
  hostports: fc.uniqueArray(hostport, { maxLength: 4, selector: (each) => each.toLowerCase() }),
  backend,
  ipRestriction,
  policy,
};
const on = (parents: Record<string, string>, shape: Record<string, Arbitrary<unknown>>, required: string[] = []) =>
  optional(
    { ...Object.fromEntries(Object.entries(parents).map(([name, value]) => [name, fc.constant(value)])), ...shape },
    [...Object.keys(parents), ...required],
  );
const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };

/** What the document allows, by resource type. */
export const validArgs: Record<string, Arbitrary<Properties>> = {
  ApiKey: optional({
    ...texts,
    ownerId,
    keepers: fc.dictionary(word, longText, { maxKeys: 3, noNullPrototype: true }),
  }),
  SshCredential: optional({ ...texts, ownerId, publicKey, acl }, ["publicKey"]),
  TcpEdge: optional(edge),
  TlsEdge: optional({ ...edge, mutualTls, tlsTermination: termination }).map((args) => {
    if (args["tlsTermination"]?.terminateAt === "upstream") delete args["mutualTls"];
    return args;
  }),
  TcpEdgeIpRestriction: on({ edgeId: "edgtcp_a" }, { enabled: flag, ipPolicyIds }, ["ipPolicyIds"]),
  TlsEdgeTlsTermination: termination.map((args) => ({ edgeId: "edgtls_a", ...args })),
  HttpsEdgeTlsTermination: on({ edgeId: "edghts_a" }, { enabled: flag, minVersion }),
  HttpsEdgeRouteOidc: on(route, {
    enabled: flag,
    optionsPassthrough: flag,
    cookiePrefix: filled,
    inactivityTimeout: uint32,
    maximumDuration: uint32,
    issuer: url,
    clientId: filled,
    clientSecret: filled,
    scopes: fc.array(filled, { maxLength: 4 }),
  }),
  HttpsEdgeRouteRequestHeaders: on(route, {
    enabled: flag,
    add: headers,
    remove: fc.array(headerName, { maxLength: 4 }),
  }),
  HttpsEdgeRouteUserAgentFilter: on(route, {
    enabled: flag,
    allow: fc.array(pattern, { maxLength: 4 }),
    deny: fc.array(pattern, { maxLength: 4 }),
  }),
  TunnelSessionCommand: on(
    { sessionId: "ts_a" },
    {
      // After an update, the next command of the process waits 10 seconds. Updates have their own tests.
      commands: fc.constantFrom(["restart"], ["stop"]),
      triggers: fc.array(fc.oneof(longText, fc.integer(), flag), { maxLength: 3 }),
    },
    ["commands"],
  ),
};

// Mutations.

/** Values that are invalid in most places. */
const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    " ",
    "\n",
    "\u0000",
    "\u001b[31mred",
    "\u009b31m",
    "\u202eevil",
    "\ud800",
    "NaN",
    "Infinity",
    "null",
    "undefined",
    "[object Object]",
    "true",
    "0",
    "1e3",
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 32,
    2 ** 53,
    -0,
    1e308,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ),
  fc.constantFrom<unknown>(
    [],
    {},
    [[]],
    [{}],
    [null],
    [""],
    ["", ""],
    [1],
    [true],
    { "": "" },
    { a: {} },
    { constructor: 1 },
    { constructor: "x" },
    { toString: "x" },
    { hasOwnProperty: null },
    { length: 1 },
    { 0: "a" },
    { value: "x" },
    { enabled: "true" },
    { enabled: null },
  ),
  fc.constantFrom<unknown>(
    ...words(`
      upstream Edge TLSv1.2 1,2 2.0 banana
      edgtcp_ edgtcp_nobody EDGTCP_a edghts_a/edghtsrt_a edgtcp_../x .. ak_1 ipp_ IPP_x ts_
      example.com :443 example.com: example.com:0 example.com:65536 example.com:0443 example.com:٤٤٣
      tcp://example.com:1 a..b:1 -a.com:1 a-.com:1 .com:1 com.:1 bücher.example:443 [::1:443 [::g]:443
      [1.2.3.4]:443 ::1:443 user@example.com:1 example.com:1/x *:1 a.*.com:1 *a.com:1
      * bind: bind:* bind:*. bind:a.*.com bind:*a.com bind:= bind:a= bind:=b bind:a*=b BIND:a bind:a..b bind:*.*
      bind:a@b bind:a=b* bind:é.com allow:x
      https:id.example.com https:// ftp://a //a javascript:alert(1) https://[::1 X: é
      ( ) [ (() [[: [^ (?
      * a** [z-a]
      ssh-ed25519 AAAA
      usr usr_ Bob _x Update reboot
    `),
    " upstream",
    "edge ",
    "1.2 ",
    " edgtcp_a",
    "edgtcp_a\n",
    "ipp x",
    "a b:1",
    `${"a".repeat(64)}.com:1`,
    `${"a.".repeat(127)}aa:1`,
    "bind: x",
    "bind:a b",
    " https://id.example.com",
    "https://a b",
    "https://a\nb",
    "X Y",
    "a\r\nX: y",
    "a\nb",
    "a\u0000b",
    "a\u0001b",
    "a\u007fb",
    "a\\",
    "[\\",
    "[\\Q]",
    "[a\\]",
    "\\Q(",
    "ssh-ed25519 ",
    "ssh-ed25519 AAAA",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample",
    "restrict ssh-ed25519 AAAA",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----",
    "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY",
    "---- BEGIN SSH2 PUBLIC KEY ----",
    "foo bar",
    "usr_a b",
    " stop",
  ),
  fc.constantFrom(
    "x".repeat(256),
    "é".repeat(128),
    "😀".repeat(64),
    "x".repeat(4097),
    "é".repeat(2049),
    "x".repeat(20_000),
  ),
  anyText(10),
  fc.stringMatching(/^[[\]()\\QE^:ab-]{1,10}$/),
  fc.anything({ maxDepth: 2, key: word, values: [fc.string(), fc.integer(), flag, fc.constant(null)] }),
);

const keys = fc.constantFrom(
  ...words(`
    description Description descripton hostport host_ports ip_restriction id enabled type name minVersion terminateAt
    backend_id constructor toString hasOwnProperty _defaults 0
  `),
  "a b",
  "x\u001b[31m",
  "k".repeat(5_000),
  "",
);

interface Mutation {
  /** The index of the place in the arguments. */
  where: number;
  what: "replace" | "drop" | "add" | "repeat" | "swell" | "wrap" | "pad" | "unnest";
  value: unknown;
  key: string;
}

const mutation: Arbitrary<Mutation> = fc.record({
  where: fc.nat(1_000),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant("replace" as const) },
    { weight: 7, arbitrary: fc.constantFrom("drop", "add", "repeat", "swell", "wrap", "pad", "unnest") },
  ),
  value: strange,
  key: keys,
});

interface Place {
  within: Properties;
  key: string;
}

/** Every place in the arguments, at any depth. */
const listPlaces = (within: Properties): Place[] =>
  Object.keys(within).flatMap((key) => [
    { within, key },
    ...(typeof within[key] === "object" && within[key] !== null ? listPlaces(within[key]) : []),
  ]);

function applyMutation({ within, key }: Place, { what, value, key: added }: Mutation): void {
  const here = within[key];
  if (what === "drop" && Array.isArray(within)) within.splice(Number(key), 1);
  else if (what === "drop") delete within[key];
  else if (what === "wrap") within[key] = [here];
  else if (what === "unnest")
    within[key] = typeof here === "object" && here !== null ? (Object.values(here)[0] ?? null) : { value: here };
  else if (what === "pad") within[key] = typeof here === "string" ? ` ${here} ` : value;
  else if (what === "swell")
    within[key] = typeof here === "string" ? here.repeat(5_000 / (here.length || 1)) : Array(200).fill(value);
  else if (what === "repeat" && Array.isArray(here)) here.push(...here);
  else if (what === "add" && typeof here === "object" && here !== null && !Array.isArray(here)) here[added] = value;
  else within[key] = value;
}

interface InvalidArgs {
  args: Properties;
  /** The arguments that were mutated. */
  mutated: string[];
}

/** Valid arguments with mutations. */
export const invalidArgs = (type: string): Arbitrary<InvalidArgs> =>
  fc.tuple(validArgs[type]!, fc.array(mutation, { minLength: 1, maxLength: 2 })).map(([good, deeds]) => {
    const args = cloneJson(good);
    for (const each of cloneJson(deeds)) {
      const whole = { args };
      const places = listPlaces(whole).filter(({ within }) => within !== whole);
      const place = places[each.where % (places.length + 1)];
      // The last place is the arguments object itself.
      if (place) applyMutation(place, each);
      else args[each.key] = each.value;
    }
    const names = new Set([...Object.keys(good), ...Object.keys(args)]);
    return { args, mutated: [...names].filter((name) => !sameJson(good[name], args[name])) };
  });

function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cloneJson(inner)])) as T;
}

const sameJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Valid arguments with some parts unknown. */
export const partlyUnknownArgs = (type: string): Arbitrary<Properties> =>
  fc.tuple(validArgs[type]!, fc.array(fc.nat(1_000), { minLength: 1, maxLength: 3 })).map(([good, wheres]) => {
    const args = cloneJson(good);
    for (const where of wheres) {
      const places = listPlaces(args);
      const place = places[where % Math.max(1, places.length)];
      if (place) place.within[place.key] = unknown;
    }
    return args;
  });
