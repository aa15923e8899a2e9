/** Long work shows life: what is waited for is told as a status that passes, not as lines that stay. */
import { emulated, hostFor } from "../support/emulated";
import type { Host } from "../support/host";

const told = async (host: Host, text: string) => {
  for (let wait = 0; wait < 500 && !host.told.some(({ message }) => message.includes(text)); wait++) {
    await new Promise((done) => setTimeout(done, 20));
  }
  const [found] = host.told.filter(({ message }) => message.includes(text));
  return found && { severity: found.severity, passing: found.passing, message: found.message };
};

const passing = (message: string | RegExp) => ({
  severity: "INFO",
  passing: true,
  message: typeof message === "string" ? message : expect.stringMatching(message),
});

test("the service's rate limit", async () => {
  const { emulator, host } = await emulated();
  emulator.fail({ status: 429, headers: { "retry-after": "2" } });
  await host.resource("TcpEdge").up({ description: "ssh" });
  expect(await told(host, "Waiting")).toEqual(passing("Waiting 2 s for the service's rate limit…"));
});

test("the settings' own limit", async () => {
  const { emulator } = await emulated();
  const host = await hostFor(emulator, { config: { "tunnel-edge:requestsPerMinute": "1" } });
  await host.resource("TcpEdge").up({ description: "one" });
  const waiting = host.resource("TcpEdge").up({ description: "two" }, { customTimeouts: { create: "3s" } });
  waiting.catch(() => undefined); // it has a minute to wait, and the test has not
  expect(await told(host, "Waiting")).toEqual(passing(/^Waiting \d+ s to stay at 1 requests a minute…$/));
});

test("a service that fails", async () => {
  const { emulator, host } = await emulated({}, { config: { "tunnel-edge:maxRetries": "20" } });
  const life = host.resource("ApiKey");
  await life.up({ description: "ci" });
  emulator.fail({ method: "PATCH", status: 503, body: { msg: `Not now, ${emulator.apiKey}.` }, times: Infinity });
  const updating = life.up({ description: "cd" }, { customTimeouts: { update: "30s" } });
  updating.catch(() => undefined);
  expect(await told(host, "Waiting")).toEqual(
    passing(/^Waiting \d+ s to try again, \d+ of 21: PATCH \/api_keys\/\S+ answered 503 Not now, \[secret\]\.$/),
  );
});

test("a list of many pages", async () => {
  const { emulator, host } = await emulated({ pageSize: 1 });
  emulator.seed({ tcpEdges: Array.from({ length: 12 }, (_, i) => ({ hostports: [`1.tcp.example.com:${i + 1}`] })) });
  await host
    .resource("TcpEdge")
    .up({ hostports: ["1.tcp.example.com:1"] })
    .catch(() => undefined);
  expect(await told(host, "pages")).toEqual(passing("GET /edges/tcp: 10 pages are read, and there are more…"));
});

test("an answer that was lost", async () => {
  const { emulator, host } = await emulated({}, { config: { "tunnel-edge:timeoutSeconds": "2" } });
  emulator.fail({ method: "POST", resetBefore: true });
  await host
    .resource("TcpEdge")
    .up({ hostports: ["1.tcp.example.com:1"] })
    .catch(() => undefined);
  expect(await told(host, "lost")).toEqual(passing(/^An answer was lost: looking for a few seconds/));
  expect(host.told.filter((each) => !each.passing)).toEqual([]);
});
