/** A hostport or public key that another object has: what is sent, how long it is waited for, and what the error says. */
import type { EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { Clock } from "../../../src/base/clock";
import { createRequestTime } from "../../support/clock";
import { publicKey as createKey } from "../../support/data/publicKey";
import type { Options, Properties } from "../../support/engine/provider";
import type { ResourceDriver } from "../../support/engine/resourceDriver";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const time = createRequestTime();
const clock = new Clock(time);

/** A service and its deployments, which do what the engine asks for. */
async function start(options: EmulatorOptions = {}) {
  const stack = await Stack.start({ time, ...options });
  const { emulator } = stack;
  const deploy = () => {
    stack.next();
    const create = async (type: string, name: string, args: Properties, more?: Options) => {
      const resource = stack.resource(type, name, more);
      await resource.up(args);
      return resource;
    };
    const plan = (resource: ResourceDriver, args: Properties, more?: Options) => resource.plan(args, more);
    const update = (resource: ResourceDriver, args: Properties, more?: Options) => resource.up(args, more);
    return { statuses: () => stack.statuses, create, plan, update };
  };
  const add = (path: string, body: Properties) => emulator.api<{ id: string }>("POST", path, body).id;
  return { emulator, deploy, add };
}

/** How long work takes, in milliseconds. */
async function durationOf(work: Promise<unknown>): Promise<number> {
  const from = time.now();
  await work;
  return time.now() - from;
}

const [a, b] = ["a.example.com:1", "b.example.com:1"];
const hostports = [a];
const lists = ["GET /edges/tcp", "GET /edges/tls"];
const dependsOn = "use `dependsOn`, a larger `--parallel`, or `pulumi up --continue-on-error` and then `pulumi up`";

describe("an edge waits for a hostport", () => {
  test("until the program has taken it from another, and then gets it at once", async () => {
    const { emulator, deploy } = await start();
    const old = await deploy().create("TcpEdge", "old", { hostports });
    const { create, plan, update, statuses } = deploy();
    const release = async () => {
      await clock.sleep(1_000);
      await plan(old, {});
      await clock.sleep(39_000);
      await update(old, {});
    };
    emulator.clearRequests();
    const [duration] = await Promise.all([durationOf(create("TlsEdge", "new", { hostports })), release()]);
    expect(duration).toBe(40_000);
    expect(emulator.account.tlsEdges).toMatchObject([{ hostports }]);
    expect(new Set(statuses())).toEqual(new Set([`Waiting for TCP edge ${old.id} to release its hostports…`]));
    // Longer and longer, up to 5 s, and each time without a list.
    const posts = Array(15).fill("POST /edges/tls");
    expect(emulator.calls()).toEqual([posts[0], lists[0], ...posts.slice(1), "PATCH /edges/tcp/{id}", posts[0]]);
  });

  test("only shortly, if the program is not known to take it from its holder", async () => {
    const { emulator, deploy, add } = await start();
    const id = add("/edges/tls", { hostports });
    const create = deploy().create("TcpEdge", "new", { hostports, description: "new" });
    expect(await errorOf(create)).toMatch(
      new RegExp(
        `^TCP edge could not be created: POST /edges/tcp returned 409 .* "${a}" is already used by TLS edge ${id}\\. ` +
          `Remove it there first\\. If this deployment does that, ${dependsOn}\\. If that edge is being deleted`,
      ),
    );
    const posts = Array(5).fill("POST /edges/tcp");
    expect(emulator.calls()).toEqual(["POST /edges/tcp", ...lists, ...posts, ...lists]);
  });

  test("for a minute, if the program takes it from its holder, and that never releases it", async () => {
    const { deploy } = await start();
    const old = await deploy().create("TcpEdge", "old", { hostports });
    const { create, plan } = deploy();
    await plan(old, {});
    const failing = errorOf(create("TcpEdge", "new", { hostports }));
    const duration = await durationOf(failing);
    expect(duration).toBeGreaterThanOrEqual(60_000);
    expect(duration).toBeLessThan(65_000);
    expect(await failing).toMatch(
      new RegExp(
        `"${a}" is already used by TCP edge ${old.id}, which has not released it yet\\. Pulumi has to update that ` +
          `edge first: ${dependsOn}\\.$`,
      ),
    );
  });

  test.each([
    ["500ms", 0],
    ["1500ms", 500],
    ["2s", 500],
  ])("and leaves a second of its timeout for the call: %s", async (create, waited) => {
    const { deploy, add } = await start();
    const id = add("/edges/tls", { hostports });
    const failing = errorOf(deploy().create("TcpEdge", "new", { hostports }, { customTimeouts: { create } }));
    expect(await durationOf(failing)).toBe(waited);
    expect(await failing).toContain(`is already used by TLS edge ${id}`);
  });

  test("and not if the program declares it for its holder, too", async () => {
    const { emulator, deploy } = await start();
    const first = deploy();
    const old = await first.create("TcpEdge", "old", { hostports });
    const edge = await first.create("TcpEdge", "edge", { hostports: [b] });
    const { plan, update } = deploy();
    await plan(old, { hostports });
    emulator.clearRequests();
    // The state says that both have it.
    edge.state!.inputs["hostports"] = hostports;
    expect(await errorOf(update(edge, { hostports }))).toMatch(
      new RegExp(
        `is already used by TCP edge ${old.id}, for which the program declares it too\\. Declare it in one place\\.$`,
      ),
    );
    expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}", lists[0]]);
  });
});

