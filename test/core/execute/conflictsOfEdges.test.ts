import { createRequestTime } from "../../support/clock";
import { publicKey as createKey } from "../../support/data/publicKey";
import { uniqueSamples } from "../../support/data/samples";
import { startHost } from "../../support/engine/emulatorHost";
import { errorOf } from "../../support/errorOf";
import { waitUntil } from "../../support/waitUntil";

const clock = createRequestTime();

/** For tests in which nobody releases what another wants. */
const startHostWithShortWaits = () => startHost({}, { clock });

const hostports = ["1.tcp.example.com:20022"];

test("an edge that changes its hostports waits for their release too", async () => {
  const { host } = await startHost();
  const [oldOwner, newOwner] = [host.resource("TcpEdge", "old"), host.resource("TcpEdge", "new")];
  await oldOwner.up({ hostports });
  await newOwner.up({ description: "newOwner" });
  const next = await host.next();
  const waiting = newOwner.useProvider(next).up({ description: "newOwner", hostports });
  await oldOwner.useProvider(next).up({});
  expect(await waiting).toBe("update");
  expect(newOwner.outputs.hostports).toEqual(hostports);
});

test("a holder outside of the program is named soon", async () => {
  const { emulator, host } = await startHostWithShortWaits();
  const { id } = emulator.api("POST", "/edges/tls", { hostports }) as { id: string };
  const edge = host.resource("TcpEdge");
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
    const { emulator, host } = await startHostWithShortWaits();
    const createOther = () =>
      emulator.api<{ id: string }>("POST", "/edges/tcp", { hostports: ["theirs.example.com:1"] });
    const before = when === "before" ? createOther() : undefined;
    const edge = host.resource("TcpEdge");
    await edge.up({ hostports: ["ours.example.com:1"] });
    const { id } = before ?? createOther();
    await expect(edge.up({ hostports: ["ours.example.com:1", "theirs.example.com:1"] })).rejects.toThrow(
      `"theirs.example.com:1" is already used by TCP edge ${id}.`,
    );
  },
);

describe("what is declared twice fails in the preview", () => {
  test.each(["TcpEdge", "TlsEdge"])("a hostport, for a %s", async (type) => {
    const { emulator, host } = await startHost();
    const [first, second] = [host.resource("TcpEdge", "first"), host.resource(type, "second")];
    await first.preview({ hostports });
    const twice = (name: string) =>
      `hostports: "1.tcp.example.com:20022" is already declared by ${name}. Declare it in one place.`;
    const upperCase = hostports.map((hostport) => hostport.toUpperCase());
    await expect(second.preview({ hostports: upperCase })).rejects.toThrow('already declared by TcpEdge "first"');
    await expect(second.preview({ hostports })).rejects.toThrow(twice('TcpEdge "first"'));
    expect(emulator.calls()).toEqual([]);
    // Whichever comes second.
    const created = await host.next();
    await first.useProvider(created).up({ hostports });
    const run = await created.next();
    await second.useProvider(run).preview({ hostports });
    await expect(first.useProvider(run).preview({ hostports })).rejects.toThrow(twice(`${type} "second"`));
    // What ignoreChanges covers is not declared, nor is what moves away.
    const next = await run.next();
    await first.useProvider(next).preview({ hostports }, { ignoreChanges: ["hostports"] });
    await second.useProvider(next).preview({ hostports });
    await first.preview({ hostports: [] });
    expect(await second.preview({ hostports })).toMatchObject({ step: "create" });
  });

  test("a public key", async () => {
    const { host } = await startHost();
    const publicKey = createKey("twice");
    await host.resource("SshCredential", "first").preview({ publicKey });
    await expect(host.resource("SshCredential", "second").preview({ publicKey })).rejects.toThrow(
      'publicKey is already declared by SshCredential "first". Declare it in one place.',
    );
  });
});

test.each(uniqueSamples)("$type: an existing object that matches the program can be imported", async (sample) => {
  const { type, displayName } = sample.definition;
  const [program] = sample.programs("mine");
  const { emulator, host } = await startHostWithShortWaits();
  await host.resource(type).up(program);
  const resource = (await host.next()).resource(type);
  const message = await errorOf(resource.up(program));
  const id = /import: "(\w+)"/.exec(message)?.[1];
  expect(message).toContain(
    `is already used by ${displayName} ${id}, which also has everything else that is declared.`,
  );
  expect(await resource.up(program, { import: id! })).toBe("create");
  expect(sample.findObjects(emulator.account, "mine", {})).toHaveLength(1);
});

