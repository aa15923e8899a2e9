import { startHost } from "../support/emulatorHost";
import { waitUntil } from "../support/waitUntil";

const hostports = ["1.tcp.example.com:20022"];

test("a hostport moved to another edge in the same up: the taker waits for the release", async () => {
  const { emulator, host } = await startHost();
  const giver = host.resource("TcpEdge");
  await giver.up({ hostports });
  const next = await host.next();
  const taker = next.resource("TlsEdge");
  const taking = taker.up({ hostports });
  await new Promise((done) => setTimeout(done, 700));
  expect(await giver.useHost(next).up({ hostports: ["1.tcp.example.com:20023"] })).toBe("update");
  expect(await taking).toBe("create");
  expect(emulator.api("GET", `/edges/tls/${taker.state!.id}`)).toMatchObject({ hostports });
  expect(next.logs).toContainEqual({
    severity: "INFO",
    message: `Waiting for TCP edge ${giver.state!.id} to release its hostports…`,
    ephemeral: true,
  });
});

test("the same for an edge that changes its hostports", async () => {
  const { host } = await startHost();
  const [giver, taker] = [host.resource("TcpEdge"), host.resource("TcpEdge")];
  await giver.up({ hostports });
  await taker.up({ description: "taker" });
  const next = await host.next();
  const taking = taker.useHost(next).up({ description: "taker", hostports });
  await giver.useHost(next).up({});
  expect(await taking).toBe("update");
  expect(taker.outputs.hostports).toEqual(hostports);
});

test("a holder that is not in the program is named, soon", async () => {
  const { emulator, host } = await startHost();
  const { id } = emulator.api("POST", "/edges/tls", { hostports }) as { id: string };
  const edge = host.resource("TcpEdge");
  await expect(edge.up({ hostports })).rejects.toThrow(
    new RegExp(
      `^TCP edge could not be created: POST /edges/tcp returned 409 .* TLS edge ${id} has the same hostports: take it`,
    ),
  );
  expect(edge.state).toBeUndefined();
  emulator.api("DELETE", `/edges/tls/${id}`);
  expect(await edge.up({ hostports })).toBe("create");
}, 15_000);

test("of two holders, the one that keeps its hostport is named in the end", async () => {
  const { emulator, host } = await startHost();
  const both = ["a.example.com:1", "a.example.com:2"];
  const ids = both.map(
    (hostport) => (emulator.api("POST", "/edges/tcp", { hostports: [hostport] }) as { id: string }).id,
  );
  const taking = host.resource("TcpEdge").up({ hostports: both });
  taking.catch(() => {});
  await waitUntil(() => host.logs.length > 0);
  const { message } = host.logs[0]!;
  const awaited = ids.find((id) => message === `Waiting for TCP edge ${id} to release its hostports…`);
  emulator.api("PATCH", `/edges/tcp/${awaited}`, { hostports: [] });
  await expect(taking).rejects.toThrow(`TCP edge ${ids.find((id) => id !== awaited)} has the same hostports`);
}, 15_000);

test.each(["TcpEdge", "TlsEdge"])(
  "a hostport that the program states twice is told at once, for a %s",
  async (type) => {
    const { emulator, host } = await startHost();
    const first = host.resource("TcpEdge");
    await first.up({ hostports });
    await expect(host.resource(type).up({ hostports, description: "second" })).rejects.toThrow(
      `TCP edge ${first.state!.id} has the same hostports, and the program states that for it too: leave it to one of the two.`,
    );
    expect(emulator.calls().filter((call) => call.startsWith("POST"))).toHaveLength(2);
  },
);

