import { publicKey as createKey } from "../../support/data/publicKey";
import { uniqueSamples } from "../../support/data/samples";
import { expected } from "../../support/engine/differences";
import { Stack } from "../../support/engine/stack";
import { describe, test, testedProvider } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";
import { waitUntil } from "../../support/waitUntil";

async function start() {
  const stack = await Stack.start();
  return { stack, emulator: stack.emulator };
}

const hostports = ["1.tcp.example.com:20022"];

test("an edge that changes its hostports waits for their release too", async () => {
  const { stack } = await start();
  const [oldOwner, newOwner] = [stack.resource("TcpEdge", "old"), stack.resource("TcpEdge", "new")];
  await oldOwner.up({ hostports });
  await newOwner.up({ description: "newOwner" });
  stack.next();
  const waiting = newOwner.up({ description: "newOwner", hostports });
  await oldOwner.up({});
  expect(await waiting).toBe("update");
  expect(newOwner.outputs.hostports).toEqual(hostports);
});

test("a holder outside of the program is named soon", async () => {
  const { emulator, stack } = await start();
  const { id } = emulator.api("POST", "/edges/tls", { hostports }) as { id: string };
  const edge = stack.resource("TcpEdge");
  await expect(edge.up({ hostports })).rejects.toThrow(
    new RegExp(
      `^TCP edge could not be created: POST /edges/tcp returned 409 .* is already used by TLS edge ${id}\\. Remove it there first`,
    ),
  );
  expect(edge.state).toBeUndefined();
  emulator.api("DELETE", `/edges/tls/${id}`);
  expect(await edge.up({ hostports })).toBe("create");
});

