/** A service that accepts a call and does not apply a declared protection leaves the edge open: that is a failure. */
import { connectHost, startHost } from "../support/emulatorHost";
import { type GatewayRequest, startGateway, withJson } from "../support/gateway";
import type { OperationError } from "../support/provider";

type Change = (json: Record<string, unknown>) => unknown;

async function start() {
  const { emulator } = await startHost();
  const gateway = await startGateway(emulator.port);
  const host = await connectHost(emulator, { config: { "tunnel-edge:baseUrl": gateway.url } });
  /** Changes the next response to a request. */
  const changeResponse = (matches: (request: GatewayRequest) => boolean, change: Change) => {
    gateway.handle = async (request, forward) => {
      const response = await forward();
      if (!matches(request)) return response;
      gateway.handle = (_, pass) => pass();
      return withJson(response, change);
    };
  };
  return { emulator, gateway, host, changeResponse };
}

const failureOf = (work: Promise<unknown>): Promise<OperationError> =>
  work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error) => error,
  );

const isWrite = ({ method }: GatewayRequest) => method !== "GET";
const program = { description: "a", ipRestriction: { ipPolicyIds: ["ipp_a", "ipp_b"] } };
const changed = { description: "b", ipRestriction: { ipPolicyIds: ["ipp_c"] } };

const notApplied: Record<string, unknown> = {
  "as null": null,
  "switched off": { enabled: false, ip_policies: [{ id: "ipp_a" }, { id: "ipp_b" }, { id: "ipp_c" }] },
  "without any of its ids": { enabled: true, ip_policies: [{ id: "ipp_z" }] },
};

describe.each(Object.entries(notApplied))("a declared protection that is returned %s", (_, module) => {
  const change: Change = (json) => ({ ...json, ip_restriction: module });

  test("fails a create, with the edge in the state as the service has it, and the next `pulumi up` sends it", async () => {
    const { emulator, host, changeResponse } = await start();
    changeResponse(isWrite, change);
    const edge = host.resource("TcpEdge", "ssh");
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
    const { emulator, host, changeResponse } = await start();
    const edge = host.resource("TcpEdge", "ssh");
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
    const { emulator, host, changeResponse } = await start();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
    const restriction = host.resource("TcpEdgeIpRestriction", "office");
    const args = { edgeId: id, ipPolicyIds: ["ipp_a"] };
    for (const each of [args, { ...args, ipPolicyIds: ["ipp_b"] }]) {
      const returned = module ?? { enabled: false, ip_policies: [] };
      changeResponse(isWrite, () =>
        returned === notApplied["switched off"]
          ? { enabled: false, ip_policies: [{ id: each.ipPolicyIds[0] }] }
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
  const { emulator, host, changeResponse } = await start();
  const leaveOut: Change = ({ ip_restriction, ...json }) => json;
  changeResponse(isWrite, leaveOut);
  const edge = host.resource("TcpEdge", "ssh");
  await edge.up(program);
  expect(emulator.calls()).toEqual(["POST /edges/tcp", "GET /edges/tcp/{id}"]);
  changeResponse(isWrite, leaveOut);
  emulator.clearRequests();
  await edge.up(changed);
  expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}", "GET /edges/tcp/{id}"]);
  expect(edge.outputs).toMatchObject(changed);
  expect(await edge.refresh()).toBe("same");
});

test("a response that has only the changed fields leaves the others in the state", async () => {
  const { emulator, host, changeResponse } = await start();
  const edge = host.resource("TcpEdge", "ssh");
  const all = { ...program, hostports: ["a.example.com:1"], backend: { backendId: "bkdhr_a" }, metadata: "m" };
  await edge.up(all);
  changeResponse(isWrite, ({ id, description }) => ({ id, description }));
  await edge.up({ ...all, description: "b" });
  expect(edge.outputs).toMatchObject({ ...all, description: "b" });
  expect(await edge.refresh()).toBe("same");
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "b", metadata: "m" }]);
});

test("another field that is not as declared is a warning, and the next `pulumi up` sends it", async () => {
  const { emulator, host, changeResponse } = await start();
  changeResponse(isWrite, (json) => ({ ...json, description: "c" }));
  const edge = host.resource("TcpEdge", "ssh");
  await edge.up(program);
  const { id } = emulator.account.tcpEdges[0]!;
  expect(host.logs).toEqual([
    {
      severity: "WARNING",
      ephemeral: false,
      message:
        `TcpEdge "ssh": the service returned another description of TCP edge ${id} than the program declares. The next ` +
        "`pulumi up` sends it again.",
    },
  ]);
  expect(await edge.up(program)).toBe("update");
  expect(await edge.up(program)).toBe("same");
});
