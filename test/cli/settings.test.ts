/** Settings, ids and keys that are wrong or unset: one sentence each, and no request. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";

test("each invalid setting is reported in one sentence", async () => {
  const { stack, calls } = await createStack(await startService(), declare("TcpEdge", "ssh"));
  const env = { TUNNEL_EDGE_API_KEY: undefined, TUNNEL_EDGE_BASE_URL: "http://service.example.com" };
  expect(extractErrors(await stack.preview({ fails: true, env }))).toEqual([
    "tunnel-edge:apiKey is not set: run `pulumi config set --secret tunnel-edge:apiKey`, or set " +
      "TUNNEL_EDGE_API_KEY in the environment.",
    'tunnel-edge:baseUrl must start with "https://", because every request contains the API key; "http://" is ' +
      "allowed only for this machine (localhost).",
  ]);
  expect(calls()).toEqual([]);
});

test("each unset id, import and key is reported in one sentence", async () => {
  const { stack, calls } = await createStack(
    await startService(),
    `tunnel.TcpEdge.get("read", pulumi.output(undefined));
new tunnel.TcpEdge("imported", {}, { import: pulumi.output("") });
tunnel.getTcpEdgesOutput({}, { provider: new tunnel.Provider("p", { apiKey: pulumi.secret("") }) });
tunnel.ApiKey.get("k", process.env.NOPE);`,
  );
  const isEmpty = (argument: string) => `${argument} is empty; it must be the id of an existing object.`;
  expect(extractErrors(await stack.preview({ fails: true })).sort()).toEqual([
    isEmpty('ApiKey "k": id'),
    'Provider "p": apiKey is empty. An ApiKey has a token only if this stack created it, not if it was imported or read ' +
      "with get.",
    isEmpty('TcpEdge "imported": import'),
    isEmpty('TcpEdge "read": id'),
  ]);
  expect(calls()).toEqual([]);
});
