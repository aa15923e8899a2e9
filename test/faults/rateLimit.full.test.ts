/** Many resources meet a rate limit: it is used well, by one process and by two. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { RequestTime } from "../support/clock";
import { startService } from "../support/emulators";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";

const [most, minute] = [120, 60_000];
const edges = 300;
/** The number of operations that the engine runs concurrently. */
const concurrency = 8;

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
  test.each([1, 2])("allows 300 edges to be created, refreshed and destroyed by %d stacks", async (stacks) => {
    const time = new RequestTime();
    const emulator = await startService({
      rateLimit: { requests: most, windowMs: minute, retryAfter },
      clock: time.now,
    });
    const run = async (index: number) => {
      const stack = await Stack.start({ emulator, time });
      const resources = Array.from({ length: edges / stacks }, (_, edge) => stack.resource("TcpEdge", `e${edge}`));
      await runConcurrently(resources, (resource, edge) =>
        resource.up({ hostports: [`p${index}.example.com:${edge + 1}`] }),
      );
      await runConcurrently(resources, async (resource) => expect(await resource.refresh()).toBe("same"));
      await runConcurrently(resources, (resource) => resource.destroy());
    };
    await Promise.all(Array.from({ length: stacks }, (_, index) => run(index)));
    expect(emulator.account.tcpEdges).toEqual([]);
    expect(measureUtilization(emulator)).toBeGreaterThanOrEqual(0.9);
    const rejected = emulator.requests.filter(({ status }) => status === 429).length;
    expect(rejected).toBeLessThan(emulator.requests.length / 2);
  });
});
