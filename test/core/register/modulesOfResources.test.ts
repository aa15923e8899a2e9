/** An edge and the separate resource of its module write the same path: whoever the program names last has it. */
import type { JsonObject } from "../../../src/base/json";
import { Register } from "../../../src/core/register/register";
import { createRequestTime, fastClock, type RequestTime } from "../../support/clock";
import { startHost } from "../../support/engine/emulatorHost";
import { errorOf } from "../../support/errorOf";
import { waitUntil } from "../../support/waitUntil";

const office = { ipPolicyIds: ["ipp_office"] };
const wide = { ipPolicyIds: ["ipp_wide"] };

/** An edge whose module was its own resource's and became the edge's, while that resource could not be deleted. */
async function startMoved(inEdge: object, clock?: RequestTime) {
  const { emulator, host } = await startHost({ clock: clock?.now }, { clock });
  const [edge, separate] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
  await edge.up({});
  const args = { edgeId: edge.state!.id, ...office };
  await separate.up(args);
  await host.startNewRun();
  await edge.up({ ipRestriction: inEdge });
  await host.startNewRun();
  emulator.clearRequests();
  const policies = () => emulator.account.tcpEdges[0]!.ip_restriction?.ip_policies.map(({ id }) => id);
  const writes = () => emulator.calls().filter((call) => !call.startsWith("GET"));
  return { emulator, host, edge, separate, args, policies, writes };
}

