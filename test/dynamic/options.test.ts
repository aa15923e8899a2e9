/** The resource options that the engine does not pass on, which the constructor carries as hidden inputs. */
import { TcpEdge } from "pulumi-tunnel-edge";
import { startHost } from "../support/emulatorHost";
import type { ResourceDriver } from "../support/host";

const edge = {
  description: "ssh",
  ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a", "ipp_b"] },
  policy: { inbound: [{ name: "one" }, { name: "two" }] },
};

describe("replaceOnChanges", () => {
  let resource: ResourceDriver;
  beforeAll(async () => {
    const { host } = await startHost();
    resource = host.resource("TcpEdge");
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
    ["dropped, so that the default holds", ["ipRestriction.enabled"], on, "ipRestriction"],
    ["unchanged, where another was dropped", ["ipRestriction.ipPolicyIds"], on, undefined],
    ["dropped with its module", ["ipRestriction.ipPolicyIds"], open, "ipRestriction"],
    ["an item", ["policy.inbound[1].name"], second, "policy"],
    ["any item", ["policy.inbound[*].name"], second, "policy"],
    ["another item", ["policy.inbound[0]"], second, undefined],
    ["newly stated as it is", ["*"], { ...edge, metadata: "" }, undefined],
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

describe("customTimeouts", () => {
  const timed = async (work: () => Promise<unknown>) => {
    const began = Date.now();
    const message = await work().then(
      () => "no error",
      (error: Error) => error.message,
    );
    return { message, seconds: (Date.now() - began) / 1000 };
  };
  /** Sooner than any wait of the client's own would end. */
  const given = (seconds: number, least: number) => {
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThan(25);
  };

  test("a service that answers nothing at all is given up, and what became of the call looked up for a moment", async () => {
    const { emulator, host } = await startHost();
    const resource = host.resource("TcpEdge");
    const silence = emulator.fail({ hang: "headers", times: Number.POSITIVE_INFINITY });
    const created = await timed(() => resource.up(edge, { customTimeouts: { create: "1s" } }));
    expect(created.message).toMatch(
      /^TCP edge could not be created: POST \/edges\/tcp failed: .* Timed out after 1s \(customTimeouts\.create\)\.$/,
    );
    given(created.seconds, 1);
    silence.cancel();
  });

  test("an update has its time once, however many calls it makes", async () => {
    const { emulator, host } = await startHost();
    const resource = host.resource("TcpEdge");
    await resource.up(edge);
    const slow = emulator.fail({ method: "DELETE", delayMs: 700, times: Number.POSITIVE_INFINITY });
    const updated = await timed(() => resource.up({ description: "ssh" }, { customTimeouts: { update: "1s" } }));
    expect(updated.message).toMatch(
      /^TCP edge edgtcp_\w+ could not be updated: .* Timed out after 1s \(customTimeouts\.update\)\.$/,
    );
    given(updated.seconds, 1);
    slow.cancel();
    await resource.up({ description: "ssh" });
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null, policy: null }]);
  });

  test("the state knows the time for a delete, and forgets it with the option", async () => {
    const { emulator, host } = await startHost();
    const resource = host.resource("TcpEdgeIpRestriction");
    const { id } = emulator.api("POST", "/edges/tcp", {});
    const args = { edgeId: id, ipPolicyIds: ["ipp_a"] };
    await resource.up(args);
    emulator.clearRequests();
    expect(await resource.up(args, { customTimeouts: { create: "1s", update: "1s" } })).toBe("same");
    expect(await resource.up(args, { customTimeouts: { delete: "1s" } })).toBe("update");
    expect(await resource.up(args, { customTimeouts: { delete: "1s", update: "5m" } })).toBe("same");
    expect(await resource.up(args)).toBe("update");
    expect(await resource.up(args)).toBe("same");
    expect(await resource.up(args, { customTimeouts: { delete: ".5s" } })).toBe("update");
    expect(emulator.calls()).toEqual([]);
    await resource.refresh();
    const silence = emulator.fail({ method: "DELETE", hang: "headers", processed: false });
    const deleted = await timed(() => resource.destroy());
    expect(deleted.message).toMatch(
      /^IP restriction of TCP edge \w+ could not be deleted: .* Timed out after \.5s \(customTimeouts\.delete\)\.$/,
    );
    given(deleted.seconds, 0.5);
    silence.cancel();
    await resource.destroy();
  });

  test("waiting for a hostport's release ends with the time", async () => {
    const { emulator, host } = await startHost();
    const hostports = ["1.tcp.example.com:1"];
    const holder = host.resource("TcpEdge");
    await holder.up({ hostports });
    const taker = (await host.next()).resource("TcpEdge");
    const { message, seconds } = await timed(() => taker.up({ hostports }, { customTimeouts: { create: "1500ms" } }));
    expect(message).toContain("has the same hostports");
    given(seconds, 0.4);
    expect(emulator.account.tcpEdges).toHaveLength(1);
  });

  test.each(["TcpEdge", "TcpEdgeIpRestriction"])("importing a %s has the time of a create", async (type) => {
    const { emulator, host } = await startHost();
    const { id } = emulator.api("POST", "/edges/tcp", { ip_restriction: { ip_policy_ids: ["ipp_a"] } });
    const args = type === "TcpEdge" ? {} : { edgeId: id, ipPolicyIds: ["ipp_a"] };
    const options = { import: String(id), customTimeouts: { create: "1.s" } };
    const gaveUp = new RegExp(
      `${id} could not be imported: GET /edges/tcp/\\S+ failed: .* Timed out after 1\\.s \\(customTimeouts\\.create\\)\\.$`,
    );
    const silence = () => emulator.fail({ method: "GET", hang: "headers", times: Number.POSITIVE_INFINITY });
    const resource = host.resource(type);
    const inPreview = silence();
    const previewed = await timed(() => resource.preview(args, options));
    inPreview.cancel();
    expect(previewed.message).toMatch(gaveUp);
    given(previewed.seconds, 1);
    const { inputs } = await host.check({}, resource.buildInputs(args, options));
    const inUp = silence();
    const imported = await timed(() => host.create(inputs));
    inUp.cancel();
    expect(imported.message).toMatch(gaveUp);
    given(imported.seconds, 1);
    expect(await resource.up(args, options)).toBe("create");
  });

  test.each(["1d", "5", "soon", "", ".", "-1s"])("%j is rejected", (create) => {
    expect(() => new TcpEdge("ssh", {}, { customTimeouts: { create } })).toThrow(
      `customTimeouts.create of TcpEdge "ssh" must be a duration such as "1h30m", not "${create}".`,
    );
  });

  test("0 is no timeout", async () => {
    const { host } = await startHost();
    await host.resource("TcpEdge").up(edge, { customTimeouts: { create: "0s" } });
  });
});

test("a replacement that was left half way does not take away the module that it made", async () => {
  const { emulator, host } = await startHost();
  const { id } = emulator.api("POST", "/edges/tcp", {});
  const resource = host.resource("TcpEdgeIpRestriction");
  const args = { edgeId: id, ipPolicyIds: ["ipp_a"] };
  await resource.up(args);
  const old = resource.state!;
  // The next run of the CLI finds the new one in the program, and the old one still to be deleted.
  const next = await host.next();
  expect(await resource.useHost(next).up(args)).toBe("same");
  await next.delete(old.id, old.outputs);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
});
