/**
 * The engine retries a failed create if an `onError` hook asks for it: the same create in the same process, without a
 * check. What the first attempt has left is used, or named.
 */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createRequestTime } from "../support/clock";
import { curlDelete } from "../support/curl";
import { executeUnanswered } from "../support/emulators";
import { shareHost } from "../support/engine/emulatorHost";
import type { Properties } from "../support/engine/provider";
import type { ResourceDriver } from "../support/engine/resourceDriver";
import { failureOf } from "../support/errorOf";

const shared = shareHost(
  { onRequest: (_, emulator) => executeUnanswered(emulator) },
  { config: { "tunnel-edge:maxRetries": "0" }, clock: createRequestTime() },
);

/** Creates a resource, and returns a function that creates it again. */
async function failCreate(resource: ResourceDriver, args: Properties) {
  const inputs = await resource.check(args);
  const { message } = await failureOf(resource.create(inputs));
  // The engine forgets what a failed attempt returns.
  const retry = () => {
    resource.state = undefined;
    return resource.create(inputs);
  };
  return { message, retry };
}

const posts = (emulator: Emulator) => emulator.calls().filter((call) => call.startsWith("POST"));
const restricted = { description: "a", ipRestriction: { ipPolicyIds: ["ipp_a"] } };

describe("a create that failed with its object in hand", () => {
  /** The service has created an edge without its restriction. */
  async function failOpen() {
    const { emulator, host } = shared();
    emulator.seed({ tcpEdges: [{ id: "edgtcp_x", description: "a" }] });
    emulator.fail({ method: "POST", status: 201, body: { id: "edgtcp_x", description: "a", ip_restriction: null } });
    const edge = host.resource("TcpEdge", "ssh");
    const { message, retry } = await failCreate(edge, restricted);
    expect(message).toContain("did not apply the ipRestriction of TCP edge edgtcp_x");
    emulator.clearRequests();
    return { emulator, edge, retry };
  }

  test("goes on with that object", async () => {
    const { emulator, edge, retry } = await failOpen();
    await retry();
    expect(posts(emulator)).toEqual([]);
    expect(edge.state).toMatchObject({ id: "edgtcp_x", outputs: restricted });
    expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: { ip_policies: [{ id: "ipp_a" }] } }]);
    expect(await edge.up(restricted)).toBe("same");
  });

  test.each(["GET", "PUT"])("keeps it in the state if its %s fails, too", async (method) => {
    const { emulator, edge, retry } = await failOpen();
    emulator.fail({ method, status: 403 });
    await failureOf(retry());
    expect(posts(emulator)).toEqual([]);
    expect(edge.state).toMatchObject({ id: "edgtcp_x", hasInitErrors: true });
    await retry();
    expect(emulator.account.tcpEdges).toMatchObject([{ id: "edgtcp_x", ip_restriction: { enabled: true } }]);
  });

  test("creates another one if it was deleted since", async () => {
    const { emulator, edge, retry } = await failOpen();
    emulator.api("DELETE", "/edges/tcp/edgtcp_x");
    await retry();
    expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id, ip_restriction: { enabled: true } }]);
  });
});

describe("a create whose response was lost", () => {
  const lists = { method: "GET", path: "/edges/tcp", status: 403 };
  const identified = { hostports: ["1.tcp.example.com:1"] };

  test("is looked for as long as the list cannot be read, and then managed", async () => {
    const { emulator, host } = shared();
    emulator.fail({ method: "POST", resetAfter: true });
    emulator.fail({ ...lists, times: 2 });
    const edge = host.resource("TcpEdge", "ssh");
    const { message, retry } = await failCreate(edge, identified);
    expect(message).toContain("It is not known whether it was created");
    expect((await failureOf(retry())).message).toContain("It is not known whether it was created");
    await retry();
    expect(posts(emulator)).toEqual(["POST /edges/tcp"]);
    expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
  });

  test("is sent again if nothing was created, and a warning says so", async () => {
    const { emulator, host } = shared();
    emulator.fail({ method: "POST", resetBefore: true });
    const edge = host.resource("TcpEdge", "ssh");
    const { retry } = await failCreate(edge, identified);
    await retry();
    expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
    expect(host.logs.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(
        /No new TCP edge was found in the account, but it may still appear\. A new one is created now\. Look for it with the command `inventory --unmanaged --stack <stack>` after this deployment\.$/,
      ),
    );
  });

  test("is named if nothing identifies it, each time", async () => {
    const { emulator, host } = shared();
    emulator.fail({ method: "POST", resetAfter: true, times: 2 });
    const edge = host.resource("TcpEdge", "ssh");
    const { retry } = await failCreate(edge, { description: "twin" });
    await failureOf(retry());
    await retry();
    const ids = emulator.account.tcpEdges.map(({ id }) => id);
    expect(ids).toHaveLength(3);
    const warnings = host.logs.filter(({ severity }) => severity === "WARNING").map(({ message }) => message);
    for (const id of ids.filter((each) => each !== edge.state!.id)) {
      expect(warnings.at(-1)).toContain(curlDelete(emulator.url, `/edges/tcp/${id}`));
    }
  });
});
