import { connectHost, startHost } from "../support/engine/emulatorHost";
import { Host } from "../support/engine/host";

test("missing settings are reported by check, and by operations without a check", async () => {
  const { host } = await startHost();
  const edge = host.resource("TcpEdge");
  await edge.up({});
  edge.useProvider(await Host.start());
  await expect(edge.up({})).rejects.toThrow(
    /^tunnel-edge:apiKey is not set: .*\ntunnel-edge:baseUrl is not set: run `pulumi config set tunnel-edge:baseUrl/,
  );
  await expect(edge.refresh()).rejects.toThrow(/could not be read: tunnel-edge:apiKey is not set: run/);
  await expect(edge.destroy()).rejects.toThrow(/could not be deleted: tunnel-edge:apiKey is not set: run/);
});

test("a key's token is kept when it becomes the provider's own key", async () => {
  const { emulator, host } = await startHost();
  const key = host.resource("ApiKey");
  await key.up({ description: "ours" });
  const { token } = key.outputs;
  key.useProvider(await connectHost(emulator, { config: { "tunnel-edge:apiKey": token } }));
  await key.refresh();
  await key.up({ description: "ours, still" });
  expect(key.outputs.token).toBe(token);
});

describe("a misspelled setting", () => {
  const reason =
    "tunnel-edge:baseURL is not a setting; did you mean tunnel-edge:baseUrl? Remove it with " +
    "`pulumi config rm tunnel-edge:baseURL`.";

  test("fails every resource's check", async () => {
    const { emulator } = await startHost();
    const config = { "tunnel-edge:apiKey": emulator.apiKey, "tunnel-edge:baseURL": emulator.url };
    const host = await Host.start({ config });
    await expect(host.resource("TcpEdge").preview({})).rejects.toThrow(new Error(reason));
    const command = host.resource("TunnelSessionCommand").preview({ sessionId: "ts_a", commands: ["stop"] });
    await expect(command).rejects.toThrow(new Error(reason));
  });

  test("of the last `pulumi up` does not fail a refresh, which has the other settings", async () => {
    const { emulator, host } = await startHost();
    const edge = host.resource("TcpEdge");
    await edge.up({});
    edge.useProvider(
      await connectHost(emulator, { config: { "tunnel-edge:baseURL": emulator.url, "tunnel-edge:edges": "x" } }),
    );
    expect(await edge.refresh()).toBe("same");
    await expect(edge.up({})).rejects.toThrow(new Error(reason));
  });
});
