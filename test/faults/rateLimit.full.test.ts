/** A large stack on an account with a rate limit: nothing fails, and the limit is made use of. Time passes faster here. */
import { resolve } from "node:path";
import type { Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { createStack, startService } from "../support/cliStack";
import { connectHost } from "../support/emulatorHost";
import type { ResourceDriver } from "../support/host";

const [most, minute] = [120, 60_000];
const edges = 300;
/** How many operations the engine runs at once. */
const atOnce = 8;

const began = Date.now();
const fastClock = (speed: number) => ({
  NODE_OPTIONS: `--require ${resolve(__dirname, "../support/fastClock.js")}`,
  FAST_CLOCK: String(speed),
});

const limited = (speed: number, retryAfter: boolean): EmulatorOptions => ({
  rateLimit: { requests: most, windowMs: minute, retryAfter },
  clock: () => began + (Date.now() - began) * speed,
});

/** How long the requests took that were let through, against the shortest time that the limit allows for them. */
function share({ requests }: Emulator): number {
  const times = requests.filter(({ status }) => status !== 429).map(({ time }) => Date.parse(time));
  const shortest = Math.floor((times.length - 1) / most) * minute;
  return shortest / (times.at(-1)! - times[0]!);
}

/** A hurried minute is a few seconds, which is little time for an answer. */
const config = { "tunnel-edge:timeoutSeconds": "300" };

async function sideBySide(
  resources: ResourceDriver[],
  work: (resource: ResourceDriver, index: number) => Promise<unknown>,
): Promise<void> {
  const left = [...resources.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

describe.each([
  ["that says when to come back", true],
  ["that says nothing more", false],
])("a limit %s", (_, retryAfter) => {
  test.each([1, 2])(
    "takes an up, a refresh and a destroy of 300 edges from each of %d processes",
    async (processes) => {
      const speed = 10;
      const emulator = await startService(limited(speed, retryAfter));
      const run = async (name: string) => {
        const host = await connectHost(emulator, { env: fastClock(speed), config });
        const resources = Array.from({ length: edges }, () => host.resource("TcpEdge"));
        await sideBySide(resources, (resource, index) =>
          resource.up({ hostports: [`${name}.example.com:${index + 1}`] }),
        );
        await sideBySide(resources, async (resource) => expect(await resource.refresh()).toBe("same"));
        await sideBySide(resources, (resource) => resource.destroy());
      };
      await Promise.all(Array.from({ length: processes }, (_, index) => run(`p${index}`)));
      expect(emulator.account.tcpEdges).toEqual([]);
      expect(share(emulator)).toBeGreaterThanOrEqual(0.9);
      const refused = emulator.requests.filter(({ status }) => status === 429).length;
      expect(refused).toBeLessThan(emulator.requests.length / 2);
    },
  );
});

test.each([1, 2])("the same through the CLI, %d at once", async (count) => {
  const speed = 4;
  const emulator = await startService(limited(speed, true));
  const declared = (name: string) =>
    `for (let i = 1; i <= ${edges}; i++) new tunnel.TcpEdge("edge-" + i, { hostports: ["${name}.example.com:" + i] });`;
  const all = Array.from({ length: count }, (_, index) =>
    createStack(emulator, declared(`p${index}`), { env: fastClock(speed), config }),
  );
  const stacks = (await Promise.all(all)).map(({ stack }) => stack);
  const together = async (work: (stack: (typeof stacks)[number]) => Promise<unknown>) => {
    const before = emulator.requests.length;
    await Promise.all(stacks.map(work));
    return emulator.requests.length - before;
  };
  await together((stack) => stack.up());
  expect(emulator.account.tcpEdges).toHaveLength(edges * count);
  const pages = (edges * count) / 100;
  expect(await together((stack) => stack.refresh())).toBeLessThan(2 * count * pages);
  await together((stack) => stack.destroy());
  expect(emulator.account.tcpEdges).toEqual([]);
  expect(share(emulator)).toBeGreaterThanOrEqual(0.9);
});
