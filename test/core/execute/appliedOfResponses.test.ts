/** A service that accepts a call and does not apply a declared protection leaves the edge open: that is a failure. */
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { failureOf } from "../../support/errorOf";
import { type GatewayRequest, withJson } from "../../support/gateway";

type Change = (json: Record<string, unknown>) => unknown;

async function start() {
  const { stack, emulator, gateway } = await Stack.startBehindGateway();
  /** Changes the next response to a request. */
  const changeResponse = (matches: (request: GatewayRequest) => boolean, change: Change) => {
    gateway.handle = async (request, forward) => {
      const response = await forward();
      if (!matches(request)) return response;
      gateway.handle = (_, pass) => pass();
      return withJson(response, change);
    };
  };
  return { emulator, gateway, stack, changeResponse };
}

const isWrite = ({ method }: GatewayRequest) => method !== "GET";
const program = { description: "a", ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] } };
const changed = { description: "b", ipRestriction: { ipPolicyIds: ["ipp_c"] } };

const notApplied: Record<string, unknown> = {
  "as null": null,
  "switched off": { enabled: false, ip_policies: [{ id: "ipp_a" }, { id: "ipp_b" }, { id: "ipp_c" }] },
  "with one of its ids": { enabled: true, ip_policies: [{ id: "ipp_b" }] },
  "without any of its ids": { enabled: true, ip_policies: [{ id: "ipp_z" }] },
};

describe.each(Object.entries(notApplied))("a declared protection that is returned %s", (_, module) => {
  const change: Change = (json) => ({ ...json, ip_restriction: module });

  test("fails a create, with the edge in the state as the service has it, and the next `pulumi up` sends it", async () => {
    const { emulator, stack, changeResponse } = await start();
    changeResponse(isWrite, change);
    const edge = stack.resource("TcpEdge", "ssh");
    const { message } = await failureOf(edge.up(program));
    const { id } = emulator.account.tcpEdges[0]!;
    expect(message).toContain(
      `the service accepted POST /edges/tcp, but did not apply the ipRestriction of TCP edge ${id}. Anyone may be able ` +
        "to connect. Run `pulumi up`, which sends it again.",
    );
    expect(edge.state?.id).toBe(id);
    expect(edge.outputs.ipRestriction).not.toEqual(program.ipRestriction);
    emulator.clearRequests();
    expect(await edge.up(program)).toBe("update");
    expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    expect(await edge.up(program)).toBe("same");
  });

  test("fails an update before it sends what opens the edge", async () => {
    const { emulator, stack, changeResponse } = await start();
    const edge = stack.resource("TcpEdge", "ssh");
    await edge.up({ ...program, policy: { inbound: [{ actions: [{ type: "deny" }] }] } });
    emulator.clearRequests();
    changeResponse(isWrite, change);
    expect((await failureOf(edge.up(changed))).message).toContain("did not apply the ipRestriction of TCP edge");
    expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
    expect(emulator.account.tcpEdges[0]!.policy).not.toBeNull();
    expect(await edge.up(changed)).toBe("update");
    expect(emulator.account.tcpEdges[0]!.policy).toBeNull();
    expect(await edge.up(changed)).toBe("same");
  });

  test("fails a module resource, also one of which only that module changes", async () => {
    const { emulator, stack, changeResponse } = await start();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
    const restriction = stack.resource("TcpEdgeIpRestriction", "office");
    const args = { edgeId: id, ipPolicyIds: ["ipp_a", "ipp_c"] };
    for (const each of [args, { ...args, ipPolicyIds: ["ipp_b", "ipp_c"] }]) {
      const returned = module ?? { enabled: false, ip_policies: [] };
      changeResponse(isWrite, () =>
        returned === notApplied["switched off"]
          ? { enabled: false, ip_policies: each.ipPolicyIds.map((policy) => ({ id: policy })) }
          : returned,
      );
      expect((await failureOf(restriction.up(each))).message).toContain(
        `did not apply the IP restriction of TCP edge ${id}`,
      );
      expect(await restriction.up(each)).toBe("update");
      expect(await restriction.up(each)).toBe("same");
    }
  });
});

test("a protection that a response leaves out is read once, and is no failure if the service has it", async () => {
  const { emulator, stack, changeResponse } = await start();
  const leaveOut: Change = ({ ip_restriction, ...json }) => json;
  changeResponse(isWrite, leaveOut);
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up(program);
  expect(emulator.calls()).toEqual(["POST /edges/tcp", "GET /edges/tcp/{id}"]);
  changeResponse(isWrite, leaveOut);
  emulator.clearRequests();
  await edge.up(changed);
  expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}", "GET /edges/tcp/{id}"]);
  expect(edge.outputs).toMatchObject(changed);
  expect(await edge.refresh()).toBe("same");
});

const inbound = [{ actions: [{ type: "deny" }] }];
const twoProtections = { ipRestriction: { ipPolicyIds: ["ipp_a"] }, policy: { inbound } };

test.each([
  ["ipRestriction", "policy"],
  ["policy", "ipRestriction"],
])("a response that shows the %s and leaves out the %s is no proof of both", async (_, leftOut) => {
  const { emulator, stack, gateway } = await start();
  const name = leftOut === "policy" ? "policy" : "ip_restriction";
  gateway.handle = async (request, forward) => {
    const response = await forward();
    if (!isWrite(request)) return response;
    gateway.handle = (_, pass) => pass();
    const { id } = JSON.parse(response.body) as { id: string };
    emulator.api("DELETE", `/edges/tcp/${id}/${name}`);
    return withJson(response, ({ [name]: _, ...rest }) => rest);
  };
  const edge = stack.resource("TcpEdge", "ssh");
  expect((await failureOf(edge.up(twoProtections))).message).toContain(
    `but did not apply the ${leftOut} of TCP edge ${edge.state!.id}.`,
  );
  expect(await edge.up(twoProtections)).toBe("update");
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { enabled: true }, policy: { enabled: true } }]);
});

