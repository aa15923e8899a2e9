/**
 * What messages quote. The provider cannot know which inputs the program marked as secret, so it quotes only ids,
 * hostports, booleans, numbers and enums, the program's and the service's.
 */
import { definitions } from "../../src/definitions";
import type { Field, Fields } from "../../src/definitions/fields/field";
import { publicKey } from "../support/data/publicKey";
import { definitionOf, type Sample, samples, secretMark } from "../support/data/samples";
import type { Properties } from "../support/engine/provider";
import { Stack } from "../support/engine/stack";
import { describeDynamic, test, testDynamic } from "../support/engine/testedProvider";

const errorLines = (work: Promise<unknown>): Promise<string[]> =>
  work.then(
    () => [],
    (error: Error) => error.message.split("\n"),
  );

const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
let stack: Stack;
beforeEach(async () => {
  stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  stack.emulator.seed({ httpsEdges: [{ id: "edghts_a", routes: [{ id: "edghtsrt_a" }] }] });
});

/** The arguments of a resource whose values may be secrets: `description`, `policy.inbound`. */
const listUnquotedArgs = (sample: Sample): string[] =>
  Object.entries<Field>(definitionOf(sample).fields).flatMap(([name, { module, quotable, clientOnly }]) =>
    module
      ? Object.keys(module.fields)
          .filter((inner) => !module.fields[inner]!.quotable)
          .map((inner) => `${name}.${inner}`)
      : quotable || clientOnly
        ? []
        : [name],
  );

test("only ids, hostports, booleans, numbers and enums are quoted", () => {
  const quotable = new Set<string>();
  for (const { fields } of definitions) {
    for (const [name, field] of Object.entries(fields)) {
      for (const [inner, { quotable: isQuoted, accepts }] of Object.entries(
        field.module?.fields ?? { [name]: field },
      )) {
        if (isQuoted && !["boolean", "number", "enum"].includes(accepts.base)) quotable.add(inner);
      }
    }
  }
  expect([...quotable].sort()).toEqual([
    "backendId",
    "certificateAuthorityIds",
    "edgeId",
    "hostports",
    "ipPolicyIds",
    "minVersion",
    "ownerId",
    "routeId",
  ]);
});

test("every sample with arguments that must not be quoted has them in `unquoted` (test/support/data/samples.ts)", () => {
  const having = samples.filter(({ unquoted }) => unquoted);
  expect(having).toEqual(samples.filter((sample) => listUnquotedArgs(sample).length > 0));
});

describeDynamic.each(samples.filter(({ unquoted }) => unquoted))(
  "importing a $type that differs in everything",
  (sample) => {
    const fields: Fields = definitionOf(sample).fields;
    /** Without what can be left out. Modules are empty. */
    const reduce = (args: Properties): Properties =>
      Object.fromEntries(
        Object.entries(args).flatMap(([name, value]) =>
          fields[name]!.required ? [[name, value]] : fields[name]!.module ? [[name, {}]] : [],
        ),
      );
    /** The messages of a preview that imports an object with `theirs`. */
    const previewImport = async (ours: Properties, theirs: Properties) => {
      const parents = sample.parents?.(stack.emulator);
      const there = stack.resource(sample.type);
      await there.up({ ...parents, ...theirs });
      stack.next();
      const here = stack.resource(sample.type);
      return errorLines(here.preview({ ...parents, ...ours }, { import: there.state!.id }));
    };
    const ours = sample.unquoted!(`our${secretMark}`);
    const theirs = sample.unquoted!(`their${secretMark}`);

    test("names each argument, and quotes neither the program's value nor the service's", async () => {
      const found = await previewImport(ours, theirs);
      const named = found.map((sentence) => /^(\S+) differs from that of /.exec(sentence)?.[1]);
      expect(named.sort()).toEqual(listUnquotedArgs(sample).sort());
      expect(found.join()).not.toContain(secretMark);
    });

    test("quotes nothing if only the program has it", async () => {
      const found = await previewImport(ours, reduce(theirs));
      expect(found).not.toEqual([]);
      expect(found.join()).not.toContain(secretMark);
    });

    test("quotes nothing if only the service has it", async () => {
      expect((await previewImport(reduce(ours), theirs)).join()).not.toContain(secretMark);
    });
  },
);

