/** A module that both its edge and a resource of its own write: who sets it in the end, and what the states record. */
import type { JsonObject } from "../../src/base/json";
import type { PartialFailure } from "../../src/core/errors";
import { toProperties } from "../../src/core/state";
import { unknownValue } from "../../src/core/unknown";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { createRequestTime } from "../support/clock";
import { errorOf, failureOf } from "../support/errorOf";
import { Stack } from "../support/inProcess/stack";

const time = createRequestTime();
const ipRestriction = { ipPolicyIds: ["ipp_edge"] };
const set = "PUT /edges/tcp/{id}/ip_restriction";
const remove = "DELETE /edges/tcp/{id}/ip_restriction";
const update = "PATCH /edges/tcp/{id}";

/** An edge and the resource of its IP restriction, which both declare; the edge has written last. A deployment begins. */
async function start() {
  const stack = await Stack.start(time);
  const { emulator } = stack;
  const [edge, own] = [stack.resource(tcpEdge, "edge"), stack.resource(tcpEdgeIpRestriction, "own")];
  const { id } = await edge.up({});
  const args = { edgeId: id, ipPolicyIds: ["ipp_own"] };
  await own.up(args);
  stack.next();
  await edge.up({ ipRestriction });
  stack.next();
  /** Another resource that has had the same edge for as long. */
  const share = (declared: JsonObject) => {
    const other = stack.resource(tcpEdge, "other");
    const managed = Object.keys(declared).map((name) => `${name}.ipPolicyIds`);
    other.saved = { args: declared, state: { ...edge.saved!.state, managed } };
    return other;
  };
  /** The module's own resource writes last. */
  const setOwn = async () => {
    await edge.up();
    await own.up({ ...args, ipPolicyIds: ["ipp_new"] });
    stack.next();
  };
  const policies = () => emulator.account.tcpEdges[0]?.ip_restriction?.ip_policies.map((policy) => policy.id);
  const writes = () => stack.calls.filter((call) => !call.startsWith("GET"));
  const plans = () => stack.processes.debugged.filter((message) => message.startsWith("plan: "));
  const said = () => stack.messages.map((message) => message.replaceAll(id, "<id>"));
  return { stack, emulator, id, edge, own, args, share, setOwn, policies, writes, plans, said };
}

type Started = Awaited<ReturnType<typeof start>>;
type Prepare = (started: Started) => Promise<unknown>;

describe("an edge that stops declaring the module", () => {
  test.each<[string, Prepare]>([
    [
      "which has written last",
      async ({ setOwn, own }) => {
        await setOwn();
        await own.diff();
      },
    ],
    [
      "which has written last, as far as the edge's state knows",
      async ({ setOwn, edge, own }) => {
        await setOwn();
        edge.saved!.state.writeMarks = {};
        await own.diff();
      },
    ],
    ["which is about to set it", ({ own, args }) => own.check(args)],
  ])("leaves it to its resource, %s", async (_, prepare) => {
    const started = await start();
    const { edge, said, writes } = started;
    await prepare(started);
    const { values, left } = await edge.up({});
    expect({ calls: writes(), said: said(), left }).toEqual({ calls: [], said: [], left: [] });
    expect(values).not.toHaveProperty("ipRestriction");
  });

  test("sets it as its resource declares it, which will not do it in this deployment", async () => {
    const { edge, own, plans, policies, writes } = await start();
    // Before the edge, and so in ignorance of what the edge has written.
    await own.diff();
    const { values, left } = await edge.up({});
    expect(policies()).toEqual(["ipp_own"]);
    expect(values).toMatchObject({ ipRestriction: { ipPolicyIds: ["ipp_own"] } });
    expect({ calls: writes(), left }).toEqual({ calls: [set], left: [] });
    expect(plans()).toEqual([expect.stringContaining('because this edge wrote it after Resource "own" did')]);
  });

  test.each([
    ["other than the edge", { ipPolicyIds: ["ipp_other"] }],
    ["as the edge does", ipRestriction],
  ])("sets it as another resource of the edge declares it: %s", async (_, declared) => {
    const { stack, edge, share, policies, writes } = await start();
    edge.saved!.state.writeMarks = {};
    const other = share({ ipRestriction: declared });
    await other.up();
    stack.next();
    await other.up();
    await edge.up({});
    expect({ calls: writes(), policies: policies() }).toEqual({ calls: [set], policies: declared.ipPolicyIds });
  });

  test("remembers it, as long as its new resource has not set it", async () => {
    const { stack, edge, id, said, writes } = await start();
    await stack.resource(tcpEdgeIpRestriction, "new").check({ edgeId: id, ipPolicyIds: ["ipp_new"] });
    expect(await edge.up({})).toMatchObject({ left: ["ipRestriction"], values: { ipRestriction } });
    expect({ calls: writes(), said: said() }).toEqual({
      calls: [],
      said: ['The ipRestriction of TCP edge <id> was not removed, because Resource "new" declares it.'],
    });
  });
});

