/** What two resources declare: when a check, a diff or an import fails, and when it is only a warning. */
import type { JsonObject } from "../../src/base/json";
import type { Options } from "../../src/core/options";
import { unknownValue } from "../../src/core/unknown";
import { httpsEdgeRouteRequestHeaders } from "../../src/definitions/httpsEdgeRouteRequestHeaders";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { createRequestTime } from "../support/clock";
import { errorOf } from "../support/errorOf";
import { Stack } from "../support/inProcess/stack";

const time = createRequestTime();
const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const policy = { inbound: [{ actions: [{ type: "deny" }] }] };

/** An edge of an earlier deployment, which several resources of the program may have. */
async function start() {
  const stack = await Stack.start(time);
  const first = stack.resource(tcpEdge, "first");
  const { id } = await first.up({ ipRestriction });
  stack.next();
  /** A resource whose state has the edge, and as much of it declared. */
  const edge = (name: string, args: JsonObject, options: Partial<Options> = {}) => {
    const resource = stack.resource(tcpEdge, name, options);
    const managed = "ipRestriction" in args ? ["ipRestriction.ipPolicyIds"] : [];
    resource.saved = { args, state: { ...first.saved!.state, managed } };
    return resource;
  };
  /** A resource whose state has the IP restriction of the edge. */
  const own = async (name: string, options: Partial<Options> = {}) => {
    const resource = stack.resource(tcpEdgeIpRestriction, name, options);
    const { state } = (await resource.provider.read(id, undefined, { timeouts: {} }))!;
    const args = { edgeId: id, ...ipRestriction };
    resource.saved = { args, state: { ...state, managed: ["edgeId", "ipPolicyIds"] } };
    return resource;
  };
  /** A new resource of the IP restriction of the edge "edge", whose id is not known yet. */
  const unknown = (name: string, edgeKey?: string) => {
    const resource = stack.resource(tcpEdgeIpRestriction, name, edgeKey === undefined ? {} : { edgeKey });
    return { check: (old?: JsonObject) => resource.check({ edgeId: unknownValue, ...ipRestriction }, old) };
  };
  return { stack, id, edge, own, unknown };
}

type Started = Awaited<ReturnType<typeof start>>;

const routeArgs = (route: string): JsonObject => ({ edgeId: "edghts_1", routeId: `edghtsrt_${route}` });

describe("a second declaration is rejected", () => {
  test.each<[string, (started: Started) => Promise<string[]>, string]>([
    [
      "of a module that its edge declares, whose id is not known yet",
      async ({ stack, unknown }) => {
        await stack.resource(tcpEdge, "other").check({ ipRestriction });
        return unknown("own", "other").check();
      },
      "The IP restriction of its edge",
    ],
    [
      "of a module that its own resource has had, by its edge",
      async ({ unknown, edge }) => {
        await unknown("other", "edge").check({ edgeId: unknownValue, ...ipRestriction });
        return edge("edge", {}).check({ ipRestriction });
      },
      "ipRestriction",
    ],
    [
      "of a module that another resource has, in the check of one whose route changes",
      async ({ stack }) => {
        const [other, own] = ["other", "own"].map((name) => stack.resource(httpsEdgeRouteRequestHeaders, name));
        await other!.check(routeArgs("b"), routeArgs("b"));
        return own!.check(routeArgs("b"), routeArgs("a"));
      },
      "The request headers module of its edge",
    ],
    [
      "of a hostport, whatever its case",
      async ({ stack }) => {
        await stack.resource(tcpEdge, "other").check({ hostports: ["A.example.com:1"] });
        return stack.resource(tcpEdge, "new").check({ hostports: ["a.example.com:1"] });
      },
      'hostports: "a.example.com:1"',
    ],
    [
      "of a hostport that another edge has had",
      async ({ stack }) => {
        const [b, both] = [{ hostports: ["b.example.com:1"] }, { hostports: ["b.example.com:1", "a.example.com:1"] }];
        await stack.resource(tcpEdge, "other").check(both, both);
        return stack.resource(tcpEdge, "edge").check({ hostports: ["a.example.com:1"] }, b);
      },
      'hostports: "a.example.com:1"',
    ],
    [
      "of an edge, in the check of one that imports it",
      async ({ stack, id, edge }) => {
        await edge("other", {}).diff();
        return stack.resource(tcpEdge, "imported", { importId: id }).check({ ipRestriction });
      },
      "TCP edge <id>",
    ],
    [
      "of an edge that the engine has imported",
      async ({ id, edge }) => {
        await edge("other", {}).diff();
        return edge("imported", { ipRestriction }, { importId: id, isImport: true }).check({ ipRestriction });
      },
      "TCP edge <id>",
    ],
    [
      "of an edge, when the engine imports it",
      async ({ stack, id, edge }) => {
        await edge("other", {}).diff();
        const { provider, options } = stack.resource(tcpEdge, "imported");
        return [await errorOf(provider.readUnmanaged("import", id, options))];
      },
      "TCP edge <id>",
    ],
    [
      "of an edge that another resource has imported before",
      async ({ stack, id, edge }) => {
        await stack.resource(tcpEdge, "other", { importId: id }).up({ ipRestriction });
        return [await errorOf(edge("edge", {}).diff())];
      },
      "TCP edge <id>",
    ],
    [
      "of a module that its own resource has had, in the diff of its edge",
      async ({ edge, own }) => {
        await (await own("other")).diff();
        return [await errorOf(edge("edge", {}).diff({ ipRestriction }))];
      },
      "ipRestriction",
    ],
  ])("%s", async (_, declare, what) => {
    const started = await start();
    const problems = await declare(started);
    expect(problems.map((problem) => problem.replaceAll(started.id, "<id>"))).toEqual([
      `${what} is already declared by Resource "other". Declare it in one place.`,
    ]);
  });
});

