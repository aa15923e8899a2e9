/** Operations that fail: each message names the object, and says what to do. Each is of the deployment after the create. */

import { PartialFailure } from "../../src/core/errors";
import { Operation } from "../../src/core/operation";
import type { Definition } from "../../src/definitions/definition";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import { tcpEdgeIpRestriction } from "../../src/definitions/tcpEdgeIpRestriction";
import { createRequestTime } from "../support/clock";
import { startService } from "../support/emulators";
import { errorOf, failureOf } from "../support/errorOf";
import { optionsOf, Processes } from "../support/inProcess/processes";

const time = createRequestTime();
const rejected = { status: 400, body: { status_code: 400, msg: "not now" } };
const lost = { status: 503, body: { status_code: 503, msg: "busy" }, times: Number.POSITIVE_INFINITY };
const unreadable = { method: "GET", ...rejected, times: Number.POSITIVE_INFINITY };

async function start(settings: Record<string, string> = {}) {
  const emulator = await startService({ clock: time.now });
  const begin = () => {
    const processes = new Processes(time);
    const { deployment, provider } = processes.start(emulator.url, emulator.apiKey, settings);
    return { processes, deployment, edges: provider(tcpEdge), restrictions: provider(tcpEdgeIpRestriction) };
  };
  const edge = await begin().edges.create({ description: "before" }, optionsOf("e"));
  const { processes, deployment, edges, restrictions } = begin();
  const { id } = edge;
  return {
    emulator,
    processes,
    deployment,
    id,
    edges,
    remove: (timeouts = {}) => edges.delete(edge, optionsOf("e", { timeouts })),
    update: (timeouts = {}) => edges.update(edge, { description: "after" }, optionsOf("e", { timeouts })),
    restrict: () => restrictions.create({ edgeId: id, ipPolicyIds: ["ipp_a"] }, optionsOf("r")),
  };
}

type Started = Awaited<ReturnType<typeof start>>;

const notNow = "<id> returned 400: not now.";
const busy = "<id> returned 503: busy.";

test.each<[string, (started: Started) => Promise<unknown>, string | RegExp]>([
  [
    "a create that is rejected",
    ({ emulator, edges }) => {
      emulator.fail({ method: "POST", ...rejected });
      return edges.create({}, optionsOf("f"));
    },
    "TCP edge could not be created: POST /edges/tcp returned 400: not now.",
  ],
  [
    "a create of a module whose edge was deleted",
    ({ emulator, id, restrict }) => {
      emulator.api("DELETE", `/edges/tcp/${id}`);
      return restrict();
    },
    /^IP restriction of TCP edge <id> could not be created: PUT \S+ returned 404 [^.]*\.$/,
  ],
  [
    "a read that is rejected",
    ({ emulator, id, edges }) => {
      emulator.fail(unreadable);
      return edges.read(id, undefined, optionsOf("e"));
    },
    `TCP edge <id> could not be read: GET /edges/tcp/${notNow}`,
  ],
  [
    "an import of what does not exist",
    ({ edges }) => edges.create({}, optionsOf("f", { importId: "edgtcp_1" })),
    "TCP edge edgtcp_1 could not be imported: There is no TCP edge edgtcp_1. Check the id, or remove the import option to " +
      "create one.",
  ],
  [
    "an update that is rejected",
    ({ emulator, update }) => {
      emulator.fail({ method: "PATCH", ...rejected });
      return update();
    },
    `TCP edge <id> could not be updated: PATCH /edges/tcp/${notNow}`,
  ],
  [
    "an update of what was deleted",
    ({ emulator, id, update }) => {
      emulator.api("DELETE", `/edges/tcp/${id}`);
      return update();
    },
    /^TCP edge <id> could not be updated: PATCH \S+ returned 404 [^.]*\. If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it\.$/,
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
    "an update that is too late",
    ({ emulator, update }) => {
      emulator.fail({ method: "PATCH", status: 429, headers: { "Retry-After": "30" } });
      return update({ update: "5s" });
    },
    /^TCP edge <id> could not be updated: PATCH \S+ returned 429 .* Timed out after 5s \(customTimeouts\.update\)\.$/,
  ],
  [
    "an update after the deployment was cancelled",
    async ({ deployment, update }) => {
      await deployment.clock.cancel();
      return update();
    },
    "TCP edge <id> could not be updated: PATCH /edges/tcp/<id> was cancelled.",
  ],
  [
    "a delete that is rejected",
    ({ emulator, remove }) => {
      emulator.fail({ method: "DELETE", ...rejected });
      return remove();
    },
    `TCP edge <id> could not be deleted: DELETE /edges/tcp/${notNow}`,
  ],
  [
    "a delete whose response is lost",
    ({ emulator, remove }) => {
      emulator.fail({ method: "DELETE", ...lost });
      emulator.fail(unreadable);
      return remove();
    },
    `TCP edge <id> could not be deleted: DELETE /edges/tcp/${busy} It may have been deleted. If the program declares it again, run \`pulumi refresh\`, then \`pulumi up\`.`,
  ],
  [
    "a delete when nothing responds",
    async ({ emulator, remove }) => {
      await emulator.close();
      return remove();
    },
    /^TCP edge <id> could not be deleted: DELETE \S+ failed to connect to .* If the service no longer exists, remove the resource from the state with `pulumi state delete`\.$/,
  ],
])("the message of %s", async (_, work, message) => {
  const started = await start();
  const said = (await errorOf(work(started))).replaceAll(started.id, "<id>");
  if (typeof message === "string") expect(said).toBe(message);
  else expect(said).toMatch(message);
});

