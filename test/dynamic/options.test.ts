/** Resource options that the engine does not pass to the provider, so the constructor passes them as hidden inputs. */
import type { Options } from "../support/engine/provider";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { Stack } from "../support/engine/stack";
import { errorOf } from "../support/errorOf";

const edge = {
  description: "ssh",
  ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] },
  policy: { inbound: [{ name: "one" }, { name: "two" }] },
};

describe("replaceOnChanges", () => {
  let resource: ResourceDriver;
  beforeAll(async () => {
    resource = (await Stack.start()).resource("TcpEdge");
    await resource.up(edge);
  });

  const described = { ...edge, description: "secure shell" };
  const other = { ...edge, ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_c"] } };
  const on = { ...edge, ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] } };
  const { ipRestriction: _, ...open } = edge;
  const second = { ...edge, policy: { inbound: [{ name: "one" }, { name: "three" }] } };

  test.each([
    ["an argument", ["description"], described, "description"],
    ["anything", ["*"], described, "description"],
    ["another argument", ["metadata", "policy"], described, undefined],
    ["a module", ["ipRestriction"], other, "ipRestriction"],
    ["within a module", ["ipRestriction.ipPolicyIds"], other, "ipRestriction"],
    ["within a module, in brackets", ['["ipRestriction"]["ipPolicyIds"]'], other, "ipRestriction"],
    ["within any module", ["*.ipPolicyIds"], other, "ipRestriction"],
    ["elsewhere in the module", ["ipRestriction.enabled"], other, undefined],
    ["removed, so that the default applies", ["ipRestriction.enabled"], on, "ipRestriction"],
    ["unchanged, while another was removed", ["ipRestriction.ipPolicyIds"], on, undefined],
    ["removed with its module", ["ipRestriction.ipPolicyIds"], open, "ipRestriction"],
    ["an item", ["policy.inbound[1].name"], second, "policy"],
    ["any item", ["policy.inbound[*].name"], second, "policy"],
    ["another item", ["policy.inbound[0]"], second, undefined],
    ["added with the value it has", ["*"], { ...edge, metadata: "" }, undefined],
    [
      "in another order",
      ["*"],
      { ...edge, ipRestriction: { enabled: false, ipPolicyIds: ["ipp_b", "ipp_a"] } },
      undefined,
    ],
  ])("%s: %j", async (_name, replaceOnChanges, args, replaced) => {
    const { replaces } = await resource.preview(args, { replaceOnChanges });
    expect(replaces).toEqual(replaced === undefined ? [] : [replaced]);
  });
});

test("the provider compares if there is replaceOnChanges: the engine would replace because of another order", async () => {
  const resource = (await Stack.start()).resource("TcpEdge");
  const args = { description: "ssh", hostports: ["a.example.com:1", "b.example.com:2"] };
  const changed = { ...args, description: "secure shell" };
  const changesWith = async (opts: Options) => {
    await resource.up(args, opts);
    const inputs = await resource.check(changed, opts, resource.state!.inputs);
    return (await resource.diff(resource.state!, inputs, opts)).changes;
  };
  expect(await changesWith({})).toBeUndefined();
  expect(await changesWith({ replaceOnChanges: ["hostports"] })).toBe(true);
});

