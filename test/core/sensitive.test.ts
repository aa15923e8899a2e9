/**
 * No secret is in a message or log, in any operation, even if the service repeats it.
 * Promise: "Secrets stay secret".
 */
import * as tunnel from "pulumi-tunnel-edge";
import { startEmulator } from "pulumi-tunnel-edge/emulator";
import { fastClock } from "../support/clock";
import { type Sample, samples, secretMark } from "../support/data/samples";
import { Host } from "../support/engine/host";
import type { Properties } from "../support/engine/provider";
import { errorOf } from "../support/errorOf";
import { waitUntil } from "../support/waitUntil";

const key = `api-key${secretMark}`;
const header = `header-of-the-settings${secretMark}`;
const settings = (url: string) => ({
  apiKey: key,
  baseUrl: url,
  headers: JSON.stringify({ "X-Team": header }),
  logRequests: "true",
  maxRetries: "0",
});

/** The three sources of settings. */
const sources: Record<string, (url: string) => Parameters<typeof Host.start>[0]> = {
  "the stack's configuration": (url) => ({
    config: Object.fromEntries(Object.entries(settings(url)).map(([name, value]) => [`tunnel-edge:${name}`, value])),
  }),
  "the environment": (url) => ({
    env: Object.fromEntries(
      Object.entries(settings(url)).map(([name, value]) => [
        `TUNNEL_EDGE_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`,
        value,
      ]),
    ),
  }),
  "an explicit provider": (url) => ({
    config: Object.fromEntries(
      Object.entries({ ...settings(url), explicit: "true" }).map(([name, value]) => [`tunnel-edge:${name}`, value]),
    ),
  }),
};

const services: Awaited<ReturnType<typeof startEmulator>>[] = [];
async function startService() {
  const emulator = await startEmulator({ apiKey: key });
  services.push(emulator);
  return emulator;
}
afterAll(() => Promise.all(services.map((each) => each.close())));

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
async function runThroughFailures(
  sample: Sample,
  host: Host,
  emulator: Awaited<ReturnType<typeof startEmulator>>,
): Promise<string[]> {
  emulator.reset();
  const parents = sample.parents?.(emulator) ?? {};
  const [first, then] = sample.programs("tag").map((args) => ({ ...parents, ...args })) as [Properties, Properties];
  const secrets = [key, header, ...findStrings([first, then]).filter((text) => text.includes(secretMark))];
  const resource = host.resource(sample.type);
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
  messages.push(await errorOf(host.resource(sample.type).preview(then, { import: id })));
  await fails(() => host.resource(sample.type).preview(first, { import: id }), declared);
  await fails(() => host.resource(sample.type).get(id), [key, header]);
  await fails(() => resource.destroy());
  await resource.destroy();
  expectHidden(secrets, messages);
  return messages;
}

test.each(Object.keys(sources))("no message and no log has a secret, with settings from %s", async (source) => {
  const emulator = await startService();
  const host = await Host.start(sources[source]!(emulator.url));
  const messages: string[] = [];
  for (const sample of samples) messages.push(...(await runThroughFailures(sample, host, emulator)));
  const next = await host.next();
  const logs = [...host.logs, ...next.logs].map(({ message }) => message);
  expect(logs.filter((line) => /^POST \/edges\/tcp → 201 in/.test(line))).not.toEqual([]);
  expect([...messages, ...logs].filter((text) => text.includes(secretMark))).toEqual([]);
  expect(messages.filter((text) => text.includes("[secret]")).length).toBeGreaterThan(samples.length * 5);
  expect(host.printed + next.printed).toBe("");
});

