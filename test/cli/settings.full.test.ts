/** Settings that are changed, which only a run of the program sees, created by the program itself, or misspelled. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { publicKey } from "../support/data/publicKey";

const hint =
  "`pulumi refresh`, `pulumi destroy` and --refresh use the settings of the last `pulumi up`; add --run-program to use " +
  "the current ones.";
const noKeyMessage = (name: string) =>
  `Provider "${name}": apiKey is empty. An ApiKey has a token only if this stack created it, not if it was imported ` +
  "or read with get.";

const runProgram = { args: ["--run-program"] };

test("a rotated key: the message says why, and --run-program uses the new one", async () => {
  const emulator = await startService({ apiKey: "first-key" });
  emulator.seed({ apiKeys: [{ token: "second-key" }] });
  const { id: first } = emulator.account.apiKeys.find(({ description }) => description !== "")!;
  // An edge of the stack's own account, and one of an explicit Provider.
  const source = [
    `const other = new tunnel.Provider("other", { apiKey: new pulumi.Config().requireSecret("otherKey") });`,
    declare("TcpEdge", "edge", { description: "edge" }),
    declare("TcpEdge", "there", { description: "there" }, { provider: "=other" }),
  ].join("\n");
  const { stack } = await createStack(emulator, source, {
    emulator: undefined,
    config: {
      "tunnel-edge:baseUrl": emulator.url,
      "tunnel-edge:apiKey": { secret: "first-key" },
      "test:otherKey": { secret: "first-key" },
    },
  });
  await stack.up();
  emulator.api("DELETE", `/api_keys/${first}`);
  const keys = ["tunnel-edge:apiKey", "otherKey"].flatMap((key) => ["--secret", `${key}=second-key`]);
  await stack.run(["config", "set-all", ...keys]);

  for (const result of [await stack.up({ fails: true, args: ["--refresh"] }), await stack.destroy({ fails: true })]) {
    const messages = extractErrors(result).filter((message) => message.includes("returned 401"));
    expect(messages).not.toEqual([]);
    for (const message of messages) {
      expect(message).toContain(
        `Check the API key (tunnel-edge:apiKey, TUNNEL_EDGE_API_KEY or the Provider's apiKey). ${hint}`,
      );
    }
  }
  await stack.preview({ args: ["--refresh", "--run-program"] });
  await stack.destroy(runProgram);
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a Provider uses a key that the program creates, and the new key where it is replaced", async () => {
  const emulator = await startService();
  const program = (quarter: string) =>
    [
      declare("ApiKey", "key", { ownerId: "usr_builders", keepers: { quarter } }),
      'const builders = new tunnel.Provider("builders", { apiKey: key.token });',
      declare(
        "SshCredential",
        "machine",
        { publicKey: publicKey("machine"), description: quarter },
        {
          provider: "=builders",
        },
      ),
      "const options = { provider: builders, dependsOn: machine };",
      'const found = tunnel.getSshCredentialsOutput({ ownerId: "usr_builders" }, options);',
      "exports.found = found.sshCredentials.apply((all) => all.map(({ description }) => description));",
    ].join("\n");
  const { stack } = await createStack(emulator, program("Q1"));
  const keys = () => [...new Set(emulator.requests.map(({ headers }) => headers["authorization"]?.slice(7)))];
  const { stdout } = await stack.up({ preview: true });
  const [administrators, first, ...others] = keys();
  expect([administrators, others]).toEqual([emulator.apiKey, []]);
  expect(first).toBeTruthy();
  expect(stdout).not.toContain(first);
  expect(emulator.account.sshCredentials).toMatchObject([{ owner_id: "usr_builders" }]);
  expect(await stack.outputs()).toMatchObject({ found: ["Q1"] });
  await stack.preview({ expectNoChanges: true });

  stack.write(program("Q2"));
  emulator.clearRequests();
  await stack.up({ preview: true });
  const writes = emulator.requests.filter(({ method }) => method !== "GET");
  expect(writes.map(({ method, operation }) => `${method} ${operation}`)).toEqual([
    "POST /api_keys",
    "PATCH /ssh_credentials/{id}",
    "DELETE /api_keys/{id}",
  ]);
  expect(writes[1]?.headers["authorization"]).not.toContain(first);
  await stack.destroy();
  expect(emulator.account).toMatchObject({ apiKeys: [{}], sshCredentials: [] });
});

test("a key without --secret gives one warning, and headers stay with the stack's address", async () => {
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