test.each(["before", "after"])(
  "an edge that keeps a hostport is not named, if another, created %s it, has the other",
  async (when) => {
    const { emulator, stack } = await start();
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

describe("what is declared twice fails in the preview", () => {
  test.each(["TcpEdge", "TlsEdge"])("a hostport, for a %s", async (type) => {
    const { emulator, stack } = await start();
    const [first, second] = [stack.resource("TcpEdge", "first"), stack.resource(type, "second")];
    await first.preview({ hostports });
    const twice = (name: string) =>
      `hostports: "1.tcp.example.com:20022" is already declared by ${name}. Declare it in one place.`;
    const upperCase = hostports.map((hostport) => hostport.toUpperCase());
    await expect(second.preview({ hostports: upperCase })).rejects.toThrow('already declared by TcpEdge "first"');
    await expect(second.preview({ hostports })).rejects.toThrow(twice('TcpEdge "first"'));
    expect(emulator.calls()).toEqual([]);
    // Whichever comes second.
    stack.next();
    await first.up({ hostports });
    stack.next();
    await second.preview({ hostports });
    await expect(first.preview({ hostports })).rejects.toThrow(twice(`${type} "second"`));
    // What ignoreChanges covers is not declared, which a plugin's check does not know, nor is what moves away.
    stack.next();
    if (testedProvider() === "dynamic") {
      await first.preview({ hostports }, { ignoreChanges: ["hostports"] });
      await second.preview({ hostports });
    }
    await first.preview({ hostports: [] });
    expect(await second.preview({ hostports })).toMatchObject({ step: "create" });
  });

  test("a public key", async () => {
    const { stack } = await start();
    const publicKey = createKey("twice");
    await stack.resource("SshCredential", "first").preview({ publicKey });
    await expect(stack.resource("SshCredential", "second").preview({ publicKey })).rejects.toThrow(
      'publicKey is already declared by SshCredential "first". Declare it in one place.',
    );
  });
});

test.each(uniqueSamples)("$type: an existing object that matches the program can be imported", async (sample) => {
  const { type, displayName } = sample.definition;
  const [program] = sample.programs("mine");
  const { emulator, stack } = await start();
  await stack.resource(type).up(program);
  stack.next();
  const resource = stack.resource(type);
  const message = await errorOf(resource.up(program));
  const id = /import: "(\w+)"/.exec(message)?.[1];
  expect(message).toContain(
    `is already used by ${displayName} ${id}, which also has everything else that is declared.`,
  );
  expect(await resource.up(program, { import: id! })).toBe(expected("importStep"));
  expect(sample.findObjects(emulator.account, "mine", {})).toHaveLength(1);
});

describe("an edge that has everything that is declared is not offered for an import", () => {
  test("if the program updates another to that", async () => {
    const { emulator, stack } = await start();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", { hostports });
    const edge = stack.resource("TcpEdge");
    await edge.up({});
    expect(await errorOf(edge.up({ hostports }))).toMatch(
      new RegExp(`is already used by TCP edge ${id}\\. Remove it there first`),
    );
  });

  test("if it is another resource's, which has not released it yet", async () => {
    const { stack } = await start();
    const holder = stack.resource("TcpEdge", "holder");
    await holder.up({ hostports });
    stack.next();
    // The holder is diffed, and never updated.
    await expect(holder.up({}, {}, () => Promise.reject(new Error("no slot")))).rejects.toThrow("no slot");
    expect(await errorOf(stack.resource("TcpEdge", "new").up({ hostports }))).toContain(
      `is already used by TCP edge ${holder.state!.id}, which has not released it yet.`,
    );
  });
});

test.each(uniqueSamples)("$type: a replacement that collides with what it replaces says so", async (sample) => {
  const { type, displayName } = sample.definition;
  const [program] = sample.programs("mine");
  const { stack } = await start();
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

test("a replacement waits until the service has released what it replaces", async () => {
  const { emulator, stack } = await start();
  const edge = stack.resource("TcpEdge");
  await edge.up({ hostports, description: "before" });
  const { id } = edge.state!;
  stack.next();
  const options = { replaceOnChanges: ["description"], deleteBeforeReplace: false };
  const replacing = edge.up({ hostports, description: "after" }, options);
  const isWaiting = () => stack.statuses.some((status) => status.startsWith(`Waiting for TCP edge ${id}`));
  await Promise.race([waitUntil(isWaiting), replacing]);
  emulator.api("DELETE", `/edges/tcp/${id}`);
  expect(await replacing).toBe("replace");
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "after" }]);
});

test("a public key of another credential is rejected at once, and the message names the other one", async () => {
  const { emulator, stack } = await start();
  const publicKey = createKey("someone");
  const { id } = emulator.api("POST", "/ssh_credentials", { public_key: publicKey }) as { id: string };
  await expect(stack.resource("SshCredential").up({ publicKey, description: "mine" })).rejects.toThrow(
    `publicKey is already used by SSH credential ${id}. If this is a forced replacement, set the option deleteBeforeReplace`,
  );
});

test("a rejection for another reason is displayed unchanged", async () => {
  const { emulator, stack } = await start();
  emulator.fail({
    path: "/edges/tcp",
    method: "POST",
    status: 400,
    times: 2,
    body: { status_code: 400, msg: "the port is reserved" },
  });
  await expect(stack.resource("TcpEdge").up({ hostports })).rejects.toThrow(
    "TCP edge could not be created: POST /edges/tcp returned 400: the port is reserved.",
  );
});

test("if a list cannot be read, the message says that the holder is not known", async () => {
  const { emulator, stack } = await start();
  emulator.api("POST", "/edges/tls", { hostports });
  const edge = stack.resource("TcpEdge");
  await stack.resource("TcpEdge").up({});
  emulator.clearRequests();
  emulator.fail({ method: "GET", path: "/edges/tls", status: 200, body: { edges: [] } });
  await expect(edge.up({ hostports })).rejects.toThrow(
    new RegExp(
      "^TCP edge could not be created: POST /edges/tcp returned 409 .* It is not known whether another object has the same " +
        'hostports, because the list could not be read: GET /edges/tls returned a page without the list "tls_edges"',
    ),
  );
  expect(emulator.calls()).toEqual(["POST /edges/tcp", "GET /edges/tcp", "GET /edges/tls"]);
});

test("the holder is named even if another list cannot be read", async () => {
  const { emulator, stack } = await start();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", { hostports });
  emulator.fail({ method: "GET", path: "/edges/tcp", status: 200, body: {}, times: Number.POSITIVE_INFINITY });
  await expect(stack.resource("TcpEdge").up({ hostports })).rejects.toThrow(`is already used by TLS edge ${id}`);
});

test("an update that may have been executed is recorded as such, whatever else its error says", async () => {
  const { emulator, stack } = await start();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", { hostports });
  const edge = stack.resource("TcpEdge");
  await edge.up({ description: "before" });
  emulator.fail({ method: "PATCH", status: 422, body: "from the gateway", times: Number.POSITIVE_INFINITY });
  await expect(edge.up({ description: "after", hostports })).rejects.toThrow(`is already used by TLS edge ${id}`);
  expect(edge.state!.outputs["__unconfirmed"]).toBe("description hostports");
});

test("a create that may have been executed is not sent again, whatever status a gateway gave it", async () => {
  const { emulator, stack } = await start();
  emulator.fail({ method: "POST", status: 422, body: { message: "from the gateway" }, processed: true });
  const edge = stack.resource("TcpEdge");
  await edge.up({ hostports });
  expect(emulator.calls().filter((call) => call.startsWith("POST"))).toEqual(["POST /edges/tcp"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
});
