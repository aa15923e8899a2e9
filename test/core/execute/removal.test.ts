/** What becomes of an object or module whose resource leaves the program: each test is a rule. */
import { warnOfUnknownOwners } from "../../../src/core/execute/unknownOwners";
import { publicKey } from "../../support/data/publicKey";
import type { Properties } from "../../support/engine/provider";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const ipRestriction = { ipPolicyIds: ["ipp_a"] };
const allowAll = { enabled: true, inbound: [], outbound: [] };

const readEdge = "GET /edges/tcp/{id}";
const updateEdge = "PATCH /edges/tcp/{id}";
const removeRestriction = "DELETE /edges/tcp/{id}/ip_restriction";

/** A resource "gone" of an earlier deployment, which this program does not have. */
async function start(type: string, args: Properties) {
  const stack = await Stack.start();
  const gone = stack.resource(type, "gone");
  await gone.up(args);
  const { id } = gone;
  stack.next();
  /** Another resource that has had the same object for as long. */
  const share = (declared: Properties) => {
    const kept = stack.resource(type, "kept").share(gone, declared);
    Object.assign(kept.state!.outputs, declared);
    return kept;
  };
  return { stack, emulator: stack.emulator, gone, id, share };
}

/** An edge, and a restriction "gone" of an earlier deployment, which this program does not have. */
async function startRestricted({ together = false } = {}) {
  const stack = await Stack.start();
  const [edge, gone] = [stack.resource("TcpEdge", "edge"), stack.resource("TcpEdgeIpRestriction", "gone")];
  await edge.up({ description: "d" });
  const { id } = edge;
  // Otherwise in a run that does not know the edge, such as with --target.
  if (!together) stack.next();
  await gone.up({ edgeId: id, ...ipRestriction });
  stack.next();
  return { stack, emulator: stack.emulator, edge, gone, id };
}

describe("an object that another resource of the program keeps", () => {
  test("is set as declared there, and what only this one declared stays, and is said", async () => {
    const { stack, emulator, gone, id, share } = await start("TcpEdge", { description: "old", metadata: "mine" });
    await share({ description: "new" }).up();
    // Whose resource left the state with its edge's.
    emulator.api("PUT", `/edges/tcp/${id}/ip_restriction`, { ip_policy_ids: ["ipp_a"] });
    emulator.api("PATCH", `/edges/tcp/${id}`, { policy: allowAll });
    await gone.delete();
    expect(stack.messages).toEqual([
      `TCP edge ${id} was not deleted, because TcpEdge "kept" still declares it. It keeps its metadata and ` +
        "ipRestriction, which no resource declares.",
    ]);
    expect(stack.calls).toEqual([readEdge, updateEdge, readEdge]);
    expect(emulator.account.tcpEdges).toMatchObject([
      { description: "new", metadata: "mine", ip_restriction: { enabled: true }, policy: { enabled: true } },
    ]);
  });

  test("keeps nothing more if it has only what is declared there", async () => {
    const { stack, gone, id, share } = await start("TcpEdge", { description: "d" });
    await share({ description: "d" }).up();
    await gone.delete();
    expect(stack.messages).toEqual([`TCP edge ${id} was not deleted, because TcpEdge "kept" still declares it.`]);
    expect(stack.calls).toEqual([readEdge, readEdge]);
  });

  test("may have more if it cannot be read", async () => {
    const { stack, emulator, gone, share } = await start("TcpEdge", { description: "d" });
    await share({ description: "d" }).up();
    emulator.fail({ method: "GET", status: 403, skip: 1 });
    await gone.delete();
    expect(stack.messages).toEqual([
      expect.stringMatching(
        / still declares it\. It could not be read, so it may have more than its resources declare\.$/,
      ),
    ]);
  });

  test("is not even read if another process keeps it, and it has no modules", async () => {
    const { stack, gone, id, share } = await start("SshCredential", { publicKey: publicKey("a"), description: "d" });
    const kept = share({ publicKey: publicKey("a") });
    kept.useProvider(stack.startProcess());
    await kept.up();
    await gone.delete();
    expect(stack.messages).toEqual([
      `SSH credential ${id} was not deleted, because SshCredential "kept" still declares it.`,
    ]);
    expect(stack.calls).toEqual([]);
  });
});

describe("a module that its edge keeps", () => {
  const strict = { terminateAt: "edge", minVersion: "1.3" };
  const loose = { terminateAt: "edge" };

  /** A TLS termination "gone", which the edge's state has as it is declared there, although the service has another. */
  async function startKept() {
    const stack = await Stack.start();
    const [edge, gone] = [stack.resource("TlsEdge", "edge"), stack.resource("TlsEdgeTlsTermination", "gone")];
    await edge.up({ tlsTermination: loose });
    const { id } = edge;
    stack.next();
    // In a run that does not know the edge.
    await gone.up({ edgeId: id, ...strict });
    stack.next();
    const kept = `TLS termination of TLS edge ${id} was not deleted, because TlsEdge "edge" still declares it.`;
    return { stack, emulator: stack.emulator, edge, gone, kept };
  }

  test("is set as declared there", async () => {
    const { stack, emulator, edge, gone, kept } = await startKept();
    await edge.up();
    await gone.delete();
    expect(stack.calls).toEqual(["GET /edges/tls/{id}/tls_termination", "PUT /edges/tls/{id}/tls_termination"]);
    expect(emulator.account.tlsEdges).toMatchObject([{ tls_termination: { terminate_at: "edge", min_version: null } }]);
    expect(stack.messages).toEqual([kept]);
  });

  test("stays as it is if another process has the edge, and may differ", async () => {
    const { stack, edge, gone, kept } = await startKept();
    edge.useProvider(stack.startProcess());
    await edge.up();
    await gone.delete();
    expect(stack.calls).toEqual([]);
    expect(stack.messages).toEqual([
      `${kept} If it is set otherwise than declared there, run \`pulumi refresh\`, then \`pulumi up\`.`,
    ]);
  });

  test("is an error if it cannot be set", async () => {
    const { emulator, edge, gone } = await startKept();
    await edge.up();
    emulator.fail({ method: "PUT", status: 403 });
    expect(await errorOf(gone.delete())).toContain("PUT /edges/tls/");
  });
});

