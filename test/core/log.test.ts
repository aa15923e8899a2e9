/** A long wait is displayed as a status (an ephemeral message), not as permanent lines. */
import { connectHost, startHost } from "../support/engine/emulatorHost";
import type { TestedProvider } from "../support/engine/provider";
import { waitUntil } from "../support/waitUntil";

const waitForLog = async (host: TestedProvider, text: string) => {
  const find = () => host.logs.find(({ message }) => message.includes(text));
  await waitUntil(() => find() !== undefined);
  const { severity, ephemeral, message } = find()!;
  return { severity, ephemeral, message };
};

const status = (message: string | RegExp) => ({
  severity: "INFO",
  ephemeral: true,
  message: typeof message === "string" ? message : expect.stringMatching(message),
});

test("waiting for the service's rate limit is displayed as a status", async () => {
  const { emulator, host } = await startHost();
  emulator.fail({ status: 429, headers: { "retry-after": "2" } });
  await host.resource("TcpEdge").up({ description: "ssh" });
  expect(await waitForLog(host, "Waiting")).toEqual(status("Waiting 2 s for the service's rate limit…"));
});

test("waiting for the client-side rate limit is displayed as a status", async () => {
  const { emulator } = await startHost();
  const host = await connectHost(emulator, { config: { "tunnel-edge:requestsPerMinute": "1" } });
  await host.resource("TcpEdge").up({ description: "one" });
  const waiting = host.resource("TcpEdge").up({ description: "two" }, { customTimeouts: { create: "3s" } });
  waiting.catch(() => undefined); // it would wait a minute
  expect(await waitForLog(host, "Waiting")).toEqual(
    status(/^Waiting \d+ s because of the setting requestsPerMinute \(1\)…$/),
  );
});

test("retrying while the service fails is displayed as a status", async () => {
  const { emulator, host } = await startHost({}, { config: { "tunnel-edge:maxRetries": "20" } });
  const resource = host.resource("ApiKey");
  await resource.up({ description: "ci" });
  emulator.fail({ method: "PATCH", status: 503, body: { msg: `Not now, ${emulator.apiKey}.` }, times: Infinity });
  const updating = resource.up({ description: "cd" }, { customTimeouts: { update: "30s" } });
  updating.catch(() => undefined);
  expect(await waitForLog(host, "Retrying")).toEqual(
    status(/^Retrying in \d+ s \(attempt \d+ of 21\): PATCH \/api_keys\/\S+ returned 503: Not now, \[secret\]\.$/),
  );
});

test("reading a list of many pages is displayed as a status", async () => {
  const { emulator, host } = await startHost({ pageSize: 1 });
  emulator.seed({ tcpEdges: Array.from({ length: 12 }, (_, i) => ({ hostports: [`1.tcp.example.com:${i + 1}`] })) });
  await host
    .resource("TcpEdge")
    .up({ hostports: ["1.tcp.example.com:1"] })
    .catch(() => undefined);
  expect(await waitForLog(host, "pages")).toEqual(status("GET /edges/tcp: 10 pages read so far…"));
});

test("looking for the object of a lost response is displayed as a status", async () => {
  const { emulator, host } = await startHost({}, { config: { "tunnel-edge:timeoutSeconds": "2" } });
  emulator.fail({ method: "POST", resetBefore: true });
  await host
    .resource("TcpEdge")
    .up({ hostports: ["1.tcp.example.com:1"] })
    .catch(() => undefined);
  expect(await waitForLog(host, "lost")).toEqual(status(/^The response was lost\. Checking for a few seconds/));
  expect(host.logs.filter((each) => !each.ephemeral)).toEqual([]);
});
