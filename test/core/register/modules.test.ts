/** A module that both its edge and a resource of its own write: who sets it in the end, and what the states record. */
import { type Properties, unknown } from "../../support/engine/provider";
import type { ResourceDriver } from "../../support/engine/resourceDriver";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const ipRestriction = { ipPolicyIds: ["ipp_edge"] };
const set = "PUT /edges/tcp/{id}/ip_restriction";
const remove = "DELETE /edges/tcp/{id}/ip_restriction";
const update = "PATCH /edges/tcp/{id}";

/** Which writes to modules the state of a resource has, and what its edge leaves to others. */
const marks = (resource: ResourceDriver) => resource.state!.outputs["__marks"];
const left = (resource: ResourceDriver) => resource.state!.outputs["__left"];

/** An edge and the resource of its IP restriction, which both declare; the edge has written last. A deployment begins. */
async function start() {
  const stack = await Stack.start();
  const { emulator } = stack;
  const [edge, own] = [stack.resource("TcpEdge", "edge"), stack.resource("TcpEdgeIpRestriction", "own")];
  await edge.up({});
  const { id } = edge;
  const args = { edgeId: id, ipPolicyIds: ["ipp_own"] };
  await own.up(args);
  stack.next();
  await edge.up({ ipRestriction });
  stack.next();
  /** Another resource that has had the same edge for as long. */
  const share = (declared: Properties) => stack.resource("TcpEdge", "other").share(edge, declared);
  /** The module's own resource writes last. */
  const setOwn = async () => {
    await edge.up();
    await own.up({ ...args, ipPolicyIds: ["ipp_new"] });
    stack.next();
  };
  const policies = () => emulator.account.tcpEdges[0]?.ip_restriction?.ip_policies.map((policy) => policy.id);
  const writes = () => stack.calls.filter((call) => !call.startsWith("GET"));
  const plans = () => stack.debugged.filter((message) => message.startsWith("plan: "));
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
        await own.plan();
      },
    ],
    [
      "which has written last, as far as the edge's state knows",
      async ({ setOwn, edge, own }) => {
        await setOwn();
        delete edge.state!.outputs["__marks"];
        await own.plan();
      },
    ],
    ["which is about to set it", ({ own, args }) => own.check(args)],
  ])("leaves it to its resource, %s", async (_, prepare) => {
    const started = await start();
    const { edge, said, writes } = started;
    await prepare(started);
    await edge.up({});
    expect({ calls: writes(), said: said(), left: left(edge) }).toEqual({ calls: [], said: [], left: undefined });
    expect(edge.outputs).not.toHaveProperty("ipRestriction");
  });

  test("sets it as its resource declares it, which will not do it in this deployment", async () => {
    const { edge, own, plans, policies, writes } = await start();
    // Before the edge, and so in ignorance of what the edge has written.
    await own.plan();
    await edge.up({});
    expect(policies()).toEqual(["ipp_own"]);
    expect(edge.outputs).toMatchObject({ ipRestriction: { ipPolicyIds: ["ipp_own"] } });
    expect({ calls: writes(), left: left(edge) }).toEqual({ calls: [set], left: undefined });
    expect(plans()).toEqual([
      expect.stringContaining('because this edge wrote it after TcpEdgeIpRestriction "own" did'),
    ]);
  });

  test.each([
    ["other than the edge", { ipPolicyIds: ["ipp_other"] }],
    ["as the edge does", ipRestriction],
  ])("sets it as another resource of the edge declares it: %s", async (_, declared) => {
    const { stack, edge, share, policies, writes } = await start();
    delete edge.state!.outputs["__marks"];
    const other = share({ ipRestriction: declared });
    await other.up();
    stack.next();
    await other.up();
    await edge.up({});
    expect({ calls: writes(), policies: policies() }).toEqual({ calls: [set], policies: declared.ipPolicyIds });
  });

  test("remembers it, as long as its new resource has not set it", async () => {
    const { stack, edge, id, said, writes } = await start();
    await stack.resource("TcpEdgeIpRestriction", "new").check({ edgeId: id, ipPolicyIds: ["ipp_new"] });
    await edge.up({});
    expect(left(edge)).toBe("ipRestriction");
    expect(edge.outputs).toMatchObject({ ipRestriction });
    expect({ calls: writes(), said: said() }).toEqual({
      calls: [],
      said: ['The ipRestriction of TCP edge <id> was not removed, because TcpEdgeIpRestriction "new" declares it.'],
    });
  });
});

