/** An engine that cannot be reached costs its messages, and nothing else. */
import { createServer } from "node:net";
import { resolve } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { startHost } from "../support/emulatorHost";
import type { Host } from "../support/host";

const preloaded = (name: string) => ({ NODE_OPTIONS: `--require ${resolve(__dirname, "../support", name)}` });

/** Imports an edge, which is announced, and changes and deletes it. */
async function live(emulator: Emulator, host: Host): Promise<void> {
  const { id } = emulator.api("POST", "/edges/tcp", { description: "ssh" }) as { id: string };
  const edge = host.resource("TcpEdge");
  await edge.preview({ description: "ssh" }, { import: id });
  await edge.up({ description: "ssh" }, { import: id });
  expect(await edge.up({ description: "secure shell" })).toBe("update");
  await edge.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
}

test("an engine that accepts connections and never responds is not waited for", async () => {
  const engine = createServer();
  await new Promise<void>((listening) => engine.listen(0, "127.0.0.1", listening));
  const { port } = engine.address() as { port: number };
  try {
    const env = { ...preloaded("fastClock.js"), FAST_CLOCK: "20" };
    const { emulator, host } = await startHost({}, { engine: `127.0.0.1:${port}`, env });
    await live(emulator, host);
    expect(host.printed).toBe("");
  } finally {
    engine.close();
  }
});

test("without the SDK's gRPC library the messages are printed", async () => {
  const { emulator, host } = await startHost(
    {},
    { env: { ...preloaded("hideModule.js"), HIDE_MODULE: "@grpc/grpc-js" } },
  );
  await live(emulator, host);
  expect(host.logs).toEqual([]);
  expect(host.printed).toMatch(/^TcpEdge "it": TCP edge edgtcp_\S+ will be .+\n$/);
});
