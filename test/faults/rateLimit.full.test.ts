/**
 * A large stack on an account with a rate limit: nothing fails, and the limit is used well. Time passes faster here.
 */
import type { Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { createStack, startService } from "../support/cliStack";
import { connectHost } from "../support/emulatorHost";
import { fastClock } from "../support/preload";
import type { ResourceDriver } from "../support/resourceDriver";

const [most, minute] = [120, 60_000];
const edges = 300;
/** The number of operations that the engine runs concurrently. */
const concurrency = 8;

const began = Date.now();

const withRateLimit = (speed: number, retryAfter: boolean): EmulatorOptions => ({
  rateLimit: { requests: most, windowMs: minute, retryAfter },
  clock: () => began + (Date.now() - began) * speed,
});

/** The shortest time that the limit allows for the accepted requests, divided by the time they took. */
function measureUtilization({ requests }: Emulator): number {
  const times = requests.filter(({ status }) => status !== 429).map(({ time }) => Date.parse(time));
  const shortest = Math.floor((times.length - 1) / most) * minute;
  return shortest / (times.at(-1)! - times[0]!);
}

/** A minute of the fast clock is a few seconds, which is little time for a response. */
const config = { "tunnel-edge:timeoutSeconds": "300" };

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
  test.each([1, 2])(
    "allows 300 edges to be created, refreshed and destroyed by each of %d processes",
    async (processes) => {
      const speed = 10;
      const emulator = await startService(withRateLimit(speed, retryAfter));
      const run = async (name: string) => {
        const host = await connectHost(emulator, { env: fastClock(speed), config });
        const resources = Array.from({ length: edges }, () => host.resource("TcpEdge"));
        await runConcurrently(resources, (resource, index) =>
          resource.up({ hostports: [`${name}.example.com:${index + 1}`] }),
        );
        await runConcurrently(resources, async (resource) => expect(await resource.refresh()).toBe("same"));
        await runConcurrently(resources, (resource) => resource.destroy());
      };
      await Promise.all(Array.from({ length: processes }, (_, index) => run(`p${index}`)));
      expect(emulator.account.tcpEdges).toEqual([]);
      expect(measureUtilization(emulator)).toBeGreaterThanOrEqual(0.9);
      const rejected = emulator.requests.filter(({ status }) => status === 429).length;
      expect(rejected).toBeLessThan(emulator.requests.length / 2);
    },
  );
});

test.each([1, 2])("the same with the CLI, %d stacks at once", async (count) => {
  const speed = 4;
  const emulator = await startService(withRateLimit(speed, true));
  const declareEdges = (name: string) =>
    `for (let i = 1; i <= ${edges}; i++) new tunnel.TcpEdge("edge-" + i, { hostports: ["${name}.example.com:" + i] });`;
  const all = Array.from({ length: count }, (_, index) =>
    createStack(emulator, declareEdges(`p${index}`), { env: fastClock(speed), config }),
  );
  const stacks = (await Promise.all(all)).map(({ stack }) => stack);
  const runAll = async (work: (stack: (typeof stacks)[number]) => Promise<unknown>) => {
    const before = emulator.requests.length;
    await Promise.all(stacks.map(work));
    return emulator.requests.length - before;
  };
  await runAll((stack) => stack.up());
  expect(emulator.account.tcpEdges).toHaveLength(edges * count);
  const pages = (edges * count) / 100;
  expect(await runAll((stack) => stack.refresh())).toBeLessThan(2 * count * pages);
  await runAll((stack) => stack.destroy());
  expect(emulator.account.tcpEdges).toEqual([]);
  expect(measureUtilization(emulator)).toBeGreaterThanOrEqual(0.9);
});
