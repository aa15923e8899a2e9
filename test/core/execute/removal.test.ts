/**
 * What becomes of an object or module whose resource leaves the program, and of a DELETE that fails.
 * Promise: "An object that the program still has is not deleted".
 */
import type { LoggedRequest } from "pulumi-tunnel-edge/emulator";
import type { JsonObject } from "../../../src/base/json";
import { publicKey } from "../../support/data/publicKey";
import { unknown } from "../../support/engine/provider";
import type { ResourceDriver } from "../../support/engine/resourceDriver";
import { Stack, type StackOptions } from "../../support/engine/stack";
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
  const writes = () => stack.writes;
  return { stack, edge, office, args, writes };
}

const undone = (owner: string) => `${owner} failed, or was not deployed, in this deployment. Run the command again.`;

describe("a module's own resource that leaves the program", () => {
  test("removes it, with a message if it protects", async () => {
    const { stack, edge, office, writes } = await start();
    await edge.up();
    await office.delete();
    expect(writes()).toEqual([remove]);
    expect(stack.messages).toEqual([
      `The IP restriction of TCP edge ${edge.id} was removed. If another resource declares it, run \`pulumi refresh\`, ` +
        "then `pulumi up`.",
    ]);
  });

  test("is refused if the claims of others cannot be read, and nothing is sent", async () => {
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

  test("leaves it to its edge, which has declared it since an earlier deployment", async () => {
    const { stack, edge, office, writes } = await start();
    await edge.up({ ipRestriction: { ipPolicyIds } });
    stack.next();
    expect(await edge.up({ ipRestriction: { ipPolicyIds } })).toBe("same");
    await office.delete();
    expect(writes()).toEqual([]);
  });

  test("leaves it to its edge, which is replaced although its diff was an update", async () => {
    const { edge, office, writes } = await start();
    const options = { replaceOnChanges: ["description"], deleteBeforeReplace: true };
    const inputs = await edge.check({ description: "b" }, options);
    await edge.diff(edge.state!, inputs, options);
    // The engine checks a replacement without old inputs, and diffs the module without a check.
    await edge.check({ description: "b" }, options, {});
    await office.diff(office.state!, { ...office.state!.inputs, edgeId: unknown });
    await office.delete();
    expect(writes()).toEqual([]);
  });

  test.each<[string, (office: ResourceDriver) => Promise<unknown>]>([
    ["a refresh", (office) => office.refresh()],
    ["an update without its edge", (office) => office.up({ ...office.declared, ipPolicyIds: ["ipp_b"] })],
  ])("leaves it to its edge, which leaves the program, too, also after %s", async (_, change) => {
    const { stack, edge, office, writes } = await start({ inProgram: true });
    await change(office);
    stack.next();
    await office.delete();
    expect(writes()).toEqual([]);
    await edge.delete();
    expect(writes()).toEqual(["DELETE /edges/tcp/{id}"]);
  });

  test("leaves it to a resource at another address, which may be the same service", async () => {
    const { stack, office, args, writes } = await start();
    const { origin } = new URL(stack.emulator.url);
    const other = stack.startProcess({ "tunnel-edge:baseUrl": `${origin.replace("127.0.0.1", "localhost")}/` });
    await other.resource("TcpEdgeIpRestriction", "renamed").up(args);
    await office.delete();
    expect(writes()).not.toContain(remove);
  });

  test("keeps it without a message when the resource is replaced by force", async () => {
    const { stack, office, args, writes } = await start();
    await office.up(args, { targetReplace: true });
    expect(writes()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
    expect(stack.messages).toEqual([]);
  });

  test("keeps it when a replacement would delete it before it is set again", async () => {
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

  test("is refused if its edge failed or was skipped, which may declare what takes its place", async () => {
    const { edge, office, writes } = await start();
    await edge.plan({ policy: { inbound: [] } });
    expect(await errorOf(office.delete())).toContain(undone('TcpEdge "ssh"'));
    expect(writes()).toEqual([]);
  });

  test("is refused while its edge ignores it", async () => {
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

  test("is not taken for one of the same name under another parent", async () => {
    const stack = await Stack.start();
    const { emulator } = stack;
    emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }, { id: "edgtcp_2" }] });
    const [a, dup] = [stack.resource("TcpEdgeIpRestriction", "r"), stack.resource("TcpEdgeIpRestriction", "dup")];
    await a.up({ edgeId: "edgtcp_1", ipPolicyIds }, { parents: "test:index:A::site" });
    stack.next();
    await dup.up({ edgeId: "edgtcp_1", ipPolicyIds });
    stack.next();
    await a.up({ edgeId: "edgtcp_1", ipPolicyIds }, { parents: "test:index:A::site" });
    const b = stack.resource("TcpEdgeIpRestriction", "r");
    await b.up({ edgeId: "edgtcp_2", ipPolicyIds }, { parents: "test:index:B::site" });
    await dup.delete();
    const restricted = { ip_restriction: { enabled: true } };
    expect(emulator.account.tcpEdges).toMatchObject([restricted, restricted]);
  });
});

describe("an object whose resource leaves the program", () => {
  const policy = { inbound: [{ name: "deny", actions: [{ type: "deny" }] }] };

  test("is left to a resource that imports it, with a message that names the module that nobody declares", async () => {
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

  test.each([true, false])(
    "is deleted if the engine replaces it although nothing changes, with deleteBeforeReplace: %s",
    async (deleteBeforeReplace) => {
      const stack = await Stack.start();
      const edge = stack.resource("TcpEdge", "ssh");
      await edge.up({ hostports: ["a.example.com:1"] });
      stack.next();
      expect(await edge.preview({ hostports: ["a.example.com:1"] })).toMatchObject({ step: "same" });
      const hostports = [`a.example.com:${deleteBeforeReplace ? 1 : 2}`];
      await edge.up({ hostports }, { targetReplace: true, deleteBeforeReplace });
      expect(stack.emulator.account.tcpEdges).toMatchObject([{ id: edge.id }]);
    },
  );

  test("is deleted if the engine diffs it only to refresh it, also if its resource was checked", async () => {
    const stack = await Stack.start();
    const { emulator } = stack;
    const credential = stack.resource("SshCredential", "key");
    await credential.up({ publicKey: publicKey("one") });
    stack.next();
    await credential.register({ publicKey: publicKey("two") });
    const [old] = credential.pendingDeletes;
    await stack.provider.diff(credential, old!, old!.inputs);
    await credential.deleteReplaced();
    expect(emulator.account.sshCredentials).toMatchObject([{ id: credential.state!.id }]);
    expect(stack.said).toEqual([]);
  });
});

const forever = Number.POSITIVE_INFINITY;
const declared = {
  hostports: ["a.example.com:1"],
  ipRestriction: { ipPolicyIds },
  policy: { inbound: [{ name: "deny", actions: [{ type: "deny" }] }] },
};
const one = "/edges/tcp/{id}";

/** An edge "ssh" of an earlier deployment. */
async function startDelete(args: JsonObject = declared, options: StackOptions = {}) {
  const stack = await Stack.start(options);
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up(args);
  const { id } = edge;
  stack.next();
  const { emulator } = stack;
  /** Faults of the DELETE of the edge, or of one of its modules. */
  const fail = (module: string, fault: object) =>
    emulator.fail({ method: "DELETE", path: `/edges/tcp/${id}${module}`, ...fault });
  const clearedWith = (more: string) =>
    `TCP edge ${id} still exists, because the service has no operation that deletes it. It was cleared instead, and its ` +
    `hostports are free again.${more} It is no longer part of this stack.`;
  return { stack, emulator, edge, id, fail, clearedWith };
}

describe("an edge that the service cannot delete", () => {
  test.each([404, 405, 501])("is cleared: %i", async (status) => {
    const { stack, emulator, edge, fail, clearedWith } = await startDelete();
    fail("", { status });
    await edge.delete();
    expect(stack.messages).toEqual([clearedWith("")]);
    expect(stack.writes).toEqual([
      `DELETE ${one}`,
      `PATCH ${one}`,
      `DELETE ${one}/ip_restriction`,
      `DELETE ${one}/policy`,
    ]);
    expect(emulator.account.tcpEdges).toMatchObject([{ hostports: null, ip_restriction: null, policy: null }]);
  });

  test("keeps the modules that cannot be removed either, and a message names them", async () => {
    const { stack, edge, fail, clearedWith } = await startDelete();
    for (const each of ["", "/ip_restriction", "/policy"]) fail(each, { status: 405 });
    await edge.delete();
    expect(stack.messages).toEqual([clearedWith(" Its ipRestriction and policy could not be removed.")]);
  });

  test("is not cleared at all if it keeps its hostports", async () => {
    const { stack, emulator, edge, id, fail } = await startDelete();
    fail("", { status: 405 });
    emulator.fail({ method: "PATCH", status: 403 });
    expect(await errorOf(edge.delete())).toMatch(
      new RegExp(`PATCH /edges/tcp/${id} returned 403.* Use a key whose owner is\\.$`),
    );
    expect(stack.calls.at(-1)).toBe(`PATCH ${one}`);
  });

  test("releases hostports that the service does not show before it loses its protections", async () => {
    const { emulator, edge, id, fail } = await startDelete();
    const { hostports: _, ...shown } = emulator.api("GET", `/edges/tcp/${id}`);
    for (const each of ["", "/policy"]) fail(each, { status: 405 });
    emulator.fail({ method: "GET", path: `/edges/tcp/${id}`, status: 200, body: shown });
    await edge.delete();
    expect(emulator.account.tcpEdges).toMatchObject([{ id, hostports: null, ip_restriction: null }]);
  });

  test("is neither cleared nor warned about if it is already deleted", async () => {
    const { stack, emulator, edge, fail } = await startDelete();
    emulator.reset();
    fail("", { status: 405 });
    await edge.delete();
    expect(stack.calls).toEqual([`DELETE ${one}`, `GET ${one}`, "GET /api_keys"]); // which proves the address
    expect(stack.messages).toEqual([]);
  });

  test("is not cleared if its DELETE was lost and the service still has it", async () => {
    const { stack, emulator, edge, id, fail } = await startDelete(declared, {
      config: { "tunnel-edge:maxRetries": "0" },
    });
    const deletion = fail("", { resetBefore: true });
    expect(await errorOf(edge.delete())).toContain("DELETE");
    expect(deletion.hits).toBe(1);
    expect(new Set(stack.calls)).toEqual(new Set([`DELETE ${one}`, `GET ${one}`]));
    expect(emulator.api("GET", `/edges/tcp/${id}`)).toMatchObject({
      hostports: declared.hostports,
      ip_restriction: { enabled: true },
    });
  });

  test("is cleared in part if the removal of a module fails", async () => {
    const { stack, edge, id, fail } = await startDelete();
    fail("", { status: 405 });
    fail("/ip_restriction", { status: 403 });
    const error = await errorOf(edge.delete());
    expect(error).toContain(`DELETE /edges/tcp/${id}/ip_restriction returned 403`);
    expect(error).toMatch(
      / It was cleared in part\. If the program declares it again, run `pulumi refresh`, then `pulumi up`\.$/,
    );
    expect(stack.messages).toEqual([]);
  });
});

test("only an edge is cleared", async () => {
  const stack = await Stack.start();
  const credential = stack.resource("SshCredential", "it");
  await credential.up({ publicKey: publicKey("a"), description: "d" });
  stack.next();
  stack.emulator.fail({ method: "DELETE", status: 405 });
  expect(await errorOf(credential.delete())).toContain("returned 405");
  expect(stack.calls).toEqual(["DELETE /ssh_credentials/{id}", "GET /ssh_credentials/{id}"]);
});

test("a module that the service cannot remove stays in the state, and can be disabled", async () => {
  const { emulator, edge, id, fail } = await startDelete();
  const { outputs } = edge.state!;
  fail("/policy", { status: 405 });
  const { policy: _, ...rest } = declared;
  expect(await errorOf(edge.up(rest))).toMatch(
    new RegExp(
      `^TCP edge ${id} could not be updated: DELETE /edges/tcp/${id}/policy returned 405.*` +
        "The service cannot remove policy\\. Declare it with `enabled: false` instead\\.$",
    ),
  );
  expect(edge.state!.outputs).toEqual(outputs);
  expect(await edge.up({ ...rest, policy: { enabled: false } })).toBe("update");
  expect(emulator.account.tcpEdges).toMatchObject([{ policy: { enabled: false } }]);
});

test("a deletion whose response was lost succeeds as soon as the edge is gone", async () => {
  /** What the service does after a GET. */
  let later = (): unknown => undefined;
  const onRequest = ({ method }: LoggedRequest) => void (method === "GET" && later());
  const { stack, emulator, edge, id, fail } = await startDelete({}, { onRequest });
  fail("", { status: 504, times: forever });
  later = () => emulator.account.tcpEdges.length > 0 && emulator.api("DELETE", `/edges/tcp/${id}`);
  await edge.delete();
  expect(stack.calls.filter((call) => call.startsWith("GET"))).toEqual([`GET ${one}`, `GET ${one}`]);
});