describe("a second declaration is not rejected", () => {
  test.each<[string, (started: Started) => Promise<unknown>]>([
    [
      "if the states of both have it, and the edge's id is not known",
      async ({ stack, unknown }) => {
        await stack.resource(tcpEdge, "other").check({ ipRestriction }, { ipRestriction });
        return unknown("own", "other").check({ edgeId: unknownValue, ...ipRestriction });
      },
    ],
    [
      "if both edges are unknown: they may be two",
      async ({ unknown }) => {
        await unknown("other").check();
        return unknown("own").check();
      },
    ],
    [
      "if the states of two edges have the same hostport",
      async ({ stack }) => {
        const [upper, lower] = [{ hostports: ["A.example.com:1"] }, { hostports: ["a.example.com:1"] }];
        await stack.resource(tcpEdge, "other").check(lower, upper);
        return stack.resource(tcpEdge, "edge").check(lower, upper);
      },
    ],
    [
      "if the states of two edges have the same hostport, and one is checked again to be replaced",
      async ({ stack }) => {
        const args = { hostports: ["a.example.com:1"] };
        const [other, edge] = ["other", "edge"].map((name) => stack.resource(tcpEdge, name));
        await other!.check(args, args);
        await edge!.check(args, args);
        return edge!.check(args);
      },
    ],
    [
      "if the states of both have it, and one still has the option import",
      async ({ id, edge }) => {
        await edge("other", {}).diff();
        return edge("edge", {}, { importId: id }).check({});
      },
    ],
    [
      "if the resource that had it is to be replaced",
      async ({ own }) => {
        await (await own("other")).diff();
        const replaced = await own("own", { replaceOnChanges: ["ipPolicyIds"] });
        const args = { ...replaced.saved!.args, ipPolicyIds: ["ipp_b"] };
        expect(await replaced.diff(args)).toMatchObject({ replaces: ["ipPolicyIds"] });
        replaced.saved = undefined;
        return replaced.check(args);
      },
    ],
    [
      "if the edge that had it is to be replaced, by the import of the same edge",
      async ({ stack, id, edge }) => {
        await edge("other", {}).diff();
        const replaced = edge("edge", {}, { importId: id, replaceOnChanges: ["description"] });
        const args = { description: "new", ipRestriction };
        expect(await replaced.diff(args)).toMatchObject({ replaces: ["description"] });
        stack.emulator.api("PATCH", `/edges/tcp/${id}`, { description: "new" });
        replaced.saved = undefined;
        return replaced.check(args);
      },
    ],
    [
      "if the check of the other resource has failed",
      async ({ stack, id }) => {
        const [own, other] = ["own", "other"].map((name) => stack.resource(tcpEdgeIpRestriction, name));
        const args = { edgeId: id, ...ipRestriction };
        await own!.check(args);
        expect(await other!.check(args)).toHaveLength(1);
        return own!.check(args);
      },
    ],
  ])("%s", async (_, declare) => {
    expect(await declare(await start())).toEqual([]);
  });
});

describe("a warning, and not an error, is", () => {
  test.each<[string, (started: Started) => Promise<unknown>, string]>([
    [
      "a module that its own resource was created for, although its edge has it in its state",
      async ({ stack, id, edge }) => {
        await stack.resource(tcpEdgeIpRestriction, "other").up({ edgeId: id, ...ipRestriction });
        await edge("edge", { ipRestriction }).diff();
      },
      "ipRestriction of TCP edge <id>",
    ],
    [
      "an edge that two resources have, of which one newly declares a module without a resource of its own",
      async ({ stack, id, edge }) => {
        stack.emulator.api("PATCH", `/edges/tcp/${id}`, { policy: { enabled: true, ...policy } });
        await edge("other", { policy }).diff();
        await edge("edge", {}).diff({ policy });
      },
      "TCP edge <id>",
    ],
  ])("%s", async (_, declare, what) => {
    const started = await start();
    await declare(started);
    const { messages, subjects } = started.stack.processes;
    expect(messages[0]!.replaceAll(started.id, "<id>")).toBe(
      `The ${what} is managed by both Resource "other" and Resource "edge", which overwrite each other. Declare it in one ` +
        "place.",
    );
    expect(subjects[0]).toBe("edge");
  });
});

test("a module without the id of its edge is invalid, also if other resources have succeeded", async () => {
  const { stack } = await start();
  await stack.resource(tcpEdge, "new").up({});
  expect(await stack.resource(tcpEdgeIpRestriction, "own").check(ipRestriction)).toEqual([
    expect.stringContaining("edgeId"),
  ]);
});
