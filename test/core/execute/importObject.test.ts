/** The option import, as far as the tests of each resource do not have it: see test/resources/suite. */
import { unknown } from "../../support/engine/provider";
import { Stack } from "../../support/engine/stack";
import { testDynamic } from "../../support/engine/testedProvider";

testDynamic("a module whose edge is not known yet is compared in all other arguments", async () => {
  const stack = await Stack.start();
  stack.emulator.seed({ tcpEdges: [{ id: "edgtcp_1", ip_restriction: { ip_policy_ids: ["ipp_a"] } }] });
  const office = stack.resource("TcpEdgeIpRestriction", "office");
  const preview = (id: string) =>
    office
      .preview({ edgeId: unknown, ipPolicyIds: [id] }, { import: "edgtcp_1" })
      .catch((error: Error) => error.message);
  expect(await preview("ipp_a")).toMatchObject({ step: "create" });
  expect(await preview("ipp_b")).toContain('but ["ipp_a"] in IP restriction of TCP edge edgtcp_1');
});

testDynamic("an object that has the option can be replaced because of an argument that is sent", async () => {
  const stack = await Stack.start();
  const key = stack.resource("ApiKey", "ci");
  await key.up({ description: "old" });
  expect(
    await key.preview({ description: "new" }, { import: key.id, replaceOnChanges: ["description"] }),
  ).toMatchObject({ step: "replace", replaces: ["description"] });
});
