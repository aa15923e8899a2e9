/** What is removed from an edge that then cannot be deleted is set again: which modules, how, and what is said. */
import type { EmulatorOptions, LoggedRequest } from "pulumi-tunnel-edge/emulator";
import { Stack } from "../../support/engine/stack";
import { test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const restrictedBy = (policy: string) => [{ ip_restriction: { enabled: true, ip_policies: [{ id: policy }] } }];
const setRestriction = "PUT /edges/tcp/{id}/ip_restriction";
const stays = "its edge could not be deleted in this deployment. Run `pulumi up` again.";

/** An edge and its restriction, which this program does not have. The deletion of the edge is rejected. */
async function start(options: EmulatorOptions = {}) {
  const stack = await Stack.start(options);
  const [edge, restriction] = [
    stack.resource("TcpEdge", "edge"),
    stack.resource("TcpEdgeIpRestriction", "restriction"),
  ];
  await edge.up({});
  const { id } = edge;
  stack.next();
  // In a run that does not know the edge, such as with --target.
  await restriction.up({ edgeId: id, ipPolicyIds: ["ipp_a"] });
  stack.next();
  const { emulator } = stack;
  const fault = emulator.fail({ method: "DELETE", path: `/edges/tcp/${id}`, status: 403, times: 9 });
  /** Deletes the restriction, then the edge. */
  const deleteBoth = async () => {
    await restriction.delete();
    return errorOf(edge.delete());
  };
  const calls = () => stack.calls.filter((call) => call === setRestriction);
  /** What is said of the deletion that has failed. */
  const warnings = () =>
    stack.messages.filter((message) => message.startsWith(`The deletion of TCP edge ${id} failed`));
  return { stack, emulator, edge, restriction, id, fault, deleteBoth, calls, warnings };
}

test("a restriction is set again as it was, once, and that is said", async () => {
  const { emulator, edge, id, deleteBoth, calls, warnings } = await start();
  expect(await deleteBoth()).toContain("returned 403");
  expect(emulator.account.tcpEdges).toMatchObject(restrictedBy("ipp_a"));
  expect(await errorOf(edge.delete())).toContain("returned 403");
  expect(calls()).toEqual([setRestriction]);
  expect(warnings()).toEqual([
    `The deletion of TCP edge ${id} failed, so its ipRestriction, which this deployment had removed, was set again. ` +
      "Pulumi no longer manages it. If the program declares it, run `pulumi up`.",
  ]);
});

test("an edge that could not be deleted can be deleted after all", async () => {
  const { emulator, edge, fault, deleteBoth } = await start();
  await deleteBoth();
  fault.cancel();
  await edge.delete();
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("a restriction that another resource declares since is left to it", async () => {
  const { stack, emulator, edge, restriction, id, calls, warnings } = await start();
  await restriction.delete();
  await stack.resource("TcpEdgeIpRestriction", "new").up({ edgeId: id, ipPolicyIds: ["ipp_b"] });
  expect(await errorOf(edge.delete())).toContain("returned 403");
  expect(emulator.account.tcpEdges).toMatchObject(restrictedBy("ipp_b"));
  expect(calls()).toEqual([setRestriction]);
  expect(warnings()).toEqual([]);
});

test("a restriction whose edge could not be deleted before stays", async () => {
  const { emulator, edge, restriction, id } = await start();
  await errorOf(edge.delete());
  expect(await errorOf(restriction.delete())).toBe(`IP restriction of TCP edge ${id} could not be deleted: ${stays}`);
  expect(emulator.account.tcpEdges).toMatchObject(restrictedBy("ipp_a"));
});

test("a restriction is set again if another process fails to delete the edge in the meantime", async () => {
  let meanwhile = async (): Promise<unknown> => undefined;
  const onRequest = async ({ method, path }: LoggedRequest) => {
    if (method === "DELETE" && path.endsWith("/ip_restriction")) await meanwhile();
  };
  const { stack, emulator, edge, restriction, id } = await start({ onRequest });
  edge.useProvider(stack.startProcess());
  meanwhile = () => errorOf(edge.delete());
  expect(await errorOf(restriction.delete())).toBe(`IP restriction of TCP edge ${id} could not be deleted: ${stays}`);
  expect(emulator.account.tcpEdges).toMatchObject(restrictedBy("ipp_a"));
});

test.each([
  ["rejected", { status: 403 }, / could not be set again\. Anyone may be able to connect\. PUT \S+ returned 403/],
  [
    "not applied",
    { status: 200, body: { enabled: false, ip_policies: [] } },
    / could not be set again\. .* The service accepted PUT \S+, but did not apply it\.$/,
  ],
])("a restriction that cannot be set again is named: %s", async (_, fault, warning) => {
  const { emulator, deleteBoth, warnings } = await start();
  emulator.fail({ method: "PUT", ...fault });
  expect(await deleteBoth()).toContain("could not be deleted");
  expect(warnings()).toEqual([expect.stringMatching(warning)]);
});

test("nothing is said of an edge that was deleted after all", async () => {
  const { emulator, edge, restriction, id, fault, warnings } = await start();
  await restriction.delete();
  fault.cancel();
  emulator.fail({ method: "DELETE", path: `/edges/tcp/${id}`, status: 504, processed: true, times: 9 });
  emulator.fail({ method: "GET", status: 403, times: 9 });
  await edge.delete().catch(() => undefined);
  expect(emulator.account.tcpEdges).toEqual([]);
  expect(warnings()).toEqual([]);
});

test("what does not protect an edge is neither kept nor set again", async () => {
  const stack = await Stack.start();
  const [edge, termination] = [
    stack.resource("TlsEdge", "edge"),
    stack.resource("TlsEdgeTlsTermination", "termination"),
  ];
  await edge.up({});
  const { id } = edge;
  await termination.up({ edgeId: id, terminateAt: "edge" });
  stack.next();
  stack.emulator.fail({ method: "DELETE", path: `/edges/tls/${id}`, status: 403, times: 9 });
  const { state } = termination;
  await termination.delete();
  await errorOf(edge.delete());
  termination.state = state;
  await termination.delete();
  expect(stack.calls.filter((call) => call.endsWith("/tls_termination"))).toEqual([
    "DELETE /edges/tls/{id}/tls_termination",
    "DELETE /edges/tls/{id}/tls_termination",
  ]);
  expect(stack.messages).toEqual([]);
});