test("an edge that never declared the module does not set it for another resource of the edge", async () => {
  const { stack, edge, share, writes } = await start();
  const other = share({ ipRestriction: { ipPolicyIds: ["ipp_other"] } });
  edge.saved = { args: {}, state: { ...edge.saved!.state, managed: [] } };
  await other.up();
  stack.next();
  await other.up();
  await edge.up({ description: "new" });
  expect(writes()).toEqual([update]);
});

describe("the module's own resource", () => {
  test.each<[string, Prepare, string, string[]]>([
    ["its edge has written last", ({ edge }) => edge.up(), "its edge wrote it after this resource did", [set]],
    [
      "its edge has written last, and is in another process",
      ({ stack, edge, own }) => {
        own.provider = stack.startProcess()(tcpEdgeIpRestriction);
        return edge.up();
      },
      "its edge wrote it after this resource did",
      [set],
    ],
    [
      "another resource of the edge writes it in this deployment",
      async ({ stack, edge, share, setOwn }) => {
        await setOwn();
        const other = share({ ipRestriction });
        other.provider = stack.startProcess()(tcpEdge);
        await other.up({ ipRestriction: { ipPolicyIds: ["ipp_other"] } });
        await edge.diff();
      },
      "its edge wrote it after this resource did",
      [set, set],
    ],
    [
      "another resource writes it after an edge that has never done so",
      async ({ stack, edge, share, setOwn }) => {
        await setOwn();
        const other = share({ ipRestriction });
        other.provider = stack.startProcess()(tcpEdge);
        edge.saved!.state.writeMarks = {};
        await edge.diff();
        await other.up({ ipRestriction: { ipPolicyIds: ["ipp_other"] } });
      },
      "its edge wrote it after this resource did",
      [set, set],
    ],
    ["its edge removes it", ({ edge }) => edge.up({}), 'Resource "edge" removes it', [remove, set]],
  ])("sets it again if %s", async (_, prepare, reason, calls) => {
    const started = await start();
    const { own, plans, policies, writes } = started;
    await prepare(started);
    await own.up();
    expect(writes()).toEqual(calls);
    expect(policies()).toEqual(own.saved!.args["ipPolicyIds"]);
    expect(plans().at(-1)).toContain(`because ${reason}`);
  });

  test.each<[string, Prepare]>([
    ["it has written last", ({ edge }) => edge.up()],
    ["its edge was not seen yet", async () => undefined],
    [
      "its edge has not written it, as far as its state knows",
      ({ edge }) => {
        edge.saved!.state.writeMarks = {};
        return edge.up();
      },
    ],
  ])("leaves it alone if %s", async (_, prepare) => {
    const started = await start();
    await started.setOwn();
    await prepare(started);
    await started.own.up();
    expect(started.writes()).toEqual([]);
  });

  test("sets what its edge removes only once, and says that it is not set in between", async () => {
    const { edge, own, said, writes } = await start();
    await edge.up({});
    expect(await own.diff()).toMatchObject({ needsCall: true, replaces: [] });
    await own.up();
    await own.up();
    expect(writes()).toEqual([remove, set]);
    expect(said()).toEqual([
      'The IP restriction of TCP edge <id> moves from Resource "edge" to Resource "own" and is not set in between. To move ' +
        "it without a gap, see docs/moving.md in pulumi-tunnel-edge.",
    ]);
  });

  test("does not know whether it is set if its edge removes it and the service then rejects it", async () => {
    const { emulator, edge, own } = await start();
    own.saved!.state.unconfirmed = ["enabled"];
    await edge.up({});
    emulator.fail({ method: "PUT", status: 400 });
    const { properties } = await failureOf<PartialFailure>(own.up());
    expect(properties).toMatchObject({ __unconfirmed: "ipPolicyIds" });
  });

  test("does not move from an edge that removes it only unless another resource declares it", async () => {
    const { edge, own, said } = await start();
    edge.saved = { args: {}, state: { ...edge.saved!.state, left: ["ipRestriction"] } };
    await edge.diff();
    await own.diff();
    expect(said()).toEqual([]);
  });
});

