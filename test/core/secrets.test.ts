/** What is secret in what leaves a provider: each row is a rule. */

import type { JsonObject } from "../../src/base/json";
import {
  becomesSecret,
  encloseSecrets,
  isSecretEnvelope,
  markOutputs,
  namedSecrets,
  type SecretMarks,
  secretStrings,
  secretsIn,
  secretsInResponse,
} from "../../src/core/secrets";
import { definitionOf } from "../support/data/samples";
import type { Properties, TestedProvider } from "../support/engine/provider";
import { secret as envelop } from "../support/engine/secrets";
import { Stack } from "../support/engine/stack";
import { test as testBoth, testDynamic, testPlugin } from "../support/engine/testedProvider";

const edge = definitionOf({ type: "TcpEdge" });
const headers = definitionOf({ type: "HttpsEdgeRouteRequestHeaders" });
const key = definitionOf({ type: "ApiKey" });
const envelopeKey = "4dabf18193072939515e22adb298388d";
const rules = (token: string) => [{ name: "r", actions: [{ type: "custom", config: { token } }] }];

/** What the service has and the program declares, what of it is marked as secret, and what was before. */
interface Row {
  has: JsonObject;
  declares?: JsonObject;
  marks?: SecretMarks;
  before?: SecretMarks;
  secret?: SecretMarks;
}

const [metadata, isMetadata] = [{ metadata: "m" }, { metadata: true } as const];
const policyOf = (token: string) => ({ policy: { enabled: true, inbound: rules(token), outbound: [] } });
const declared = { policy: { inbound: rules("t") } };
const [isPolicy, isInbound] = [{ policy: true } as const, { policy: { inbound: true } } as const];
const withExpressions = rules("t").map((rule) => ({ ...rule, expressions: [] }));
const [twoHeaders, oneHeader] = [{ add: { A: "a", B: "b" } }, { add: { "X-Key": "k" } }];
const [isA, isXKey] = [{ add: { A: true } } as const, { add: { "X-Key": true } } as const];
const keyValues = { token: "t", description: "d" };

test.each<[rule: string, typeof edge, Row]>([
  [
    "a value that is declared as a secret",
    edge,
    { has: metadata, declares: metadata, marks: isMetadata, secret: isMetadata },
  ],
  ["a plain value", edge, { has: metadata, declares: metadata }],
  ["a secret that is no longer declared", edge, { has: metadata, before: isMetadata, secret: isMetadata }],
  ["a secret that is declared plain now", edge, { has: metadata, declares: metadata, before: isMetadata }],
  [
    "a secret that the service still has",
    edge,
    { has: { metadata: "old" }, declares: metadata, before: isMetadata, secret: isMetadata },
  ],
  ["a secret that the service no longer has", edge, { has: { description: "d" }, before: isMetadata }],
  ["a value that is null", edge, { has: { metadata: null }, declares: metadata, marks: isMetadata }],
  ["a value that is not set", edge, { has: { metadata: undefined as never }, marks: isMetadata }],
  [
    "a list in a module, in the form of outputs",
    edge,
    { has: { policy: { ...policyOf("t").policy, inbound: withExpressions } }, declares: declared, before: isInbound },
  ],
  [
    "a module that is declared plain, with the arguments that it leaves out",
    edge,
    { has: policyOf("t"), declares: declared, before: isPolicy },
  ],
  [
    "a module whose update failed",
    edge,
    { has: policyOf("old"), declares: declared, before: isPolicy, secret: isInbound },
  ],
  ["a header, at its own path", headers, { has: twoHeaders, declares: twoHeaders, marks: isA, secret: isA }],
  [
    "a header in other case",
    headers,
    {
      has: { add: { "X-Key": "k", B: "b" } },
      declares: { add: { "x-key": "k", B: "b" } },
      marks: { add: { "x-key": true } },
      secret: isXKey,
    },
  ],
  ["a plain header in other case", headers, { has: oneHeader, declares: { add: { "x-key": "k" } }, before: isXKey }],
  [
    "a module that is declared as a secret, as a whole",
    edge,
    { has: policyOf("t"), declares: declared, marks: isPolicy, secret: isPolicy },
  ],
  [
    "a secret module that is no longer declared, as a whole",
    edge,
    { has: policyOf("t"), before: isPolicy, secret: isPolicy },
  ],
  ["a token", key, { has: keyValues, declares: { description: "d" }, secret: { token: true } }],
  [
    "a token, beside a value that is declared as a secret",
    key,
    {
      has: keyValues,
      declares: { description: "d" },
      marks: { description: true },
      secret: { token: true, description: true },
    },
  ],
])("%s", (_, definition, { has, declares = {}, marks, before, secret }) => {
  expect(secretsIn(definition, has, { values: declares, marks }, before)).toEqual(secret);
});

test("marks every value that may be secret, unless the program declares it plain", () => {
  const values = { description: "d", metadata: "m", policy: { enabled: true, inbound: rules("t"), outbound: [{}] } };
  expect(secretsInResponse(edge, values, { values: {} })).toEqual({ metadata: true, policy: { inbound: true } });
  expect(
    secretsInResponse(edge, values, { values: { metadata: "m", policy: { inbound: rules("t") } } }),
  ).toBeUndefined();
  expect(secretsInResponse(headers, { add: { A: "a" }, remove: ["B"] }, { values: {} })).toEqual({ add: { A: true } });
});