describe("the program goes back to the separate resource", () => {
  test("and is interrupted after the edge has removed the module: the next deployment sets it", async () => {
    const { host, edge, separate, args, policies } = await startMoved(office);
    await edge.up({});
    expect(policies()).toBeUndefined();
    await host.startNewRun();
    expect(await edge.up({})).toBe("same");
    expect(await separate.preview(args)).toMatchObject({ step: "update" });
    expect(await separate.up(args)).toBe("update");
    expect(policies()).toEqual(["ipp_office"]);
    await host.startNewRun();
    expect([await edge.up({}), await separate.up(args)]).toEqual(["same", "same"]);
  });

  test("which wrote last, and is interrupted after the edge has removed the module: the next deployment sets it", async () => {
    const { host, edge, separate, args, policies } = await startMoved(wide);
    expect(await edge.up({ ipRestriction: wide })).toBe("same");
    await separate.up({ ...args, ipPolicyIds: ["ipp_new"] });
    await host.startNewRun();
    await edge.up({});
    expect(policies()).toBeUndefined();
    await host.startNewRun();
    expect(await edge.up({})).toBe("same");
    expect(await separate.up({ ...args, ipPolicyIds: ["ipp_new"] })).toBe("update");
    expect(policies()).toEqual(["ipp_new"]);
  });

  test("which declares no arguments: it is set again all the same", async () => {
    const { emulator, host } = await startHost();
    const [edge, separate] = [host.resource("TlsEdge", "api"), host.resource("TlsEdgeTlsTermination", "plain")];
    await edge.up({});
    const args = { edgeId: edge.state!.id };
    await separate.up(args);
    await host.startNewRun();
    await edge.up({ tlsTermination: {} });
    await host.startNewRun();
    await edge.up({});
    expect(emulator.account.tlsEdges[0]!.tls_termination).toBeNull();
    expect(await separate.up(args)).toBe("update");
    expect(emulator.account.tlsEdges[0]!.tls_termination).toMatchObject({ enabled: true });
    expect(await separate.up(args)).toBe("same");
  });

  test("whose PUT is rejected: the state says that the module is not set, and the next deployment sets it", async () => {
    const { emulator, host, edge, separate, args, policies } = await startMoved(office);
    await edge.up({});
    emulator.fail({ method: "PUT", status: 400 });
    await expect(separate.up(args)).rejects.toThrow("returned 400");
    expect(separate.state!.hasInitErrors).toBe(true);
    expect(separate.outputs).not.toHaveProperty("ipPolicyIds");
    await host.startNewRun();
    await edge.up({});
    await separate.up(args);
    expect(policies()).toEqual(["ipp_office"]);
  });

  test.each(["first", "second"])(
    "and the edge has set something else and does not remove it, diffed %s",
    async (order) => {
      const { host, edge, separate, args, policies, writes } = await startMoved(wide);
      const ignored = { ignoreChanges: ["ipRestriction"] };
      const steps = [() => edge.up({}, ignored), () => separate.up(args)];
      for (const step of order === "first" ? steps : steps.reverse()) await step();
      expect(policies()).toEqual(["ipp_office"]);
      expect(writes()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
      await host.startNewRun();
      await edge.refresh();
      await separate.refresh();
      await host.startNewRun();
      expect([await edge.up({}, ignored), await separate.up(args)]).toEqual(["same", "same"]);
      expect(writes()).toHaveLength(1);
    },
  );
});

describe("two writes at once", () => {
  test("the edge's DELETE is delayed, and the resource's PUT waits for it", async () => {
    const { emulator, edge, separate, args, policies, writes } = await startMoved(office);
    const fault = emulator.fail({ method: "DELETE", delayMs: 1_000 });
    const removing = edge.up({});
    await waitUntil(() => fault.hits > 0);
    await Promise.all([removing, separate.up(args)]);
    expect(policies()).toEqual(["ipp_office"]);
    expect(writes()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction", "PUT /edges/tcp/{id}/ip_restriction"]);
  });

  test("the resource's PUT is delayed, and the edge then removes nothing", async () => {
    const { emulator, edge, separate, args, policies, writes } = await startMoved(wide);
    const fault = emulator.fail({ method: "PUT", delayMs: 1_000 });
    const setting = separate.up({ ...args, ipPolicyIds: ["ipp_new"] });
    await waitUntil(() => fault.hits > 0);
    await Promise.all([setting, edge.up({})]);
    expect(policies()).toEqual(["ipp_new"]);
    expect(writes()).not.toContain("DELETE /edges/tcp/{id}/ip_restriction");
  });

  test("the edge's DELETE may still be running, and the resource's PUT waits for its end", async () => {
    const { emulator, edge, separate, args, policies } = await startMoved(office, createRequestTime());
    emulator.fail({ method: "DELETE", hang: "headers", processed: false });
    const unreadable = emulator.fail({ method: "GET", status: 403, times: Number.POSITIVE_INFINITY });
    await expect(edge.up({}, { customTimeouts: { update: "300ms" } })).rejects.toThrow("Timed out");
    unreadable.cancel();
    await separate.up(args);
    expect(policies()).toEqual(["ipp_office"]);
    const timeOf = (wanted: string) => Date.parse(emulator.requests.find(({ method }) => method === wanted)!.time);
    expect(timeOf("PUT") - timeOf("DELETE")).toBeGreaterThanOrEqual(10_000);
  });
});

test.each([
  ["none was lost", undefined, undefined, 0],
  ["another process lost the last one", 1_000, 2_000, 2_000],
  ["this process lost the last one", 2_000, 1_000, 2_000],
  ["only another process lost one", undefined, 1_000, 1_000],
])("the latest lost call of all processes is waited for: %s", (_, own, other, expected) => {
  const published: JsonObject[] = [];
  const elsewhere = { publish: (entry: object) => void published.push(entry as JsonObject), read: () => new Map() };
  const here = { publish: () => undefined, read: () => new Map([["other", { entries: published, isDead: false }]]) };
  const [register, otherRegister] = [here, elsewhere].map(
    (shared) => new Register(shared, "https://api.example.com", (text) => text),
  ) as [Register, Register];
  if (own !== undefined) register.record("/edges/tcp/edgtcp_1", { lostUntil: own });
  if (other !== undefined) otherRegister.record("/edges/tcp/edgtcp_1", { lostUntil: other });
  expect(register.view().historyOf("/edges/tcp/edgtcp_1").lostUntil).toBe(expected);
});

/** An edge with a separate IP restriction. */
async function startSeparate() {
  const { emulator, host } = await startHost();
  const [edge, separate] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
  await edge.up({});
  const { id } = edge.state!;
  await separate.up({ edgeId: id, ...office });
  await host.startNewRun();
  return { emulator, host, edge, separate, id };
}

test("a module whose new owner failed is not removed with its resource", async () => {
  const { emulator, edge, separate, id } = await startSeparate();
  emulator.fail({ method: "PUT", status: 400 });
  await expect(edge.up({ ipRestriction: wide })).rejects.toThrow("returned 400");
  emulator.clearRequests();
  expect(await errorOf(separate.delete())).toBe(
    `IP restriction of TCP edge ${id} could not be deleted: TcpEdge "ssh", which declares it too, failed in this ` +
      "deployment. Run `pulumi up` again.",
  );
  expect(emulator.calls()).toEqual([]);
});

test.each(["failed", "was skipped"])("a module is not removed if its edge's update %s", async (how) => {
  const { emulator, host, edge, separate, id } = await startSeparate();
  const policy = { inbound: [{ name: "deny", actions: [{ type: "deny" }] }] };
  if (how === "failed") {
    emulator.fail({ method: "PATCH", status: 400 });
    await expect(edge.up({ policy })).rejects.toThrow("returned 400");
  } else {
    // As if something that the edge depends on had failed.
    await edge.preview({ policy });
  }
  emulator.clearRequests();
  expect(await errorOf(separate.delete())).toBe(
    `IP restriction of TCP edge ${id} could not be deleted: TcpEdge "ssh", which it belongs to, was not updated in this ` +
      "deployment. Run `pulumi up` again.",
  );
  expect(emulator.calls()).toEqual([]);
  await host.startNewRun();
  await edge.up({ policy });
  await separate.delete();
  expect(emulator.account.tcpEdges[0]).toMatchObject({ policy: {}, ip_restriction: null });
});

describe("a module that its edge drops, and a new resource declares", () => {
  /** The resource is checked before the edge's turn comes. */
  const start = async () => {
    const { emulator, host } = await startHost();
    const [edge, separate] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
    await edge.up({ ipRestriction: wide });
    await host.startNewRun();
    emulator.clearRequests();
    const args = { edgeId: edge.state!.id, ...office };
    await separate.check(args);
    expect(await edge.up({})).toBe("update");
    expect(emulator.calls()).toEqual([]);
    expect(host.logs.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        `The ipRestriction of TCP edge ${args.edgeId} was not removed, because TcpEdgeIpRestriction "office" declares it.`,
      ),
    ]);
    return { emulator, host, edge, separate, args };
  };

  test("stays until the resource has set it, and is then the resource's", async () => {
    const { emulator, host, edge, separate, args } = await start();
    await separate.up(args);
    await host.startNewRun();
    await separate.check(args);
    expect([await edge.up({}), await separate.up(args)]).toEqual(["update", "same"]);
    expect(await edge.up({})).toBe("same");
    expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  });

  test("is removed by the edge if the resource fails and leaves the program", async () => {
    const { emulator, host, edge, separate, args } = await start();
    emulator.fail({ method: "PUT", status: 400 });
    await expect(separate.up(args)).rejects.toThrow("returned 400");
    expect(separate.state).toBeUndefined();
    await host.startNewRun();
    expect(await edge.up({})).toBe("update");
    expect(emulator.account.tcpEdges[0]!.ip_restriction).toBeNull();
    expect(await edge.up({})).toBe("same");
  });

  test("is waited for in the next deployment if the resource had failed, also after a refresh", async () => {
    // What waits 3 s has ten times as long.
    const { emulator, host } = await startHost({}, { env: fastClock(0.1) });
    const [edge, separate] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
    await edge.up({ ipRestriction: wide });
    const args = { edgeId: edge.state!.id, ...office };
    await host.startNewRun();
    emulator.fail({ method: "PUT", status: 400 });
    await expect(separate.up(args)).rejects.toThrow("returned 400");
    expect(await edge.up({})).toBe("update");
    const inputs = edge.state!.inputs;
    await edge.refresh();
    expect(edge.state!.inputs).toEqual(inputs);
    await host.startNewRun();
    emulator.clearRequests();
    // The engine comes to the resource while the edge is updated.
    let created: Promise<unknown> | undefined;
    const later = async () => {
      created = new Promise((resolve) => setTimeout(resolve, 500)).then(() => separate.up(args));
    };
    expect(await edge.up({}, {}, later)).toBe("update");
    expect(await created).toBe("create");
    expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    expect(host.logs.map(({ message }) => message).filter((message) => message.includes("moves from"))).toEqual([]);
    await host.startNewRun();
    expect([await edge.up({}), await separate.up(args)]).toEqual(["same", "same"]);
  });

  test("can be declared by the edge again", async () => {
    const { emulator, host, edge } = await start();
    await host.startNewRun();
    expect(await edge.up({ ipRestriction: wide })).toBe("update");
    await edge.refresh();
    expect(edge.state!.inputs).toMatchObject({ ipRestriction: wide });
    await host.startNewRun();
    expect(await edge.up({ ipRestriction: wide })).toBe("same");
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_wide" }] } }]);
  });
});