testDynamic("importing quotes values that may be quoted", async () => {
  const { id } = stack.emulator.api("POST", "/edges/tls", {
    hostports: ["a.example.com:1"],
    backend: { backend_id: "bkdhr_a", enabled: false },
    tls_termination: { min_version: "1.2" },
  });
  const args = {
    hostports: ["b.example.com:1", "c.example.com:1"],
    backend: { backendId: "bkdhr_b" },
    tlsTermination: { minVersion: "1.3" },
  };
  const there = `TLS edge ${id}`;
  expect(await errorLines(stack.resource("TlsEdge").preview(args, { import: String(id) }))).toEqual([
    `hostports is ["b.example.com:1", "c.example.com:1"] in the program, but ["a.example.com:1"] in ${there}; declare the existing value, or leave it out`,
    `backend.enabled is not declared, which means true, but ${there} has false; declare it`,
    `backend.backendId is "bkdhr_b" in the program, but "bkdhr_a" in ${there}; declare the existing value`,
    `tlsTermination.minVersion is "1.3" in the program, but "1.2" in ${there}; declare the existing value, or leave it out`,
  ]);
});

/** Wrong arguments that contain a secret. */
const wrong: [type: string, args: Properties, names: string[]][] = [
  ["ApiKey", { description: "hush".repeat(100), metadata: { hush: "hush" } }, ["description", "metadata"]],
  ["ApiKey", { keepers: { hush: 1 } }, ["keepers"]],
  ["SshCredential", { publicKey: "hush" }, ["publicKey"]],
  ["SshCredential", { publicKey: ["hush"] }, ["publicKey"]],
  ...[
    "hush",
    "bind:hush..example.com",
    "bind:*hush",
    "bind:hush=",
    "bind:hush=h*",
    "bind:hush:0443",
    "bind:hush://x",
  ].map((rule): [string, Properties, string[]] => [
    "SshCredential",
    { publicKey: publicKey("a"), acl: [rule] },
    ["acl[0]"],
  ]),
  ["SshCredential", { publicKey: publicKey("a"), acl: ["*", "bind:hush"] }, ["acl"]],
  ["SshCredential", { publicKey: publicKey("a"), acl: "bind:hush" }, ["acl"]],
  ["TcpEdge", { policy: { inbound: "hush" } }, ["policy.inbound"]],
  ["TcpEdge", { policy: { inbound: [{ name: ["hush"] }] } }, ["policy.inbound[0].name"]],
  ["TcpEdge", { policy: { inbound: [{ expressions: "hush" }] } }, ["policy.inbound[0].expressions"]],
  [
    "TcpEdge",
    { policy: { inbound: [{ actions: [{ type: { hush: "hush" }, config: { hush: { hush: Number.NaN } } }] }] } },
    ["policy.inbound[0].actions[0].type", "policy.inbound[0].actions[0].config"],
  ],
  ["TcpEdge", { backend: "hush", hostports: { hush: "hush" } }, ["hostports", "backend"]],
  ["HttpsEdgeRouteOidc", { ...route, issuer: "hush.example.com", scopes: "hush" }, ["issuer", "scopes"]],
  [
    "HttpsEdgeRouteOidc",
    { ...route, clientId: ["hush"], clientSecret: { hush: "hush" } },
    ["clientId", "clientSecret"],
  ],
  [
    "HttpsEdgeRouteRequestHeaders",
    { ...route, add: { "hush hush": "hush" }, remove: ["hush hush"] },
    ["add", "remove[0]"],
  ],
  ["HttpsEdgeRouteRequestHeaders", { ...route, add: { hush: "a", HUSH: "b" } }, ["add"]],
  ["HttpsEdgeRouteRequestHeaders", { ...route, add: { hush: "hush\n" } }, ["add"]],
  ["HttpsEdgeRouteRequestHeaders", { ...route, add: { hush: 1 } }, ["add"]],
  ["HttpsEdgeRouteUserAgentFilter", { ...route, allow: ["(hush"], deny: ["[hush"] }, ["allow[0]", "deny[0]"]],
];

test.each(wrong)("a wrong %s is rejected without quoting it: %j", async (type, args, names) => {
  const found = await errorLines(stack.resource(type).preview(args));
  expect(found.map((sentence) => /^[^\s:]+/.exec(sentence)?.[0])).toEqual(names);
  expect(found.join()).not.toMatch(/hush/i);
});

test("a value that may be quoted is quoted, unless it is as long as a key", async () => {
  const wrongArgs = { enabled: "yes", minVersion: "1.2", edgeId: "ak_1" };
  expect(await errorLines(stack.resource("HttpsEdgeTlsTermination").preview(wrongArgs))).toEqual([
    'edgeId must be the id of an HTTPS edge ("edghts_…"), not "ak_1"',
    "enabled must be a boolean, not a string",
  ]);
  const key = "2ZvqwLXQnLkGqwSjZpYhTdKcVbN_3mXrTjWqPzKsHdYg";
  expect(await errorLines(stack.resource("HttpsEdgeTlsTermination").preview({ edgeId: key }))).toEqual([
    'edgeId must be the id of an HTTPS edge ("edghts_…")',
  ]);
});
