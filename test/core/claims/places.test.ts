/** What two resources must not both declare: in a check, a diff or an import. */
import { publicKey } from "../../support/data/publicKey";
import { type Options, type Properties, unknown as unknownValue } from "../../support/engine/provider";
import { Stack } from "../../support/engine/stack";
import { describe, test, testDynamic, testedProvider } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };

/** An edge of an earlier deployment, which several resources of the program may have. */
async function start() {
  const stack = await Stack.start();
  const first = stack.resource("TcpEdge", "first");
  await first.up({ ipRestriction });
  const { id } = first;
  stack.next();
  /** A resource whose state has the edge, and as much of it declared. */
  const edge = (name: string, args: Properties, options: Options = {}) =>
    stack.resource("TcpEdge", name, options).share(first, args);
  /** A resource whose state has the IP restriction of the edge. */
  const own = async (name: string, options: Options = {}) => {
    const resource = stack.resource("TcpEdgeIpRestriction", name, options);
    await resource.get(id);
    return resource.share(resource, { edgeId: id, ...ipRestriction });
  };
  /** A new resource of the IP restriction of the edge "edge", whose id is not known yet. */
  const unknown = (name: string, edgeKey?: string) => {
    const resource = stack.resource("TcpEdgeIpRestriction", name, edgeKey === undefined ? {} : { edgeKey });
    return { check: (old?: Properties) => resource.problems({ edgeId: unknownValue, ...ipRestriction }, old) };
  };
  return { stack, id, edge, own, unknown };
}

/** A message in which every resource is a "Resource". */
const withoutTypes = (message: string) => message.replace(/[A-Z]\w+ "(\w+)"/g, 'Resource "$1"');

type Started = Awaited<ReturnType<typeof start>>;

const routeArgs = (route: string): Properties => ({ edgeId: "edghts_1", routeId: `edghtsrt_${route}` });

describe("a second declaration is rejected", () => {
  test.each<[string, (started: Started) => Promise<string[]>, string, "both" | "dynamic"]>([
    [
      "of a module that its edge declares, whose id is not known yet",
      async ({ stack, unknown }) => {
        await stack.resource("TcpEdge", "other").problems({ ipRestriction });
        return unknown("own", 'TcpEdge "other"').check();
      },
      "The IP restriction of its edge",
      "dynamic",
    ],
    [
      "of a module that its own resource has had, by its edge",
      async ({ unknown, edge }) => {
        await unknown("other", 'TcpEdge "edge"').check({ edgeId: unknownValue, ...ipRestriction });
        return edge("edge", {}).problems({ ipRestriction });
      },
      "ipRestriction",
      "dynamic",
    ],
    [
      "of a module that another resource has, in the check of one whose route changes",
      async ({ stack }) => {
        const [other, own] = ["other", "own"].map((name) => stack.resource("HttpsEdgeRouteRequestHeaders", name));
        await other!.problems(routeArgs("b"), routeArgs("b"));
        return own!.problems(routeArgs("b"), routeArgs("a"));
      },
      "The request headers module of its edge",
      "both",
    ],
    [
      "of a public key",
      async ({ stack }) => {
        await stack.resource("SshCredential", "other").problems({ publicKey: publicKey("a") });
        return stack.resource("SshCredential", "new").problems({ publicKey: publicKey("a") });
      },
      "publicKey",
      "both",
    ],
    [
      "of a hostport that another edge has had",
      async ({ stack }) => {
        const [b, both] = [{ hostports: ["b.example.com:1"] }, { hostports: ["b.example.com:1", "a.example.com:1"] }];
        await stack.resource("TcpEdge", "other").problems(both, both);
        return stack.resource("TcpEdge", "edge").problems({ hostports: ["a.example.com:1"] }, b);
      },
      'hostports: "a.example.com:1"',
      "both",
    ],
    [
      "of an edge, by one that imports it",
      async ({ stack, id, edge }) => {
        await edge("other", {}).plan();
        return [await errorOf(stack.resource("TcpEdge", "imported", { import: id }).up({ ipRestriction }))];
      },
      "TCP edge <id>",
      "both",
    ],
    [
      "of an edge that another resource has imported before",
      async ({ stack, id, edge }) => {
        await stack.resource("TcpEdge", "other", { import: id }).up({ ipRestriction });
        return [await errorOf(edge("edge", {}).plan())];
      },
      "TCP edge <id>",
      "both",
    ],
    [
      "of a module that its own resource has had, in the diff of its edge",
      async ({ edge, own }) => {
        await (await own("other")).plan();
        return [await errorOf(edge("edge", {}).plan({ ipRestriction }))];
      },
      "ipRestriction",
      "both",
    ],
  ])("%s", async (_, declare, what, provider) => {
    const started = await start();
    const problems = await declare(started);
    // The engine does not tell a plugin which edge an unknown id is of.
    const isRejected = provider === "both" || testedProvider() === "dynamic";
    expect(problems.map((problem) => withoutTypes(problem.replaceAll(started.id, "<id>")))).toEqual(
      isRejected ? [`${what} is already declared by Resource "other". Declare it in one place.`] : [],
    );
  });
});

describe("a second declaration is not rejected", () => {
  test.each<[string, (started: Started) => Promise<unknown>]>([
    [
      "if both edges are unknown: they may be two",
      async ({ unknown }) => {
        await unknown("other").check();
        return unknown("own").check();
      },
    ],
    [
      "if the states of both have it, and one still has the option import",
      async ({ id, edge }) => {
        await edge("other", {}).plan();
        return edge("edge", {}, { import: id }).problems({});
      },
    ],
    [
      "if the other edge gives its hostport up",
      async ({ stack }) => {
        await stack.resource("TcpEdge", "other").problems({ hostports: [] }, { hostports: ["a.example.com:1"] });
        return stack.resource("TlsEdge", "new").problems({ hostports: ["a.example.com:1"] });
      },
    ],
  ])("%s", async (_, declare) => {
    expect(await declare(await start())).toEqual([]);
  });

  // A plugin's check does not know it.
  testDynamic("if the other edge ignores its hostport", async () => {
    const stack = await Stack.start();
    const hostports = ["a.example.com:1"];
    const other = stack.resource("TcpEdge", "other");
    await other.up({ hostports });
    stack.next();
    await other.preview({ hostports }, { ignoreChanges: ["hostports"] });
    expect(await stack.resource("TlsEdge", "new").problems({ hostports })).toEqual([]);
  });
});
