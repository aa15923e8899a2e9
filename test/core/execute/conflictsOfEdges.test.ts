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

test("a hostport that moves to another edge in the same deployment: the new holder waits for its release", async () => {
  const { emulator, host } = await startHost();
  const oldOwner = host.resource("TcpEdge");
  await oldOwner.up({ hostports });
  const next = await host.next();
  const newOwner = next.resource("TlsEdge");
  const waiting = newOwner.up({ hostports });
  await waitUntil(() => next.logs.length > 0);
  expect(await oldOwner.useProvider(next).up({ hostports: ["1.tcp.example.com:20023"] })).toBe("update");
  expect(await waiting).toBe("create");
  expect(emulator.api("GET", `/edges/tls/${newOwner.state!.id}`)).toMatchObject({ hostports });
  expect(next.logs).toContainEqual({
    severity: "INFO",
    message: `Waiting for TCP edge ${oldOwner.state!.id} to release its hostports…`,
    ephemeral: true,
  });
});

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

test("an edge whose hostport is released between its rejection and the list of holders gets it", async () => {
  const { emulator, host } = await startHost();
  const [oldOwner, newOwner] = [host.resource("TcpEdge", "old"), host.resource("TcpEdge", "new")];
  await oldOwner.up({ hostports });
  await newOwner.up({ description: "newOwner" });
  const next = await host.next();
  const path = `/edges/tcp/${oldOwner.state!.id}`;
  const release = emulator.fail({ method: "PATCH", path, delayMs: 500 });
  emulator.fail({ method: "GET", path: "/edges/tcp", delayMs: 1_000 });
  const releasing = oldOwner.useProvider(next).up({});
  await waitUntil(() => release.hits === 1);
  expect(await newOwner.useProvider(next).up({ description: "newOwner", hostports })).toBe("update");
  expect(await releasing).toBe("update");
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

test("of two holders that release their hostports, the second is awaited after the first", async () => {
  const { host } = await startHost();
  const both = ["a.example.com:1", "a.example.com:2"];
  const holders = both.map((_, index) => host.resource("TcpEdge", `holder${index}`));
  for (const [index, holder] of holders.entries()) await holder.up({ hostports: [both[index]!] });
  const next = await host.next();
  const waiting = next.resource("TlsEdge").up({ hostports: both });
  const release = async () => {
    const isAwaited = (id: string) =>
      next.logs.some(({ message }) => message === `Waiting for TCP edge ${id} to release its hostports…`);
    await waitUntil(() => holders.some(({ state }) => isAwaited(state!.id)));
    const [holder] = holders.splice(
      holders.findIndex(({ state }) => isAwaited(state!.id)),
      1,
    );
    await holder!.useProvider(next).up({});
  };
  await release();
  await release();
  expect(await waiting).toBe("create");
});

test("of two holders, the one that keeps its hostport is named", async () => {
  const { emulator, host } = await startHost();
  const both = ["a.example.com:1", "a.example.com:2"];
  const ids = both.map(
    (hostport) => (emulator.api("POST", "/edges/tcp", { hostports: [hostport] }) as { id: string }).id,
  );
  const waiting = host.resource("TcpEdge").up({ hostports: both });
  waiting.catch(() => {});
  await waitUntil(() => host.logs.length > 0);
  const { message } = host.logs[0]!;
  const awaited = ids.find((id) => message === `Waiting for TCP edge ${id} to release its hostports…`);
  emulator.api("PATCH", `/edges/tcp/${awaited}`, { hostports: [] });
  await expect(waiting).rejects.toThrow(`is already used by TCP edge ${ids.find((id) => id !== awaited)}`);
});

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
    await first.up({ hostports });
    const run = await host.next();
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

test("edges that swap their hostports in one deployment release them first", async () => {
  const { emulator, host } = await startHost();
  const [first, second] = [host.resource("TcpEdge", "first"), host.resource("TcpEdge", "second")];
  const [one, two] = [["a.example.com:1"], ["a.example.com:2"]];
  await first.up({ hostports: one });
  await second.up({ hostports: two });
  await host.startNewRun();
  emulator.clearRequests();
  await Promise.all([first.up({ hostports: two }), second.up({ hostports: one })]);
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: two }, { hostports: one }]);
  const released = emulator.requests.filter(({ method, body }) => method === "PATCH" && isEmptyList(body));
  expect(released.length).toBeGreaterThan(0);
});

const isEmptyList = (body: unknown) => (body as { hostports?: string[] }).hostports?.length === 0;

test("what an edge releases comes after its new protection, and is recorded if the rest fails", async () => {
  const { emulator, host } = await startHostWithShortWaits();
  const [edge, holder] = [host.resource("TlsEdge", "edge"), host.resource("TcpEdge", "holder")];
  const [own, kept, wanted] = ["a.example.com:1", "a.example.com:2", "a.example.com:3"];
  await edge.up({ hostports: [own, kept], mutualTls: { certificateAuthorityIds: ["ca_a"] } });
  await holder.up({ hostports: [wanted] });
  await host.startNewRun();
  // The holder is diffed, and never updated.
  await expect(holder.up({ hostports: [] }, {}, () => Promise.reject(new Error("no slot")))).rejects.toThrow("no slot");
  emulator.clearRequests();
  const args = {
    hostports: [kept, wanted],
    tlsTermination: { terminateAt: "upstream" },
    ipRestriction: { ipPolicyIds: ["ipp_a"] },
  };
  await expect(edge.up(args)).rejects.toThrow(
    `"${wanted}" is already used by TCP edge ${holder.state!.id}, which has not released it yet. Pulumi has to update ` +
      "that edge first: use `dependsOn`, a larger `--parallel`, or `pulumi up --continue-on-error` and then `pulumi up`.",
  );
  const writes = emulator.requests.filter(({ method }) => method !== "GET");
  expect(writes.slice(0, 4)).toMatchObject([
    { method: "PATCH", body: { ip_restriction: { ip_policy_ids: ["ipp_a"] } } },
    { method: "DELETE" },
    { method: "PATCH", status: 409 },
    { method: "PATCH", body: { hostports: [kept] }, status: 200 },
  ]);
  expect(emulator.account.tlsEdges).toMatchObject([{ hostports: [kept] }]);
  expect(edge.outputs).toMatchObject({ hostports: [kept], ipRestriction: { ipPolicyIds: ["ipp_a"] } });
  await host.startNewRun();
  await holder.up({ hostports: [] });
  expect(await edge.up(args)).toBe("update");
  expect(emulator.account.tlsEdges).toMatchObject([{ hostports: [kept, wanted] }]);
});

test("an edge releases nothing if the program is not known to take the hostport from its holder", async () => {
  const { emulator, host } = await startHostWithShortWaits();
  const { id } = emulator.api("POST", "/edges/tls", { hostports }) as { id: string };
  const edge = host.resource("TcpEdge");
  const own = ["a.example.com:1"];
  await edge.up({ hostports: own });
  await expect(edge.up({ hostports })).rejects.toThrow(
    `is already used by TLS edge ${id}. Remove it there first. If this deployment does that, use \`dependsOn\`, `,
  );
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: own }]);
  expect(edge.outputs.hostports).toEqual(own);
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
  emulator.fail({ path: "/edges/tcp", status: 400, body: { status_code: 400, msg: "the port is reserved" } });
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
