/** What is displayed of a deployment: a long wait is a status (an ephemeral message), a notice a permanent line. */
import { Stack } from "../support/engine/stack";
import { test, testedProvider } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";

const findStatus = ({ statuses }: Stack, text: string) => statuses.find((status) => status.includes(text));

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

test("notices name the resource, and are only in previews", async () => {
  const stack = await Stack.start();
  stack.emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.preview({}, { import: "edgtcp_1" });
  const message = 'TcpEdge "ssh": TCP edge edgtcp_1 will be imported unchanged (Pulumi displays this as "create").';
  // The engine displays the import of a plugin.
  const notices = testedProvider() === "dynamic" ? [message] : [];
  expect(stack.said).toEqual(notices);
  await edge.up({}, { import: "edgtcp_1" });
  expect(stack.said).toEqual(notices);
});

test("debug logging shows the planned calls of an update, and nothing of a create, which the engine shows", async () => {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge");
  await edge.up({ description: "ssh" });
  await stack.resource("TcpEdgeIpRestriction").up({ edgeId: edge.id, ipPolicyIds: ["ipp_a"] });
  await edge.up({ description: "changed" });
  expect(stack.debugged).toEqual([`plan: PATCH /edges/tcp/${edge.id} (sets description)`]);
});
