/**
 * The lost response of a POST: the created object is imported if it can be identified, named if it cannot, and the POST
 * is never sent twice.
 * Promise: "No duplicates".
 */
import type { Emulator, Fault } from "pulumi-tunnel-edge/emulator";
import { createRequestTime } from "../support/clock";
import { publicKey } from "../support/data/publicKey";
import {
  definitionOf,
  normalize,
  objectSamples,
  type ServiceObject,
  sampleOf,
  uniqueSamples,
} from "../support/data/samples";
import { executeUnanswered } from "../support/emulators";
import { expected, managedWithoutFailure } from "../support/engine/differences";
import { OperationError } from "../support/engine/provider";
import { Stack } from "../support/engine/stack";
import { describe, test } from "../support/engine/testedProvider";
import { failureOf } from "../support/errorOf";
import { waitUntil } from "../support/waitUntil";

/** How much the service's clock differs. */
let off = 0;
afterEach(() => {
  off = 0;
});

async function start() {
  const time = createRequestTime();
  const stack = await Stack.start({
    pageSize: 3,
    time,
    clock: () => time.now() + off,
    onRequest: (_, emulator) => executeUnanswered(emulator),
    config: { "tunnel-edge:maxRetries": "1" },
  });
  return { stack, emulator: stack.emulator };
}

const slowLosses: Record<string, Fault> = {
  "the response never ends": { hang: true },
  "there is no response": { hang: "headers" },
  "it takes effect too late": { hang: "headers", processed: false },
  "the response is too large": { bytes: 17_000_000, processed: true },
};
const quickLosses: Record<string, Fault> = {
  "the connection is reset": { resetAfter: true },
  "the response is cut off": { truncate: true },
  "half of the response comes": { truncate: "complete" },
  "a gateway times out": { status: 504, processed: true },
  "a gateway fails": { status: 502, body: "<html>", processed: true },
  "the service fails": { status: 500, processed: true },
  "the response is empty": { status: 201, body: "", processed: true },
  "the response has no id": { status: 201, body: {}, processed: true },
};
const losses = { ...quickLosses, ...slowLosses };

const processedPosts = (emulator: Emulator) =>
  emulator.requests.filter(({ method, processed }) => method === "POST" && processed);
const cases = uniqueSamples.flatMap(({ type }, index) =>
  Object.keys(index === 0 ? losses : quickLosses).map((loss) => [type, loss] as const),
);

test.each(cases)("%s, %s: the created object is imported", async (type, loss) => {
  const { stack, emulator } = await start();
  const sample = sampleOf(type);
  for (let i = 0; i < 5; i++) await stack.resource(type, `other${i}`).up(sample.programs(`other${i}`)[0]);
  emulator.clearRequests();
  emulator.fail({ method: "POST", ...losses[loss] });
  const resource = stack.resource(type);
  const [program] = sample.programs("mine");
  expect(await resource.up(program)).toBe("create");
  const held = sample.findObjects(emulator.account, "mine", {});
  expect(held).toHaveLength(1);
  expect(resource.state!.id).toBe(held[0]!.id);
  expect(normalize(resource.outputs)).toEqual(normalize(program));
  expect(processedPosts(emulator)).toHaveLength(1);
  expect(await resource.up(program)).toBe("same");
  expect(await resource.refresh()).toBe("same");
});

/** Objects that nothing identifies: programs may leave out what is unique. A key, whose token is lost, is not imported. */
const unidentified = objectSamples.flatMap(({ definition: { fields, unique }, ...sample }) => {
  if (sample.type === "ApiKey" || (unique && fields[unique.argument]!.required)) return [];
  const { [unique?.argument ?? ""]: _, ...program } = sample.programs("mine")[0];
  return [{ ...sample, program: { ...program, description: "mine" } }];
});

