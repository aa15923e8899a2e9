import { emulated } from "../support/emulated";
import { unknown } from "../support/host";

const full = {
  description: "ssh",
  metadata: "team=edge",
  hostports: ["1.tcp.example.com:20022"],
  backend: { backendId: "bkdhr_1" },
  ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] },
  policy: { inbound: [{ name: "no", expressions: ["true"], actions: [{ type: "deny", config: { some_Key: 1 } }] }] },
};

test("smoke", async () => {
  const { emulator, host } = await emulated();
  const edge = host.resource("TcpEdge");
  expect(await edge.up(full)).toBe("create");
  expect(edge.outputs).toMatchObject({ ...full, backend: { backendId: "bkdhr_1", enabled: true } });
  console.log(JSON.stringify(edge.state), emulator.calls());
  emulator.clearRequests();
  expect(await edge.up(full)).toBe("same");
  expect(await edge.refresh()).toBe("same");
  expect((await edge.preview({ ...full, hostports: unknown })).step).toBe("update");
  expect(await edge.up({ ...full, ipRestriction: { ipPolicyIds: ["ipp_b"] } })).toBe("update");
  expect(await edge.up({ description: "x" })).toBe("update");
  expect(await edge.up({})).toBe("update");
  await edge.destroy();
  console.log(emulator.calls(), host.printed, host.told);
});