describe("of two edges that each have one of its hostports", () => {
  async function startWithTwo() {
    const { emulator, deploy } = await start();
    const before = deploy();
    const holders = [
      await before.create("TcpEdge", "a", { hostports: [a] }),
      await before.create("TcpEdge", "b", { hostports: [b] }),
    ];
    const run = deploy();
    for (const holder of holders) await run.plan(holder, {});
    const waits = holders.map(({ id }) => `Waiting for TCP edge ${id} to release its hostports…`);
    const creating = run.create("TlsEdge", "new", { hostports: [a, b] });
    creating.catch(() => undefined);
    await clock.sleep(1_000);
    const isFirst = run.statuses().at(-1) === waits[0];
    const [awaited, other] = (isFirst ? holders : holders.toReversed()) as [ResourceDriver, ResourceDriver];
    return { ...run, emulator, creating, awaited, other };
  }

  test("it waits for one after the other", async () => {
    const { creating, update, statuses, awaited, other } = await startWithTwo();
    await update(awaited, {});
    await clock.sleep(10_000);
    expect(statuses().at(-1)).toContain(other.id);
    await update(other, {});
    expect((await creating).outputs).toMatchObject({ hostports: [a, b] });
  });

  test("the one that keeps its hostport is named", async () => {
    const { emulator, creating, awaited, other } = await startWithTwo();
    emulator.api("PATCH", `/edges/tcp/${awaited.id}`, { hostports: [] });
    expect(await errorOf(creating)).toContain(`is already used by TCP edge ${other.id}, which has not released`);
  });
});

test("edges that swap their hostports release them first", async () => {
  const { emulator, deploy } = await start();
  const before = deploy();
  const first = await before.create("TcpEdge", "first", { hostports: [a] });
  const second = await before.create("TcpEdge", "second", { hostports: [b] });
  const { update } = deploy();
  await Promise.all([update(first, { hostports: [b] }), update(second, { hostports: [a] })]);
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: [b] }, { hostports: [a] }]);
});

