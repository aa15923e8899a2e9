/** A large stack on an account with a rate limit: nothing fails, and the limit is made use of. Time passes faster here. */
import { resolve } from "node:path";
import type { Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { service } from "../support/deployed";
import { hostFor } from "../support/emulated";
import type { Life } from "../support/host";

const speed = 10;
const [most, minute] = [120, 60_000];
const edges = 300;
/** How many operations the engine runs at once. */
const atOnce = 8;

const began = Date.now();
const env = { NODE_OPTIONS: `--require ${resolve(__dirname, "../support/hurry.js")}`, HURRY: String(speed) };

const limited = (retryAfter: boolean): EmulatorOptions => ({
  rateLimit: { requests: most, windowMs: minute, retryAfter },
  clock: () => began + (Date.now() - began) * speed,
});

/** How long the requests took that were let through, against the shortest time that the limit allows for them. */
function share({ requests }: Emulator): number {
  const times = requests.filter(({ status }) => status !== 429).map(({ time }) => Date.parse(time));
  const shortest = Math.floor((times.length - 1) / most) * minute;
  return shortest / (times.at(-1)! - times[0]!);
}

async function sideBySide(lives: Life[], work: (life: Life, index: number) => Promise<unknown>): Promise<void> {
  const left = [...lives.entries()];
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
      const emulator = await service(limited(retryAfter));
      const run = async (name: string) => {
        const host = await hostFor(emulator, { env, config: { "tunnel-edge:timeoutSeconds": "300" } });
        const lives = Array.from({ length: edges }, () => host.resource("TcpEdge"));
        await sideBySide(lives, (life, index) => life.up({ hostports: [`${name}.example.com:${index + 1}`] }));
        await sideBySide(lives, async (life) => expect(await life.refresh()).toBe("same"));
        await sideBySide(lives, (life) => life.destroy());
      };
      await Promise.all(Array.from({ length: processes }, (_, index) => run(`p${index}`)));
      expect(emulator.account.tcpEdges).toEqual([]);
      expect(share(emulator)).toBeGreaterThanOrEqual(0.9);
      const refused = emulator.requests.filter(({ status }) => status === 429).length;
      expect(refused).toBeLessThan(emulator.requests.length / 2);
    },
  );
});
