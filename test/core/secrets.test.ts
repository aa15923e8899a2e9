/** Secrets in what the package says: every one of them, in every operation, whatever the service repeats of them. */
import * as tunnel from "pulumi-tunnel-edge";
import { startEmulator } from "pulumi-tunnel-edge/emulator";
import { Host, type Properties } from "../support/host";
import { type Sample, samples, secretMark } from "../support/samples";

const key = `api-key-${secretMark}`;
const header = `header-of-the-settings-${secretMark}`;
const settings = (url: string) => ({
  apiKey: key,
  baseUrl: url,
  headers: JSON.stringify({ "X-Team": header }),
  logRequests: "true",
  maxRetries: "0",
});

/** The three ways in which settings reach the host. */
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
async function service() {
  const emulator = await startEmulator({ apiKey: key });
  services.push(emulator);
  return emulator;
}
afterAll(() => Promise.all(services.map((each) => each.close())));

const message = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: Error) => error.message,
  );

const textsIn = (value: unknown): string[] =>
  typeof value === "string" ? [value] : typeof value === "object" && value ? Object.values(value).flatMap(textsIn) : [];

/** What is said in the life of a resource in which everything is refused once, with every secret in the refusal. */
async function runThroughFailures(
  sample: Sample,
  host: Host,
  emulator: Awaited<ReturnType<typeof startEmulator>>,
): Promise<string[]> {
  emulator.reset();
  const parents = sample.parents?.(emulator) ?? {};
  const [first, then] = sample.programs("tag").map((args) => ({ ...parents, ...args })) as [Properties, Properties];
  const secrets = [key, header, ...textsIn([first, then]).filter((text) => text.includes(secretMark))];
  const resource = host.resource(sample.type);
  const said: string[] = [];
  /** The service tells all that the operation can know of. */
  const fails = async (work: () => Promise<unknown>, known = secrets) => {
    const told = known.join(" and ");
    const body = { error_code: `ERR ${told}`, msg: `You sent ${told}.`, details: { operation_id: told } };
    const rejecting = emulator.fail({ status: 400, body });
    const text = await message(work());
    expect(text).toContain("returned 400");
    said.push(text);
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
  // Everything differs, so that every field is named; no value that may be a secret is shown.
  said.push(await message(host.resource(sample.type).preview(then, { import: id })));
  await fails(() => host.resource(sample.type).preview(first, { import: id }), declared);
  await fails(() => host.resource(sample.type).get(id), [key, header]);
  await fails(() => resource.destroy());
  await resource.destroy();
  for (const text of said) for (const secret of secrets) expect(text).not.toContain(secret);
  return said;
}

test.each(Object.keys(sources))("settings from %s", async (source) => {
  const emulator = await service();
  const host = await Host.start(sources[source]!(emulator.url));
  const said: string[] = [];
  for (const sample of samples) said.push(...(await runThroughFailures(sample, host, emulator)));
  const next = await host.next();
  const told = [...host.logs, ...next.logs].map(({ message }) => message);
  expect(told.filter((line) => /^POST \/edges\/tcp → 201 in/.test(line))).not.toEqual([]);
  expect([...said, ...told].filter((text) => text.includes(secretMark))).toEqual([]);
  expect(said.filter((text) => text.includes("[secret]")).length).toBeGreaterThan(samples.length * 5);
  expect(host.printed + next.printed).toBe("");
});

describe("header settings with words that the API has too", () => {
  const headers = JSON.stringify({ "X-Team": "edges", "X-Proto": "https" });
  const start = async (emulator: Awaited<ReturnType<typeof service>>) =>
    Host.start({
      config: { "tunnel-edge:apiKey": key, "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:headers": headers },
      env: { TUNNEL_EDGE_LOG_REQUESTS: "true", TUNNEL_EDGE_MAX_RETRIES: "0" },
    });

  test("leave outputs as the service has them", async () => {
    const emulator = await service();
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

  test("leave our own words, and are taken out of the service's", async () => {
    const emulator = await service();
    const host = await start(emulator);
    emulator.fail({ status: 400, body: { error_code: "ERR_edges", msg: "X-Team is edges." } });
    expect(await message(host.resource("TcpEdge").up({}))).toBe(
      "TCP edge could not be created: POST /edges/tcp returned 400 ERR_[secret]: X-Team is [secret].",
    );
    expect(host.logs.map((each) => each.message)).toEqual([expect.stringMatching(/^POST \/edges\/tcp → 400 in/)]);
  });
});

test("a secret argument with a word of the API's paths leaves the call readable", async () => {
  const emulator = await service();
  const host = await Host.start(sources["the environment"]!(emulator.url));
  const ids = { edgeId: "edghts_a", routeId: "edghtsrt_a" };
  emulator.fail({ status: 400, body: { msg: "https is not allowed" } });
  const module = host.resource("HttpsEdgeRouteRequestHeaders");
  expect(await message(module.up({ ...ids, add: { "X-Forwarded-Proto": "https" } }))).toContain(
    ": PUT /edges/https/edghts_a/routes/edghtsrt_a/request_headers returned 400: [secret] is not allowed.",
  );
});

test("functions", async () => {
  const emulator = await service();
  Object.assign(process.env, {
    TUNNEL_EDGE_BASE_URL: emulator.url,
    TUNNEL_EDGE_API_KEY: key,
    TUNNEL_EDGE_HEADERS: JSON.stringify({ "X-Team": header }),
    TUNNEL_EDGE_MAX_RETRIES: "0",
  });
  emulator.fail({ status: 400, body: { error_code: key, msg: `${key} and ${header}` }, times: 3 });
  const said = [
    await message(tunnel.getApiKeys()),
    await message(tunnel.getTcpEdge({ id: "edgtcp_a" })),
    await message(tunnel.getHttpsEdgeRouteOidc({ edgeId: "edghts_a", routeId: "edghtsrt_a" })),
  ];
  for (const text of said) expect(text).toMatch(/returned 400 \[secret\]: \[secret\] and \[secret\]\.$/);
  for (const name of Object.keys(process.env)) if (name.startsWith("TUNNEL_EDGE_")) delete process.env[name];
});
