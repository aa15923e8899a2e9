/** What the resources of a deployment share: its settings, what the user reads, turns, and that it can be cancelled. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { Clock, systemTime } from "../../../src/base/clock";
import { readSettings } from "../../../src/base/settings";
import { CommandProvider } from "../../../src/core/commandProvider";
import { Deployment, Turns } from "../../../src/core/deployment/deployment";
import { ResourceProvider } from "../../../src/core/resourceProvider";
import type { Definition } from "../../../src/definitions/definition";
import { tcpEdge } from "../../../src/definitions/tcpEdge";
import { tunnelSessionCommand } from "../../../src/definitions/tunnelSessionCommand";
import { RequestTime } from "../../support/clock";
import { configOf, startService } from "../../support/emulators";
import { optionsOf } from "../../support/engine/coreOptions";
import { Processes } from "../../support/engine/processes";
import { Stack } from "../../support/engine/stack";
import { test as testBoth } from "../../support/engine/testedProvider";
import { errorOf, failureOf } from "../../support/errorOf";
import { waitUntil } from "../../support/waitUntil";

const time = new RequestTime();

async function start(settings: Record<string, string> = {}) {
  const emulator = await startService({ clock: time.now });
  const processes = new Processes(time);
  const deployment = processes.startDeployment(configOf(emulator, settings));
  const provider = (definition: Definition) => new ResourceProvider(definition, deployment);
  const commands = new CommandProvider(tunnelSessionCommand, deployment);
  return { emulator, processes, deployment, provider, commands, edges: provider(tcpEdge) };
}

describe("a setting", () => {
  test("without a usable value fails every check and every read", async () => {
    const { emulator, edges, commands } = await start({
      "tunnel-edge:maxRetries": "many",
      "tunnel-edge:timeoutSeconds": "soon",
    });
    const problems = [
      expect.stringMatching(/^tunnel-edge:maxRetries must be /),
      expect.stringMatching(/^tunnel-edge:timeoutSeconds must be /),
    ];
    expect((await edges.check(undefined, {}, optionsOf("e"))).problems).toEqual(problems);
    expect((await edges.check({}, {}, optionsOf("e"))).problems).toEqual(problems);
    const args = { sessionId: "ts_1", commands: ["stop"] };
    expect((await commands.check(undefined, args)).problems).toEqual(problems);
    const message = await errorOf(edges.read("edgtcp_1", undefined, optionsOf("e")));
    expect(message.split("\n")).toEqual([expect.stringMatching(/: tunnel-edge:maxRetries must be /), problems[1]]);
    expect(emulator.calls()).toEqual([]);
  });

  test("that is misspelled fails every check, but no read", async () => {
    const { emulator, edges } = await start({ "tunnel-edge:maxRetrys": "3" });
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
    expect((await edges.check(undefined, {}, optionsOf("e"))).problems).toEqual([
      expect.stringMatching(/^tunnel-edge:maxRetrys is not a setting; did you mean tunnel-edge:maxRetries\?/),
    ]);
    expect((await edges.read(id, undefined, optionsOf("e")))!.state.id).toBe(id);
  });
});

testBoth("an explicit provider has everything except the key from the environment", async () => {
  const stack = await Stack.start({ settings: "environment" });
  const explicit = stack.startProcess({ "tunnel-edge:explicit": "true" });
  expect(await explicit.resource("TcpEdge").problems({})).toEqual([
    "the explicit Provider has no apiKey. Pass `apiKey` in its arguments: it does not use the stack's API key.",
  ]);
  expect(await stack.resource("TcpEdge").up({ description: "from the environment" })).toBe("create");
  expect(stack.calls).toEqual(["POST /edges/tcp"]);
});

test("informs once that there may be more invalid resources", async () => {
  const { emulator, processes, deployment } = await start();
  expect(await deployment.formatProblems([])).toEqual([]);
  expect(processes.messages).toEqual([]);
  expect(await deployment.formatProblems(["a", `b is ${emulator.apiKey}`])).toEqual(["a", "b is [secret]"]);
  expect(await deployment.formatProblems(["c"])).toEqual(["c"]);
  expect(processes.messages).toEqual(["Pulumi stops at the first invalid resource. There may be more."]);
});

test("prints the same warning about a resource once", async () => {
  const { processes, deployment } = await start();
  await deployment.warn("odd", optionsOf("e"));
  await deployment.warn("odd", optionsOf("e"));
  await deployment.warn("odd", optionsOf("f"));
  await deployment.warn("strange", optionsOf("e"));
  expect(processes.messages).toEqual(["odd", "odd", "strange"]);
  await deployment.warn("odd");
  await deployment.warn("odd");
  expect(processes.messages).toEqual(["odd", "odd", "strange", "odd"]);
});

test("logs each request if the setting logRequests is true", async () => {
  const { processes, edges } = await start({ "tunnel-edge:logRequests": "true" });
  await edges.create({}, optionsOf("e"));
  expect(processes.messages).toEqual([expect.stringMatching(/POST \/edges\/tcp .*201/)]);
  const silent = await start();
  await silent.edges.create({}, optionsOf("e"));
  expect(silent.processes.messages).toEqual([]);
});

test("informs about the service's rate limit once, and shows a status while a call waits for it", async () => {
  const { emulator, processes, edges } = await start();
  emulator.fail({ path: "/edges/tcp", status: 429, headers: { "Retry-After": "30" }, times: 2 });
  await edges.create({}, optionsOf("e"));
  expect(processes.messages).toEqual([
    "The service's rate limit was reached. Requests slow down until it allows more.",
  ]);
  expect(processes.statuses[0]).toMatch(/^Waiting \d+ s for the service's rate limit…$/);
});

/** Work that ends when the test ends it. */
const startWork = (log: string[], name: string) => {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  const work = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end };
};

