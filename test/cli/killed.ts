/**
 * The CLI or its dynamic provider host is killed at a request before the service processes it. The next `pulumi up`
 * continues, and is killed at the same request before the service responds. The one after it must deploy what the program
 * declares. docs/failures.md has what cannot be known after a kill.
 * Promise: "Failures are recoverable".
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Account, defaultApiKey, type Emulator } from "pulumi-tunnel-edge/emulator";
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { findProvider } from "../support/cli/findProvider";
import type { Deployment, Result, Stack } from "../support/cli/pulumi";
import { fastClock } from "../support/clock";
import { publicKey } from "../support/data/publicKey";
import { normalize } from "../support/data/samples";
import type { Properties } from "../support/engine/provider";
import { waitUntil } from "../support/waitUntil";

const folder = mkdtempSync(join(tmpdir(), "killed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Program = Record<string, { type: string; args: Properties }>;

/** What the service has before, which a module resource is added to. */
const parents = { edgeId: "", routeId: "" };
const hostports = ["a.example.com:22"];
const inbound = [{ expressions: ["true"], actions: [{ type: "deny" }] }];

/** A resource of each kind: others are recovered in the same way, as test/faults/matrix.ts shows for all of them. */
const programs: Record<string, Program> = {
  nothing: {},
  first: {
    edge: {
      type: "TcpEdge",
      args: { description: "first", hostports, ipRestriction: { ipPolicyIds: ["ipp_a"] }, policy: { inbound } },
    },
    filter: { type: "HttpsEdgeRouteUserAgentFilter", args: { ...parents, allow: ["curl"] } },
    key: { type: "ApiKey", args: { description: "first" } },
    one: { type: "SshCredential", args: { publicKey: publicKey("one"), description: "one" } },
  },
  second: {
    edge: { type: "TcpEdge", args: { description: "second", hostports, ipRestriction: { ipPolicyIds: ["ipp_b"] } } },
    filter: { type: "HttpsEdgeRouteUserAgentFilter", args: { ...parents, deny: ["bot"] } },
    key: { type: "ApiKey", args: { description: "second" } },
    two: { type: "SshCredential", args: { publicKey: publicKey("two"), description: "two" } },
  },
};

/** A program's objects in the account, in the order of its resources' names. */
function listObjects({ tcpEdges, httpsEdges, apiKeys, sshCredentials }: Account): unknown[] {
  const own = apiKeys.filter(({ description }) => !description?.includes("emulator starts with"));
  const filters = httpsEdges.flatMap(({ routes }) => routes.flatMap((route) => route.user_agent_filter ?? []));
  return [...tcpEdges, ...filters, ...own, ...sshCredentials].map((object) => normalize(object));
}

const declared = (program: Program) => Object.values(program).map(({ args }) => normalize(args));

/** A stack and its service at a point in time that can be restored. */
interface Snapshot {
  state: string;
  account: string;
}

class Scenario {
  private constructor(
    readonly stack: Stack,
    readonly emulator: Emulator,
    readonly env: Record<string, string>,
    private readonly at: Snapshot,
  ) {}

  static count = 0;
  /** Whether `pulumi cancel` was tested. Once is enough: the lock is the same at every request. */
  static hasCancelled = false;

  /** Continues from a snapshot, without changing it. */
  static async from(stack: Stack, snapshot?: Snapshot): Promise<Scenario> {
    const at = {
      state: join(folder, `state-${++Scenario.count}`),
      account: join(folder, `account-${Scenario.count}.json`),
    };
    mkdirSync(at.state);
    if (snapshot) {
      cpSync(snapshot.state, at.state, { recursive: true });
      cpSync(snapshot.account, at.account);
    }
    const emulator = await startService({ file: at.account });
    return new Scenario(
      stack,
      emulator,
      { TUNNEL_EDGE_BASE_URL: emulator.url, PULUMI_BACKEND_URL: `file://${at.state}` },
      at,
    );
  }

  async end(): Promise<Snapshot> {
    await this.emulator.close();
    return this.at;
  }

  start(args: string[]) {
    return this.stack.startOperation(args, { env: this.env });
  }

  /** Deploys the program. `imports` are the ids to import. */
  async up(program: Program, imports: Record<string, string> = {}): Promise<Result> {
    this.write(program, imports);
    return this.start(["up", "--yes", "--skip-preview"]).result;
  }

  /** Removes the lock that a killed CLI leaves, the first time with `pulumi cancel`. */
  async unlock(): Promise<void> {
    const locks = join(this.at.state, ".pulumi/locks");
    const isLocked = () => readdirSync(locks, { recursive: true }).some((name) => String(name).endsWith(".json"));
    expect(isLocked()).toBe(true);
    if (Scenario.hasCancelled) return rmSync(locks, { recursive: true });
    const rejected = await this.start(["up", "--yes", "--skip-preview"]).result;
    expect(rejected.stderr).toContain("`pulumi cancel`");
    await this.stack.run(["cancel", "--yes"], { env: this.env });
    expect(isLocked()).toBe(false);
    Scenario.hasCancelled = true;
  }

