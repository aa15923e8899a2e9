/** A cancelled deployment: waits and reads end, nothing new is sent, and what was sent is recorded or reported. */
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { Clock, systemTime } from "../../../src/base/clock";
import { readSettings } from "../../../src/base/settings";
import { Deployment } from "../../../src/core/deployment/deployment";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { waitUntil } from "../../support/waitUntil";

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
beforeEach(() => emulator.reset());
afterAll(() => emulator.close());

const options = { key: "it", resource: 'TcpEdge "it"', ignoreChanges: [], replaceOnChanges: [], timeouts: {} };
const args = { description: "old", hostports: ["a.example:1"], ipRestriction: { ipPolicyIds: ["ipp_a"] } };
/** Its plan is a PATCH and a DELETE. */
const changed = { description: "new", hostports: ["a.example:1"] };

function start(settings: Record<string, string> = {}, clock = new Clock()) {
  const config = { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": emulator.apiKey, ...settings };
  const statuses: string[] = [];
  const log = {
    debug: () => undefined,
    info: async () => undefined,
    warn: async () => undefined,
    status: (message: string) => void statuses.push(message),
  };
  const deployment = new Deployment(readSettings(config, {}).settings, [], log, clock);
  return { clock, deployment, statuses, edges: new ResourceProvider(tcpEdge, deployment) };
}

/** Awaits the error of an operation. */
const failureOf = (operation: Promise<unknown>): Promise<Error> =>
  operation.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: Error) => error,
  );

/** Minutes that only cancelling can end. */
const forever = { times: Number.POSITIVE_INFINITY, status: 429, headers: { "Retry-After": "100" } };

test("a wait for the rate limit ends at once, and nothing is sent after it", async () => {
  const { clock, edges, statuses } = start();
  const limited = emulator.fail({ ...forever, method: "POST" });
  const failed = failureOf(edges.create(args, options));
  await waitUntil(() => statuses.length > 0);
  await clock.cancel();
  expect((await failed).message).toBe("TCP edge could not be created: POST /edges/tcp was cancelled.");
  expect((await failureOf(edges.create(args, options))).message).toMatch(/POST \/edges\/tcp was cancelled\.$/);
  expect(limited.hits).toBe(1);
  limited.cancel();
});

test("a wait for another resource ends at once", async () => {
  const { clock, edges, deployment, statuses } = start();
  const { id } = await start().edges.create(args, options);
  // The program has the edge, and takes its hostports away.
  deployment.claims.settle({ ...options, key: "other" }, { places: [`/edges/tcp/${id}`] });
  const failed = failureOf(edges.create({ ...args, description: "second" }, options));
  await waitUntil(() => statuses.some((status) => status.startsWith("Waiting for TCP edge")));
  await clock.cancel();
  expect((await failed).message).toBe("TCP edge could not be created: The deployment was cancelled.");
});

test("a read ends at once", async () => {
  const { clock, edges } = start();
  const state = await edges.create(args, options);
  const silent = emulator.fail({ method: "GET", hang: "headers" });
  const failed = failureOf(edges.read(state.id, state, options));
  await waitUntil(() => silent.hits > 0);
  await clock.cancel();
  expect((await failed).message).toMatch(/could not be read: GET \/edges\/tcp\/\w+ was cancelled\.$/);
});

test("a write that was sent is awaited and recorded, and the next one is not sent", async () => {
  const state = await start().edges.create(args, options);
  const { clock, edges } = start();
  emulator.clearRequests();
  const slow = emulator.fail({ method: "PATCH", delayMs: 500 });
  const failed = failureOf(edges.update(state, changed, options));
  await waitUntil(() => slow.hits > 0);
  await clock.cancel();
  expect(await failed).toMatchObject({
    message: expect.stringMatching(/could not be updated: DELETE \S+ was cancelled\.$/),
    id: state.id,
    properties: { description: "new", ipRestriction: { ipPolicyIds: ["ipp_a"] } },
  });
  expect(await failed).not.toHaveProperty("properties.__unconfirmed");
  expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
});

test("a write without a response is awaited for 10 s, and then reported as unconfirmed", async () => {
  const waits: number[] = [];
  const after: typeof systemTime.after = (ms, work) => {
    waits.push(ms);
    return systemTime.after(ms / 100, work);
  };
  const { clock, edges } = start({ "tunnel-edge:timeoutSeconds": "3600" }, new Clock({ ...systemTime, after }));
  const state = await start().edges.create(args, options);
  emulator.clearRequests();
  const silent = emulator.fail({ method: "PATCH", hang: "headers", times: Number.POSITIVE_INFINITY });
  const failed = failureOf(edges.update(state, changed, options));
  await waitUntil(() => silent.hits > 0);
  await clock.cancel();
  expect(await failed).toMatchObject({
    message: expect.stringContaining("It may have been updated. The next `pulumi up` sends the update again."),
    id: state.id,
    properties: { ipRestriction: { ipPolicyIds: ["ipp_a"] }, __unconfirmed: "description" },
  });
  expect(waits).toContain(10_000);
  expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
  silent.cancel();
});

test("a create without a response says that it may exist", async () => {
  const { clock, edges } = start({ "tunnel-edge:timeoutSeconds": "1" });
  const silent = emulator.fail({ method: "POST", hang: "headers" });
  const failed = failureOf(edges.create(args, options));
  await waitUntil(() => silent.hits > 0);
  await clock.cancel();
  expect((await failed).message).toContain("Look for it with the command `inventory");
  expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
});
