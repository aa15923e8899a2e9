/**
 * No secret is in a message or log, in any operation, even if the service repeats it.
 * Promise: "Secrets stay secret".
 */
import * as tunnel from "pulumi-tunnel-edge";
import { type Sample, sampleOf, samples, secretMark } from "../support/data/samples";
import { startService } from "../support/emulators";
import { expected } from "../support/engine/differences";
import type { Properties } from "../support/engine/provider";
import { Stack, type StackOptions } from "../support/engine/stack";
import { describe, test, testedProvider } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";

const key = `api-key${secretMark}`;
const header = `header-of-the-settings${secretMark}`;
const config = {
  "tunnel-edge:headers": JSON.stringify({ "X-Team": header }),
  "tunnel-edge:logRequests": "true",
  "tunnel-edge:maxRetries": "0",
};

const start = (options: StackOptions = {}) => Stack.start({ apiKey: key, config, ...options });

const findStrings = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value
      ? Object.values(value).flatMap(findStrings)
      : [];

/** A secret as the service may repeat it. */
const formsOf = (secret: string) => ({
  plain: secret,
  json: JSON.stringify(secret).slice(1, -1),
  url: encodeURIComponent(secret),
  base64: Buffer.from(secret).toString("base64"),
});

function expectHidden(secrets: string[], texts: string[]): void {
  const forms = secrets.flatMap((secret) => Object.values(formsOf(secret)));
  expect(texts.filter((text) => forms.some((form) => text.includes(form)))).toEqual([]);
}

/** Runs a resource through its operations. Each one is rejected once, with every secret in the response. */
async function runThroughFailures(sample: Sample, stack: Stack): Promise<string[]> {
  const { emulator } = stack;
  emulator.reset();
  stack.next();
  const parents = sample.parents?.(emulator) ?? {};
  const [first, then] = sample.programs("tag").map((args) => ({ ...parents, ...args })) as [Properties, Properties];
  const secrets = [key, header, ...findStrings([first, then]).filter((text) => text.includes(secretMark))];
  const resource = stack.resource(sample.type);
  const messages: string[] = [];
  /** The response contains all secrets that the operation knows. */
  const fails = async (work: () => Promise<unknown>, known = secrets) => {
    const repeated = known.flatMap((secret) => Object.values(formsOf(secret))).join(" and ");
    const body = { error_code: `ERR ${repeated}`, msg: `You sent ${repeated}.`, details: { operation_id: repeated } };
    const rejecting = emulator.fail({ status: 400, body, times: Number.POSITIVE_INFINITY });
    const text = await errorOf(work());
    expect(text).toContain("returned 400");
    messages.push(text);
    rejecting.cancel();
  };
  await fails(() => resource.up(first));
  await resource.up(first);
  const declared = [...secrets];
  const { token } = resource.outputs;
  if (token) secrets.push(token);
  await resource.preview(then);
  await fails(() => resource.up(then));
  await fails(() => resource.refresh());
  await resource.refresh();
  const { id } = resource.state!;
  // Everything differs, so every field is named, but no value that may be a secret is quoted.
  if (testedProvider() === "dynamic")
    messages.push(await errorOf(stack.resource(sample.type).preview(then, { import: id })));
  const known = expected("isSecretKnownInImport") ? declared : [key, header];
  await fails(() => stack.resource(sample.type).preview(first, { import: id }), known);
  await fails(() => stack.resource(sample.type).get(id), [key, header]);
  await fails(() => resource.destroy());
  await resource.destroy();
  expectHidden(secrets, messages);
  return messages;
}

/** The plugin hides the same; it only hears otherwise what is secret, of arguments and of outputs. */
const isAsked = ({ type }: Sample) =>
  testedProvider() === "dynamic" || ["ApiKey", "TcpEdge", "HttpsEdgeRouteRequestHeaders"].includes(type);

test.each([
  ["the stack's configuration", undefined, samples],
  ["the environment", "environment", [sampleOf("TcpEdge")]],
  ["an explicit provider", "explicit provider", [sampleOf("TcpEdge")]],
] as const)("no message and no log has a secret, with settings from %s", async (_, settings, tested) => {
  const stack = await start({ ...(settings && { settings }) });
  const messages: string[] = [];
  const logs: string[] = [];
  for (const sample of tested.filter(isAsked)) {
    messages.push(...(await runThroughFailures(sample, stack)));
    logs.push(...stack.said, ...stack.statuses);
  }
  expect(logs.filter((line) => /(^|: )POST \/edges\/tcp → 201 in/.test(line))).not.toEqual([]);
  expect([...messages, ...logs].filter((text) => text.includes(secretMark))).toEqual([]);
  expect(messages.filter((text) => text.includes("[secret]")).length).toBeGreaterThan(
    tested.filter(isAsked).length * 5,
  );
});

