/**
 * A large stack on an account with a rate limit: nothing fails, and the limit is used well.
 * Promise: "Rate limits are not failures".
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, startService } from "../support/cli/cliStack";
import { createSharedClock } from "../support/clock";
import { connectHost } from "../support/engine/emulatorHost";
import type { ResourceDriver } from "../support/engine/resourceDriver";

const [most, minute] = [120, 60_000];
const edges = 300;
const stackCount = 2;
/** The number of operations that the engine runs concurrently. */
const concurrency = 8;

/** A service with a rate limit, and a clock that it shares with the processes that use it. */
async function startLimited(retryAfter: boolean) {
  const clock = createSharedClock();
  const rateLimit = { requests: most, windowMs: minute, retryAfter };
  return { clock, emulator: await startService({ rateLimit, clock: clock.now }) };
}

/** The shortest time that the limit allows for the accepted requests, divided by the time they took. */
function measureUtilization({ requests }: Emulator): number {
  const times = requests.filter(({ status }) => status !== 429).map(({ time }) => Date.parse(time));
  const shortest = Math.floor((times.length - 1) / most) * minute;
  return shortest / (times.at(-1)! - times[0]!);
}

async function runConcurrently(
  resources: ResourceDriver[],
  work: (resource: ResourceDriver, index: number) => Promise<unknown>,
): Promise<void> {
  const left = [...resources.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

describe.each([
  ["with Retry-After", true],
  ["without Retry-After", false],
])("a rate limit %s", (_, retryAfter) => {
  test.each([1, 2])("allows 300 edges to be created, refreshed and destroyed by %d processes", async (processes) => {
    const { emulator, clock } = await startLimited(retryAfter);
    const run = async (index: number) => {
      const host = await connectHost(emulator, { env: clock.env });
      const resources = Array.from({ length: edges / processes }, () => host.resource("TcpEdge"));
      await runConcurrently(resources, (resource, edge) =>
        resource.up({ hostports: [`p${index}.example.com:${edge + 1}`] }),
      );
      await runConcurrently(resources, async (resource) => expect(await resource.refresh()).toBe("same"));
      await runConcurrently(resources, (resource) => resource.destroy());
    };
    await Promise.all(Array.from({ length: processes }, (_, index) => run(index)));
    expect(emulator.account.tcpEdges).toEqual([]);
    expect(measureUtilization(emulator)).toBeGreaterThanOrEqual(0.9);
    const rejected = emulator.requests.filter(({ status }) => status === 429).length;
    expect(rejected).toBeLessThan(emulator.requests.length / 2);
  });
});

test("the same with the CLI, two stacks at once", async () => {
  const { emulator, clock } = await startLimited(true);
  const edgesEach = edges / stackCount;
  const declareEdges = (name: string) =>
    `for (let i = 1; i <= ${edgesEach}; i++) new tunnel.TcpEdge("edge-" + i, { hostports: ["${name}.example.com:" + i] });`;
  const all = Array.from({ length: stackCount }, (_, index) =>
    createStack(emulator, declareEdges(`p${index}`), { env: clock.cliEnv }),
  );
  const stacks = (await Promise.all(all)).map(({ stack }) => stack);
  const runAll = async (work: (stack: (typeof stacks)[number]) => Promise<unknown>) => {
    clock.pass(minute); // no request of the last operation counts any more
    emulator.clearRequests();
    await Promise.all(stacks.map(work));
  };
  await runAll((stack) => stack.up());
  expect(emulator.account.tcpEdges).toHaveLength(edges);
  expect(measureUtilization(emulator)).toBeGreaterThanOrEqual(0.9);
  await runAll((stack) => stack.refresh());
  const pages = edges / 100;
  expect(emulator.requests.length).toBeLessThan(2 * stackCount * pages);
  await runAll((stack) => stack.destroy());
  expect(emulator.account.tcpEdges).toEqual([]);
  expect(measureUtilization(emulator)).toBeGreaterThanOrEqual(0.9);
});
