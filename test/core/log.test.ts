/** A long wait is displayed as a status (an ephemeral message), not as permanent lines. */
import { Stack } from "../support/engine/stack";
import { test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";

const findStatus = ({ statuses }: Stack, text: string) => statuses.find((status) => status.includes(text));

test("waiting for the service's rate limit is displayed as a status", async () => {
  const stack = await Stack.start();
  stack.emulator.fail({ status: 429, headers: { "retry-after": "2" } });
  await stack.resource("TcpEdge").up({ description: "ssh" });
  expect(findStatus(stack, "Waiting")).toBe("Waiting 2 s for the service's rate limit…");
});

test("waiting for the client-side rate limit is displayed as a status", async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:requestsPerMinute": "1" } });
  await stack.resource("TcpEdge", "one").up({});
  await stack.resource("TcpEdge", "two").up({});
  expect(findStatus(stack, "Waiting")).toMatch(/^Waiting \d+ s because of the setting requestsPerMinute \(1\)…$/);
});

test("retrying while the service fails is displayed as a status", async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "20" } });
  const { emulator } = stack;
  const key = stack.resource("ApiKey");
  await key.up({ description: "ci" });
  emulator.fail({ method: "PATCH", status: 503, body: { msg: `Not now, ${emulator.apiKey}.` }, times: 5 });
  await key.up({ description: "cd" });
  expect(findStatus(stack, "Retrying")).toMatch(
    /^Retrying in \d+ s \(attempt \d of 21\): PATCH \/api_keys\/\S+ returned 503: Not now, \[secret\]\.$/,
  );
});

test("reading a list of many pages is displayed as a status", async () => {
  const stack = await Stack.start({ pageSize: 1 });
  const hostports = Array.from({ length: 12 }, (_, index) => `1.tcp.example.com:${index + 1}`);
  stack.emulator.seed({ tcpEdges: hostports.map((each) => ({ hostports: [each] })) });
  expect(await errorOf(stack.resource("TcpEdge").up({ hostports: hostports.slice(0, 1) }))).toContain("already used");
  expect(findStatus(stack, "pages")).toBe("GET /edges/tcp: 10 pages read so far…");
});

test("looking for the object of a lost response is displayed as a status", async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:timeoutSeconds": "2" } });
  stack.emulator.fail({ method: "POST", resetBefore: true });
  await errorOf(stack.resource("TcpEdge").up({ hostports: ["1.tcp.example.com:1"] }));
  expect(findStatus(stack, "lost")).toMatch(/^The response was lost\. Checking for a few seconds/);
  expect(stack.said).toEqual([]);
});
