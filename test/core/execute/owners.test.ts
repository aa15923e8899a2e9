/**
 * What the resources of a program must not declare together, and when a module moves from its edge to a resource.
 * Promise: "An edge that stays keeps its restriction".
 */

import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";
import { waitUntil } from "../../support/waitUntil";

const ipPolicyIds = ["ipp_a"];
const ipRestriction = { ipPolicyIds };
const hostports = ["a.example:1"];
const put = "PUT /edges/tcp/{id}/ip_restriction";
const remove = "DELETE /edges/tcp/{id}/ip_restriction";
const inFile =
  " Another provider process of this deployment says so in /tmp/claims. If it is from an interrupted run, remove that file.";

describe("two resources cannot declare", () => {
  const twice = (name: string, owner: string) => `${name} is already declared by ${owner}. Declare it in one place.`;

  test("one hostport, in other letters", async () => {
    const stack = await Stack.start();
    expect(await stack.resource("TcpEdge", "one").problems({ hostports })).toEqual([]);
    expect(await stack.resource("TlsEdge", "two").problems({ hostports: ["A.example:1"] })).toContain(
      twice('hostports: "A.example:1"', 'TcpEdge "one"'),
    );
  });

  test("one hostport, even if the first is invalid", async () => {
    const stack = await Stack.start();
    const [first] = await stack.resource("TcpEdge", "one").problems({ hostports, description: 1 });
    expect(first).toContain("description must be a string");
    expect(await stack.resource("TcpEdge", "two").problems({ hostports })).toEqual([
      twice('hostports: "a.example:1"', 'TcpEdge "one"'),
    ]);
  });

  test("one module, which the states of both have", async () => {
    const { edge, office, next } = await startSeparate();
    await edge.refresh();
    edge.share(edge, { ipRestriction });
    next();
    await edge.up({ ipRestriction });
    expect(await office.problems(office.declared)).toEqual([twice("The IP restriction of its edge", 'TcpEdge "ssh"')]);
  });

  test("one module in two processes, whose file the error names", async () => {
    const stack = await Stack.start();
    const edge = stack.resource("TcpEdge", "ssh");
    await edge.up({ ipRestriction });
    const office = stack.startProcess().resource("TcpEdgeIpRestriction", "office");
    expect(await office.problems({ edgeId: edge.id, ipPolicyIds })).toEqual([
      twice("The IP restriction of its edge", 'TcpEdge "ssh"') + inFile,
    ]);
  });
});

describe("while the file of claims cannot be written", () => {
  test("checks and diffs fail, and nothing is deployed", async () => {
    const stack = await Stack.start();
    const edge = stack.resource("TcpEdge", "ssh");
    await edge.up({ hostports });
    stack.next();
    const inputs = await edge.check({ hostports: [] });
    stack.unwritable = "EROFS: read-only file system";
    const message = expect.stringMatching(
      /^The other provider processes .* \/tmp\/claims cannot be written \(EROFS: read-only file system\)\. To fix this, set TMPDIR/,
    );
    expect(await edge.problems({ hostports: [] })).toEqual([message]);
    expect(await errorOf(edge.diff(edge.state!, inputs))).toEqual(message);
    expect(stack.calls).toEqual([]);
  });

  test("the object of a create is recorded all the same", async () => {
    const stack = await Stack.start();
    const edge = stack.resource("TcpEdge", "ssh");
    const inputs = await edge.check({ hostports });
    stack.unwritable = "ENOSPC: no space left on device";
    stack.unreadable = "EACCES: permission denied";
    await edge.create(inputs);
    expect(edge.id).toBe(stack.emulator.account.tcpEdges[0]!.id);
  });
});

/** An edge that declares its module, and the resource that is to have it. A deployment begins. */
async function start() {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up({ ipRestriction });
  stack.next();
  const office = stack.resource("TcpEdgeIpRestriction", "office");
  const args = { edgeId: edge.id, ipPolicyIds };
  const writes = () => stack.writes;
  return { stack, edge, office, args, writes };
}

