import { Stack } from "../support/engine/stack";
import { test } from "../support/engine/testedProvider";

test("operations without a check report missing settings, too", async () => {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge");
  await edge.up({});
  stack.next();
  edge.useProvider(stack.startProcess({ "tunnel-edge:apiKey": "", "tunnel-edge:baseUrl": "" }));
  await expect(edge.refresh()).rejects.toThrow(/could not be read: tunnel-edge:apiKey is not set: run/);
  await expect(edge.delete()).rejects.toThrow(/could not be deleted: tunnel-edge:apiKey is not set: run/);
});

test("a key's token is kept when it becomes the provider's own key", async () => {
  const stack = await Stack.start();
  const key = stack.resource("ApiKey");
  await key.up({ description: "ours" });
  const { token } = key.outputs;
  const { emulator, time } = stack;
  const own = await Stack.start({ emulator, time, config: { "tunnel-edge:apiKey": token } });
  key.useProvider(own.provider);
  await key.refresh();
  await key.up({ description: "ours, still" });
  expect(key.outputs.token).toBe(token);
});

globalThis.test("a misspelled setting fails every resource's check, and no refresh", async () => {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge");
  await edge.up({});
  const misspelled = stack.startProcess({ "tunnel-edge:baseURL": stack.emulator.url, "tunnel-edge:edges": "x" });
  expect(await edge.useProvider(misspelled).refresh()).toBe("same");
  const reason = new Error(
    "tunnel-edge:baseURL is not a setting; did you mean tunnel-edge:baseUrl? Remove it with " +
      "`pulumi config rm tunnel-edge:baseURL`.",
  );
  await expect(edge.up({})).rejects.toThrow(reason);
  const command = misspelled.resource("TunnelSessionCommand").preview({ sessionId: "ts_a", commands: ["stop"] });
  await expect(command).rejects.toThrow(reason);
});
