/** What the engine gets for a resource, from the check to the deletion: each test is a rule. */

import type { JsonObject } from "../../src/base/json";
import { pathsOf } from "../../src/core/arguments";
import { ResourceProvider } from "../../src/core/resourceProvider";
import { newState, type State } from "../../src/core/state";
import { apiKey } from "../../src/definitions/apiKey";
import type { Definition } from "../../src/definitions/definition";
import { toOutputs } from "../../src/definitions/fields/field";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { tlsEdge } from "../../src/definitions/tlsEdge";
import { RequestTime } from "../support/clock";
import { configOf, startService } from "../support/emulators";
import { optionsOf } from "../support/engine/coreOptions";
import { Processes } from "../support/engine/processes";
import { failureOf } from "../support/errorOf";

const time = new RequestTime();
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const e = optionsOf("e");

/** An edge with an IP restriction, whose state is that of resource "e"; the program is previewed. */
async function start() {
  const processes = new Processes(time);
  const emulator = await startService();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {
    description: "old",
    metadata: "m",
    ip_restriction: { ip_policy_ids: ["ipp_a"] },
  });
  const deployment = processes.startDeployment(configOf(emulator));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  deployment.informsOfPlans = true;
  const [edges, restrictions, keys] = [provider(tcpEdge), provider(tcpEdgeIpRestriction), provider(apiKey)];
  const args = { description: "old", metadata: "m", ipRestriction };
  const managed = pathsOf(tcpEdge.fields, args);
  const { state: found } = (await edges.read(id, undefined, e))!;
  const state: State = { ...found, managed };
  emulator.clearRequests();
  const messages = () => processes.messages;
  return { emulator, messages, id, edges, restrictions, keys, provider, args, state };
}

describe("a check", () => {
  test("warns in a preview about a value that may not work, if nothing is wrong", async () => {
    const { provider, messages } = await start();
    const tlsTermination = { minVersion: "9" };
    const { problems } = await provider(tlsEdge).check(undefined, { tlsTermination, hostports: ["a"] }, e);
    expect(problems).toHaveLength(1);
    expect(messages()).toEqual([]);
    await provider(tlsEdge).check(undefined, { tlsTermination }, e);
    expect(messages()).toEqual([expect.stringContaining('tlsTermination.minVersion "9" is not one of')]);
  });

  test("requires the id of the edge, unless the create of an edge has failed", async () => {
    const { emulator, edges, restrictions } = await start();
    const check = async (args: JsonObject) => (await restrictions.check(undefined, args, optionsOf("r"))).problems;
    expect(await check(ipRestriction)).toEqual(["edgeId is required"]);
    emulator.fail({ method: "POST", status: 400 });
    await edges.check(undefined, {}, optionsOf("f"));
    await failureOf(edges.create({}, optionsOf("f")));
    expect(await check(ipRestriction)).toEqual([]);
    expect(await check({})).toEqual(["ipPolicyIds is required"]);
  });
});

describe("a diff", () => {
  test("without a check declares nothing, because it is one of a refresh", async () => {
    const { edges, restrictions, id, args, state } = await start();
    await edges.diff(state, args, e);
    const check = () => restrictions.check(undefined, { edgeId: id, ...ipRestriction }, optionsOf("r"));
    expect((await check()).problems).toEqual([]);
  });

  test("informs why an object is replaced, if other arguments change too", async () => {
    const { keys, messages } = await start();
    const [old, changed] = [
      { ownerId: "usr_a", description: "old", metadata: "old" },
      { ownerId: "usr_b", description: "new", metadata: "new" },
    ];
    const diff = (args: JsonObject, replaceOnChanges: string[] = []) =>
      keys.diff(
        newState({ id: "ak_a", values: old, managed: Object.keys(old) }),
        args,
        optionsOf("k", { replaceOnChanges }),
      );
    await diff({ ...old, ownerId: "usr_b" });
    await diff({ ...old, metadata: "new" }, ["metadata"]);
    expect(messages()).toEqual([]);
    await diff({ ...changed, metadata: "old" });
    await diff({ ...changed, ownerId: "usr_a" }, ["metadata"]);
    await diff(changed, ["metadata"]);
    expect(messages()).toEqual([
      "API key ak_a will be replaced because of ownerId.",
      "API key ak_a will be replaced because of metadata.",
      "API key ak_a will be replaced because of ownerId and metadata.",
    ]);
  });
});

test("a preview of an update has the new values", async () => {
  const { edges, args, state } = await start();
  const changed = { ...args, description: "new" };
  const after = { ...state.values, description: "new" };
  expect(edges.preview(state, changed, e)).toEqual(toOutputs(tcpEdge.fields, after));
});

describe("a read", () => {
  test("confirms the values that the service has", async () => {
    const { edges, id, state } = await start();
    const before = { ...state, unconfirmed: ["description"] };
    expect((await edges.read(id, before, e))!.state).toEqual({ ...before, unconfirmed: [] });
  });

  test("without a state returns all arguments; an import leaves out those that the service may have chosen", async () => {
    const { emulator, keys } = await start();
    const { id, owner_id: ownerId } = emulator.api<{ id: string; owner_id: string }>("POST", "/api_keys", {
      description: "d",
    });
    const read = await keys.readUnmanaged("read", id, e);
    expect(read).toMatchObject({
      args: { description: "d", ownerId },
      omissions: [],
      values: { description: "d", ownerId },
    });
    expect((await keys.readUnmanaged("import", id, optionsOf("k"))).args).toEqual({ description: "d" });
  });
});
