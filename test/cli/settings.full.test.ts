/** Settings that are changed, which only a run of the program sees, created by the program itself, or misspelled. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { publicKey } from "../support/data/publicKey";

const hint =
  "`pulumi refresh`, `pulumi destroy` and --refresh use the settings of the last `pulumi up`; add --run-program to use " +
  "the current ones.";
const runProgram = { args: ["--run-program"] };

/** A stack with an edge of its own account and one of an explicit Provider, both with a key that is then replaced. */
async function createStackAndRotateKey() {
  const emulator = await startService({ apiKey: "first-key" });
  emulator.seed({ apiKeys: [{ token: "second-key" }] });
  const { id: first } = emulator.account.apiKeys.find(({ description }) => description !== "")!;
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
  await stack.run([
    "config",
    "set-all",
    "--secret",
    "tunnel-edge:apiKey=second-key",
    "--secret",
    "otherKey=second-key",
  ]);
  return { emulator, stack };
}

test("a rotated key: the message says why, and --run-program uses the new one", async () => {
  const { emulator, stack } = await createStackAndRotateKey();
  const failed = [
    await stack.refresh({ fails: true }),
    await stack.preview({ fails: true, args: ["--refresh"] }),
    await stack.up({ fails: true, args: ["--refresh"] }),
    await stack.destroy({ fails: true }),
  ];
  for (const result of failed) {
    const messages = extractErrors(result).filter((message) => message.includes("returned 401"));
    expect(messages).not.toEqual([]);
    for (const message of messages) {
      expect(message).toContain(
        `Check the API key (tunnel-edge:apiKey, TUNNEL_EDGE_API_KEY or the Provider's apiKey). ${hint}`,
      );
    }
  }
  await stack.preview({ args: ["--refresh", "--run-program"] });
  await stack.refresh(runProgram);
  expect((await stack.refresh()).summary).toMatchObject({ same: 4 });
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a rotated key: --run-program also works with up --refresh and destroy", async () => {
  const { emulator, stack } = await createStackAndRotateKey();
  await stack.up({ args: ["--refresh", "--run-program"] });
  const { stack: next, emulator: account } = await createStackAndRotateKey();
  await next.destroy(runProgram);
  expect(emulator.account.tcpEdges).toHaveLength(2);
  expect(account.account.tcpEdges).toEqual([]);
});

test("with --run-program, the old address is not used after a change", async () => {
  const emulator = await startService();
  const { stack } = await createStack(emulator, declare("TcpEdge", "edge", { description: "edge" }), {
    emulator: undefined,
    config: { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": { secret: emulator.apiKey } },
    env: { TUNNEL_EDGE_MAX_RETRIES: "0" },
  });
  await stack.up();
  const moved = await startService({ apiKey: emulator.apiKey });
  const { id, description } = emulator.account.tcpEdges[0]!;
  moved.seed({ tcpEdges: [{ id, description }] });
  await emulator.close();
  await stack.run(["config", "set", "tunnel-edge:baseUrl", moved.url]);
  expect(extractErrors(await stack.refresh({ fails: true }))).toEqual([
    expect.stringContaining(
      `failed to connect to ${emulator.url}: the connection was refused. Is the emulator running? ` +
        `If tunnel-edge:baseUrl has changed, note that ${hint}`,
    ),
  ]);
  expect(moved.calls()).toEqual([]);
  await stack.refresh(runProgram);
  expect(moved.calls()).toEqual(["GET /edges/tcp/{id}"]);
});

test("a rotated key in the environment is used at once", async () => {
  const emulator = await startService({ apiKey: "first-key" });
  emulator.seed({ apiKeys: [{ token: "second-key" }] });
  const { stack } = await createStack(emulator, declare("TcpEdge", "edge", { description: "edge" }));
  await stack.up();
  const { id } = emulator.account.apiKeys.find(({ description }) => description !== "")!;
  emulator.api("DELETE", `/api_keys/${id}`);
  emulator.clearRequests();
  const { summary } = await stack.refresh({ env: { TUNNEL_EDGE_API_KEY: "second-key" } });
  expect(summary).toEqual({ same: 2 });
  expect(emulator.requests).toMatchObject([
    { method: "GET", operation: "/edges/tcp/{id}", status: 200, headers: { authorization: "Bearer second-key" } },
  ]);
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

test("a misspelled setting fails the preview", async () => {
  const emulator = await startService();
  const { stack, calls } = await createStack(emulator, declare("TcpEdge", "edge"), {
    config: { "tunnel-edge:baseURL": emulator.url, "tunnel-edge:edges": "mine" },
  });
  const reason =
    "tunnel-edge:baseURL is not a setting; did you mean tunnel-edge:baseUrl? Remove it with " +
    "`pulumi config rm tunnel-edge:baseURL`.";
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([reason]);
  stack.write("tunnel.getTunnels();");
  expect((await stack.preview({ fails: true })).stdout).toContain(reason);
  expect(calls()).toEqual([]);
  await stack.run(["config", "rm", "tunnel-edge:baseURL"]);
  await stack.preview();
  expect(calls()).toEqual(["GET /tunnels"]);
});
