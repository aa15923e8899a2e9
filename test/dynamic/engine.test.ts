/** If the engine cannot be reached, only messages are lost. */
import { createServer } from "node:net";
import { fastClock } from "../support/clock";
import { configOf, startService } from "../support/emulators";
import { type RemoteOptions, RemoteProvider } from "../support/engine/remote";
import { hideModule } from "../support/preload/preload";
import { waitUntil } from "../support/waitUntil";

/** Imports an edge, which logs a message, and updates it. */
async function runOperations(options: RemoteOptions): Promise<RemoteProvider> {
  const emulator = await startService();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", { description: "ssh" });
  const host = await RemoteProvider.start("dynamic", { config: configOf(emulator), ...options });
  const edge = host.tested.resource("TcpEdge");
  await edge.preview({ description: "ssh" }, { import: id });
  await edge.up({ description: "ssh" }, { import: id });
  expect(await edge.up({ description: "secure shell" })).toBe("update");
  return host;
}

test("an engine that accepts connections but never responds does not block", async () => {
  const engine = createServer();
  await new Promise<void>((listening) => engine.listen(0, "127.0.0.1", listening));
  const { port } = engine.address() as { port: number };
  try {
    const { process } = await runOperations({ engine: `127.0.0.1:${port}`, env: fastClock(20) });
    expect(process.printed).toBe("");
  } finally {
    engine.close();
  }
});

test("without the SDK's gRPC library, messages are printed", async () => {
  const { process, deployment } = await runOperations({ env: hideModule("@grpc/grpc-js") });
  expect(deployment.logs).toEqual([]);
  await waitUntil(() => process.printed.endsWith("\n"));
  expect(process.printed).toMatch(/^TcpEdge "it": TCP edge edgtcp_\S+ will be .+\n$/);
});
