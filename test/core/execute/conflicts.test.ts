/** A hostport or public key that another object has: which calls wait for it, for how long, and what the error says. */
import { uniqueSamples } from "../../support/data/samples";
import { expected } from "../../support/engine/differences";
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
  const writes = () => stack.writes;
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

  test("is waited for until a second before the deadline", async () => {
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

describe("a call that is rejected although no other object has the hostport", () => {
  test("is sent once more, because the other may just have released it", async () => {
    const { stack, two, writes } = await start();
    stack.emulator.fail({ method: "PATCH", path: "/edges/tcp/{id}", status: 409 });
    await two.up({ hostports: ["c.example:3"] });
    expect(writes()).toEqual([write, write]);
  });

  test("fails with the service's error the second time", async () => {
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

  test("is not repeated if it is rejected for another reason", async () => {
    const { stack, two, writes } = await start();
    stack.emulator.fail({ method: "PATCH", path: "/edges/tcp/{id}", status: 403 });
    await errorOf(two.up({ hostports: ["c.example:3"] }));
    expect(writes()).toEqual([write]);
  });
});

test.each(["before", "after"])(
  "names the edge that has the conflicting hostport, created %s the one that is updated",
  async (when) => {
    const stack = await Stack.start();
    const { emulator } = stack;
    const createOther = () =>
      emulator.api<{ id: string }>("POST", "/edges/tcp", { hostports: ["theirs.example.com:1"] });
    const before = when === "before" ? createOther() : undefined;
    const edge = stack.resource("TcpEdge");
    await edge.up({ hostports: ["ours.example.com:1"] });
    const { id } = before ?? createOther();
    await expect(edge.up({ hostports: ["ours.example.com:1", "theirs.example.com:1"] })).rejects.toThrow(
      `"theirs.example.com:1" is already used by TCP edge ${id}.`,
    );
  },
);

test.each(uniqueSamples)("$type: an existing object that matches the program can be imported", async (sample) => {
  const { type, displayName } = sample.definition;
  const [program] = sample.programs("mine");
  const stack = await Stack.start();
  const { emulator } = stack;
  await stack.resource(type).up(program);
  stack.next();
  const resource = stack.resource(type);
  const message = await errorOf(resource.up(program));
  const id = /import: "(\w+)"/.exec(message)?.[1];
  expect(message).toContain(
    `is already used by ${displayName} ${id}, which also has everything else that is declared. If an interrupted ` +
      `deployment created it, import it with the option import: "${id}". If not, `,
  );
  expect(await resource.up(program, { import: id! })).toBe(expected("importStep"));
  expect(sample.findObjects(emulator.account, "mine", {})).toHaveLength(1);
});

describe("an edge that has everything that is declared is not offered for an import", () => {
  test("if the program updates another to that", async () => {
    const stack = await Stack.start();
    const { emulator } = stack;
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", { hostports: [a] });
    const edge = stack.resource("TcpEdge");
    await edge.up({});
    expect(await errorOf(edge.up({ hostports: [a] }))).toMatch(
      new RegExp(`is already used by TCP edge ${id}\\. Remove it there first`),
    );
  });

  test("if it is another resource's, which has not released it yet", async () => {
    const stack = await Stack.start();
    const holder = stack.resource("TcpEdge", "holder");
    await holder.up({ hostports: [a] });
    stack.next();
    // The holder is diffed, and never updated.
    await expect(holder.up({}, {}, () => Promise.reject(new Error("no slot")))).rejects.toThrow("no slot");
    expect(await errorOf(stack.resource("TcpEdge", "new").up({ hostports: [a] }))).toContain(
      `is already used by TCP edge ${holder.state!.id}, which has not released it yet.`,
    );
  });
});

test.each(uniqueSamples)("$type: a replacement that collides with the old object names the fix", async (sample) => {
  const { type, displayName } = sample.definition;
  const [program] = sample.programs("mine");
  const stack = await Stack.start();
  const resource = stack.resource(type);
  await resource.up({ ...program, description: "before" });
  const { id } = resource.state!;
  stack.next();
  const options = { replaceOnChanges: ["description"], deleteBeforeReplace: false };
  expect(await errorOf(resource.up({ ...program, description: "after" }, options))).toMatch(
    new RegExp(
      `is already used by ${displayName} ${id}, which this resource had before\\. If Pulumi deletes it after the ` +
        "replacement, set the option deleteBeforeReplace\\. If Pulumi has retained it, import it with the option " +
        `import: "${id}" \\(with the plugin, after \`pulumi state delete\` of this resource\\), or delete it\\.$`,
    ),
  );
});

test("a replacement waits until the service has released the hostport of the object it replaces", async () => {
  let onRequest = () => {};
  const stack = await Stack.start({ onRequest: () => onRequest() });
  const { emulator } = stack;
  const edge = stack.resource("TcpEdge");
  await edge.up({ hostports: [a], description: "before" });
  const { id } = edge.state!;
  stack.next();
  const options = { replaceOnChanges: ["description"], deleteBeforeReplace: false };
  onRequest = () => {
    if (!stack.statuses.some((status) => status.startsWith(`Waiting for TCP edge ${id}`))) return;
    onRequest = () => {};
    emulator.api("DELETE", `/edges/tcp/${id}`);
  };
  expect(await edge.up({ hostports: [a], description: "after" }, options)).toBe("replace");
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "after" }]);
});

test("names the edge that has the hostport even if another list cannot be read", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", { hostports: [a] });
  emulator.fail({ method: "GET", path: "/edges/tcp", status: 200, body: {}, times: Number.POSITIVE_INFINITY });
  await expect(stack.resource("TcpEdge").up({ hostports: [a] })).rejects.toThrow(`is already used by TLS edge ${id}`);
});

test("records an update that may have been executed as unconfirmed, even if its error names another edge", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", { hostports: [a] });
  const edge = stack.resource("TcpEdge");
  await edge.up({ description: "before" });
  emulator.fail({ method: "PATCH", status: 422, body: "from the gateway", times: Number.POSITIVE_INFINITY });
  await expect(edge.up({ description: "after", hostports: [a] })).rejects.toThrow(`is already used by TLS edge ${id}`);
  expect(edge.state!.outputs["__unconfirmed"]).toBe("description hostports");
});

test("does not send a create again that may have been executed, even if a gateway responds with 422", async () => {
  const stack = await Stack.start();
  const { emulator } = stack;
  emulator.fail({ method: "POST", status: 422, body: { message: "from the gateway" }, processed: true });
  const edge = stack.resource("TcpEdge");
  await edge.up({ hostports: [a] });
  expect(emulator.calls().filter((call) => call.startsWith("POST"))).toEqual(["POST /edges/tcp"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
});
