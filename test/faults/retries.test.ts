/**
 * The engine retries a failed create if an `onError` hook asks for it: the same create in the same process, without a
 * check. It has forgotten what the failed attempt returned.
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { executeUnanswered } from "../support/emulators";
import type { Properties } from "../support/engine/provider";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";

async function start() {
  const stack = await Stack.start({
    onRequest: (_, emulator) => executeUnanswered(emulator),
    config: { "tunnel-edge:maxRetries": "0" },
  });
  return { stack, emulator: stack.emulator };
}

/** Creates a resource, which fails, and returns a function that creates it again. */
async function failCreate(emulator: Emulator, resource: ResourceDriver, args: Properties) {
  const inputs = await resource.check(args);
  const message = await errorOf(resource.create(inputs));
  const { state } = resource;
  const retry = () => {
    resource.state = undefined;
    return resource.create(inputs);
  };
  emulator.clearRequests();
  return { message, state, retry };
}

const hostports = ["1.tcp.example.com:1"];
const restricted = { description: "a", ipRestriction: { ipPolicyIds: ["ipp_a"] } };
const lost = { method: "POST", resetAfter: true };

describe("a create whose response was lost is not sent again, and fails as before,", () => {
  test.each<[string, string, Properties, object[]]>([
    ["if nothing identifies its object", "TcpEdge", { description: "a" }, [lost]],
    ["if its output is lost", "ApiKey", { description: "a" }, [lost]],
    ["if no object was found", "TcpEdge", { hostports }, [{ method: "POST", resetBefore: true }]],
    ["if the list could not be read", "TcpEdge", { hostports }, [lost, { method: "GET", status: 403 }]],
  ])("%s", async (_, type, args, faults) => {
    const { stack, emulator } = await start();
    for (const fault of faults) emulator.fail(fault);
    const resource = stack.resource(type, "one");
    const { message, retry } = await failCreate(emulator, resource, args);
    const name = /^(.*) could not be created: POST /.exec(message)![1];
    for (let attempt = 2; attempt <= 3; attempt++) {
      expect(await errorOf(retry())).toBe(`${name} was not created again, because it may exist. ${message}`);
    }
    expect(emulator.calls()).toEqual([]);
    expect(resource.state).toBeUndefined();
    // Another resource is another create.
    await stack.resource(type, "other").up({ description: "b" });
  });
});

describe("a create that failed with its object in hand is not sent again, and leaves the same state:", () => {
  test("an edge without its restriction", async () => {
    const { stack, emulator } = await start();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_x", description: "a" }] });
    emulator.fail({ method: "POST", status: 201, body: { id: "edgtcp_x", description: "a", ip_restriction: null } });
    const edge = stack.resource("TcpEdge", "ssh");
    const { message, state, retry } = await failCreate(emulator, edge, restricted);
    expect(message).toContain("did not apply the ipRestriction of TCP edge edgtcp_x");
    for (let attempt = 2; attempt <= 3; attempt++) {
      expect(await errorOf(retry())).toBe(`TCP edge was not created again, because it may exist. ${message}`);
      expect(edge.state).toEqual(state);
    }
    expect(emulator.calls()).toEqual([]);
    expect(state).toMatchObject({ id: "edgtcp_x", hasInitErrors: true });
    stack.next();
    expect(await edge.up(restricted)).toBe("update");
    expect(emulator.account.tcpEdges).toMatchObject([{ id: "edgtcp_x", ip_restriction: { enabled: true } }]);
  });

  test("a module", async () => {
    const { stack, emulator } = await start();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
    emulator.fail({ method: "PUT", resetAfter: true });
    const module = stack.resource("TcpEdgeIpRestriction", "office");
    const { message, state, retry } = await failCreate(emulator, module, { edgeId: id, ipPolicyIds: ["ipp_a"] });
    // What would be rejected now must not hide what is set.
    emulator.fail({ method: "PUT", status: 403 });
    expect(await errorOf(retry())).toBe(
      `IP restriction of TCP edge ${id} was not created again, because it may exist. ${message}`,
    );
    expect(emulator.calls()).toEqual([]);
    expect(module.state).toEqual(state);
    expect(state).toMatchObject({ id, outputs: { ipPolicyIds: ["ipp_a"] } });
  });
});

describe("a create that has left nothing is sent again:", () => {
  test("one that was rejected", async () => {
    const { stack, emulator } = await start();
    emulator.fail({ method: "POST", status: 403 });
    const { retry } = await failCreate(emulator, stack.resource("TcpEdge", "ssh"), { hostports });
    await retry();
    expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
  });

  test("a module that is not set after its PUT was lost", async () => {
    const { stack, emulator } = await start();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
    emulator.fail({ method: "PUT", resetBefore: true });
    const module = stack.resource("TcpEdgeIpRestriction", "office");
    const { state, retry } = await failCreate(emulator, module, { edgeId: id, ipPolicyIds: ["ipp_a"] });
    expect(state).toBeUndefined();
    await retry();
    expect(emulator.calls()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  });
});
