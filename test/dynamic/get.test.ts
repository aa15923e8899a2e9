import { startHost } from "../support/emulatorHost";

const text = `exports.handler=()=>require("pulumi-tunnel-edge/host").provider("TcpEdge")`;

test("what a program reads by its id must be there", async () => {
  const { emulator, host } = await startHost();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "by hand" }] });
  expect(await host.read("edgtcp_1", { __provider: text })).toMatchObject({ outputs: { description: "by hand" } });
  await expect(host.read("edgtcp_2", { __provider: text })).rejects.toThrow(
    "There is no TCP edge edgtcp_2: correct the id.",
  );
});

test("what is in the state may be gone", async () => {
  const { host } = await startHost();
  expect(await host.read("edgtcp_1", { __provider: text, __managed: "" })).toBeUndefined();
});