test("a module whose edge could not be created passes its check, as long as it is not created", async () => {
  const { emulator, host } = await startHost();
  const [edge, separate] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
  await expect(separate.check(office)).rejects.toThrow("edgeId is required");
  emulator.fail({ method: "POST", status: 400 });
  await expect(edge.up({})).rejects.toThrow("returned 400");
  await separate.check(office);
  expect(await errorOf(separate.up(office))).toBe("edgeId is required");
  expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
});

test("the removal of what protects an edge is reported", async () => {
  const { emulator, host } = await startHost();
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
  const separate = host.resource("TcpEdgeIpRestriction", "office");
  await separate.up({ edgeId: "edgtcp_1", ...office });
  await host.startNewRun();
  await separate.delete();
  expect(host.logs.map(({ message }) => message)).toEqual([
    "The IP restriction of TCP edge edgtcp_1 was removed. If another resource declares it, run `pulumi refresh`, then " +
      "`pulumi up`.",
  ]);
});

test("an edge that declares a module again, which its own resource had set and removed since, sets it", async () => {
  const { emulator, host } = await startHost();
  const [edge, separate] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
  await edge.up({ ipRestriction: office });
  await host.startNewRun();
  await edge.up({}, { ignoreChanges: ["ipRestriction"] });
  await separate.up({ edgeId: edge.state!.id, ...office });
  await host.startNewRun();
  await edge.up({});
  await separate.delete();
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);
  await host.startNewRun();
  expect(await edge.up({ ipRestriction: office })).toBe("update");
  expect(emulator.account.tcpEdges[0]!.ip_restriction).toMatchObject({ enabled: true });
});

test("an edge that declares a module which its own resource removed after the edge's last update sets it", async () => {
  const { emulator, host } = await startHost();
  const [edge, separate] = [host.resource("TcpEdge", "ssh"), host.resource("TcpEdgeIpRestriction", "office")];
  await edge.up({});
  await separate.up({ edgeId: edge.state!.id, ...office });
  await host.startNewRun();
  await edge.up({ description: "changed" });
  await separate.destroy();
  await host.startNewRun();
  expect(await edge.up({ description: "changed", ipRestriction: office })).toBe("update");
  expect(emulator.account.tcpEdges[0]!.ip_restriction).toMatchObject({ enabled: true });
});