describe("an edge that has everything that is declared is not offered for an import", () => {
  test("if the program updates another to that", async () => {
    const { emulator, host } = await startHostWithShortWaits();
    const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", { hostports });
    const edge = host.resource("TcpEdge");
    await edge.up({});
    expect(await errorOf(edge.up({ hostports }))).toMatch(
      new RegExp(`is already used by TCP edge ${id}\\. Remove it there first`),
    );
  });

  test("if it is another resource's, which has not released it yet", async () => {
    const { host } = await startHostWithShortWaits();
    const holder = host.resource("TcpEdge", "holder");
    await holder.up({ hostports });
    await host.startNewRun();
    // The holder is diffed, and never updated.
    await expect(holder.up({}, {}, () => Promise.reject(new Error("no slot")))).rejects.toThrow("no slot");
    expect(await errorOf(host.resource("TcpEdge", "new").up({ hostports }))).toContain(
      `is already used by TCP edge ${holder.state!.id}, which has not released it yet.`,
    );
  });
});

test.each(uniqueSamples)("$type: a replacement that collides with what it replaces says so", async (sample) => {
  const { type, displayName } = sample.definition;
  const [program] = sample.programs("mine");
  const { host } = await startHostWithShortWaits();
  const resource = host.resource(type);
  await resource.up({ ...program, description: "before" });
  const { id } = resource.state!;
  const replacing = resource.useProvider(await host.next());
  const options = { replaceOnChanges: ["description"], deleteBeforeReplace: false };
  expect(await errorOf(replacing.up({ ...program, description: "after" }, options))).toMatch(
    new RegExp(
      `is already used by ${displayName} ${id}, which this resource had before\\. If Pulumi deletes it after the ` +
        "replacement, set the option deleteBeforeReplace\\. If Pulumi has retained it, import it with the option " +
        `import: "${id}" \\(with the plugin, after \`pulumi state delete\` of this resource\\), or delete it\\.$`,
    ),
  );
});

test("a replacement waits until the service has released what it replaces", async () => {
  const { emulator, host } = await startHost();
  const edge = host.resource("TcpEdge");
  await edge.up({ hostports, description: "before" });
  const { id } = edge.state!;
  const next = await host.next();
  const options = { replaceOnChanges: ["description"], deleteBeforeReplace: false };
  const replacing = edge.useProvider(next).up({ hostports, description: "after" }, options);
  const isWaiting = () => next.logs.some(({ message }) => message.startsWith(`Waiting for TCP edge ${id}`));
  await Promise.race([waitUntil(isWaiting), replacing]);
  emulator.api("DELETE", `/edges/tcp/${id}`);
  expect(await replacing).toBe("replace");
  expect(emulator.account.tcpEdges).toMatchObject([{ description: "after" }]);
});

test("a public key of another credential is rejected at once, and the message names the other one", async () => {
  const { emulator, host } = await startHostWithShortWaits();
  const publicKey = createKey("someone");
  const { id } = emulator.api("POST", "/ssh_credentials", { public_key: publicKey }) as { id: string };
  await expect(host.resource("SshCredential").up({ publicKey, description: "mine" })).rejects.toThrow(
    `publicKey is already used by SSH credential ${id}. If this is a forced replacement, set the option deleteBeforeReplace`,
  );
});

test("a rejection for another reason is displayed unchanged", async () => {
  const { emulator, host } = await startHost();
  emulator.fail({
    path: "/edges/tcp",
    method: "POST",
    status: 400,
    times: 2,
    body: { status_code: 400, msg: "the port is reserved" },
  });
  await expect(host.resource("TcpEdge").up({ hostports })).rejects.toThrow(
    "TCP edge could not be created: POST /edges/tcp returned 400: the port is reserved.",
  );
});

test("if a list cannot be read, the message says that the holder is not known", async () => {
  const { emulator, host } = await startHostWithShortWaits();
  emulator.api("POST", "/edges/tls", { hostports });
  const edge = host.resource("TcpEdge");
  await host.resource("TcpEdge").up({});
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
  const { emulator, host } = await startHostWithShortWaits();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", { hostports });
  emulator.fail({ method: "GET", path: "/edges/tcp", status: 200, body: {}, times: Number.POSITIVE_INFINITY });
  await expect(host.resource("TcpEdge").up({ hostports })).rejects.toThrow(`is already used by TLS edge ${id}`);
});

test("an update that may have been executed is recorded as such, whatever else its error says", async () => {
  const { emulator, host } = await startHostWithShortWaits();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", { hostports });
  const edge = host.resource("TcpEdge");
  await edge.up({ description: "before" });
  emulator.fail({ method: "PATCH", status: 422, body: "from the gateway", times: Number.POSITIVE_INFINITY });
  await expect(edge.up({ description: "after", hostports })).rejects.toThrow(`is already used by TLS edge ${id}`);
  expect(edge.state!.outputs["__unconfirmed"]).toBe("description hostports");
});

test("a create that may have been executed is not sent again, whatever status a gateway gave it", async () => {
  const { emulator, host } = await startHost();
  emulator.fail({ method: "POST", status: 422, body: { message: "from the gateway" }, processed: true });
  const edge = host.resource("TcpEdge");
  await edge.up({ hostports });
  expect(emulator.calls().filter((call) => call.startsWith("POST"))).toEqual(["POST /edges/tcp"]);
  expect(emulator.account.tcpEdges).toMatchObject([{ id: edge.state!.id }]);
});
