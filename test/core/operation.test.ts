/**
 * Operations that fail: each message names the object, and says what to do. Each is of the deployment after the create.
 * What the service rejects is tested for each resource: see test/resources/suite.
 */
import type { Deployment } from "../../src/core/deployment/deployment";
import { Operation } from "../../src/core/operation";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import { optionsOf } from "../support/engine/coreOptions";
import type { Options } from "../support/engine/provider";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";
import { errorOf } from "../support/errorOf";

const rejected = { status: 400, body: { status_code: 400, msg: "not now" } };
const lost = { status: 503, body: { status_code: 503, msg: "busy" }, times: Number.POSITIVE_INFINITY };
const unreadable = { method: "GET", ...rejected, times: Number.POSITIVE_INFINITY };

async function start(customTimeouts: Options["customTimeouts"] = {}, config: Record<string, string> = {}) {
  const stack = await Stack.start({ config });
  const { emulator } = stack;
  const edge = stack.resource("TcpEdge", "e", { customTimeouts });
  await edge.up({ description: "before" });
  stack.next();
  const { id } = edge;
  return {
    stack,
    emulator,
    id,
    edge,
    update: () => edge.up({ description: "after" }),
    restrict: () => stack.resource("TcpEdgeIpRestriction", "r").up({ edgeId: id, ipPolicyIds: ["ipp_a"] }),
  };
}

type Started = Awaited<ReturnType<typeof start>>;

const busy = "<id> returned 503: busy.";

describe("the message of", () => {
  test.each<[string, (started: Started) => Promise<unknown>, string | RegExp]>([
    [
      "a create of a module whose edge was deleted",
      ({ emulator, id, restrict }) => {
        emulator.api("DELETE", `/edges/tcp/${id}`);
        return restrict();
      },
      /^IP restriction of TCP edge <id> could not be created: PUT \S+ returned 404 [^.]*\. If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it\.$/,
    ],
    [
      "an update whose response is lost",
      ({ emulator, update }) => {
        emulator.fail({ method: "PATCH", ...lost });
        emulator.fail(unreadable);
        return update();
      },
      `TCP edge <id> could not be updated: PATCH /edges/tcp/${busy} It may have been updated. The next \`pulumi up\` sends the update again.`,
    ],
    [
      "an update when nothing responds",
      async ({ emulator, update }) => {
        await emulator.close();
        return update();
      },
      /^TCP edge <id> could not be updated: PATCH \/edges\/tcp\/<id> failed to connect to \S+: the connection was refused\. Is the emulator running\?$/,
    ],
    [
      "an update after the deployment was cancelled",
      ({ stack, edge }) => {
        stack.provider.cancel!();
        return edge.up({ description: "after" });
      },
      "TCP edge <id> could not be updated: PATCH /edges/tcp/<id> was cancelled.",
    ],
    [
      "a delete whose response is lost",
      ({ emulator, edge }) => {
        emulator.fail({ method: "DELETE", ...lost });
        emulator.fail(unreadable);
        return edge.delete();
      },
      `TCP edge <id> could not be deleted: DELETE /edges/tcp/${busy} It may have been deleted. If the program declares it again, run \`pulumi refresh\`, then \`pulumi up\`.`,
    ],
    [
      "a delete when nothing responds",
      async ({ emulator, edge }) => {
        await emulator.close();
        return edge.delete();
      },
      /^TCP edge <id> could not be deleted: DELETE \S+ failed to connect to .* If the service no longer exists, remove the resource from the state with `pulumi state delete`\.$/,
    ],
  ])("%s", async (_, work, message) => {
    const started = await start();
    const said = (await errorOf(work(started))).replaceAll(started.id, "<id>");
    if (typeof message === "string") expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test("an update that is too late", async () => {
    const { emulator, id, update } = await start({ update: "5s" });
    emulator.fail({ method: "PATCH", status: 429, headers: { "Retry-After": "30" } });
    const message = new RegExp(
      `^TCP edge ${id} could not be updated: PATCH \\S+ returned 429 .* Timed out after 5s \\(customTimeouts\\.update\\)\\.$`,
    );
    expect(await errorOf(update())).toMatch(message);
  });
});

test("a delete that is not sent before the timeout fails with this reason only", async () => {
  const { id, edge } = await start({ delete: "5s" }, { "tunnel-edge:requestsPerMinute": "1" });
  await edge.refresh();
  expect(await errorOf(edge.delete())).toBe(
    `TCP edge ${id} could not be deleted: DELETE /edges/tcp/${id} was not sent before the timeout. Timed out after 5s ` +
      "(customTimeouts.delete).",
  );
});

test.each([
  ["the other kind that its id is of", "edgtls_1", "There is no TCP edge edgtls_1: that is the id of a TLS edge."],
  ["no kind if its id is of none", "edge_1", "There is no TCP edge edge_1."],
])("reading an object that does not exist fails, and names %s", async (_, id, message) => {
  const stack = await Stack.start();
  expect(await errorOf(stack.resource("TcpEdge", "e").get(id))).toBe(`${message} Check the id.`);
});

test("an operation has no id to call before its create", () => {
  const operation = new Operation("create", tcpEdge, {} as Deployment, optionsOf("f"));
  expect(() => operation.id).toThrow("The service has given it no id yet.");
  expect(operation.withId("edgtcp_1").id).toBe("edgtcp_1");
});

test("the next write to an edge or its module waits until a lost one can no longer be executed", async () => {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0" } });
  const { emulator } = stack;
  const edge = stack.resource("TcpEdge", "ssh");
  await edge.up({});
  stack.next();
  emulator.fail({ method: "PATCH", resetAfter: true });
  const unreadable = emulator.fail({ method: "GET", status: 403, times: Number.POSITIVE_INFINITY });
  expect(await errorOf(edge.up({ description: "d" }))).toContain("It may have been updated.");
  unreadable.cancel();
  await stack.resource("TcpEdgeIpRestriction", "office").up({ edgeId: edge.id, ipPolicyIds: ["ipp_a"] });
  const timeOf = (wanted: string) => Date.parse(emulator.requests.find(({ method }) => method === wanted)!.time);
  expect(timeOf("PUT") - timeOf("PATCH")).toBeGreaterThanOrEqual(10_000);
});
