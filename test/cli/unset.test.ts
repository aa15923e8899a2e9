/** Ids and keys that turn out to be unset: one sentence each, and no request. */
import { createStack, extractErrors, startService } from "../support/cliStack";

const emptyMessage = (argument: string) => `${argument} is empty; it must be the id of an existing object.`;
const noKeyMessage =
  'Provider "p": apiKey is empty. An ApiKey has a token only if this stack created it, not if it was imported or read ' +
  "with get.";

test.each([
  ['tunnel.ApiKey.get("k", process.env.NOPE);', emptyMessage('ApiKey "k": id')],
  ['tunnel.TcpEdge.get("e", pulumi.output(undefined));', emptyMessage('TcpEdge "e": id')],
  ['new tunnel.TcpEdge("e", {}, { import: pulumi.output("") });', emptyMessage('TcpEdge "e": import')],
  [
    'tunnel.getTcpEdgesOutput({}, { provider: new tunnel.Provider("p", { apiKey: pulumi.secret("") }) });',
    noKeyMessage,
  ],
])("%s", async (statement, message) => {
  const { stack, calls } = await createStack(await startService(), statement);
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([message]);
  expect(calls()).toEqual([]);
});

test("an imported key has no token, and a Provider says so instead of sending it", async () => {
  const emulator = await startService();
  emulator.seed({ apiKeys: [{ id: "ak_1", token: "token-of-the-key", description: "ci" }] });
  const useKey = (key: string) => `const key = ${key};
const p = new tunnel.Provider("p", { apiKey: key.token });
new tunnel.TcpEdge("edge", {}, { provider: p });`;

  const imported = 'new tunnel.ApiKey("key", { description: "ci" }, { import: "ak_1" })';
  const { stack } = await createStack(emulator, useKey(imported));
  expect(extractErrors(await stack.preview())).toEqual([]); // the token is unknown
  expect(extractErrors(await stack.up({ fails: true }))).toEqual([noKeyMessage]);
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([noKeyMessage]);

  stack.write(`exports.token = ${imported}.token.apply((token) => String(token));`);
  await stack.up();
  expect(await stack.outputs({ showSecrets: true })).toEqual({ token: "undefined" });

  stack.write(useKey('tunnel.ApiKey.get("read", "ak_1")'));
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([noKeyMessage]);

  expect(emulator.account.tcpEdges).toEqual([]);
  expect(new Set(emulator.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${emulator.apiKey}`]),
  );

  stack.write(useKey('new tunnel.ApiKey("made")'));
  await stack.up();
  expect(emulator.account.tcpEdges).toHaveLength(1);
});