describe("customTimeouts", () => {
  const start = async () => {
    const stack = await Stack.start({ config: { "tunnel-edge:timeoutSeconds": "3600" } });
    return { stack, emulator: stack.emulator };
  };
  const silent = { hang: "headers", times: Number.POSITIVE_INFINITY } as const;

  test("an update has one timeout for all its calls", async () => {
    const { stack, emulator } = await start();
    const resource = stack.resource("TcpEdge");
    await resource.up({ ...edge, backend: { backendId: "bkdhr_a" } });
    const silence = emulator.fail({ method: "DELETE", ...silent });
    // The first DELETE is found to have worked after the timeout, and the second is not sent.
    const updated = await errorOf(resource.up({ description: "ssh" }, { customTimeouts: { update: "2s" } }));
    expect(updated).toMatch(
      /^TCP edge edgtcp_\w+ could not be updated: DELETE \S+ was not sent before the timeout\. Timed out after 2s \(customTimeouts\.update\)\./,
    );
    silence.cancel();
    await resource.up({ description: "ssh" });
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null, policy: null, backend: null }]);
  });

  test("an update that was executed and timed out is recorded", async () => {
    const { stack, emulator } = await start();
    const resource = stack.resource("TcpEdge");
    await resource.up(edge);
    const silence = emulator.fail({ method: "PATCH", hang: "headers", processed: true });
    const updated = await errorOf(resource.up({ ...edge, description: "new" }, { customTimeouts: { update: "30s" } }));
    expect(updated).toContain("Timed out after 30s (customTimeouts.update).");
    expect(silence.hits).toBe(1);
    expect(resource.state!.outputs).toMatchObject({ description: "new" });
    expect(resource.state!.outputs).not.toHaveProperty("__unconfirmed");
  });

  test("the timeout of a read holds for get and, from the state, for a refresh", async () => {
    const { stack, emulator } = await start();
    const { id } = emulator.api("POST", "/edges/tcp", {});
    const resource = stack.resource("TcpEdge");
    await resource.up({});
    expect(await resource.up({}, { customTimeouts: { read: "20s" } })).toBe("update");
    expect(await resource.up({}, { customTimeouts: { read: "20s" } })).toBe("same");
    const silence = emulator.fail({ method: "GET", ...silent });
    const got = await errorOf(stack.resource("TcpEdge").get(String(id), { customTimeouts: { read: "30s" } }));
    expect(got).toMatch(
      /^TCP edge \w+ could not be read: GET \S+ failed: .* Timed out after 30s \(customTimeouts\.read\)\.$/,
    );
    expect(await errorOf(resource.refresh())).toMatch(/ Timed out after 20s \(customTimeouts\.read\)\.$/);
    silence.cancel();
    await resource.refresh();
    expect(resource.state!.outputs).toMatchObject({ __timeouts: { read: "20s" } });
  });

  test("the timeout of a delete is saved in the state, and removed with the option", async () => {
    const { stack, emulator } = await start();
    const resource = stack.resource("TcpEdgeIpRestriction");
    const { id } = emulator.api("POST", "/edges/tcp", {});
    const args = { edgeId: id, ipPolicyIds: ["ipp_a"] };
    await resource.up(args);
    emulator.clearRequests();
    expect(await resource.up(args, { customTimeouts: { create: "1s", update: "30s" } })).toBe("same");
    expect(await resource.up(args, { customTimeouts: { delete: "1s" } })).toBe("update");
    expect(await resource.up(args, { customTimeouts: { delete: "1s", update: "5m" } })).toBe("same");
    expect(await resource.up(args)).toBe("update");
    expect(await resource.up(args)).toBe("same");
    expect(await resource.up(args, { customTimeouts: { delete: "15.s" } })).toBe("update");
    expect(emulator.calls()).toEqual([]);
    await resource.refresh();
    const silence = emulator.fail({ method: "DELETE", hang: "headers", processed: false });
    const deleted = await errorOf(resource.destroy());
    expect(deleted).toMatch(
      /^IP restriction of TCP edge \w+ could not be deleted: .* Timed out after 15\.s \(customTimeouts\.delete\)\.$/,
    );
    silence.cancel();
    await resource.destroy();
  });

  test.each(["TcpEdge", "TcpEdgeIpRestriction"])("importing a %s has the timeout of a read", async (type) => {
    const { stack, emulator } = await start();
    const { id } = emulator.api("POST", "/edges/tcp", { ip_restriction: { ip_policy_ids: ["ipp_a"] } });
    const args = type === "TcpEdge" ? {} : { edgeId: id, ipPolicyIds: ["ipp_a"] };
    const options = { import: String(id), customTimeouts: { create: "1s", read: "30.s" } };
    const timedOut = new RegExp(
      `${id} could not be imported: GET /edges/tcp/\\S+ failed: .* Timed out after 30\\.s \\(customTimeouts\\.read\\)\\.$`,
    );
    const silence = () => emulator.fail({ method: "GET", ...silent });
    const resource = stack.resource(type);
    const inPreview = silence();
    const previewed = await errorOf(resource.preview(args, options));
    inPreview.cancel();
    expect(previewed).toMatch(timedOut);
    const inputs = await resource.check(args, options);
    const inUp = silence();
    const imported = await errorOf(resource.create(inputs, options));
    inUp.cancel();
    expect(imported).toMatch(timedOut);
    expect(await resource.up(args, options)).toBe("create");
  });

  test("0 means no timeout", async () => {
    const { stack } = await start();
    expect(await stack.resource("TcpEdge").up(edge, { customTimeouts: { create: "0s" } })).toBe("create");
  });
});

test("an interrupted replacement does not delete the new module", async () => {
  const stack = await Stack.start();
  const { id } = stack.emulator.api("POST", "/edges/tcp", {});
  const resource = stack.resource("TcpEdgeIpRestriction");
  const args = { edgeId: id, ipPolicyIds: ["ipp_a"] };
  await resource.up(args);
  const old = resource.state!;
  // In the next run of the CLI, the new one is in the program, and the old one is still to be deleted.
  stack.next();
  expect(await resource.up(args)).toBe("same");
  resource.pendingDeletes.push(old);
  await resource.deleteReplaced();
  expect(stack.emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
});
