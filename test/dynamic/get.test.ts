import { startHost } from "../support/engine/emulatorHost";

test("get fails if the object does not exist", async () => {
  const { emulator, host } = await startHost();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "by hand" }] });
  expect(await host.resource("TcpEdge").get("edgtcp_1")).toMatchObject({ description: "by hand" });
  await expect(host.resource("TcpEdge").get("edgtcp_2")).rejects.toThrow(
    "There is no TCP edge edgtcp_2. Check the id.",
  );
});

test("refresh reports an object in the state that no longer exists", async () => {
  const { emulator, host } = await startHost();
  const edge = host.resource("TcpEdge");
  await edge.up({});
  emulator.api("DELETE", `/edges/tcp/${edge.state!.id}`);
  expect(await edge.refresh()).toBe("gone");
});