/** An edge, and the resource that has its module. */
async function startSeparate() {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up({});
  const office = stack.resource("TcpEdgeIpRestriction", "office");
  await office.up({ edgeId: edge.id, ipPolicyIds });
  return { stack, edge, office, next: () => stack.next() };
}

const refused =
  'TcpEdge "ssh" no longer declares ipRestriction, which TcpEdgeIpRestriction "office" declares. The edge would be ' +
  'without it in between. Add ignoreChanges: ["ipRestriction"] to TcpEdge "ssh" for one deployment.';

describe("a module that an edge stops declaring, and a resource declares", () => {
  test("is refused in the diff of the edge, if that comes second", async () => {
    const { edge, office, args, writes } = await start();
    expect(await office.problems(args)).toEqual([]);
    expect(await errorOf(edge.plan({}))).toBe(refused);
    expect(writes()).toEqual([]);
  });

  test("is refused in the check of the resource, if that comes second", async () => {
    const { edge, office, args, writes } = await start();
    await edge.plan({});
    expect(await office.problems(args)).toEqual([refused]);
    expect(writes()).toEqual([]);
  });

  test("is refused in the check of the resource in another process, if that comes second", async () => {
    const { stack, edge, args } = await start();
    await edge.plan({});
    const other = stack.startProcess().resource("TcpEdgeIpRestriction", "office");
    expect(await other.problems(args)).toEqual([refused + inFile]);
  });

  test("is refused in the diff of the edge, if that comes after the check in another process", async () => {
    const { stack, edge, args } = await start();
    await stack.startProcess().resource("TcpEdgeIpRestriction", "office").problems(args);
    expect(await errorOf(edge.plan({}))).toBe(refused + inFile);
  });

  test("is refused right before its DELETE, if the resource is checked while the edge's update waits", async () => {
    const { stack, edge, office, args, writes } = await start();
    const inputs = await edge.check({});
    const old = edge.state!;
    await edge.diff(old, inputs);
    expect(await office.problems(args)).toEqual([refused]);
    const update = stack.provider.update({ type: "TcpEdge", name: "ssh" }, old, inputs);
    expect(await errorOf(update)).toContain(refused);
    expect(writes()).toEqual([]);
  });

  test("is set after its own process has removed it, with a message", async () => {
    const { stack, edge, office, args, writes } = await start();
    const removal = stack.emulator.fail({ method: "DELETE", path: "**/ip_restriction", delayMs: 200 });
    const removing = edge.up({});
    await waitUntil(() => removal.hits > 0);
    await office.up(args);
    await removing;
    expect(writes()).toEqual([remove, put]);
    expect(stack.messages).toContain(
      `The IP restriction of TCP edge ${edge.id} moves from TcpEdge "ssh" to TcpEdgeIpRestriction "office" and is not set ` +
        "in between. To move it without a gap, see docs/rule.md in pulumi-tunnel-edge.",
    );
  });

  test("is refused while another process removes it", async () => {
    const { stack, edge, args, writes } = await start();
    const removal = stack.emulator.fail({ method: "DELETE", path: "**/ip_restriction", delayMs: 200 });
    const removing = edge.up({});
    await waitUntil(() => removal.hits > 0);
    const office = stack.startProcess().resource("TcpEdgeIpRestriction", "office");
    expect(await office.problems(args)).toEqual([refused + inFile]);
    await removing;
    expect(writes()).toEqual([remove]);
  });

  test("is refused if it is not known whether it was removed", async () => {
    const { stack, edge, office, args } = await start();
    stack.emulator.fail({ method: "DELETE", path: "**/ip_restriction", status: 403 });
    await errorOf(edge.up({}));
    expect(await office.problems(args)).toEqual([refused]);
  });

  test("is set again after its removal, although the resource's state has it", async () => {
    const { edge, office, stack, next } = await startSeparate();
    await edge.refresh();
    edge.share(edge, { ipRestriction });
    next();
    // With --target, the edge alone is deployed; then the rest.
    await edge.up({});
    await office.up();
    expect(stack.writes).toEqual([remove, put]);
    stack.emulator.clearRequests();
    await office.up();
    expect(stack.calls).toEqual([]);
  });

  test("is recorded as not set if the service rejects the PUT that sets it again", async () => {
    const { edge, office, stack, next } = await startSeparate();
    await edge.refresh();
    edge.share(edge, { ipRestriction });
    next();
    await edge.up({});
    stack.emulator.fail({ method: "PUT", path: "**/ip_restriction", status: 403, times: 1 });
    expect(await errorOf(office.up())).toContain("returned 403");
    next();
    expect(await office.up()).toBe("update");
    expect(stack.emulator.account.tcpEdges[0]!.ip_restriction).toBeDefined();
  });

  test("is not removed while the edge ignores it", async () => {
    const { edge, office, args, writes } = await start();
    await edge.up({}, { ignoreChanges: ["ipRestriction"] });
    await office.up(args);
    expect(writes()).toEqual([put]);
  });

  test.each([
    ["", false],
    [", and another one could not remove it", true],
  ])("is set again after the edge has declared it in a failed deployment%s", async (_, isRemovalTried) => {
    const { stack, edge, office, next } = await startSeparate();
    const args = { edgeId: edge.id, ipPolicyIds };
    next();
    await edge.up({ ipRestriction: { ipPolicyIds: ["ipp_b"] } });
    next();
    if (isRemovalTried) {
      await edge.plan({ description: "new" });
      expect(await office.problems(args)).toEqual([refused]);
      expect(await errorOf(edge.up({ description: "new" }))).toContain(refused);
      next();
    }
    const upIgnoring = () => edge.up({ description: "new" }, { ignoreChanges: ["ipRestriction"] });
    await upIgnoring();
    expect(await office.up(args)).toBe("update");
    expect(stack.emulator.account.tcpEdges[0]!.ip_restriction!.ip_policies).toMatchObject([{ id: ipPolicyIds[0] }]);
    next();
    await upIgnoring();
    expect(await office.up(args)).toBe("same");
  });

  test("is removed with a message, if nobody declares it", async () => {
    const { stack, edge } = await start();
    await edge.up({});
    expect(stack.messages).toEqual([
      `The ipRestriction of TCP edge ${edge.id} was removed. If another resource declares it, run \`pulumi refresh\`, ` +
        "then `pulumi up`.",
    ]);
  });
});

