import { startEmulator } from "pulumi-tunnel-edge/emulator";
import { emulated, hostFor } from "../support/emulated";
import { Host } from "../support/host";

test("missing settings are told by check, and by what calls no check", async () => {
  const { host } = await emulated();
  const edge = host.resource("TcpEdge");
  await edge.up({});
  edge.on(await Host.start());
  await expect(edge.up({})).rejects.toThrow(
    /^tunnel-edge:apiKey is not set: .*\ntunnel-edge:baseUrl is not set: run `pulumi config set tunnel-edge:baseUrl/,
  );
  await expect(edge.refresh()).rejects.toThrow(/could not be read: tunnel-edge:apiKey is not set: run/);
  await expect(edge.destroy()).rejects.toThrow(/could not be deleted: tunnel-edge:apiKey is not set: run/);
});

test("a key's token is kept when it becomes the provider's own key", async () => {
  const { emulator, host } = await emulated();
  const key = host.resource("ApiKey");
  await key.up({ description: "ours" });
  const { token } = key.outputs;
  key.on(await hostFor(emulator, { config: { "tunnel-edge:apiKey": token } }));
  await key.refresh();
  await key.up({ description: "ours, still" });
  expect(key.outputs.token).toBe(token);
});

test("what the service says of the provider's key leaves in no output", async () => {
  const emulator = await startEmulator({ apiKey: "a-secret-key" });
  const host = await hostFor(emulator);
  const { id } = emulator.api("POST", "/edges/tcp", { description: "made with a-secret-key" }) as { id: string };
  const edge = host.resource("TcpEdge");
  await edge.up({ metadata: "" }, { import: id });
  expect(edge.outputs.description).toBe("made with [secret]");
  await emulator.close();
});