describe.each(Object.keys(quickLosses))("%s", (loss) => {
  test.each(unidentified)("$type without a unique value is named, not imported", async (sample) => {
    const { type, program, findObjects } = sample;
    const { stack, emulator } = await start();
    emulator.fail({ method: "POST", ...losses[loss] });
    const resource = stack.resource(type);
    const error = await failureOf(resource.up(program));
    const [{ id, object }] = findObjects(emulator.account, "mine", {}) as [ServiceObject];
    expect(error.message).toMatch(
      new RegExp(`^${definitionOf(sample).displayName} could not be created: POST /[\\w/]+ (failed:|returned) .*\\.`),
    );
    expect(error.message).toContain(
      `It may have been created anyway, as ${id} (created ${object.created_at}). Make sure that it belongs to ` +
        `no other resource (\`pulumi stack --show-ids\`). Then add import: "${id}" to its options and run \`pulumi up\`, ` +
        `or delete it with \`curl -X DELETE ${emulator.url}/edges/`,
    );
    expect(error.message).toMatch(
      /'Service-Version: 2'` \(set TUNNEL_EDGE_API_KEY first\)\. Otherwise the next `pulumi up` creates a new one\.$/,
    );
    expect(resource.state).toBeUndefined();
    expect(processedPosts(emulator)).toHaveLength(1);
    stack.next();
    expect(await resource.up(program, { import: id })).toBe(expected("importStep"));
    expect(processedPosts(emulator)).toEqual([]);
  });

  test("an API key is named, and the message says that its token is lost", async () => {
    const { stack, emulator } = await start();
    const before = emulator.account.apiKeys.length;
    emulator.fail({ method: "POST", ...losses[loss] });
    const resource = stack.resource("ApiKey");
    const error = await failureOf(resource.up({ description: "ci" }));
    const key = emulator.account.apiKeys[before]!;
    expect(error.message).toContain(`as ${key.id} (created ${key.created_at}). Its token was in the lost response`);
    expect(processedPosts(emulator)).toHaveLength(1);
    emulator.api("DELETE", `/api_keys/${key.id}`);
    stack.next();
    await resource.up({ description: "ci" });
    expect(resource.outputs.token).toEqual(expect.any(String));
    expect(emulator.account.apiKeys).toHaveLength(before + 1);
  });
});

describe("an object that was never created", () => {
  test.each(objectSamples)("$type is not found", async ({ type, programs }) => {
    const { stack, emulator } = await start();
    const [program] = programs("mine");
    for (const fault of [{ resetBefore: true }, { status: 500 }, { status: 504 }, { status: 200, body: "<html>" }]) {
      emulator.fail({ method: "POST", ...fault });
      const resource = stack.resource(type);
      const error = await failureOf(resource.up(program));
      expect(error.message).toMatch(
        /No new [\w ]+ was found in the account, but it may still appear\. Look for it with the command `inventory/,
      );
      expect(resource.state).toBeUndefined();
      stack.next();
    }
    expect(processedPosts(emulator)).toHaveLength(0);
    expect(await stack.resource(type).up(program)).toBe("create");
  });
});

test("an object that existed before is not imported", async () => {
  const { stack, emulator } = await start();
  off = -120_000;
  emulator.api("POST", "/edges/tcp", { description: "mine" });
  emulator.api("POST", "/ssh_credentials", { public_key: publicKey("mine") });
  off = 0;
  emulator.fail({ method: "POST", resetBefore: true, times: 2 });
  for (const [type, program] of [
    ["TcpEdge", { description: "mine" }],
    ["SshCredential", { publicKey: publicKey("mine") }],
  ] as const) {
    const error = await failureOf(stack.resource(type).up(program));
    expect(error.message).toContain("was found in the account, but it may still appear");
  }
});

test("an object of another resource of the program is not imported", async () => {
  const { stack, emulator } = await start();
  await stack.resource("TcpEdge", "other").up({ description: "twin" });
  emulator.fail({ method: "POST", resetBefore: true });
  const error = await failureOf(stack.resource("TcpEdge").up({ description: "twin" }));
  expect(error.message).toContain("was found in the account, but it may still appear");
});

test("a lost create is not taken for the object that it replaces", async () => {
  const { stack, emulator } = await start();
  const key = stack.resource("ApiKey");
  await key.up({ description: "ci", keepers: { rotated: "2026" } });
  const { id } = key.state!;
  stack.next();
  emulator.fail({ method: "POST", resetBefore: true });
  const error = await failureOf(key.up({ description: "ci", keepers: { rotated: "2027" } }));
  expect(error.message).not.toContain(id);
  expect(error.message).toContain("was found in the account, but it may still appear");
});