test("a backend that a response leaves out is not read: it protects nothing", async () => {
  const { emulator, stack, changeResponse } = await start();
  changeResponse(isWrite, ({ backend, ...json }) => json);
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up({ backend: { backendId: "bkdhr_a" } });
  expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
});

test("a declared policy that is returned without its rules fails", async () => {
  const { stack, changeResponse } = await start();
  changeResponse(isWrite, (json) => ({ ...json, policy: { enabled: true, inbound: [], outbound: [] } }));
  const edge = stack.resource("TcpEdge", "ssh");
  expect((await failureOf(edge.up(twoProtections))).message).toContain("but did not apply the policy of TCP edge");
});

test("a protection that is declared with `enabled: false` is applied when it is switched off", async () => {
  const { stack } = await start();
  const edge = stack.resource("TcpEdge", "ssh");
  const off = { ipRestriction: { enabled: false, ipPolicyIds: ["ipp_a"] }, policy: { enabled: false, inbound } };
  expect(await edge.up(off)).toBe("create");
  expect(await edge.up(off)).toBe("same");
});

test("a module resource whose PUT is answered without a body is read, and fails if the service does not have it", async () => {
  const { emulator, stack, gateway } = await start();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
  // The service has responded once, so its responses without a body count.
  await stack.resource("TcpEdge", "ssh").get(id);
  gateway.handle = async (request, forward) => (isWrite(request) ? { status: 200, body: "" } : forward());
  const restriction = stack.resource("TcpEdgeIpRestriction", "office");
  const args = { edgeId: id, ipPolicyIds: ["ipp_a", "ipp_c"] };
  expect((await failureOf(restriction.up(args))).message).toContain(
    `but did not apply the IP restriction of TCP edge ${id}`,
  );
  gateway.handle = (_, pass) => pass();
  await restriction.up(args);
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { enabled: true } }]);
});

describe("a protection that a response leaves out, and that cannot be read", () => {
  /** Sends what is to be written, which is executed, without this protection in the response, and fails to read it. */
  async function startBlind() {
    const { emulator, stack, gateway } = await start();
    const blind = (status: number, isApplied: boolean) => {
      const rejected = JSON.stringify({ error_code: `ERR_${status}`, status_code: status, msg: "Not now." });
      gateway.handle = async (request, forward) => {
        if (!isWrite(request)) return { status, headers: { "content-type": "application/json" }, body: rejected };
        const response = await forward();
        const { id } = JSON.parse(response.body) as { id: string };
        if (!isApplied) emulator.api("DELETE", `/edges/tcp/${id}/ip_restriction`);
        return withJson(response, ({ ip_restriction, ...json }) => json);
      };
    };
    const see = () => {
      gateway.handle = (_, pass) => pass();
    };
    return { emulator, stack, blind, see, edge: stack.resource("TcpEdge", "ssh") };
  }
  const policies = ({ account }: Awaited<ReturnType<typeof start>>["emulator"]) =>
    account.tcpEdges.map(({ ip_restriction }) => ip_restriction?.ip_policies.map(({ id }) => id));

  test.each([401, 403])("after a create, with %i: the next `pulumi up` sends it", async (status) => {
    const { emulator, edge, blind, see } = await startBlind();
    blind(status, false);
    expect((await failureOf(edge.up(program))).message).toContain(`returned ${status}`);
    expect(policies(emulator)).toEqual([undefined]);
    see();
    expect(await edge.up(program)).toBe("update");
    expect(policies(emulator)).toEqual([["ipp_a", "ipp_b"]]);
    expect(await edge.up(program)).toBe("same");
  });

  test.each([401, 403])("after an update, with %i: a reverted program sends what it declares", async (status) => {
    const { emulator, stack, edge, blind, see } = await startBlind();
    await edge.up(program);
    blind(status, true);
    expect((await failureOf(edge.up(changed))).message).toContain(`returned ${status}`);
    expect(policies(emulator)).toEqual([["ipp_c"]]);
    see();
    stack.next();
    expect(await edge.up(program)).toBe("update");
    expect(policies(emulator)).toEqual([["ipp_a", "ipp_b"]]);
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "a" }]);
    expect(await edge.up(program)).toBe("same");
  });
});

test("a response that has only the changed fields leaves the others in the state", async () => {
  const { emulator, stack, changeResponse } = await start();
  const edge = stack.resource("TcpEdge", "ssh");
  const all = { ...program, hostports: ["a.example.com:1"], backend: { backendId: "bkdhr_a" }, metadata: "m" };
  await edge.up(all);
  changeResponse(isWrite, ({ id, description }) => ({ id, description }));
  await edge.up({ ...all, description: "b" });
  expect(edge.outputs).toMatchObject({ ...all, description: "b" });
  expect(await edge.refresh()).toBe("same");
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "b", metadata: "m" }]);
});

test("another field that is not as declared is a warning, and the next `pulumi up` sends it", async () => {
  const { emulator, stack, changeResponse } = await start();
  changeResponse(isWrite, (json) => ({ ...json, description: "c" }));
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up(program);
  const { id } = emulator.account.tcpEdges[0]!;
  expect(stack.said).toEqual([
    `TcpEdge "ssh": the service returned another description of TCP edge ${id} than the program declares. The next ` +
      "`pulumi up` sends it again.",
  ]);
  expect(await edge.up(program)).toBe("update");
  expect(await edge.up(program)).toBe("same");
});
