/** The object of a create whose response was lost: how long it is looked for, and what is said about it. */
import type { EmulatorOptions, Fault } from "pulumi-tunnel-edge/emulator";
import { RequestTime } from "../../support/clock";
import { curlDelete } from "../../support/curl";
import { publicKey as createKey } from "../../support/data/publicKey";
import type { Options, Properties } from "../../support/engine/provider";
import { Stack } from "../../support/engine/stack";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";

const time = new RequestTime();

async function start(options: EmulatorOptions = {}, config: Record<string, string> = {}) {
  const stack = await Stack.start({ time, config, ...options });
  const create = async (type: string, args: Properties, more?: Options, name = "new") => {
    const resource = stack.resource(type, name, more);
    await resource.up(args);
    return resource;
  };
  return { emulator: stack.emulator, create, messages: () => stack.messages, statuses: () => stack.statuses };
}

const hostports = ["a.example.com:1"];
const identified = { hostports, description: "mine" };
const unidentified = { description: "mine" };
const often = { times: Number.POSITIVE_INFINITY };
const unexecuted = { method: "POST", resetBefore: true };
const executed = { method: "POST", resetAfter: true };
const closed = "POST /edges/tcp failed: the connection was closed before the response.";
const list = { method: "GET", path: "/edges/tcp" };
const lookForIt = "Look for it with the command `inventory --unmanaged --stack <stack>`";
const belongsToNoOther = "Make sure that it belongs to no other resource (`pulumi stack --show-ids`).";

describe("an object that is not found is looked for every half second", () => {
  test.each<[string, Fault, Record<string, string>, Options["customTimeouts"], number]>([
    ["for 10 s", { resetBefore: true }, {}, {}, 20],
    ["for 5 s, if the service itself has responded", { status: 500 }, {}, {}, 10],
    ["for 10 s, if a gateway has", { status: 504, body: "<html>" }, {}, {}, 20],
    ["for 10 s, even if a request may take less", { resetBefore: true }, { "tunnel-edge:timeoutSeconds": "1" }, {}, 20],
    ["for 5 s, if the operation may take less", { resetBefore: true }, {}, { create: "2s" }, 10],
  ])("%s", async (_, fault, settings, timeouts, looks) => {
    const { emulator, create, statuses } = await start({}, settings);
    emulator.fail({ method: "POST", ...fault });
    const from = time.now();
    expect(await errorOf(create("TcpEdge", identified, { customTimeouts: timeouts }))).toContain(
      " No new TCP edge was found in the account, but it may still appear. " +
        `${lookForIt} before you run \`pulumi up\` again, which creates a new one.`,
    );
    expect(time.now() - from).toBe((looks - 1) * 500);
    expect(emulator.calls().filter((call) => call.startsWith("GET /edges"))).toHaveLength(looks);
    expect(statuses()).toEqual(
      Array(looks - 1).fill("The response was lost. Checking for a few seconds whether the call succeeded…"),
    );
  });
});

describe("an edge that a hostport identifies", () => {
  test("is managed, and a warning names it", async () => {
    const { emulator, create, messages } = await start();
    emulator.fail(executed);
    const { id, outputs: values } = await create("TcpEdge", identified);
    expect(values).toMatchObject(identified);
    expect(messages()).toEqual([
      `${closed} TCP edge ${id} (created ${values["createdAt"]}) has everything that is declared, so it is managed from ` +
        "now on. If somebody else created it at the same time, remove it from this stack with `pulumi state delete` " +
        "before you change or destroy it.",
    ]);
    expect(emulator.calls()).toEqual(["POST /edges/tcp", "GET /edges/tcp"]);
  });

  test("is found when it shows in the list", async () => {
    const { emulator, create } = await start({}, {});
    emulator.fail(executed);
    emulator.fail({ ...list, body: { tcp_edges: [] }, times: 3 });
    const { id } = await create("TcpEdge", identified);
    expect(emulator.account.tcpEdges).toMatchObject([{ id }]);
    expect(emulator.calls()).toEqual(["POST /edges/tcp", ...Array(4).fill("GET /edges/tcp")]);
  });

  test("is not managed if it has anything else", async () => {
    const { emulator, create } = await start();
    emulator.api("POST", "/edges/tcp", { hostports, description: "theirs" });
    emulator.fail(unexecuted);
    expect(await errorOf(create("TcpEdge", identified))).toContain("No new TCP edge was found in the account");
  });

  test("is not managed if the list shows two", async () => {
    const { emulator, create } = await start();
    const publicKey = createKey("twice");
    const twin = (id: string) => ({
      id,
      public_key: publicKey,
      created_at: new Date(time.now()).toISOString(),
      acl: [],
    });
    emulator.fail(executed);
    emulator.fail({ method: "GET", body: { ssh_credentials: [twin("sshcr_a"), twin("sshcr_b")] } });
    expect(await errorOf(create("SshCredential", { publicKey }))).toMatch(
      / as sshcr_a \(created \S+\), sshcr_b \(created \S+\)\. /,
    );
  });

  test.each([
    ["just now is managed", 0, 0],
    ["60 s ago is managed, because clocks may differ", 60, 0],
    ["64 s ago is managed, if the create was sent 4 s ago", 64, 4_000],
    ["62 s ago is not managed", 62, 0],
  ])("that was created %s", async (title, age, ms) => {
    const now = Date.UTC(2026, 0, 1);
    const { emulator, create } = await start({ clock: () => now - age * 1_000 });
    emulator.fail(executed);
    emulator.fail({ ...list, body: { tcp_edges: [] }, times: ms / 500 });
    emulator.fail({ ...list, headers: { Date: new Date(now).toUTCString() } });
    emulator.fail({ ...list, body: { tcp_edges: [] }, ...often });
    const isManaged = create("TcpEdge", identified).then(
      () => true,
      () => false,
    );
    expect(await isManaged).toBe(!title.endsWith("not managed"));
  });
});