test("edges that swap their hostports in one up are told so, soon", async () => {
  const { emulator, host } = await startHost();
  const [first, second] = [host.resource("TcpEdge"), host.resource("TcpEdge")];
  const [one, two] = [["a.example.com:1"], ["a.example.com:2"]];
  await first.up({ hostports: one });
  await second.up({ hostports: two });
  const results = await Promise.allSettled([first.up({ hostports: two }), second.up({ hostports: one })]);
  for (const [index, result] of results.entries()) {
    const other = [second, first][index]!.state!.id;
    const message = `TCP edge ${other} has the same hostports, and waits for those that this one has: state \`hostports: []\` for one of the two in an up of its own`;
    expect(result).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining(message) } });
  }
  // What the message says, in the runs that follow.
  const next = await host.next();
  await first.useHost(next).up({ hostports: [] });
  await Promise.all([first.up({ hostports: two }), second.useHost(next).up({ hostports: one })]);
  expect(emulator.account.tcpEdges).toMatchObject([{ hostports: two }, { hostports: one }]);
}, 30_000);

test.each([
  ["TcpEdge", "TCP edge", { hostports, description: "ssh" }],
  ["TlsEdge", "TLS edge", { hostports, description: "ssh" }],
  ["SshCredential", "SSH credential", { publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8 someone", acl: ["*"] }],
])(
  "%s: the holder that is just what is stated can be taken over",
  async (type, noun, program) => {
    const { emulator, host } = await startHost();
    await host.resource(type).up(program);
    const resource = (await host.next()).resource(type);
    const { message } = await resource.up(program).then(
      () => ({ message: "no error" }),
      (error: Error) => error,
    );
    const id = /import: "(\w+)"/.exec(message)?.[1];
    expect(message).toContain(
      `${noun} ${id} has the same ${Object.keys(program)[0]} and everything else that is stated`,
    );
    expect(await resource.up(program, { import: id! })).toBe("create");
    const { tcpEdges, tlsEdges, sshCredentials } = emulator.account;
    expect([...tcpEdges, ...tlsEdges, ...sshCredentials]).toHaveLength(1);
  },
  30_000,
);

test("a public key that another credential has is refused at once, naming that one", async () => {
  const { emulator, host } = await startHost();
  const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8 someone";
  const { id } = emulator.api("POST", "/ssh_credentials", { public_key: publicKey }) as { id: string };
  await expect(host.resource("SshCredential").up({ publicKey, description: "mine" })).rejects.toThrow(
    `SSH credential ${id} has the same publicKey: delete or import that one`,
  );
});

test("a refusal for another reason is shown as it is", async () => {
  const { emulator, host } = await startHost();
  emulator.fail({ path: "/edges/tcp", status: 400, body: { msg: "the port is reserved" } });
  await expect(host.resource("TcpEdge").up({ hostports })).rejects.toThrow(
    "TCP edge could not be created: POST /edges/tcp returned 400: the port is reserved.",
  );
});

test("a list that cannot be read does not count as a hostport that nobody has", async () => {
  const { emulator, host } = await startHost();
  emulator.api("POST", "/edges/tls", { hostports });
  const edge = host.resource("TcpEdge");
  await host.resource("TcpEdge").up({});
  emulator.clearRequests();
  emulator.fail({ method: "GET", path: "/edges/tls", status: 200, body: { edges: [] } });
  await expect(edge.up({ hostports })).rejects.toThrow(
    new RegExp(
      "^TCP edge could not be created: POST /edges/tcp returned 409 .* Whether another object has the same hostports " +
        'is not known, because the list could not be read: GET /edges/tls returned a page without the list "tls_edges"',
    ),
  );
  expect(emulator.calls()).toEqual(["POST /edges/tcp", "GET /edges/tcp", "GET /edges/tls"]);
});

test("the holder is named though another list cannot be read", async () => {
  const { emulator, host } = await startHost();
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tls", { hostports });
  emulator.fail({ method: "GET", path: "/edges/tcp", status: 200, body: {}, times: Number.POSITIVE_INFINITY });
  await expect(host.resource("TcpEdge").up({ hostports })).rejects.toThrow(`TLS edge ${id} has the same hostports`);
}, 15_000);