test("works for an edge in the order of the calls, also after a failure", async () => {
  const [turns, log] = [new Turns(), [] as string[]];
  const [first, second, third] = [startWork(log, "first"), startWork(log, "second"), startWork(log, "third")];
  const failing = turns.take("edge", first.work);
  const others = [turns.take("edge", second.work), turns.take("edge", third.work)];
  second.end();
  third.end();
  await turns.take("other edge", async () => log.push("other edge"));
  first.end(new Error("first fails"));
  await expect(failing).rejects.toThrow("first fails");
  expect(await Promise.all(others)).toEqual(["second", "third"]);
  expect(log).toEqual(["first begins", "other edge", "second begins", "second ends", "third begins", "third ends"]);
});

describe("a cancelled deployment", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startService();
  });
  beforeEach(() => emulator.reset());

  const options = optionsOf("it");
  const args = { description: "old", hostports: ["a.example:1"], ipRestriction: { ipPolicyIds: ["ipp_a"] } };
  /** Its plan is a PATCH and a DELETE. */
  const changed = { description: "new", hostports: ["a.example:1"] };

  /** A process with the time of the clock. */
  function startProcess(settings: Record<string, string> = {}, clock = new Clock()) {
    const statuses: string[] = [];
    const log = {
      debug: () => undefined,
      info: async () => undefined,
      warn: async () => undefined,
      status: (message: string) => void statuses.push(message),
    };
    const deployment = new Deployment(readSettings(configOf(emulator, settings), {}).settings, [], log, clock);
    return { clock, deployment, statuses, edges: new ResourceProvider(tcpEdge, deployment) };
  }

  /** Minutes that only cancelling can end. */
  const forever = { times: Number.POSITIVE_INFINITY, status: 429, headers: { "Retry-After": "100" } };

  test("ends a wait for the rate limit at once, and sends nothing after it", async () => {
    const { clock, edges, statuses } = startProcess();
    const limited = emulator.fail({ ...forever, method: "POST" });
    const failed = failureOf(edges.create(args, options));
    await waitUntil(() => statuses.length > 0);
    await clock.cancel();
    expect((await failed).message).toBe("TCP edge could not be created: POST /edges/tcp was cancelled.");
    expect((await failureOf(edges.create(args, options))).message).toMatch(/POST \/edges\/tcp was cancelled\.$/);
    expect(limited.hits).toBe(1);
    limited.cancel();
  });

  test("ends a wait for another resource at once", async () => {
    const { clock, edges, deployment, statuses } = startProcess();
    const { id } = await startProcess().edges.create(args, options);
    // The program has the edge, and takes its hostports away.
    deployment.claims.settle({ ...options, key: "other" }, { places: [`/edges/tcp/${id}`] });
    const failed = failureOf(edges.create({ ...args, description: "second" }, options));
    await waitUntil(() => statuses.some((status) => status.startsWith("Waiting for TCP edge")));
    await clock.cancel();
    expect((await failed).message).toBe("TCP edge could not be created: The deployment was cancelled.");
  });

  test("ends a read at once", async () => {
    const { clock, edges } = startProcess();
    const state = await edges.create(args, options);
    const silent = emulator.fail({ method: "GET", hang: "headers" });
    const failed = failureOf(edges.read(state.id, state, options));
    await waitUntil(() => silent.hits > 0);
    await clock.cancel();
    expect((await failed).message).toMatch(/could not be read: GET \/edges\/tcp\/\w+ was cancelled\.$/);
  });

  test("awaits and records a write that was sent, and does not send the next one", async () => {
    const state = await startProcess().edges.create(args, options);
    const { clock, edges } = startProcess();
    emulator.clearRequests();
    const slow = emulator.fail({ method: "PATCH", delayMs: 500 });
    const failed = failureOf(edges.update(state, changed, options));
    await waitUntil(() => slow.hits > 0);
    await clock.cancel();
    expect(await failed).toMatchObject({
      message: expect.stringMatching(/could not be updated: DELETE \S+ was cancelled\.$/),
      id: state.id,
      properties: { description: "new", ipRestriction: { ipPolicyIds: ["ipp_a"] } },
    });
    expect(await failed).not.toHaveProperty("properties.__unconfirmed");
    expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
  });

  test("awaits a write without a response for 10 s, and then records it as unconfirmed", async () => {
    const waits: number[] = [];
    const after: typeof systemTime.after = (ms, work) => {
      waits.push(ms);
      return systemTime.after(ms / 100, work);
    };
    const { clock, edges } = startProcess(
      { "tunnel-edge:timeoutSeconds": "3600" },
      new Clock({ ...systemTime, after }),
    );
    const state = await startProcess().edges.create(args, options);
    emulator.clearRequests();
    const silent = emulator.fail({ method: "PATCH", hang: "headers", times: Number.POSITIVE_INFINITY });
    const failed = failureOf(edges.update(state, changed, options));
    await waitUntil(() => silent.hits > 0);
    await clock.cancel();
    expect(await failed).toMatchObject({
      message: expect.stringContaining("It may have been updated. The next `pulumi up` sends the update again."),
      id: state.id,
      properties: { ipRestriction: { ipPolicyIds: ["ipp_a"] }, __unconfirmed: "description" },
    });
    expect(waits).toContain(10_000);
    expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
    silent.cancel();
  });

  test("fails a create without a response with the command that finds its object", async () => {
    const { clock, edges } = startProcess({ "tunnel-edge:timeoutSeconds": "1" });
    const silent = emulator.fail({ method: "POST", hang: "headers" });
    const failed = failureOf(edges.create(args, options));
    await waitUntil(() => silent.hits > 0);
    await clock.cancel();
    expect((await failed).message).toContain("Look for it with the command `inventory");
    expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
  });
});