test("a different object that someone else created at the same time is not imported", async () => {
  const { stack, emulator } = await start();
  const hostports = ["1.tcp.example.com:20022"];
  emulator.fail({ method: "POST", resetBefore: true, delayMs: 300 });
  const resource = stack.resource("TcpEdge");
  const failing = failureOf(resource.up({ hostports, description: "mine" }));
  await waitUntil(() => emulator.requests.some(({ status }) => status === "pending"));
  const theirs = emulator.api<{ id: string }>("POST", "/edges/tcp", { hostports, description: "theirs" });
  expect((await failing).message).toContain("was found in the account, but it may still appear");
  stack.next();
  await expect(resource.up({ hostports, description: "mine" })).rejects.toThrow(
    `is already used by TCP edge ${theirs.id}`,
  );
});

test("if several objects match, all are named", async () => {
  const { stack, emulator } = await start();
  emulator.fail({ method: "POST", resetAfter: true, times: 2 });
  const resources = ["one", "two"].map((name) => stack.resource("TcpEdge", name));
  const errors = await Promise.all(resources.map((resource) => failureOf(resource.up({ description: "twin" }))));
  const ids = emulator.account.tcpEdges.map(({ id }) => id);
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(errors.map(({ message }) => message).join()).toContain(`${id} (created `);
  expect(processedPosts(emulator)).toHaveLength(2);
});

test("if fewer objects are found than responses were lost, another one may still appear", async () => {
  const { stack, emulator } = await start();
  emulator.fail({ method: "POST", resetAfter: true });
  emulator.fail({ method: "POST", resetBefore: true });
  const resources = ["one", "two"].map((name) => stack.resource("TcpEdge", name));
  const errors = await Promise.all(resources.map((resource) => failureOf(resource.up({ description: "twin" }))));
  expect(emulator.account.tcpEdges).toHaveLength(1);
  for (const { message } of errors)
    expect(message).toMatch(
      /another one may still appear\. Look for it with the command `inventory --unmanaged --stack <stack>` before you run `pulumi up` again/,
    );
});

test("if two credentials have the same public key, both are named and none is imported", async () => {
  const { stack, emulator } = await start();
  const key = publicKey("twice");
  const twin = (id: string) => ({ id, public_key: key, created_at: new Date(stack.time.now()).toISOString(), acl: [] });
  emulator.fail({ method: "POST", resetAfter: true });
  const body = { ssh_credentials: [twin("sshcr_a"), twin("sshcr_b")], next_page_uri: null };
  emulator.fail({ method: "GET", path: "/ssh_credentials", body });
  const resource = stack.resource("SshCredential");
  const { message } = await failureOf(resource.up({ publicKey: key }));
  expect(message).toMatch(
    /as sshcr_a \(created \S+\), sshcr_b \(created \S+\)\. .* add import: "sshcr_a" to its options/,
  );
  expect(resource.state).toBeUndefined();
});

test("if the list cannot be read either, the message says so", async () => {
  const { stack, emulator } = await start();
  emulator.fail({ method: "POST", resetAfter: true });
  emulator.fail({ method: "GET", path: "/edges/tcp", status: 503, times: Number.POSITIVE_INFINITY });
  const error = await failureOf(stack.resource("TcpEdge").up({ hostports: ["1.tcp.example.com:20022"] }));
  expect(error.message).toMatch(
    /^TCP edge could not be created: POST \/edges\/tcp failed: .* It is not known whether it was created, because the list could not be read either \(GET \/edges\/tcp returned 503 .*\) Look for it with the command `inventory --unmanaged --stack <stack>` before you run `pulumi up` again, which creates a new one\.$/,
  );
  expect(processedPosts(emulator)).toHaveLength(1);
});

test.each([-3_600_000, 3_600_000])("the service's clock may be %d ms off", async (ms) => {
  const { stack, emulator } = await start();
  off = ms;
  const headers = { Date: new Date(stack.time.now() + off).toUTCString() };
  emulator.fail({ method: "POST", resetAfter: true });
  emulator.fail({ headers, times: Number.POSITIVE_INFINITY });
  await stack
    .resource("TcpEdge")
    .refresh()
    .catch(() => undefined);
  const resource = stack.resource("TcpEdge");
  expect(await resource.up({ hostports: ["1.tcp.example.com:20022"] })).toBe("create");
  expect(resource.state!.id).toBe(emulator.account.tcpEdges[0]!.id);
});

test("a module that takes effect after its PUT timed out is in the state", async () => {
  const { stack, emulator } = await start();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", {});
  const resource = stack.resource("TcpEdgeIpRestriction");
  const program = { edgeId: id, ipPolicyIds: ["ipp_a"] };
  emulator.fail({ method: "PUT", resetBefore: true });
  emulator.fail({ method: "PUT", hang: "headers", processed: false });
  const error = await failureOf(resource.up(program));
  expect(error).toBeInstanceOf(OperationError);
  expect(resource.state?.id).toBe(id);
  expect(await resource.up(program)).toBe("update");
  expect(await resource.refresh()).toBe("same");
});