describe("a module whose resource leaves the program", () => {
  const deletedWithEdge = (id: string) =>
    `The IP restriction of TCP edge ${id} is deleted with its edge. If the edge stays, so does this, and Pulumi no ` +
    "longer manages it.";
  const removed = (id: string) =>
    `The IP restriction of TCP edge ${id} was removed. If another resource declares it, run \`pulumi refresh\`, then ` +
    "`pulumi up`.";

  test("goes with its edge, of the same program, if that leaves it, too", async () => {
    const { stack, edge, gone, id } = await startRestricted({ together: true });
    const { state } = gone;
    await gone.delete();
    gone.state = state;
    expect(stack.messages).toEqual([deletedWithEdge(id)]);
    expect(stack.calls).toEqual([]);
    stack.next();
    await edge.up();
    await gone.delete();
    expect(stack.messages).toEqual([removed(id)]);
    expect(stack.calls).toEqual([removeRestriction]);
  });

  test("is removed if it was never of one program with its edge", async () => {
    const { stack, gone, id } = await startRestricted();
    await gone.delete();
    expect(stack.messages).toEqual([removed(id)]);
    expect(stack.calls).toEqual([removeRestriction]);
  });

  test("stays if its edge was to be updated, and was not", async () => {
    const { stack, edge, gone, id } = await startRestricted();
    await edge.plan({ description: "new" });
    expect(await errorOf(gone.delete())).toBe(
      `IP restriction of TCP edge ${id} could not be deleted: TcpEdge "edge", which it belongs to, was not updated in ` +
        "this deployment. Run `pulumi up` again.",
    );
    expect(stack.calls).toEqual([]);
  });

  test("may still be in the state of its edge", async () => {
    const { stack, edge, gone, id } = await startRestricted();
    await edge.refresh();
    await edge.up();
    await gone.delete();
    expect(stack.messages).toEqual([
      `The IP restriction of TCP edge ${id} was removed, but the state of TcpEdge "edge" still has it. Run \`pulumi ` +
        "refresh` before you declare it there.",
    ]);
  });
});

test("an edge that is replaced is deleted", async () => {
  const { stack, emulator, gone } = await start("TcpEdge", { description: "old" });
  expect(await gone.up({ description: "new" }, { replaceOnChanges: ["description"] })).toBe("replace");
  expect(emulator.account.tcpEdges).toMatchObject([{ id: gone.id, description: "new" }]);
  expect(stack.messages).toEqual([]);
});

test("a module that the program still declares for a deleted edge is named", async () => {
  const { stack, edge, gone: restriction, id } = await startRestricted();
  await restriction.up();
  await edge.delete();
  expect(stack.messages).toEqual([
    `TCP edge ${id} was deleted, but TcpEdgeIpRestriction "gone" still declares a module of it. Remove it from the program too, or ` +
      "give it the id of another edge. Otherwise it fails after the next refresh, because its edge does not exist.",
  ]);
});

test("the deletion of the key that the provider uses is said, and that of another key is not", async () => {
  const { stack, gone, id } = await start("ApiKey", {});
  const other = stack.resource("ApiKey", "other");
  await other.up({});
  stack.next();
  await other.delete();
  expect(stack.messages).toEqual([]);
  gone.useProvider(stack.startProcess({ "tunnel-edge:apiKey": gone.outputs.token }));
  await gone.delete();
  expect(stack.messages).toEqual([
    `API key ${id}: this is the key that the provider itself uses. Once it is deleted, calls fail until you set ` +
      "tunnel-edge:apiKey to another key.",
  ]);
});

test("nothing is deleted or removed while it is not known what another process declares", async () => {
  const { stack, emulator, gone } = await start("TcpEdge", { ipRestriction });
  const unknown =
    "it is not known what other provider processes of this deployment declare. The reason is a file that cannot be read. " +
    "Set TMPDIR to a folder that only you can write to, then run Pulumi again.";
  stack.problem = "a file that cannot be read";
  expect(await errorOf(gone.delete())).toContain(unknown);
  expect(await errorOf(gone.up({}))).toContain(`its ipRestriction was not removed, because ${unknown}`);
  expect(stack.calls).toEqual([]);
  expect(emulator.account.tcpEdges).toHaveLength(1);
  expect(warnOfUnknownOwners("a file that cannot be read")).toBe(`Nothing is deleted or removed, because ${unknown}`);
});