test("an edge releases what it gives up also if its timeout has no time for a pause", async () => {
  const { emulator, deploy } = await start();
  const before = deploy();
  const first = await before.create("TcpEdge", "first", { hostports: [a] });
  const second = await before.create("TcpEdge", "second", { hostports: [b] });
  const { plan, update } = deploy();
  await plan(second, { hostports: [a] });
  const updating = update(first, { hostports: [b] }, { customTimeouts: { update: "1200ms" } });
  expect(await errorOf(updating)).toContain("which has not released it yet");
  expect(emulator.account.tcpEdges[0]!.hostports ?? []).toEqual([]);
});

test("a public key is not waited for", async () => {
  const { emulator, deploy, add } = await start();
  const publicKey = createKey("someone");
  add("/ssh_credentials", { public_key: createKey("another") });
  const id = add("/ssh_credentials", { public_key: publicKey });
  expect(await errorOf(deploy().create("SshCredential", "new", { publicKey, description: "mine" }))).toContain(
    `publicKey is already used by SSH credential ${id}. If this is a forced replacement, set the option deleteBeforeReplace`,
  );
  expect(emulator.calls()).toEqual(["POST /ssh_credentials", "GET /ssh_credentials"]);
});

describe("an existing edge", () => {
  const args = { hostports, description: "mine" };
  const importIt =
    /, which also has everything else that is declared\. If an interrupted deployment created it, import it with the option import: "edg\w+"\. If not, remove it there first\./;

  test.each<[string, string, Properties, RegExp]>([
    ["can be imported if it has everything that is declared", "/edges/tcp", args, importIt],
    ["cannot if it has something else", "/edges/tcp", { hostports }, /TCP edge \w+\. Remove it there first\./],
    ["of another kind cannot", "/edges/tls", args, /TLS edge \w+\. Remove it there first\./],
  ])("%s", async (_, path, existing, message) => {
    const { deploy, add } = await start();
    add(path, existing);
    expect(await errorOf(deploy().create("TcpEdge", "new", args))).toMatch(message);
  });

  test("is not to be imported where the program updates another", async () => {
    const { deploy, add } = await start();
    const edge = await deploy().create("TcpEdge", "edge", { description: "mine" });
    add("/edges/tcp", args);
    expect(await errorOf(deploy().update(edge, args))).toMatch(/TCP edge \w+\. Remove it there first\./);
  });
});

test("a replacement that collides with what it replaces says so", async () => {
  const { deploy } = await start();
  const before = { hostports, description: "before" };
  const edge = await deploy().create("TcpEdge", "edge", before);
  const { create, plan } = deploy();
  const after = { hostports, description: "after" };
  await plan(edge, after, { replaceOnChanges: ["description"] });
  expect(await errorOf(create("TcpEdge", "edge", after))).toContain(
    `"${a}" is already used by TCP edge ${edge.id}, which this resource had before. If Pulumi deletes it after the ` +
      "replacement, set the option deleteBeforeReplace. If Pulumi has retained it, import it with the option import: " +
      `"${edge.id}" (with the plugin, `,
  );
});

describe("a rejection for another reason", () => {
  const reserved = { body: { status_code: 400, msg: "the port is reserved" } };

  test.each<[string, number, Properties, string[]]>([
    ["of a create with hostports", 400, { hostports }, lists],
    ["of a create without hostports", 400, { description: "mine" }, []],
    ["with a status that no conflict has", 403, { hostports }, []],
  ])("%s is displayed at once", async (_, status, args, read) => {
    const { emulator, deploy } = await start();
    emulator.fail({ method: "POST", status, ...reserved });
    expect(await errorOf(deploy().create("TcpEdge", "new", args))).toMatch(/returned \d+: the port is reserved\./);
    expect(emulator.calls()).toEqual(["POST /edges/tcp", ...read]);
  });

  test("of an update with another status is displayed at once", async () => {
    const { emulator, deploy } = await start();
    const edge = await deploy().create("TcpEdge", "edge", {});
    emulator.clearRequests();
    emulator.fail({ method: "PATCH", status: 403, ...reserved });
    expect(await errorOf(deploy().update(edge, { hostports }))).toContain("returned 403: the port is reserved.");
    expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
  });

  test("of two calls at the same time is tried once more each", async () => {
    const { emulator, deploy } = await start();
    emulator.fail({ method: "POST", status: 400, ...reserved, times: Number.POSITIVE_INFINITY });
    const { create } = deploy();
    const creating = [a, b].map((each) => errorOf(create("TcpEdge", each, { hostports: [each] })));
    for (const message of await Promise.all(creating)) expect(message).toContain("the port is reserved");
    expect(emulator.calls().filter((call) => call.startsWith("POST"))).toHaveLength(4);
  });
});

