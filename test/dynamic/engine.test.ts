/** If the engine cannot be reached, only messages are lost. */
import { createServer } from "node:net";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { fastClock } from "../support/clock";
import { startHost } from "../support/engine/emulatorHost";
import type { TestedProvider } from "../support/engine/provider";
import { hideModule } from "../support/preload/preload";
import { waitUntil } from "../support/waitUntil";

/** Imports an edge, which logs a message, updates and deletes it. */
async function runOperations(emulator: Emulator, host: TestedProvider): Promise<void> {
  const { id } = emulator.api("POST", "/edges/tcp", { description: "ssh" }) as { id: string };
  const edge = host.resource("TcpEdge");
  await edge.preview({ description: "ssh" }, { import: id });
  await edge.up({ description: "ssh" }, { import: id });
  expect(await edge.up({ description: "secure shell" })).toBe("update");
  await edge.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
}

test("an engine that accepts connections but never responds does not block", async () => {
  const engine = createServer();
  await new Promise<void>((listening) => engine.listen(0, "127.0.0.1", listening));
  const { port } = engine.address() as { port: number };
  try {
    const env = fastClock(20);
    const { emulator, host } = await startHost({}, { engine: `127.0.0.1:${port}`, env });
    await runOperations(emulator, host);
    expect(host.printed).toBe("");
  } finally {
    engine.close();
  }
});

test("without the SDK's gRPC library, messages are printed", async () => {
  const { emulator, host } = await startHost({}, { env: hideModule("@grpc/grpc-js") });
  await runOperations(emulator, host);
  expect(host.logs).toEqual([]);
  await waitUntil(() => host.printed.endsWith("\n"));
  expect(host.printed).toMatch(/^TcpEdge "it": TCP edge edgtcp_\S+ will be .+\n$/);
});
