/**
 * What becomes of an object or module whose resource leaves the program: each clause, in its order.
 * Promise: "An object that the program still has is not deleted".
 */
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const ipPolicyIds = ["ipp_a"];
const remove = "DELETE /edges/tcp/{id}/ip_restriction";

/** An edge and the resource of its module, in the state. A deployment begins, in which neither is in the program yet. */
async function start({ inProgram = false } = {}) {
  const stack = await Stack.start();
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up({});
  // Only then does the state say that the module goes with its edge.
  if (!inProgram) stack.next();
  const office = stack.resource("TcpEdgeIpRestriction", "office");
  const args = { edgeId: edge.id, ipPolicyIds };
  await office.up(args);
  stack.next();
  const writes = () => stack.calls.filter((call) => !call.startsWith("GET"));
  return { stack, edge, office, args, writes };
}

const undone = (owner: string) => `${owner} failed, or was not deployed, in this deployment. Run the command again.`;

describe("a module's own resource that leaves the program", () => {
  test("removes it, and says so if it protects", async () => {
    const { stack, edge, office, writes } = await start();
    await edge.up();
    await office.delete();
    expect(writes()).toEqual([remove]);
    expect(stack.messages).toEqual([
      `The IP restriction of TCP edge ${edge.id} was removed. If another resource declares it, run \`pulumi refresh\`, ` +
        "then `pulumi up`.",
    ]);
  });

  test("is refused if it is not known what others claim, before all else", async () => {
    const { stack, edge, office, writes } = await start({ inProgram: true });
    stack.unreadable = "it has another format";
    expect(await errorOf(office.delete())).toContain(
      "The declarations of other provider processes of this deployment are not known, because /tmp/claims cannot be read (it " +
        "has another format).",
    );
    expect(writes()).toEqual([]);
    stack.next();
    await edge.up();
    await office.delete();
    expect(writes()).toEqual([remove]);
  });

  test.each(["the same", "another"])("leaves it to a resource of %s process that declares it", async (process) => {
    const { stack, edge, office, args, writes } = await start();
    const provider = process === "another" ? stack.startProcess() : stack.provider;
    await provider.resource("TcpEdgeIpRestriction", "renamed").up(args);
    await office.delete();
    expect(writes()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    expect(stack.messages).toContain(
      `IP restriction of TCP edge ${edge.id} was not deleted, because TcpEdgeIpRestriction "renamed" still declares it.`,
    );
  });

  test("leaves it to a resource at another address, which may be the same service", async () => {
    const { stack, office, args, writes } = await start();
    const { origin } = new URL(stack.emulator.url);
    const other = stack.startProcess({ "tunnel-edge:baseUrl": `${origin.replace("127.0.0.1", "localhost")}/` });
    await other.resource("TcpEdgeIpRestriction", "renamed").up(args);
    await office.delete();
    expect(writes()).not.toContain(remove);
  });

  test("leaves it in silence to itself, when it was replaced by force", async () => {
    const { stack, office, args, writes } = await start();
    await office.up(args, { targetReplace: true });
    expect(writes()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    expect(stack.messages).toEqual([]);
  });

  test("leaves it to itself, when it is deleted before it is set again", async () => {
    const { stack, office, args, writes } = await start();
    await office.up(args, { targetReplace: true, deleteBeforeReplace: true, replaceOnChanges: ["ipPolicyIds"] });
    await office.up(
      { ...args, ipPolicyIds: ["ipp_b"] },
      { deleteBeforeReplace: true, replaceOnChanges: ["ipPolicyIds"] },
    );
    expect(writes()).not.toContain(remove);
    expect(stack.messages).toEqual([]);
  });

  test("is refused if the resource that takes its place failed", async () => {
    const { stack, office, args, writes } = await start();
    stack.emulator.fail({ method: "PUT", path: "**/ip_restriction", status: 403 });
    await errorOf(stack.resource("TcpEdgeIpRestriction", "renamed").up(args));
    stack.emulator.clearRequests();
    expect(await errorOf(office.delete())).toContain(undone('TcpEdgeIpRestriction "renamed"'));
    expect(writes()).toEqual([]);
  });

  test("is refused if the resource that takes its place was checked and diffed, and then skipped", async () => {
    const { stack, office, args, writes } = await start();
    const renamed = stack.resource("TcpEdgeIpRestriction", "renamed").share(office, args);
    await renamed.plan({ ...args, ipPolicyIds: ["ipp_b"] });
    expect(await errorOf(office.delete())).toContain(undone('TcpEdgeIpRestriction "renamed"'));
    expect(writes()).toEqual([]);
  });

  test("is refused if the process of the resource that takes its place was killed", async () => {
    const { stack, office, args, writes } = await start();
    const other = stack.startProcess();
    await other.resource("TcpEdgeIpRestriction", "renamed").check(args);
    other.kill();
    expect(await errorOf(office.delete())).toContain(undone('TcpEdgeIpRestriction "renamed"'));
    expect(writes()).toEqual([]);
  });

  test("is refused if its edge failed, or was skipped: what takes its place may be in there", async () => {
    const { edge, office, writes } = await start();
    await edge.plan({ policy: { inbound: [] } });
    expect(await errorOf(office.delete())).toContain(undone('TcpEdge "ssh"'));
    expect(writes()).toEqual([]);
  });

  test("is refused while its edge ignores it: the way back would open the edge", async () => {
    const { edge, office, writes } = await start();
    await edge.up({ ipRestriction: { ipPolicyIds } }, { ignoreChanges: ["ipRestriction"] });
    expect(await errorOf(office.delete())).toContain('TcpEdge "ssh" has ignoreChanges for it. Remove that first.');
    expect(writes()).toEqual([]);
  });

  test("is refused while an edge that is imported ignores it", async () => {
    const { stack, edge, office, writes } = await start();
    const { id } = edge;
    const options = { import: id, ignoreChanges: ["ipRestriction"] };
    await stack.resource("TcpEdge", "imported", options).up({});
    expect(await errorOf(office.delete())).toContain('TcpEdge "imported" has ignoreChanges for it. Remove that first.');
    expect(writes()).toEqual([]);
  });

  test("leaves it to its edge, which leaves the program, too", async () => {
    const { stack, edge, office, writes } = await start({ inProgram: true });
    await office.delete();
    expect(writes()).toEqual([]);
    expect(stack.messages).toEqual([
      `The IP restriction of TCP edge ${edge.id} is deleted with its edge. If the edge is not deleted, this ` +
        "stays with it, and Pulumi no longer manages it.",
    ]);
  });

  test("is refused once the deletion of its edge has failed", async () => {
    const { stack, edge, office } = await start({ inProgram: true });
    // Only then does another deployment delete it.
    stack.emulator.fail({ method: "DELETE", path: "/edges/tcp/{id}", status: 403 });
    await errorOf(edge.delete(stack.provider));
    expect(await errorOf(office.delete())).toContain(undone('TcpEdge "ssh"'));
    await edge.delete(stack.provider);
    expect(stack.emulator.account.tcpEdges).toEqual([]);
  });
});

describe("an object whose resource leaves the program", () => {
  const policy = { inbound: [{ name: "deny", actions: [{ type: "deny" }] }] };

  test("is left to a resource that imports it, and what nobody declares is named", async () => {
    const stack = await Stack.start();
    const old = stack.resource("TcpEdge", "old");
    await old.up({ description: "d", policy, ipRestriction: { ipPolicyIds } });
    stack.next();
    const renamed = stack.resource("TcpEdge", "renamed", { import: old.id });
    await renamed.up({ description: "d" });
    await stack.resource("TcpEdgeIpRestriction", "office").up({ edgeId: old.id, ipPolicyIds });
    await old.delete(stack.provider);
    expect(stack.emulator.account.tcpEdges).toHaveLength(1);
    expect(stack.messages).toContain(
      `TCP edge ${renamed.id} was not deleted, because TcpEdge "renamed" still declares it. It keeps its policy, which no ` +
        "resource declares.",
    );
  });

  test("is deleted when a replacement has taken its place", async () => {
    const stack = await Stack.start();
    const key = stack.resource("ApiKey", "key");
    await key.up({ keepers: { a: "1" } });
    stack.next();
    await key.up({ keepers: { a: "2" } });
    expect(stack.calls).toEqual(["POST /api_keys", "DELETE /api_keys/{id}"]);
  });
});