test("a delete that is not sent before the timeout says only that", async () => {
  const { id, edges, remove } = await start({ "tunnel-edge:requestsPerMinute": "1" });
  await edges.read(id, undefined, optionsOf("e"));
  expect(await errorOf(remove({ delete: "5s" }))).toBe(
    `TCP edge ${id} could not be deleted: DELETE /edges/tcp/${id} was not sent before the timeout. Timed out after 5s ` +
      "(customTimeouts.delete).",
  );
});

test("a failure after which the object exists has its state", async () => {
  const { emulator, id, restrict } = await start();
  emulator.fail({ method: "PUT", ...lost, processed: true });
  const failure = await failureOf<PartialFailure>(restrict());
  expect(failure).toBeInstanceOf(PartialFailure);
  expect(failure.id).toBe(id);
  expect(failure.properties).toMatchObject({ edgeId: id, ipPolicyIds: ["ipp_a"] });
  expect(failure.message).toContain(`IP restriction of TCP edge ${id} could not be created: PUT `);
});

test.each<[string, Definition, string, string]>([
  ["its own kind", tcpEdge, "edgtcp_1", "There is no TCP edge edgtcp_1."],
  ["another kind", tcpEdge, "edgtls_1", "There is no TCP edge edgtls_1: that is the id of a TLS edge."],
  ["no known kind", tcpEdge, "edge_1", "There is no TCP edge edge_1."],
  ["the edge of a module", tcpEdgeIpRestriction, "edgtcp_1", "There is no IP restriction of TCP edge edgtcp_1."],
])("what does not exist is no resource; its id is that of %s", async (_, definition, id, message) => {
  const emulator = await startService();
  const provider = new Processes(time).start(emulator.url, emulator.apiKey).provider(definition);
  expect(await errorOf(provider.read(id, undefined, optionsOf("e")))).toBe(`${message} Check the id.`);
});

test("what is still to be created has no object to call", async () => {
  const { deployment } = await start();
  const operation = new Operation("create", tcpEdge, deployment, optionsOf("f"));
  expect(() => operation.id).toThrow("The service has given it no id yet.");
  expect(operation.withId("edgtcp_1").id).toBe("edgtcp_1");
});