describe("the state records who wrote last", () => {
  test("of the edge what it has written, and of the module's own resource what it has seen", async () => {
    const { edge, own, id, setOwn } = await start();
    const marks = { [`/edges/tcp/${id}/ip_restriction`]: expect.stringMatching(/^[0-9a-f]{8}$/) };
    expect(edge.saved!.state.writeMarks).toEqual(marks);
    expect(own.saved!.state.writeMarks).toEqual({});
    await setOwn();
    expect(own.saved!.state.writeMarks).toEqual(edge.saved!.state.writeMarks);
    // In a deployment that does not see the edge.
    const after = await own.up({ edgeId: id, ipPolicyIds: ["ipp_own"] });
    expect(after.writeMarks).toEqual(edge.saved!.state.writeMarks);
  });

  test("only of modules that were written", async () => {
    const stack = await Stack.start(time);
    const edge = stack.resource(tcpEdge, "edge");
    await edge.up({});
    expect(toProperties(await edge.up({ description: "new" }))).not.toHaveProperty("__marks");
  });
});

describe("the module's own resource leaves the program", () => {
  test("and the engine has replaced it with its edge: the module goes with the edge", async () => {
    const { own, args, said, writes } = await start();
    own.saved!.state.withEdge = undefined;
    await own.provider.diff(own.saved!.state, { ...args, edgeId: unknownValue }, own.options);
    await own.delete();
    expect({ calls: writes(), said: said() }).toEqual({
      calls: [],
      said: [expect.stringContaining("The IP restriction of TCP edge <id> is deleted with its edge.")],
    });
  });

  test("after a refresh: the module is removed", async () => {
    const { own, edge, writes } = await start();
    await edge.up({});
    await own.provider.diff(own.saved!.state, own.saved!.args, own.options);
    await own.delete();
    expect(writes()).toEqual([remove, remove]);
  });

  test("and another resource declares it, beside one that has failed: the module stays", async () => {
    const { stack, emulator, edge, own, id, said, writes } = await start();
    emulator.fail({ method: "PUT", status: 400 });
    await expect(edge.up({ ipRestriction: { ipPolicyIds: ["ipp_a"] } })).rejects.toThrow("returned 400");
    const other = stack.resource(tcpEdgeIpRestriction, "other");
    other.saved = { ...own.saved!, args: { edgeId: id, ipPolicyIds: ["ipp_own"] } };
    await other.up();
    emulator.clearRequests();
    await own.delete();
    expect(writes()).toEqual([]);
    expect(said().at(-1)).toContain('was not deleted, because Resource "other" still declares it.');
  });

  test("and another resource was created for the module, which stays as it is", async () => {
    const { stack, own, args, said } = await start();
    await stack.resource(tcpEdgeIpRestriction, "new").up(args);
    stack.emulator.clearRequests();
    await own.delete();
    expect({ calls: stack.calls, said: said() }).toEqual({
      calls: [],
      said: ['IP restriction of TCP edge <id> was not deleted, because Resource "new" still declares it.'],
    });
  });

  test.each([
    ["is to be updated, in another process", []],
    ["is to be replaced", ["description"]],
  ])("while its edge %s: the module stays", async (_, replaceOnChanges) => {
    const { stack, edge, own, writes } = await start();
    if (replaceOnChanges.length === 0) edge.provider = stack.startProcess()(tcpEdge);
    Object.assign(edge.options, { replaceOnChanges });
    await edge.diff({ description: "new" });
    expect(await errorOf(own.delete())).toContain(
      'Resource "edge", which it belongs to, was not updated in this deployment.',
    );
    expect(writes()).toEqual([]);
  });
});
