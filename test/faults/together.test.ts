import { Stack } from "../support/engine/stack";
import { test, testedProvider } from "../support/engine/testedProvider";

const once = { "tunnel-edge:maxRetries": "0" };

test("an update that is executed only after the edge was read is sent again when the program is reverted", async () => {
  const { stack, emulator, gateway } = await Stack.startBehindGateway({ config: once });
  const edge = stack.resource("TcpEdge");
  const before = { description: "before", ipRestriction: { ipPolicyIds: ["ipp_a"] } };
  await edge.up(before);
  let executeLate: () => Promise<unknown> = async () => undefined;
  gateway.handle = async ({ method }, forward) => {
    if (method !== "PATCH") return forward();
    executeLate = forward;
    return { status: 504, headers: { "content-type": "text/html" }, body: "<html>Gateway timeout</html>" };
  };
  await expect(edge.up({ description: "after", ipRestriction: { ipPolicyIds: ["ipp_b"] } })).rejects.toThrow("504");
  // Without it the host could not read and delete the edge.
  if (testedProvider() === "dynamic") expect(edge.state!.outputs["__provider"]).toEqual(expect.any(String));
  await executeLate();
  gateway.handle = (_, forward) => forward();
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "after" }]);
  stack.next();
  expect(await edge.up(before)).toBe("update");
  expect(emulator.account.tcpEdges).toMatchObject([
    { description: "before", ip_restriction: { ip_policies: [{ id: "ipp_a" }] } },
  ]);
  expect(await edge.up(before)).toBe("same");
});

test("a deletion that is executed only after the edge was read once is done", async () => {
  const { stack, emulator, gateway } = await Stack.startBehindGateway({ config: once });
  const edge = stack.resource("TcpEdge");
  await edge.up({});
  let executeLate: () => Promise<unknown> = async () => undefined;
  gateway.handle = async ({ method }, forward) => {
    if (method === "DELETE") {
      executeLate = forward;
      return { status: 504, headers: { "content-type": "text/html" }, body: "<html>Gateway timeout</html>" };
    }
    const read = await forward();
    await executeLate();
    return read;
  };
  await edge.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("an edge that a service without DELETE answers with its own 404 is cleared, not forgotten", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  const edge = stack.resource("TcpEdge");
  const hostports = ["a.example.com:1"];
  await edge.up({ hostports, backend: { backendId: "bkdhr_a" } });
  emulator.fail({ method: "DELETE", path: "/edges/tcp/{id}", status: 404 });
  await edge.destroy();
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: null, backend: null }]);
});

test("what is newly declared with the value that the state has is sent next, if the response shows another one", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "one", metadata: "known" }] });
  const edge = stack.resource("TcpEdge");
  await edge.up({ description: "one" }, { import: "edgtcp_1" });
  await edge.up({ description: "one" });
  emulator.api("PATCH", "/edges/tcp/edgtcp_1", { metadata: "changed by somebody else" });
  emulator.clearRequests();
  const program = { description: "two", metadata: "known" };
  expect(await edge.up(program)).toBe("update");
  expect(stack.said.at(-1)).toMatch(/returned another metadata of .* The next `pulumi up` sends it again\.$/);
  expect(await edge.up(program)).toBe("update");
  expect(emulator.account.tcpEdges).toMatchObject([program]);
  expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}", "PATCH /edges/tcp/{id}"]);
  expect(await edge.refresh()).toBe("same");
});