describe("an object that nothing identifies is named, and not managed:", () => {
  test.each<[string, Properties]>([
    ["without hostports", unidentified],
    ["with an empty list of hostports", { ...unidentified, hostports: [] }],
  ])("an edge %s", async (_, args) => {
    const { emulator, create } = await start();
    emulator.fail(executed);
    const message = await errorOf(create("TcpEdge", args));
    const { id, created_at } = emulator.account.tcpEdges[0]!;
    expect(message).toBe(
      `TCP edge could not be created: ${closed} It may have been created anyway, as ${id} (created ${created_at}). ` +
        `${belongsToNoOther} Then add import: "${id}" to its options and run \`pulumi up\`, or delete it with ` +
        `${curlDelete(emulator.url, `/edges/tcp/${id}`)}. Otherwise the next \`pulumi up\` creates a new one.`,
    );
    expect(emulator.calls()).toEqual(["POST /edges/tcp", "GET /edges/tcp"]);
  });

  test("an edge, without that of another resource", async () => {
    const { emulator, create } = await start();
    await create("TcpEdge", unidentified, {}, "other");
    emulator.fail(unexecuted);
    expect(await errorOf(create("TcpEdge", unidentified))).toContain("No new TCP edge was found in the account");
  });
});

describe("two lost creates of the same content", () => {
  async function loseTwo(...faults: Fault[]) {
    const { emulator, create } = await start();
    for (const fault of faults) emulator.fail(fault);
    const errors = ["one", "two"].map((key) => errorOf(create("TcpEdge", unidentified, {}, key)));
    return { messages: await Promise.all(errors), ids: emulator.account.tcpEdges.map(({ id }) => id) };
  }

  test("name both objects", async () => {
    const { messages, ids } = await loseTwo({ ...executed, times: 2 });
    expect(ids).toHaveLength(2);
    for (const message of messages) {
      for (const id of ids) expect(message).toContain(`${id} (created `);
      expect(message).not.toContain("Other responses were lost");
    }
  });

  test("name the only object that is found, and that another one may still appear", async () => {
    const { messages, ids } = await loseTwo(executed, unexecuted);
    expect(ids).toHaveLength(1);
    for (const message of messages) {
      expect(message).toContain(`as ${ids[0]} (created `);
      expect(message).toContain(
        " Other responses were lost, too, so another one may still appear. " +
          `${lookForIt} before you run \`pulumi up\` again.`,
      );
    }
  });
});

test("the message names the list if it cannot be read either", async () => {
  const { emulator, create } = await start({}, { "tunnel-edge:maxRetries": "0" });
  emulator.fail(executed);
  emulator.fail({ ...list, status: 503, ...often });
  const message = await errorOf(create("TcpEdge", identified));
  expect(message).toContain(
    `TCP edge could not be created: ${closed} It is not known whether it was created, because the list could not be ` +
      "read either (GET /edges/tcp returned 503",
  );
  expect(message).toMatch(/\) Look for it with .* before you run `pulumi up` again, which creates a new one\.$/);
});