describe("header settings with words that are also in the API", () => {
  const headers = JSON.stringify({ "X-Team": "edges", "X-Proto": "https" });
  const start = async (emulator: Awaited<ReturnType<typeof startService>>) =>
    Host.start({
      config: { "tunnel-edge:apiKey": key, "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:headers": headers },
      env: { TUNNEL_EDGE_LOG_REQUESTS: "true", TUNNEL_EDGE_MAX_RETRIES: "0" },
    });

  test("do not change outputs", async () => {
    const emulator = await startService();
    const host = await start(emulator);
    const edge = host.resource("TcpEdge");
    await edge.up({ description: "mine" });
    const { id, uri } = emulator.account.tcpEdges[0]!;
    expect(edge.outputs).toMatchObject({ uri });
    expect(uri).toContain("/edges/tcp/");
    const metadata = `They have ${key}, edges and https.`;
    emulator.api("PATCH", `/edges/tcp/${id}`, { metadata });
    await edge.refresh();
    expect(edge.outputs).toMatchObject({ uri, metadata });
    const [httpsEdge] = emulator.seed({ httpsEdges: [{ routes: [{ id: "edghtsrt_a" }] }] }).httpsEdges;
    const module = host.resource("HttpsEdgeRouteUserAgentFilter");
    await module.up({ edgeId: httpsEdge!.id, routeId: "edghtsrt_a", allow: ["https"] });
    expect(module.outputs).toMatchObject({ allow: ["https"] });
  });

  test("are redacted only from the service's words", async () => {
    const emulator = await startService();
    const host = await start(emulator);
    emulator.fail({ status: 400, body: { error_code: "ERR_edges", msg: "X-Team is edges." } });
    expect(await errorOf(host.resource("TcpEdge").up({}))).toBe(
      "TCP edge could not be created: POST /edges/tcp returned 400 ERR_[secret]: X-Team is [secret].",
    );
    expect(host.logs.map((each) => each.message)).toEqual([expect.stringMatching(/^POST \/edges\/tcp → 400 in/)]);
  });
});

test("a secret argument with a word of the API's paths is not redacted from the call", async () => {
  const emulator = await startService();
  const host = await Host.start(sources["the environment"]!(emulator.url));
  const ids = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
  emulator.fail({ status: 400, body: { status_code: 400, msg: "https is not allowed" } });
  const module = host.resource("HttpsEdgeRouteRequestHeaders");
  expect(await errorOf(module.up({ ...ids, add: { "X-Forwarded-Proto": "https" } }))).toContain(
    ": PUT /edges/https/edghts_a/routes/edghtsrt_a/request_headers returned 400: [secret] is not allowed.",
  );
});

test("metadata in JSON and a policy's configuration are hidden in every form, also from another resource's lines", async () => {
  const emulator = await startService();
  const { config } = sources["the stack's configuration"]!(emulator.url)!;
  const host = await Host.start({ config: { ...config, "tunnel-edge:maxRetries": "20" }, env: fastClock(10) });
  const secrets = ['{"password": "pass/word+ö"}', "policy-config-hush", "other-client-hush"];
  const [metadata, value, clientSecret] = secrets as [string, string, string];
  const repeated = secrets.flatMap((secret) => Object.values(formsOf(secret))).join(" and ");
  const body = { error_code: "ERR_BUSY", msg: `Try later: ${repeated}.`, details: { operation_id: value } };
  const failing = emulator.fail({ status: 503, body, times: Infinity });
  const actions = [{ type: "custom", config: { auth: { tokens: [value] } } }];
  const edge = host.resource("TcpEdge", "edge").up({ metadata, policy: { inbound: [{ actions }] } });
  const oidc = host.resource("HttpsEdgeRouteOidc", "oidc");
  const module = oidc.up({ edgeId: "edghts_a", routeId: "edghtsrt_a", clientSecret });
  const texts = [edge, module].map(errorOf);
  const lines = () => host.logs.map(({ message }) => message);
  for (const call of ["GET /edges/tcp", "PUT /edges/https/edghts_a/routes/edghtsrt_a/oidc"]) {
    const retry = `: ${call} returned 503 ERR_BUSY: Try later: [secret] and [secret]`;
    await waitUntil(() => lines().some((line) => line.startsWith("Retrying") && line.includes(retry)));
  }
  failing.cancel();
  expectHidden(secrets, [...(await Promise.all(texts)), ...lines()]);
}, 60_000);

test("no message of a function has a secret", async () => {
  const emulator = await startService();
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