test("a value that becomes secret is a change, and one that becomes plain is not", () => {
  const outputs = { metadata: "m", token: "t" };
  const declared = { values: { metadata: "m" } };
  expect(becomesSecret(key, { values: outputs }, { ...declared, marks: { metadata: true } })).toBe(true);
  expect(becomesSecret(key, { values: outputs, marks: { metadata: true } }, declared)).toBe(false);
  expect(becomesSecret(key, { values: outputs }, declared)).toBe(false);
});

test("a module that becomes secret as a whole is a change, if only a part was", () => {
  const values = { policy: { enabled: true, inbound: rules("t"), outbound: [] } };
  const recorded = { values, marks: { policy: { inbound: true as const } } };
  expect(becomesSecret(edge, recorded, { values, marks: { policy: true } })).toBe(true);
  expect(becomesSecret(edge, recorded, { values, marks: recorded.marks })).toBe(false);
});

test("outputs name their secrets, except those that always are", () => {
  const values = { description: "d", metadata: "m", token: "t" };
  const marks = { metadata: true, description: true } as const;
  const outputs = markOutputs(key, values, { values: { description: "d", metadata: "m" }, marks });
  expect(outputs).toStrictEqual({
    values: { ...values, __secrets: "description metadata" },
    marks: { ...marks, token: true },
  });
  expect(namedSecrets(outputs.values)).toEqual(marks);
});

test("outputs in which only the token is secret name nothing", () => {
  const outputs = markOutputs(key, { description: "d", token: "t" }, { values: { description: "d" } });
  expect(outputs).toStrictEqual({ values: { description: "d", token: "t" }, marks: { token: true } });
  expect(namedSecrets(outputs.values)).toBeUndefined();
});

test("finds the strings in marked values, at any depth", () => {
  const values = { a: { b: "b", c: "c" }, d: ["d", 1, null, { e: "e" }], f: "f", g: true, h: { i: "i" } };
  expect(secretStrings({ values, marks: { a: { b: true }, d: true, g: true, h: true } })).toEqual(["b", "d", "e", "i"]);
  expect(secretStrings({ values })).toEqual([]);
});

test("puts secrets into envelopes at their place", () => {
  const values = { a: { b: "b", c: "c" }, d: null, unset: undefined as never };
  expect(encloseSecrets({ values, marks: { a: { b: true }, d: true, unset: true } })).toEqual({
    a: { b: envelop("b"), c: "c" },
    d: null,
  });
  expect([envelop("b"), { ...envelop("b"), [envelopeKey]: "asset" }, "b"].map(isSecretEnvelope)).toEqual([
    true,
    false,
    false,
  ]);
});

// What the engine records: no value that was secret leaves a provider without an envelope.

/** The strings in properties that are in no envelope. */
const plainStrings = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null && !(envelopeKey in value)
      ? Object.values(value).flatMap(plainStrings)
      : [];

const isReturned = ({ returned }: TestedProvider, secret: string) => JSON.stringify(returned).includes(secret);
const isPlain = ({ returned }: TestedProvider, secret: string) =>
  returned.some((each: Properties) => plainStrings(each).some((text) => text.includes(secret)));

const start = async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  return { stack, emulator: stack.emulator, provider: stack.provider };
};

testBoth("encloses the token of an API key whose update is lost", async () => {
  const { stack, emulator, provider } = await start();
  const key = stack.resource("ApiKey");
  await key.up({ description: "a" });
  const { token } = key.outputs;
  provider.returned.splice(0);
  emulator.fail({ method: "PATCH", status: 500, processed: true });
  emulator.fail({ method: "GET", status: 403, times: 99 });
  await expect(key.up({ description: "b" })).rejects.toThrow("It may have been updated.");
  expect(key.state).toMatchObject({ hasInitErrors: true, outputs: { token } });
  expect(isReturned(provider, token)).toBe(true);
  expect(isPlain(provider, token)).toBe(false);
});

testDynamic("encloses a description that was secret, dropped under ignoreChanges, and no longer ignored", async () => {
  const { stack, emulator, provider } = await start();
  const edge = stack.resource("TcpEdge");
  const description = "description-hush";
  await edge.up({ hostports: ["a.example.com:1"], description }, { secrets: ["description"] });
  expect(await edge.up({ hostports: ["a.example.com:1"] }, { ignoreChanges: ["description"] })).toBe("update");
  await edge.up({ hostports: ["a.example.com:1"] });
  provider.returned.splice(0);
  expect(await edge.up({ hostports: ["a.example.com:2"] })).toBe("update");
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: ["a.example.com:2"], description }]);
  expect(isReturned(provider, description)).toBe(true);
  expect(isPlain(provider, description)).toBe(false);
});

testPlugin("encloses a description that is secret only in the old inputs, when a failed update finds it", async () => {
  const { stack, emulator, provider } = await start();
  const edge = stack.resource("TcpEdge");
  const description = "description-found";
  await edge.up({});
  // An update that was executed late: what the engine has recorded of it are its inputs.
  const { id, outputs } = edge.state!;
  emulator.api("PATCH", `/edges/tcp/${id}`, { description });
  provider.returned.splice(0);
  emulator.fail({ method: "PATCH", status: 500 });
  const updating = provider.update(
    edge,
    { id, outputs, inputs: { description: envelop(description) } },
    { metadata: "b" },
  );
  await expect(updating).rejects.toThrow("It may have been updated.");
  expect(isReturned(provider, description)).toBe(true);
  expect(isPlain(provider, description)).toBe(false);
});