describe("an edge that takes the module of a resource", () => {
  test("sends it, although the state has it, and the resource leaves it there", async () => {
    const { stack, edge, office, next } = await startSeparate();
    await edge.refresh();
    next();
    await edge.up({ ipRestriction });
    await office.delete();
    expect(stack.writes).toEqual([put]);
    expect(stack.messages).toContain(
      `IP restriction of TCP edge ${edge.id} was not deleted, because TcpEdge "ssh" still declares it.`,
    );
  });

  test("sends it again if it could not be sent, after another call", async () => {
    const stack = await Stack.start();
    const edge = stack.resource("TlsEdge", "web");
    const tlsTermination = { terminateAt: "upstream" };
    await edge.up({ backend: { backendId: "bkdhr_a" } });
    await stack.resource("TlsEdgeTlsTermination", "tls").up({ edgeId: edge.id, ...tlsTermination });
    await edge.refresh();
    stack.next();
    const rejection = { method: "PUT", path: "**/tls_termination", status: 400 };
    stack.emulator.fail(rejection);
    await errorOf(edge.up({ tlsTermination }));
    const sent = ["DELETE /edges/tls/{id}/backend", "PUT /edges/tls/{id}/tls_termination"];
    expect(stack.calls).toEqual(sent);
    stack.next();
    await edge.up();
    expect(stack.calls).toEqual(sent.slice(1));
  });
});
