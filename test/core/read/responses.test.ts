/** What a response must have to be the service's, and what happens if something else is returned. */
import type { Json } from "../../../src/base/json";
import { expectFrom, expectNewObject, expectNothing } from "../../../src/core/read/responses";
import { apiKey } from "../../../src/definitions/apiKey";
import { tcpEdgeIpRestriction } from "../../../src/definitions/tcpEdgeIpRestriction";
import { tunnel } from "../../../src/definitions/tunnel";
import { objectSamples } from "../../support/data/samples";
import { Stack } from "../../support/engine/stack";
import { describe as describeBoth, test as testBoth } from "../../support/engine/testedProvider";

const kinds = {
  object: expectFrom(apiKey, "ak_1"),
  "read-only object": expectFrom(tunnel, "tn_1"),
  module: expectFrom(tcpEdgeIpRestriction, "edgtcp_1"),
  "new object": expectNewObject,
  "empty response": expectNothing,
};
type Kind = keyof typeof kinds;

test.each<[Kind, Json]>([
  ["object", { id: "ak_1" }],
  ["read-only object", { id: "tn_1" }],
  ["module", { enabled: false }],
  ["module", { ip_policies: [] }],
  ["module", { ip_policy_ids: null }],
  ["new object", { id: "ak_2" }],
  ["empty response", {}],
])("accepts as the %s: %j", (kind, response) => {
  expect(kinds[kind].findProblem(response)).toBeUndefined();
});

const notKey = "something other than API key ak_1";
const notTunnel = "something other than tunnel tn_1";
const notModule = "something other than IP restriction of TCP edge edgtcp_1";
const notEmpty = "something other than an empty response";

test.each<[Kind, Json | undefined, string]>([
  ["object", { id: "ak_2" }, notKey],
  ["object", { description: "" }, notKey],
  ["object", undefined, notKey],
  ["read-only object", { id: "tn_2" }, notTunnel],
  ["module", { id: "edgtcp_1" }, notModule],
  ["module", { edge_id: "edgtcp_1" }, notModule],
  ["module", [], notModule],
  ["module", undefined, notModule],
  ["new object", {}, "no id"],
  ["new object", { id: "" }, "no id"],
  ["new object", { id: 1 }, "no id"],
  ["new object", "ak_1", "no id"],
  ["new object", undefined, "no id"],
  ["empty response", { id: "ak_1" }, notEmpty],
  ["empty response", "OK", notEmpty],
])("rejects as the %s: %j", (kind, response, problem) => {
  expect(kinds[kind].findProblem(response)).toBe(problem);
});

test("accepts no body only from a command, and for a module, which may not be set", () => {
  const optional = Object.keys(kinds).filter((kind) => kinds[kind as Kind].isOptional);
  expect(optional).toEqual(["module", "empty response"]);
});

const other = { status: 200, body: { id: "x" } };

async function startResource(type: string, args: object) {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  const { emulator } = stack;
  emulator.seed({ tcpEdges: [{ id: "edgtcp_1" }] });
  const resource = stack.resource(type);
  return { stack, emulator, resource, up: () => resource.up(args) };
}

testBoth.each(objectSamples)(
  "$type: a GET that returns another object fails, and the state is unchanged",
  async (sample) => {
    const { emulator, resource, up } = await startResource(sample.type, sample.programs("mine")[0]);
    await up();
    const { state } = resource;
    emulator.fail({ method: "GET", ...other });
    await expect(resource.refresh()).rejects.toThrow(
      /could not be read: GET \S+ returned something other than .*_\w+\. Check tunnel-edge:baseUrl/,
    );
    expect(resource.state).toEqual(state);
    expect(await resource.refresh()).toBe("same");
  },
);

describeBoth("a module", () => {
  const args = { edgeId: "edgtcp_1", ipPolicyIds: ["ipp_a"] };
  const unexpected = "returned something other than IP restriction of TCP edge edgtcp_1.";

  test("stays in the state if a GET returns another object", async () => {
    const { emulator, resource, up } = await startResource("TcpEdgeIpRestriction", args);
    await up();
    const { state } = resource;
    emulator.fail({ method: "GET", ...other });
    await expect(resource.refresh()).rejects.toThrow(`GET /edges/tcp/edgtcp_1/ip_restriction ${unexpected}`);
    expect(resource.state).toEqual(state);
  });

  test("is in the state if its PUT returns another object, and is sent again", async () => {
    const { emulator, resource, up } = await startResource("TcpEdgeIpRestriction", args);
    emulator.fail({ method: "PUT", ...other, processed: true });
    await expect(up()).rejects.toThrow(unexpected);
    expect(resource.outputs).toMatchObject(args);
    expect(await up()).toBe("update");
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
  });
});

testBoth("a PATCH that returns another object does not change the rest of the state", async () => {
  const args = { hostports: ["a.example.com:1"], description: "a" };
  const { emulator, resource, up } = await startResource("TcpEdge", args);
  await up();
  emulator.fail({ method: "PATCH", ...other, processed: true });
  await expect(resource.up({ ...args, description: "b" })).rejects.toThrow(
    /PATCH \S+ returned something other than TCP edge edgtcp_\w+\. Check/,
  );
  expect(resource.outputs).toMatchObject({ ...args, description: "b" });
});

testBoth("a gateway that responds to everything with 404 deletes nothing from the state", async () => {
  const { stack, emulator, resource, up } = await startResource("TcpEdge", {});
  await up();
  const { state } = resource;
  stack.next();
  emulator.fail({ path: "/**", status: 404, body: { message: "no Route matched" }, times: Number.POSITIVE_INFINITY });
  const elsewhere = "Something other than the service responds at this address. Check tunnel-edge:baseUrl";
  await expect(resource.refresh()).rejects.toThrow(elsewhere);
  await expect(resource.delete()).rejects.toThrow(elsewhere);
  expect(resource.state).toEqual(state);
});
