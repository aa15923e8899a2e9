import { expected } from "../support/engine/differences";
import type { Properties } from "../support/engine/provider";
import { Stack } from "../support/engine/stack";
import { describe, test, testedProvider } from "../support/engine/testedProvider";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const policies = { ip_restriction: { enabled: true, ip_policies: [{ id: "ipp_a" }] } };

async function start() {
  const stack = await Stack.start();
  return { stack, emulator: stack.emulator, edge: stack.resource("TcpEdge") };
}

describe.each([["ipRestriction"], ['["ipRestriction"]'], ["*"]])("%s", (option) => {
  const ignoreChanges = [option];

  test("is no longer managed, so the option can be removed again", async () => {
    const { stack, emulator, edge } = await start();
    const separate = stack.resource("TcpEdgeIpRestriction");
    await edge.up({ ipRestriction });
    emulator.clearRequests();
    stack.takeMessages();
    await edge.preview({}, { ignoreChanges });
    expect(stack.takeMessages()).toEqual(["ipRestriction is no longer managed, because of ignoreChanges."]);
    expect(await edge.up({}, { ignoreChanges })).toBe("update");
    expect(await edge.up({}, { ignoreChanges })).toBe("same");
    expect(emulator.calls()).toEqual([]);
    await separate.up({ edgeId: edge.state!.id, ...ipRestriction });
    expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    await edge.refresh();
    stack.takeMessages();
    await edge.preview({});
    expect(stack.takeMessages()).toEqual([
      "ipRestriction is no longer ignored. It is left alone until the program declares it.",
    ]);
    emulator.clearRequests();
    expect(await edge.up({})).toBe("update");
    expect(await edge.up({})).toBe("same");
    expect(emulator.calls()).toEqual([]);
    expect(emulator.api("GET", `/edges/tcp/${edge.state!.id}`)).toMatchObject(policies);
  });

  test("is managed again when the program declares it", async () => {
    const { stack, emulator, edge } = await start();
    await edge.up({ ipRestriction });
    await edge.up({ ipRestriction }, { ignoreChanges });
    stack.takeMessages();
    await edge.preview({ ipRestriction });
    expect(stack.takeMessages()).toEqual(["ipRestriction is managed again."]);
    expect(await edge.up({ ipRestriction })).toBe("update");
    emulator.clearRequests();
    expect(await edge.up({})).toBe("update");
    expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
  });

  test("is forgotten neither by a refresh that finds it gone, nor by an update that fails", async () => {
    const { emulator, edge } = await start();
    await edge.up({ description: "a", ipRestriction });
    await edge.up({ description: "a" }, { ignoreChanges });
    emulator.api("DELETE", `/edges/tcp/${edge.state!.id}/ip_restriction`);
    await edge.refresh();
    expect(await edge.up({ description: "a" }, { ignoreChanges })).toBe("same");
    emulator.api("PUT", `/edges/tcp/${edge.state!.id}/ip_restriction`, { ip_policy_ids: ["ipp_a"] });
    await edge.refresh();
    await edge.up({ description: "a" });
    expect(emulator.api("GET", `/edges/tcp/${edge.state!.id}`)).toMatchObject(policies);
  });
});

test("an argument that is no longer managed stays so after an update that failed halfway", async () => {
  const { emulator, edge } = await start();
  const backend = { backendId: "bkdhr_a" };
  await edge.up({ description: "a", ipRestriction, backend });
  emulator.fail({ method: "DELETE", status: 403 });
  const ignored = edge.up({ description: "b" }, { ignoreChanges: ["ipRestriction"] });
  await expect(ignored).rejects.toThrow("403");
  emulator.clearRequests();
  await edge.up({ description: "b" });
  expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}/backend"]);
});

test("a nested path leaves its module declared", async () => {
  const { emulator, edge } = await start();
  const ignoreChanges = ["ipRestriction.ipPolicyIds"];
  await edge.up({ ipRestriction });
  expect(await edge.up({ ipRestriction }, { ignoreChanges })).toBe("same");
  emulator.clearRequests();
  expect(await edge.up({}, { ignoreChanges })).toBe("update");
  expect(emulator.calls()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
});

test("an ignored argument is sent on creation, and never again", async () => {
  const { emulator, edge } = await start();
  const ignoreChanges = ["description"];
  await edge.up({ description: "first" }, { ignoreChanges });
  expect(await edge.up({ description: "first" }, { ignoreChanges })).toBe(expected("stepAfterCreationIgnored"));
  emulator.api("PATCH", `/edges/tcp/${edge.state!.id}`, { description: "by hand" });
  await edge.refresh();
  expect(await edge.up({ description: "first" }, { ignoreChanges })).toBe("same");
  expect(await edge.up({ description: "second" })).toBe("update");
  expect(edge.outputs.description).toBe("second");
});

test("a required argument that is ignored before the state has it is rejected", async () => {
  const { edge } = await start();
  await edge.up({});
  // The program declares the ids, but the engine removes them, because the state has none.
  const news = { ipRestriction: { enabled: true } };
  await expect(edge.preview(news, { ignoreChanges: ["ipRestriction.ipPolicyIds"] })).rejects.toThrow(
    // The engine does not tell a plugin's check what is ignored.
    testedProvider() === "plugin"
      ? "ipRestriction.ipPolicyIds is required"
      : "ipRestriction.ipPolicyIds is required, but it is in ignoreChanges and the state has no value; remove it",
  );
});

test("a refresh displays an ignored argument only if it changed", async () => {
  const { emulator, edge } = await start();
  const args = { description: "first", metadata: "x", ipRestriction: { ipPolicyIds: ["ipp_b", "ipp_a"] } };
  const options = { ignoreChanges: ["description", "ipRestriction"] };
  await edge.up(args, options);
  await edge.up(args, options);
  const before = withoutHidden(edge.state!.inputs);
  await edge.refresh();
  await edge.refresh();
  expect(withoutHidden(edge.state!.inputs)).toEqual(before);
  emulator.api("PATCH", `/edges/tcp/${edge.state!.id}`, { description: "by hand" });
  await edge.refresh();
  expect(withoutHidden(edge.state!.inputs)).toEqual({ ...before, description: "by hand" });
  // The engine passes what the state has.
  expect(await edge.up(args, options)).toBe("same");
  expect(await edge.up(args)).toBe("update");
  expect(edge.outputs.description).toBe("first");
});

/** The engine neither displays nor compares names that begin with `__`. */
const withoutHidden = (inputs: Properties) =>
  Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith("__")));
