/** A hostport or public key that another object has: which calls wait for it, for how long, and what the error says. */
import { publicKey } from "../../support/data/publicKey";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const [a, b] = ["a.example:1", "b.example:2"];
const write = "PATCH /edges/tcp/{id}";

/** Two edges, each with a hostport. A deployment begins. */
async function start(config: Record<string, string> = {}) {
  const stack = await Stack.start({ config: { "tunnel-edge:maxRetries": "0", ...config } });
  const [one, two] = [stack.resource("TcpEdge", "one"), stack.resource("TcpEdge", "two")];
  await one.up({ hostports: [a] });
  await two.up({ hostports: [b] });
  stack.next();
  const began = stack.time.now();
  const seconds = () => Math.round((stack.time.now() - began) / 1000);
  const writes = () => stack.calls.filter((call) => !call.startsWith("GET"));
  return { stack, one, two, seconds, writes };
}

const fix =
  "Remove it there first. If that edge is being deleted in this deployment, delete it in a separate `pulumi up`: Pulumi deletes last.";

describe("a hostport that the program moves", () => {
  test("is waited for until the other edge has released it", async () => {
    const { stack, one, two, seconds } = await start();
    await one.plan({ hostports: [] });
    const moved = two.up({ hostports: [b, a] });
    while (stack.statuses.length === 0) await new Promise((done) => setImmediate(done));
    await Promise.all([moved, one.up({ hostports: [] })]);
    expect(stack.emulator.account.tcpEdges.find(({ id }) => id === two.id)!.hostports).toEqual([b, a]);
    expect(stack.statuses).toContain(`Waiting for TCP edge ${one.id} to release its hostports…`);
    expect(seconds()).toBeLessThan(10);
  });

  test("is waited for before the engine has come to the other edge", async () => {
    const { stack, one, two, writes } = await start();
    const moved = two.up({ hostports: [b, a] });
    while (writes().length === 0) await new Promise((done) => setImmediate(done));
    await one.plan({ hostports: [] });
    await Promise.all([moved, one.up({ hostports: [] })]);
    expect(stack.emulator.account.tcpEdges.find(({ id }) => id === two.id)!.hostports).toEqual([b, a]);
  });

  test("in a circle fails after a minute, and names the fix", async () => {
    const { one, two, seconds } = await start();
    const [first, second] = await Promise.all([
      errorOf(one.up({ hostports: [b] })),
      errorOf(two.up({ hostports: [a] })),
    ]);
    const circle = "which has not released it yet. Remove it from one of them in a separate `pulumi up` first.";
    expect(first).toContain(`"${b}" is already used by TCP edge ${two.id}, ${circle}`);
    expect(second).toContain(`"${a}" is already used by TCP edge ${one.id}, ${circle}`);
    expect(seconds()).toBeGreaterThanOrEqual(59);
    expect(seconds()).toBeLessThan(65);
  });

  test("is waited for until the deadline, and a second is left for the call", async () => {
    const { one, two, seconds } = await start();
    await one.plan({ hostports: [] });
    const error = await errorOf(two.up({ hostports: [a] }, { customTimeouts: { update: "10s" } }));
    expect(error).toContain(`"${a}" is already used by TCP edge ${one.id}, which has not released it yet.`);
    expect(seconds()).toBeGreaterThanOrEqual(8);
    expect(seconds()).toBeLessThanOrEqual(10);
  });
});

describe("a hostport that the program does not move", () => {
  test("fails at once, if the program declares it for the other edge, too", async () => {
    const { stack, one, two, seconds } = await start();
    const inputs = await two.check({ hostports: [a] });
    await two.diff(two.state!, inputs);
    // It is refused, and two's update may be under way by then.
    const twice = await stack.provider.check({ type: "TcpEdge", name: "one" }, one.state!.inputs, { hostports: [a] });
    expect(twice.failures).toHaveLength(1);
    await one.diff(one.state!, one.state!.inputs);
    const error = await errorOf(stack.provider.update({ type: "TcpEdge", name: "two" }, two.state!, inputs));
    expect(error).toContain(
      `"${a}" is already used by TCP edge ${one.id}, for which the program declares it too. Declare it in one place.`,
    );
    expect(seconds()).toBeLessThan(2);
  });

  test("fails after three seconds, if nobody has claimed the other edge by then", async () => {
    const { one, two, seconds, writes } = await start();
    const error = await errorOf(two.up({ hostports: [a] }));
    expect(error).toContain(`"${a}" is already used by TCP edge ${one.id}. ${fix}`);
    expect(seconds()).toBeGreaterThanOrEqual(2);
    expect(seconds()).toBeLessThanOrEqual(4);
    expect(writes()).toEqual([write, write, write, write]);
  });
});

describe("a rejection where no other object has the hostport", () => {
  test("is sent once more, because the other may just have released it", async () => {
    const { stack, two, writes } = await start();
    stack.emulator.fail({ method: "PATCH", path: "/edges/tcp/{id}", status: 409 });
    await two.up({ hostports: ["c.example:3"] });
    expect(writes()).toEqual([write, write]);
  });

  test("is the service's error the second time", async () => {
    const { stack, two, writes } = await start();
    stack.emulator.fail({ method: "PATCH", path: "/edges/tcp/{id}", status: 422, times: 2 });
    expect(await errorOf(two.up({ hostports: ["c.example:3"] }))).toMatch(/returned 422 .*\(operation op_\w+\)\.$/);
    expect(writes()).toEqual([write, write]);
  });

  test("fails if the lists cannot be read", async () => {
    const { stack, two } = await start();
    stack.emulator.fail({ method: "PATCH", path: "/edges/tcp/{id}", status: 409 });
    stack.emulator.fail({ method: "GET", path: "/edges/tls", status: 403 });
    expect(await errorOf(two.up({ hostports: ["c.example:3"] }))).toMatch(
      /returned 409 .* It is not known whether another object has the same hostports, because the list could not be read: GET \/edges\/tls returned 403/,
    );
  });

  test("is not repeated, if it is about something else", async () => {
    const { stack, two, writes } = await start();
    stack.emulator.fail({ method: "PATCH", path: "/edges/tcp/{id}", status: 403 });
    await errorOf(two.up({ hostports: ["c.example:3"] }));
    expect(writes()).toEqual([write]);
  });
});

describe("an object that cannot be created, because another has its value", () => {
  test("may be the one that an interrupted deployment created", async () => {
    const { stack, one } = await start();
    const error = await errorOf(stack.resource("TcpEdge", "three").up({ hostports: [a] }));
    expect(error).toContain(
      `"${a}" is already used by TCP edge ${one.id}, which also has everything else that is declared. If an interrupted ` +
        `deployment created it, import it with the option import: "${one.id}". If not, remove it there first.`,
    );
  });

  test("may replace it by force", async () => {
    const stack = await Stack.start();
    const credential = stack.resource("SshCredential", "laptop");
    await credential.up({ publicKey: publicKey("laptop") });
    stack.next();
    await credential.plan();
    const error = await errorOf(credential.up(credential.declared, { targetReplace: true }));
    expect(error).toContain(
      `publicKey is already used by SSH credential ${credential.id}, which this resource had before. If Pulumi deletes it ` +
        "after the replacement, set the option deleteBeforeReplace.",
    );
  });
});
