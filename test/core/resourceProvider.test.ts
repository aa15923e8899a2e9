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
import { createRequestTime } from "../support/clock";
import { configOf, startService } from "../support/emulators";
import { optionsOf } from "../support/engine/coreOptions";
import { Processes } from "../support/engine/processes";
import { failureOf } from "../support/errorOf";

const time = createRequestTime();
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

type Started = Awaited<ReturnType<typeof start>>;

/** Checks and diffs what is in the state, as the engine does. */
async function diff({ edges, args: old, state }: Started, args: JsonObject, before: Partial<State> = {}, options = e) {
  await edges.check(old, args, options);
  return edges.diff({ ...state, ...before }, args, options);
}

describe("a check", () => {
  test("gives unchanged arguments the form that they had", async () => {
    const { edges } = await start();
    const old = { hostports: ["A.example.com:1"], description: "old" };
    const args = { hostports: ["a.example.com:1"], description: "new" };
    expect(await edges.check(old, args, e)).toEqual({
      args: { hostports: ["A.example.com:1"], description: "new" },
      problems: [],
    });
  });

  test("warns in a preview of what may not work, if nothing is wrong", async () => {
    const { provider, messages } = await start();
    const tlsTermination = { minVersion: "9" };
    const { problems } = await provider(tlsEdge).check(undefined, { tlsTermination, hostports: ["a"] }, e);
    expect(problems).toHaveLength(1);
    expect(messages()).toEqual([]);
    await provider(tlsEdge).check(undefined, { tlsTermination }, e);
    expect(messages()).toEqual([expect.stringContaining('tlsTermination.minVersion "9" is not one of')]);
  });

  test("misses the id of the edge, unless the edge may be what has failed", async () => {
    const { emulator, edges, restrictions } = await start();
    const check = async (args: JsonObject) => (await restrictions.check(undefined, args, optionsOf("r"))).problems;
    expect(await check(ipRestriction)).toEqual(["edgeId is required"]);
    emulator.fail({ method: "POST", status: 400 });
    await edges.check(undefined, {}, optionsOf("f"));
    await failureOf(edges.create({}, optionsOf("f")));
    expect(await check(ipRestriction)).toEqual([]);
    expect(await check({})).toEqual(["ipPolicyIds is required"]);
  });

  test("compares with what is to be imported, once the arguments are valid", async () => {
    const { emulator, messages, edges, id, args } = await start();
    const options = optionsOf("e", { importId: id });
    const check = async (own: JsonObject) => (await edges.check(undefined, own, options)).problems;
    expect(await check({ ...args, hostports: ["a"] })).toEqual([expect.stringContaining("hostports")]);
    expect(emulator.calls()).toEqual([]);
    expect(await check({ ...args, description: "new" })).toEqual([expect.stringContaining("description differs")]);
    expect(messages()).toEqual([]);
    expect(await check(args)).toEqual([]);
    expect(messages()).toEqual([`TCP edge ${id} will be imported unchanged (Pulumi displays this as "create").`]);
  });
});

describe("a diff", () => {
  test("without a check is one of a refresh, which declares nothing", async () => {
    const { edges, restrictions, id, args, state } = await start();
    await edges.diff(state, args, e);
    const check = () => restrictions.check(undefined, { edgeId: id, ...ipRestriction }, optionsOf("r"));
    expect((await check()).problems).toEqual([]);
  });

  test("names what starts to be ignored among the updates, for which nothing is sent", async () => {
    const started = await start();
    const options = optionsOf("e", { ignoreChanges: ["metadata"] });
    expect(await diff(started, started.args, {}, options)).toMatchObject({
      updates: ["metadata"],
      needsCall: false,
      needsRecord: true,
    });
    expect(started.messages()).toEqual(["metadata is no longer managed, because of ignoreChanges."]);
  });

  test("says why something is replaced, if something else changes too", async () => {
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
  test("keeps the form of the program, and what is never sent", async () => {
    const { emulator, keys, provider } = await start();
    const { id } = emulator.api<{ id: string }>("POST", "/api_keys", { description: "d" });
    const keepers = { rotated: "2026" };
    const key = newState({ id, values: { keepers, description: "old" }, managed: ["keepers", "description"] });
    const found = (await keys.read(id, key, e))!;
    expect(found.inputs).toEqual({ keepers, description: "d" });
    expect(found.state.values).toMatchObject({ keepers, description: "d" });
    const edge = emulator.api<{ id: string }>("POST", "/edges/tls", { hostports: ["a.example.com:443"] });
    const hostports = ["A.example.com:443"];
    const state = newState({ id: edge.id, values: { hostports }, managed: ["hostports"] });
    expect((await provider(tlsEdge).read(edge.id, state, e))!.inputs).toEqual({ hostports });
  });

  test("confirms what the service has", async () => {
    const { edges, id, state } = await start();
    const before = { ...state, unconfirmed: ["description"] };
    expect((await edges.read(id, before, e))!.state).toEqual({ ...before, unconfirmed: [] });
  });

  test("of what no state has declares all that it needs; an import leaves out what the service may have chosen", async () => {
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
