/** Settings with the real CLI: wrong ones, and those of explicit providers. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";

test("invalid settings and a wrong key are each reported in one sentence", async () => {
  const emulator = await startService();
  const { stack, calls } = await createStack(emulator, declare("TcpEdge", "ssh"));
  const env = { TUNNEL_EDGE_API_KEY: undefined, TUNNEL_EDGE_BASE_URL: "http://service.example.com" };
  expect(extractErrors(await stack.preview({ fails: true, env }))).toEqual([
    "tunnel-edge:apiKey is not set: run `pulumi config set --secret tunnel-edge:apiKey`, or set " +
      "TUNNEL_EDGE_API_KEY in the environment.",
    'tunnel-edge:baseUrl must start with "https://", because every request contains the API key; "http://" is ' +
      "allowed only for this machine (localhost).",
  ]);
  expect(calls()).toEqual([]);

  const rejected = await stack.up({ fails: true, env: { TUNNEL_EDGE_API_KEY: "no-such-key" } });
  expect(extractErrors(rejected).map((error) => error.replace(/op_\w+/, "op_…"))).toEqual([
    "TCP edge could not be created: POST /edges/tcp returned 401 ERR_TUNNEL_UNAUTHENTICATED: The header " +
      '"Authorization" carries no valid API key (operation op_…). Check the API key (tunnel-edge:apiKey, ' +
      "TUNNEL_EDGE_API_KEY or the Provider's apiKey).",
  ]);
  expect(rejected.stdout).not.toContain("no-such-key");
  expect(calls()).toEqual(["POST /edges/tcp"]);
});

test("a key without --secret and an old Node give one warning each, and headers stay with the stack's address", async () => {
  const [one, two] = [await startService(), await startService()];
  const declareIn = (name: string, baseUrl: string) =>
    `const ${name} = new tunnel.Provider("${name}", { apiKey: "${one.apiKey}", baseUrl: "${baseUrl}" });
     new tunnel.TcpEdge("edge-${name}", {}, { provider: ${name} });
     exports.${name} = tunnel.getTcpEdgesOutput({}, { provider: ${name} }).tcpEdges.length;`;
  const { stack } = await createStack(one, [declareIn("same", `${one.url}/`), declareIn("own", two.url)].join("\n"), {
    emulator: undefined,
    config: {
      "tunnel-edge:baseUrl": one.url,
      "tunnel-edge:apiKey": one.apiKey,
      "tunnel-edge:headers": { secret: '{"X-Stack":"yes"}' },
    },
    env: { TUNNEL_EDGE_HEADERS: '{"X-Environment":"yes"}' },
  });
  const up = await stack.up({ preview: true });
  const plainKey =
    "warning: tunnel-edge:apiKey is set without --secret, so it is in plain text in the stack's configuration and in " +
    "the state. Run `pulumi config set --secret tunnel-edge:apiKey`.";
  const [, ...diagnostics] = up.stdout.split(/^Diagnostics:$/m);
  expect(diagnostics.join("").split(plainKey)).toHaveLength(2);
  const sent = ({ requests }: typeof one) =>
    new Set(
      requests.map(({ headers }) =>
        Object.keys(headers)
          .filter((name) => /^x-/.test(name))
          .join(),
      ),
    );
  expect([one, two].map(sent)).toEqual([new Set(["x-stack"]), new Set([""])]);

  stack.write(
    [declare("TcpEdge", "wrong", { hostports: ["a"] }), declare("TcpEdge", "other", { hostports: ["b"] })].join("\n"),
  );
  const { stdout } = await stack.preview({ fails: true });
  expect(stdout).toContain("Pulumi stops at the first invalid resource. There may be more.");
});

test("explicit providers: two accounts in one program, in which existing edges are read and imported", async () => {
  const [one, two] = [await startService({ apiKey: "key-of-one" }), await startService({ apiKey: "key-of-two" })];
  one.seed({
    tcpEdges: [
      { id: "edgtcp_mine", description: "ssh", hostports: ["1.tcp.example.com:1"], policy: { inbound: [] } },
      { id: "edgtcp_theirs", description: "theirs", backend: { backend_id: "bkdhr_a" } },
    ],
  });
  const mine = { description: "ssh", hostports: ["1.tcp.example.com:1"] };
  const source = (opts: object) =>
    [
      `const account = new tunnel.Provider("account", { apiKey: "key-of-two", baseUrl: "${two.url}" });`,
      declare("TcpEdge", "mine", mine, opts),
      declare("TcpEdge", "two", { description: "two" }, { provider: "=account" }),
      `const theirs = tunnel.TcpEdge.get("theirs", "edgtcp_theirs");`,
      "Object.assign(exports, { id: mine.id, theirs: theirs.backend });",
    ].join("\n");
  const { stack } = await createStack(one, source({ import: "edgtcp_mine" }));
  const writes = () => [one, two].map((emulator) => emulator.calls().filter((call) => !call.startsWith("GET")));

  await stack.up();
  expect(await stack.outputs()).toEqual({ id: "edgtcp_mine", theirs: { backendId: "bkdhr_a", enabled: true } });
  expect(writes()).toEqual([[], ["POST /edges/tcp"]]);
  expect(two.account.tcpEdges).toMatchObject([{ description: "two" }]);
  two.clearRequests();
  stack.write(source({}));
  await stack.preview({ expectNoChanges: true });
  expect(two.calls()).toEqual([]);
  stack.write(source({ import: "edgtcp_theirs" }));
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([
    "This resource is already TCP edge edgtcp_mine, so it cannot import edgtcp_theirs. Declare " +
      "edgtcp_theirs under another name.",
  ]);
  expect(writes()).toEqual([[], []]);
  await stack.destroy();
  expect(writes()).toEqual([["DELETE /edges/tcp/{id}"], ["DELETE /edges/tcp/{id}"]]);
  expect([one, two].map(({ account }) => account.tcpEdges.map(({ id }) => id))).toEqual([["edgtcp_theirs"], []]);
});
