import { startHost } from "../support/emulatorHost";

const text = `exports.handler=()=>require("pulumi-tunnel-edge/host").provider("TcpEdge")`;

test("get fails if the object does not exist", async () => {
  const { emulator, host } = await startHost();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "by hand" }] });
  expect(await host.read("edgtcp_1", { __provider: text })).toMatchObject({ outputs: { description: "by hand" } });
  await expect(host.read("edgtcp_2", { __provider: text })).rejects.toThrow(
    "There is no TCP edge edgtcp_2. Correct the id.",
  );
});

test("refresh reports an object in the state that no longer exists", async () => {
  const { host } = await startHost();
  expect(await host.read("edgtcp_1", { __provider: text, __managed: "" })).toBeUndefined();
});