  /** The state in the backend. */
  readState(): Deployment {
    const file = join(this.at.state, ".pulumi/stacks/test/dev.json");
    return JSON.parse(readFileSync(file, "utf8")).checkpoint.latest;
  }

  write(program: Program, imports: Record<string, string> = {}): void {
    const [{ id: edgeId, routes }] = this.emulator.account.httpsEdges as [Account["httpsEdges"][number]];
    const fillIds = (args: Properties) => ("edgeId" in args ? { ...args, edgeId, routeId: routes[0]!.id } : args);
    const statements = Object.entries(program).map(([name, { type, args }]) =>
      declare(type, name, fillIds(args), { import: imports[name] }),
    );
    this.stack.write(statements.join("\n"));
  }
}

/** A request of `pulumi up`, as a fault matches it. */
type Call = readonly [method: string, path: string];

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

type Victim = "the CLI" | "the host";

/** Kills at a request. */
async function killAt(scenario: Scenario, victim: Victim, program: Program, [method, path]: Call, processed: boolean) {
  const { emulator } = scenario;
  const met = emulator.fail({ method, path, hang: "headers", processed });
  scenario.write(program);
  const running = scenario.start(["up", "--yes", "--skip-preview", "--parallel=1"]);
  await waitUntil(() => met.hits > 0);
  const host = findProvider(running.pid, "dynamic");
  process.kill(victim === "the CLI" ? running.pid : host, "SIGKILL");
  const killed = await running.result;
  expect(killed.code).not.toBe(0);
  await waitUntil(() => !isAlive(host));

  if (victim === "the CLI") await scenario.unlock();
}

/** Does what the documentation says after a request was executed and its response was lost, and checks the result. */
async function recover(scenario: Scenario, program: Program, [method, path]: Call) {
  const { emulator } = scenario;
  const lost = method === "POST";
  let next = await scenario.up(program);
  if (lost && path === "/api_keys") {
    // Nothing distinguishes the lost key from someone else's: there are two now, and the user deletes the first.
    expect(next.code).toBe(0);
    const [orphan] = emulator.account.apiKeys.filter(
      ({ description }) => description === program["key"]!.args.description,
    );
    emulator.api("DELETE", `/api_keys/${orphan!.id}`);
  } else if (lost) {
    // The service rejects a second one, and the message says how to import the first.
    expect(next.code).not.toBe(0);
    expect(extractErrors(next)).toHaveLength(1);
    const [way] = next.diagnostics.flatMap(({ urn = "", message }) => {
      const found = /If an interrupted deployment created it, import it with the option import: "(\w+)"/.exec(message);
      return found ? [{ name: urn.split("::").pop()!, id: found[1]! }] : [];
    });
    next = await scenario.up(program, { [way!.name]: way!.id });
  }
  if (next.code !== 0) throw new Error(next.stdout + next.stderr);
  expect(listObjects(emulator.account)).toEqual(declared(program));
}

/** In the end the state matches the service, and nothing is pending. */
async function expectSettled(scenario: Scenario): Promise<void> {
  const clear = ["refresh", "--yes", "--skip-preview", "--clear-pending-creates"];
  const refreshed = await scenario.start(clear).result;
  expect(refreshed.code).toBe(0);
  expect(refreshed.steps.filter(({ op, changed }) => op !== "refresh" && changed.length > 0)).toEqual([]);
  expect(scenario.readState().pending_operations ?? []).toEqual([]);
}

export function testKilled(victim: Victim): void {
  test(`${victim} is killed at every request of \`pulumi up\``, async () => {
    const { stack } = await createStack({ url: "", apiKey: defaultApiKey } as Emulator, "", { env: fastClock(20) });
    let from: Snapshot | undefined;
    let calls: Call[] = [];
    for (const [name, program] of Object.entries(programs)) {
      // What `pulumi up` does without faults, and where the next one starts.
      const scenario = await Scenario.from(stack, from);
      if (name === "nothing") {
        scenario.emulator.seed({ httpsEdges: [{ routes: [{}] }] });
        await scenario.stack.run(["stack", "init", "dev"], { env: scenario.env });
      } else expect((await scenario.up(program)).code).toBe(0);
      calls = scenario.emulator.requests.map(({ method, operation }) => [method, operation!] as const);
      const to = await scenario.end();
      for (const call of calls) {
        const own = await Scenario.from(stack, from);
        await killAt(own, victim, program, call, false);
        await killAt(own, victim, program, call, true);
        await recover(own, program, call);
        await expectSettled(own);
        await own.end();
      }
      from = to;
    }
    expect(calls).toHaveLength(6);
  }, 3_600_000);
}
