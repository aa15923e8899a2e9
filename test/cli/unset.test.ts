/** Ids and keys that turn out to be unset: one sentence each, and no request. */
import { createStack, extractErrors, startService } from "../support/cli/cliStack";

const emptyMessage = (argument: string) => `${argument} is empty; it must be the id of an existing object.`;
const noKeyMessage = (name: string) =>
  `Provider "${name}": apiKey is empty. An ApiKey has a token only if this stack created it, not if it was imported ` +
  "or read with get.";

test("each unset id, import and key is reported in one sentence, without a request", async () => {
  const { stack, calls } = await createStack(
    await startService(),
    `tunnel.TcpEdge.get("read", pulumi.output(undefined));
new tunnel.TcpEdge("imported", {}, { import: pulumi.output("") });
tunnel.getTcpEdgesOutput({}, { provider: new tunnel.Provider("p", { apiKey: pulumi.secret("") }) });
tunnel.ApiKey.get("k", process.env.NOPE);`,
  );
  expect(extractErrors(await stack.preview({ fails: true })).sort()).toEqual([
    emptyMessage('ApiKey "k": id'),
    noKeyMessage("p"),
    emptyMessage('TcpEdge "imported": import'),
    emptyMessage('TcpEdge "read": id'),
  ]);
  expect(calls()).toEqual([]);
});

test("unset triggers are an empty list; an imported key has no token, and a Provider says so", async () => {
  const emulator = await startService();
  emulator.seed({
    apiKeys: [{ id: "ak_1", token: "token-of-the-key", description: "ci" }],
    sessions: [{ id: "ts_1" }],
  });
  const imported = `const stop = new tunnel.TunnelSessionCommand("stop", { sessionId: "ts_1", commands: ["stop"] });
stop.triggers.apply((triggers) => console.log("The triggers are " + JSON.stringify(triggers)));
const key = new tunnel.ApiKey("key", { description: "ci" }, { import: "ak_1", dependsOn: stop });
key.token.apply((token) => console.log("The token is " + (token === undefined ? "unset" : "set")));
const p = new tunnel.Provider("p", { apiKey: key.token });
new tunnel.TcpEdge("edge", {}, { provider: p });`;
  const { stack } = await createStack(emulator, imported);
  const failed = await stack.up({ fails: true, preview: true });
  const [preview, update] = failed.stdout.split(/^Updating /m);
  expect(preview).not.toMatch(/error|The token|The triggers/); // they are unknown
  expect(update).toContain("The triggers are []");
  expect(update).toContain("The token is unset");
  expect(extractErrors(failed)).toEqual([noKeyMessage("p")]);

  stack.write(`${imported}
new tunnel.Provider("q", { apiKey: tunnel.ApiKey.get("read", "ak_1").token });`);
  expect(extractErrors(await stack.preview({ fails: true })).sort()).toEqual([noKeyMessage("p"), noKeyMessage("q")]);

  expect(emulator.account.tcpEdges).toEqual([]);
  expect(new Set(emulator.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${emulator.apiKey}`]),
  );
});
