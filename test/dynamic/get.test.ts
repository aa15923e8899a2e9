import { Stack } from "../support/engine/stack";
import { test } from "../support/engine/testedProvider";

test("get fails if the object does not exist", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1", description: "by hand" }] });
  expect(await stack.resource("TcpEdge").get("edgtcp_1")).toMatchObject({ description: "by hand" });
  await expect(stack.resource("TcpEdge").get("edgtcp_2")).rejects.toThrow(
    "There is no TCP edge edgtcp_2. Check the id.",
  );
});

test("refresh reports an object in the state that no longer exists", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  const edge = stack.resource("TcpEdge");
  await edge.up({});
  emulator.api("DELETE", `/edges/tcp/${edge.state!.id}`);
  expect(await edge.refresh()).toBe("gone");
});