test("a lost PATCH of an edge that cannot be read leaves the old values, unconfirmed, and is sent again", async () => {
  const { stack, emulator } = await start();
  const hostports = ["1.tcp.example.com:20022"];
  const edge = stack.resource("TcpEdge");
  await edge.up({ description: "a", metadata: "m", hostports });
  emulator.fail({ method: "PATCH", resetAfter: true, times: 2 });
  const unreadable = emulator.fail({ method: "GET", status: 503, times: Number.POSITIVE_INFINITY });
  const after = { description: "b", hostports, backend: { backendId: "bkdhr_1" } };
  const { message } = await failureOf(edge.up(after));
  expect(message).toContain("It may have been updated. The next `pulumi up` sends the update again.");
  expect(edge.state!.outputs).toMatchObject({
    description: "a",
    metadata: "m",
    hostports,
    __managed: "description hostports metadata backend.backendId",
    __unconfirmed: "description metadata backend",
  });
  unreadable.cancel();
  emulator.clearRequests();
  expect(await edge.up(after)).toBe("update");
  expect(emulator.calls()).toEqual(["PATCH /edges/tcp/{id}"]);
  expect(edge.state!.outputs["description"]).toBe("b");
  expect(edge.state!.outputs["__managed"]).toBe(managedWithoutFailure("backend.backendId description hostports"));
  expect(edge.state!.outputs).not.toHaveProperty("__unconfirmed");
});

describe("the object of a lost create is found", () => {
  const hostports = ["lag.example.com:1"];
  const failWith = (body: object) => ({ method: "GET", path: "/edges/tcp", status: 200, body });

  test("if the list shows it only after some seconds", async () => {
    const { stack, emulator } = await start();
    emulator.fail({ method: "POST", status: 500, processed: true });
    emulator.fail({ ...failWith({ tcp_edges: [], next_page_uri: null }), times: 4 });
    const resource = stack.resource("TcpEdge");
    expect(await resource.up({ hostports })).toBe("create");
    expect(resource.state?.id).toBe(emulator.account.tcpEdges[0]!.id);
  });

  test.each([-50_000, 50_000])("if the clock of what responds differs by %i ms from the service's", async (ms) => {
    const { stack, emulator } = await start();
    const Date_ = new Date(stack.time.now() + ms).toUTCString();
    emulator.fail({
      method: "POST",
      status: 524,
      body: "<html>timeout</html>",
      processed: true,
      headers: { Date: Date_ },
    });
    const resource = stack.resource("TcpEdge");
    expect(await resource.up({ hostports })).toBe("create");
    expect(resource.state?.id).toBe(emulator.account.tcpEdges[0]!.id);
  });

  test("and a warning names it, its creation time and what to do if it is somebody else's", async () => {
    const { stack, emulator } = await start();
    emulator.fail({ method: "POST", resetAfter: true });
    await stack.resource("TcpEdge", "ssh").up({ hostports });
    const { id, created_at } = emulator.account.tcpEdges[0]!;
    expect(stack.said).toContain(
      `TcpEdge "ssh": POST /edges/tcp failed: the connection was closed before the response. TCP edge ${id} (created ` +
        `${created_at}) has everything that is declared, so it is managed from now on. If somebody else created it at the ` +
        "same time, remove it from this stack with `pulumi state delete` before you change or destroy it.",
    );
  });
});

test("the key of another create, whose response is slow, is not named", async () => {
  const { stack, emulator } = await start();
  const before = emulator.account.apiKeys.length;
  const slow = emulator.fail({ method: "POST", delayMs: 400, delayAfter: true });
  const first = stack.resource("ApiKey", "first");
  const creating = first.up({ description: "twin" });
  await waitUntil(() => slow.hits > 0 && emulator.account.apiKeys.length > before);
  emulator.fail({ method: "POST", resetAfter: true });
  const { message } = await failureOf(stack.resource("ApiKey", "second").up({ description: "twin" }));
  await creating;
  const lost = emulator.account.apiKeys.at(-1)!.id;
  expect(first.state!.id).not.toBe(lost);
  expect(message).toContain(`as ${lost} (created `);
  expect(message).not.toContain(first.state!.id);
});