test("an edge that never declared the module does not set it for another resource of the edge", async () => {
  const { stack, edge, share, writes } = await start();
  const other = share({ ipRestriction: { ipPolicyIds: ["ipp_other"] } });
  edge.share(edge, {});
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
        own.useProvider(stack.startProcess());
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
        other.useProvider(stack.startProcess());
        await other.up({ ipRestriction: { ipPolicyIds: ["ipp_other"] } });
        await edge.plan();
      },
      "its edge wrote it after this resource did",
      [set, set],
    ],
    [
      "another resource writes it after an edge that has never done so",
      async ({ stack, edge, share, setOwn }) => {
        await setOwn();
        const other = share({ ipRestriction });
        other.useProvider(stack.startProcess());
        delete edge.state!.outputs["__marks"];
        await edge.plan();
        await other.up({ ipRestriction: { ipPolicyIds: ["ipp_other"] } });
      },
      "its edge wrote it after this resource did",
      [set, set],
    ],
    ["its edge removes it", ({ edge }) => edge.up({}), 'TcpEdge "edge" removes it', [remove, set]],
  ])("sets it again if %s", async (_, prepare, reason, calls) => {
    const started = await start();
    const { own, plans, policies, writes } = started;
    await prepare(started);
    await own.up();
    expect(writes()).toEqual(calls);
    expect(policies()).toEqual(own.declared["ipPolicyIds"]);
    expect(plans().at(-1)).toContain(`because ${reason}`);
  });

  test.each<[string, Prepare]>([
    ["it has written last", ({ edge }) => edge.up()],
    ["its edge was not seen yet", async () => undefined],
    [
      "its edge has not written it, as far as its state knows",
      ({ edge }) => {
        delete edge.state!.outputs["__marks"];
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
    expect(await own.plan()).toMatchObject({ changes: true, replaces: [] });
    await own.up();
    await own.up();
    expect(writes()).toEqual([remove, set]);
    expect(said()).toEqual([
      'The IP restriction of TCP edge <id> moves from TcpEdge "edge" to TcpEdgeIpRestriction "own" and is not set in between. To move ' +
        "it without a gap, see docs/moving.md in pulumi-tunnel-edge.",
    ]);
  });

  test("does not know whether it is set if its edge removes it and the service then rejects it", async () => {
    const { emulator, edge, own } = await start();
    own.state!.outputs["__unconfirmed"] = "enabled";
    await edge.up({});
    emulator.fail({ method: "PUT", status: 400 });
    await errorOf(own.up());
    expect(own.state!.outputs).toMatchObject({ __unconfirmed: "ipPolicyIds" });
  });

  test("does not move from an edge that removes it only unless another resource declares it", async () => {
    const { edge, own, said } = await start();
    edge.share(edge, {}).state!.outputs["__left"] = "ipRestriction";
    await edge.plan();
    await own.plan();
    expect(said()).toEqual([]);
  });
});

describe("the state records who wrote last", () => {
  test("of the edge what it has written, and of the module's own resource what it has seen", async () => {
    const { edge, own, id, setOwn } = await start();
    const written = { [`/edges/tcp/${id}/ip_restriction`]: expect.stringMatching(/^[0-9a-f]{8}$/) };
    expect(marks(edge)).toEqual(written);
    expect(marks(own)).toBeUndefined();
    await setOwn();
    expect(marks(edge)).toEqual(written);
    expect(marks(own)).toEqual(marks(edge));
    // In a deployment that does not see the edge.
    await own.up({ edgeId: id, ipPolicyIds: ["ipp_own"] });
    expect(marks(own)).toEqual(marks(edge));
  });

  test("only of modules that were written", async () => {
    const stack = await Stack.start();
    const edge = stack.resource("TcpEdge", "edge");
    await edge.up({});
    await edge.up({ description: "new" });
    expect(edge.state!.outputs).not.toHaveProperty("__marks");
  });
});

describe("the module's own resource leaves the program", () => {
  test("and the engine has replaced it with its edge: the module goes with the edge", async () => {
    const { own, args, said, writes } = await start();
    delete own.state!.outputs["__withEdge"];
    await own.diff(own.state!, { ...own.state!.inputs, ...args, edgeId: unknown });
    await own.delete();
    expect({ calls: writes(), said: said() }).toEqual({
      calls: [],
      said: [expect.stringContaining("The IP restriction of TCP edge <id> is deleted with its edge.")],
    });
  });

  test("after a refresh: the module is removed", async () => {
    const { own, edge, writes } = await start();
    await edge.up({});
    await own.diff(own.state!, own.state!.inputs);
    await own.delete();
    expect(writes()).toEqual([remove, remove]);
  });

  test("and another resource declares it, beside one that has failed: the module stays", async () => {
    const { stack, emulator, edge, own, id, said, writes } = await start();
    emulator.fail({ method: "PUT", status: 400 });
    await expect(edge.up({ ipRestriction: { ipPolicyIds: ["ipp_a"] } })).rejects.toThrow("returned 400");
    const other = stack.resource("TcpEdgeIpRestriction", "other");
    other.share(own, { edgeId: id, ipPolicyIds: ["ipp_own"] });
    await other.up();
    emulator.clearRequests();
    await own.delete();
    expect(writes()).toEqual([]);
    expect(said().at(-1)).toContain('was not deleted, because TcpEdgeIpRestriction "other" still declares it.');
  });

  test("and another resource was created for the module, which stays as it is", async () => {
    const { stack, own, args, said } = await start();
    await stack.resource("TcpEdgeIpRestriction", "new").up(args);
    stack.emulator.clearRequests();
    await own.delete();
    expect({ calls: stack.calls, said: said() }).toEqual({
      calls: [],
      said: ['IP restriction of TCP edge <id> was not deleted, because TcpEdgeIpRestriction "new" still declares it.'],
    });
  });

  test.each([
    ["is to be updated, in another process", []],
    ["is to be replaced", ["description"]],
  ])("while its edge %s: the module stays", async (_, replaceOnChanges) => {
    const { stack, edge, own, writes } = await start();
    if (replaceOnChanges.length === 0) edge.useProvider(stack.startProcess());
    await edge.plan({ description: "new" }, { replaceOnChanges });
    expect(await errorOf(own.delete())).toContain(
      'TcpEdge "edge", which it belongs to, was not updated in this deployment.',
    );
    expect(writes()).toEqual([]);
  });
});
