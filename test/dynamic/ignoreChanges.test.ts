import { startHost } from "../support/emulatorHost";
import type { Properties } from "../support/provider";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };

test("an argument in ignoreChanges is no longer managed, so the option can be removed again", async () => {
  const { emulator, host } = await startHost();
  const [edge, separate] = [host.resource("TcpEdge"), host.resource("TcpEdgeIpRestriction")];
  await edge.up({ description: "guarded", ipRestriction });
  emulator.clearRequests();
  // The engine passes the old value while the option is set.
  const ignoreChanges = ["ipRestriction"];
  expect(await edge.up({ description: "guarded", ipRestriction }, { ignoreChanges })).toBe("update");
  expect(await edge.up({ description: "guarded", ipRestriction }, { ignoreChanges })).toBe("same");
  expect(emulator.calls()).toEqual([]);
  await separate.up({ edgeId: edge.state!.id, ...ipRestriction });
  expect(await edge.up({ description: "guarded" })).toBe("same");
  expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  expect(emulator.api("GET", `/edges/tcp/${edge.state!.id}`)).toMatchObject({ ip_restriction: { enabled: true } });
});

test("an ignored argument is sent on creation, and never again", async () => {
  const { emulator, host } = await startHost();
  const edge = host.resource("TcpEdge");
  const ignoreChanges = ["description"];
  await edge.up({ description: "first" }, { ignoreChanges });
  expect(await edge.up({ description: "first" }, { ignoreChanges })).toBe("same");
  emulator.api("PATCH", `/edges/tcp/${edge.state!.id}`, { description: "by hand" });
  await edge.refresh();
  expect(await edge.up({ description: "first" }, { ignoreChanges })).toBe("same");
  expect(await edge.up({ description: "second" })).toBe("update");
  expect(edge.outputs.description).toBe("second");
});

test("ignored keepers do not rotate the key", async () => {
  const { host } = await startHost();
  const key = host.resource("ApiKey");
  await key.up({ keepers: { quarter: "1" } });
  expect(await key.up({ keepers: { quarter: "1" } }, { ignoreChanges: ["keepers"] })).toBe("same");
});

test("a required argument that is ignored before the state has it is reported", async () => {
  const { host } = await startHost();
  const edge = host.resource("TcpEdge");
  await edge.up({});
  // The program declares the ids, but the engine removes them, because the state has none.
  const news = { ipRestriction: { enabled: true } };
  await expect(edge.preview(news, { ignoreChanges: ["ipRestriction.ipPolicyIds"] })).rejects.toThrow(
    "ipRestriction.ipPolicyIds is required, but ignoreChanges keeps the value in the state, which has none; remove it",
  );
});

test("a refresh displays an ignored argument only if it changed", async () => {
  const { emulator, host } = await startHost();
  const edge = host.resource("TcpEdge");
  const args = { description: "first", metadata: "x", ipRestriction: { ipPolicyIds: ["ipp_b", "ipp_a"] } };
  const options = { ignoreChanges: ["description", "ipRestriction"] };
  await edge.up(args, options);
  const before = withoutHidden(edge.state!.inputs);
  await edge.refresh();
  await edge.refresh();
  expect(withoutHidden(edge.state!.inputs)).toEqual(before);
  emulator.api("PATCH", `/edges/tcp/${edge.state!.id}`, { description: "by hand" });
  await edge.refresh();
  expect(withoutHidden(edge.state!.inputs)).toEqual({ ...before, description: "by hand" });
  // The engine passes what the state has.
  expect(await edge.up({ ...args, description: "by hand" }, options)).toBe("same");
  expect(await edge.up(args)).toBe("update");
  expect(edge.outputs.description).toBe("first");
});

/** The engine neither displays nor compares names that begin with `__`. */
const withoutHidden = (inputs: Properties) =>
  Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith("__")));
