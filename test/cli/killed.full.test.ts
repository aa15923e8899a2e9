/**
 * The CLI or its dynamic provider host is killed at a request before the service processes it. The next `pulumi up`
 * continues, and is killed at the same request before the service responds. The one after it must deploy what the program
 * declares. docs/failures.md has what cannot be known after a kill. In inventory.full.test.ts only the CLI is killed, at each
 * create.
 * Promise: "Failures are recoverable".
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { findHost } from "../support/cli/findHost";
import type { Result, Stack } from "../support/cli/pulumi";
import { fastClock } from "../support/clock";
import { publicKey } from "../support/data/publicKey";
import { normalize } from "../support/data/samples";
import type { Properties } from "../support/engine/provider";
import { waitUntil } from "../support/waitUntil";

type Program = Record<string, { type: string; args: Properties }>;

const hostports = ["a.example.com:22"];
const inbound = [{ expressions: ["true"], actions: [{ type: "deny" }] }];
const route = { edgeId: "edghts_a", routeId: "edghtsrt_a" };

/** A resource of each kind: others are recovered in the same way, as test/faults/matrix.ts shows for all of them. */
const first: Program = {
  edge: {
    type: "TcpEdge",
    args: { description: "first", hostports, ipRestriction: { ipPolicyIds: ["ipp_a"] }, policy: { inbound } },
  },
  filter: { type: "HttpsEdgeRouteUserAgentFilter", args: { ...route, allow: ["curl"] } },
  key: { type: "ApiKey", args: { description: "first" } },
  one: { type: "SshCredential", args: { publicKey: publicKey("one"), description: "one" } },
};
const second: Program = {
  edge: { type: "TcpEdge", args: { description: "second", hostports, ipRestriction: { ipPolicyIds: ["ipp_b"] } } },
  filter: { type: "HttpsEdgeRouteUserAgentFilter", args: { ...route, deny: ["bot"] } },
  key: { type: "ApiKey", args: { description: "second" } },
  two: { type: "SshCredential", args: { publicKey: publicKey("two"), description: "two" } },
};

/** A program's objects in the account, in the order of its resources' names. */
function listObjects({ account: { tcpEdges, httpsEdges, apiKeys, sshCredentials } }: Emulator): unknown[] {
  const own = apiKeys.filter(({ description }) => !description?.includes("emulator starts with"));
  const filters = httpsEdges.flatMap(({ routes }) => routes.flatMap((each) => each.user_agent_filter ?? []));
  return [...tcpEdges, ...filters, ...own, ...sshCredentials].map((object) => normalize(object));
}

const declared = (program: Program) => Object.values(program).map(({ args }) => normalize(args));

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A request of `pulumi up`, as a fault matches it. */
type Call = readonly [method: string, path: string];

describe.each(["the CLI", "the host"] as const)("%s is killed", (victim) => {
  let emulator: Emulator;
  let stack: Stack;
  beforeAll(async () => {
    emulator = await startService();
    emulator.seed({ httpsEdges: [{ id: route.edgeId, routes: [{ id: route.routeId }] }] });
    ({ stack } = await createStack(emulator, "", { env: fastClock(20) }));
  });

  /** `imports` are the ids to import. */
  const write = (program: Program, imports: Record<string, string> = {}) =>
    stack.write(
      Object.entries(program)
        .map(([name, { type, args }]) => declare(type, name, args, { import: imports[name] }))
        .join("\n"),
    );

  const start = (...args: string[]) => stack.startOperation(["up", "--yes", "--skip-preview", ...args]);

  function up(program: Program, imports?: Record<string, string>): Promise<Result> {
    write(program, imports);
    return start().result;
  }

  /** Whether `pulumi cancel` was tested. Once is enough: the lock is the same at every request. */
  let hasCancelled = false;

  /** Removes the lock that a killed CLI leaves. */
  async function unlock(): Promise<void> {
    const locks = join(stack.dir, "../state/.pulumi/locks");
    const isLocked = () => readdirSync(locks, { recursive: true }).some((name) => String(name).endsWith(".json"));
    expect(isLocked()).toBe(true);
    if (hasCancelled) return rmSync(locks, { recursive: true });
    expect((await start().result).stderr).toContain("`pulumi cancel`");
    await stack.run(["cancel", "--yes"]);
    expect(isLocked()).toBe(false);
    hasCancelled = true;
  }

  async function killAt([method, path]: Call, processed: boolean): Promise<void> {
    const met = emulator.fail({ method, path, hang: "headers", processed });
    write(second);
    const running = start("--parallel=1");
    await waitUntil(() => met.hits > 0);
    const host = findHost(running.pid);
    process.kill(victim === "the CLI" ? running.pid : host, "SIGKILL");
    expect((await running.result).code).not.toBe(0);
    await waitUntil(() => !isAlive(host));
    if (victim === "the CLI") await unlock();
  }

  /** Does what the documentation says after a request was executed and its response was lost. */
  async function recover([method]: Call): Promise<void> {
    let next = await up(second);
    if (method === "POST") {
      // The service rejects a second one, and the message says how to import the first.
      expect(next.code).not.toBe(0);
      expect(extractErrors(next)).toHaveLength(1);
      const [way] = next.diagnostics.flatMap(({ urn = "", message }) => {
        const found = /If an interrupted deployment created it, import it with the option import: "(\w+)"/.exec(
          message,
        );
        return found ? [{ name: urn.split("::").pop()!, id: found[1]! }] : [];
      });
      next = await up(second, { [way!.name]: way!.id });
    }
    if (next.code !== 0) throw new Error(next.stdout + next.stderr);
    expect(listObjects(emulator)).toEqual(declared(second));
  }

  /** The state matches the service, and nothing is pending. */
  async function expectSettled(): Promise<void> {
    const refreshed = await stack.refresh({ args: ["--clear-pending-creates"] });
    expect(refreshed.steps.filter(({ op, changed }) => op !== "refresh" && changed.length > 0)).toEqual([]);
    expect((await stack.export()).pending_operations ?? []).toEqual([]);
  }

  test("at every request of an update, twice, and the next `pulumi up` completes it", async () => {
    expect((await up(first)).code).toBe(0);
    emulator.clearRequests();
    expect((await up(second)).code).toBe(0);
    const calls = emulator.requests.map(({ method, operation }): Call => [method, operation!]);
    expect(calls).toHaveLength(6);
    for (const call of calls) {
      expect((await up(first)).code).toBe(0);
      await killAt(call, false);
      await killAt(call, true);
      await recover(call);
      await expectSettled();
    }
  }, 3_600_000);
});
