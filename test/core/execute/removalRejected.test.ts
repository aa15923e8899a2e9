/** A DELETE that fails, or that the service does not have: what is done then, and what is said. */
import type { EmulatorOptions, LoggedRequest } from "pulumi-tunnel-edge/emulator";
import type { JsonObject } from "../../../src/base/json";
import { publicKey } from "../../support/data/publicKey";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const forever = Number.POSITIVE_INFINITY;
const args = {
  hostports: ["a.example.com:1"],
  ipRestriction: { ipPolicyIds: ["ipp_a"] },
  policy: { inbound: [{ name: "deny", actions: [{ type: "deny" }] }] },
};
const one = "/edges/tcp/{id}";

/** An edge "ssh" of an earlier deployment. */
async function start(declared: JsonObject = args, options: EmulatorOptions = {}) {
  const stack = await Stack.start(options);
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up(declared);
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
    const { stack, emulator, edge, fail, clearedWith } = await start();
    fail("", { status });
    await edge.delete();
    expect(stack.messages).toEqual([clearedWith("")]);
    expect(stack.calls.filter((call) => !call.startsWith("GET"))).toEqual([
      `DELETE ${one}`,
      `PATCH ${one}`,
      `DELETE ${one}/ip_restriction`,
      `DELETE ${one}/policy`,
    ]);
    expect(emulator.account.tcpEdges).toMatchObject([{ hostports: null, ip_restriction: null, policy: null }]);
  });

  test("keeps the modules that cannot be removed either, and they are named", async () => {
    const { stack, edge, fail, clearedWith } = await start();
    for (const each of ["", "/ip_restriction", "/policy"]) fail(each, { status: 405 });
    await edge.delete();
    expect(stack.messages).toEqual([clearedWith(" Its ipRestriction and policy could not be removed.")]);
  });

  test("is not cleared at all if it keeps its hostports", async () => {
    const { stack, emulator, edge, id, fail } = await start();
    fail("", { status: 405 });
    emulator.fail({ method: "PATCH", status: 403 });
    expect(await errorOf(edge.delete())).toMatch(
      new RegExp(`PATCH /edges/tcp/${id} returned 403.* Use a key whose owner is\\.$`),
    );
    expect(stack.calls.at(-1)).toBe(`PATCH ${one}`);
  });

  test("is cleared in part if the removal of a module fails", async () => {
    const { stack, edge, id, fail } = await start();
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

test("a module that the service cannot remove can be disabled", async () => {
  const { edge, fail } = await start();
  fail("/policy", { status: 405 });
  const { policy: _, ...rest } = args;
  expect(await errorOf(edge.up(rest))).toMatch(
    / returned 405.* The service cannot remove policy\. Declare it with `enabled: false` instead\.$/,
  );
});

test("a deletion whose response was lost is over as soon as the edge is gone", async () => {
  /** What the service does after a GET. */
  let later = (): unknown => undefined;
  const onRequest = ({ method }: LoggedRequest) => void (method === "GET" && later());
  const { stack, emulator, edge, id, fail } = await start({}, { onRequest });
  fail("", { status: 504, times: forever });
  later = () => emulator.account.tcpEdges.length > 0 && emulator.api("DELETE", `/edges/tcp/${id}`);
  await edge.delete();
  expect(stack.calls.filter((call) => call.startsWith("GET"))).toEqual([`GET ${one}`, `GET ${one}`]);
});

test("a module that is set by a call of its own changes nothing else in the state", async () => {
  const { stack, edge, id } = await start({ description: "d" });
  await edge.up({ description: "d", ipRestriction: args.ipRestriction });
  expect(stack.calls).toEqual([`PUT ${one}/ip_restriction`]);
  expect(edge.outputs).toMatchObject({ description: "d", ipRestriction: { enabled: true, ...args.ipRestriction } });
  expect(edge.outputs.uri).toContain(id);
});