describe("header settings with words that are also in the API", () => {
  const headers = JSON.stringify({ "X-Team": "edges", "X-Proto": "https" });
  const startWithWords = () => start({ config: { ...config, "tunnel-edge:headers": headers } });

  test("do not change outputs", async () => {
    const stack = await startWithWords();
    const { emulator } = stack;
    const edge = stack.resource("TcpEdge");
    await edge.up({ description: "mine" });
    const { id, uri } = emulator.account.tcpEdges[0]!;
    expect(edge.outputs).toMatchObject({ uri });
    expect(uri).toContain("/edges/tcp/");
    const metadata = `They have ${key}, edges and https.`;
    emulator.api("PATCH", `/edges/tcp/${id}`, { metadata });
    await edge.refresh();
    expect(edge.outputs).toMatchObject({ uri, metadata });
    const [httpsEdge] = emulator.seed({ httpsEdges: [{ routes: [{ id: "edghtsrt_a" }] }] }).httpsEdges;
    const module = stack.resource("HttpsEdgeRouteUserAgentFilter");
    await module.up({ edgeId: httpsEdge!.id, routeId: "edghtsrt_a", allow: ["https"] });
    expect(module.outputs).toMatchObject({ allow: ["https"] });
  });

  test("are redacted only from the service's words", async () => {
    const stack = await startWithWords();
    const { emulator } = stack;
    emulator.fail({ status: 400, body: { error_code: "ERR_edges", msg: "X-Team is edges." } });
    expect(await errorOf(stack.resource("TcpEdge").up({}))).toBe(
      "TCP edge could not be created: POST /edges/tcp returned 400 ERR_[secret]: X-Team is [secret].",
    );
    expect(stack.said).toEqual([expect.stringMatching(/(^|: )POST \/edges\/tcp → 400 in/)]);
  });
});

test("a secret argument with a word of the API's paths is not redacted from the call", async () => {
  const stack = await start({ settings: "environment" });
  const ids = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
  stack.emulator.fail({ status: 400, body: { status_code: 400, msg: "https is not allowed" } });
  const module = stack.resource("HttpsEdgeRouteRequestHeaders");
  expect(await errorOf(module.up({ ...ids, add: { "X-Forwarded-Proto": "https" } }))).toContain(
    ": PUT /edges/https/edghts_a/routes/edghtsrt_a/request_headers returned 400: [secret] is not allowed.",
  );
});

test("metadata in JSON and a policy's configuration are hidden in every form, also from another resource's lines", async () => {
  const stack = await start({ config: { ...config, "tunnel-edge:maxRetries": "20" } });
  const secrets = ['{"password": "pass/word+ö"}', "policy-config-hush", "other-client-hush"];
  const [metadata, value, clientSecret] = secrets as [string, string, string];
  const repeated = secrets.flatMap((secret) => Object.values(formsOf(secret))).join(" and ");
  const body = { error_code: "ERR_BUSY", msg: `Try later: ${repeated}.`, details: { operation_id: value } };
  // As long as both resources are being created.
  stack.emulator.fail({ status: 503, body, times: 12 });
  const actions = [{ type: "custom", config: { auth: { tokens: [value] } } }];
  const edge = stack.resource("TcpEdge", "edge").up({ metadata, policy: { inbound: [{ actions }] } });
  const oidc = stack.resource("HttpsEdgeRouteOidc", "oidc");
  const module = oidc.up({ edgeId: "edghts_a", routeId: "edghtsrt_a", clientSecret });
  const results = await Promise.allSettled([edge, module]);
  const texts = results.map((result) => (result.status === "rejected" ? String(result.reason) : ""));
  for (const call of ["GET /edges/tcp", "PUT /edges/https/edghts_a/routes/edghtsrt_a/oidc"]) {
    const retry = `: ${call} returned 503 ERR_BUSY: Try later: [secret] and [secret]`;
    expect(stack.statuses).toContainEqual(expect.stringMatching(/^Retrying/));
    expect(stack.statuses).toContainEqual(expect.stringContaining(retry));
  }
  expectHidden(secrets, [...texts, ...stack.statuses, ...stack.said]);
});

test("no message of a function has a secret", async () => {
  const emulator = await startService({ apiKey: key });
  Object.assign(process.env, {
    TUNNEL_EDGE_BASE_URL: emulator.url,
    TUNNEL_EDGE_API_KEY: key,
    TUNNEL_EDGE_HEADERS: JSON.stringify({ "X-Team": header }),
    TUNNEL_EDGE_MAX_RETRIES: "0",
  });
  emulator.fail({ status: 400, body: { error_code: key, msg: `${key} and ${header}` }, times: 3 });
  const messages = [
    await errorOf(tunnel.getApiKeys()),
    await errorOf(tunnel.getTcpEdge({ id: "edgtcp_a" })),
    await errorOf(tunnel.getHttpsEdgeRouteOidc({ edgeId: "edghts_a", routeId: "edghtsrt_a" })),
  ];
  for (const text of messages) expect(text).toMatch(/returned 400 \[secret\]: \[secret\] and \[secret\]\.$/);
  for (const name of Object.keys(process.env)) if (name.startsWith("TUNNEL_EDGE_")) delete process.env[name];
});