test("a create that may have been executed is not sent again, whatever its status", async () => {
  const { emulator, deploy } = await start();
  emulator.fail({ method: "POST", status: 422, body: { message: "from the gateway" }, processed: true });
  const { id } = await deploy().create("TcpEdge", "new", { hostports });
  expect(emulator.account.tcpEdges).toMatchObject([{ id }]);
  expect(emulator.calls()).toEqual(["POST /edges/tcp", lists[0]]);
});

describe("a hostport that nothing has any more is sent again", () => {
  /** An edge that has the hostport, and a deployment in which something is done before the response to a call. */
  async function startDuring(during: string) {
    const work: (() => Promise<unknown>)[] = [];
    const onRequest: EmulatorOptions["onRequest"] = async ({ method }) => {
      if (method === during) await work.shift()?.();
    };
    const { emulator, deploy } = await start({ onRequest });
    const old = await deploy().create("TcpEdge", "old", { hostports });
    const { create, update } = deploy();
    emulator.clearRequests();
    return { emulator, work, release: () => update(old, {}), create: () => create("TlsEdge", "new", { hostports }) };
  }

  test("if another edge has released it since the call began", async () => {
    const { emulator, work, create, release } = await startDuring("POST");
    work.push(release);
    await create();
    expect(emulator.calls()).toEqual(["POST /edges/tls", "PATCH /edges/tcp/{id}", ...lists, "POST /edges/tls"]);
  });

  test("if another edge was being updated when the call began", async () => {
    const { emulator, work, create, release } = await startDuring("PATCH");
    emulator.fail({ method: "POST", status: 409, body: { status_code: 409, msg: "in use" } });
    work.push(create);
    await release();
    expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}", "POST /edges/tls", ...lists, "POST /edges/tls"]);
  });
});

describe("if a list of edges cannot be read", () => {
  const unreadable = { method: "GET", path: "/edges/tcp", body: {}, times: Number.POSITIVE_INFINITY };

  test("it is not known which edge has the hostport", async () => {
    const { emulator, deploy } = await start();
    emulator.fail({ method: "POST", status: 409, body: { status_code: 409, msg: "in use" } });
    emulator.fail(unreadable);
    expect(await errorOf(deploy().create("TcpEdge", "new", { hostports }))).toMatch(
      /409: in use\. It is not known whether another object has the same hostports, because the list could not be read: GET \/edges\/tcp returned a page without the list "tcp_edges"/,
    );
    expect(emulator.calls()).toEqual(["POST /edges/tcp", ...lists]);
  });

  test("an update that a gateway rejects may have been executed, and is recorded as such", async () => {
    const { emulator, deploy } = await start();
    const edge = await deploy().create("TcpEdge", "edge", {});
    emulator.fail({ method: "PATCH", status: 409, body: "from the gateway" });
    emulator.fail(unreadable);
    await errorOf(deploy().update(edge, { hostports }));
    expect(edge.state!.outputs["__unconfirmed"]).toBe("hostports");
  });

  test("the edge of the other list that has it is named", async () => {
    const { emulator, deploy, add } = await start();
    const id = add("/edges/tls", { hostports });
    emulator.fail(unreadable);
    expect(await errorOf(deploy().create("TcpEdge", "new", { hostports }))).toContain(
      `already used by TLS edge ${id}.`,
    );
  });
});
