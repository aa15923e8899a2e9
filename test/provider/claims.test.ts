import { emulated } from "../support/emulated";

const hostports = ["1.tcp.example.com:20022"];

test("a hostport moved to another edge in the same up: the taker waits for the release", async () => {
  const { emulator, host } = await emulated();
  const [giver, taker] = [host.resource("TcpEdge"), host.resource("TlsEdge")];
  await giver.up({ hostports });
  const taking = taker.up({ hostports });
  await new Promise((done) => setTimeout(done, 700));
  expect(await giver.up({ hostports: ["1.tcp.example.com:20023"] })).toBe("update");
  expect(await taking).toBe("create");
  expect(emulator.api("GET", `/edges/tls/${taker.state!.id}`)).toMatchObject({ hostports });
  expect(host.told).toContainEqual({
    severity: "INFO",
    message: `Waiting for TCP edge ${giver.state!.id} to release its hostports…`,
    passing: true,
  });
});

test("the same for an edge that changes its hostports", async () => {
  const { host } = await emulated();
  const [giver, taker] = [host.resource("TcpEdge"), host.resource("TcpEdge")];
  await giver.up({ hostports });
  await taker.up({ description: "taker" });
  const taking = taker.up({ description: "taker", hostports });
  await giver.up({});
  expect(await taking).toBe("update");
  expect(taker.outputs.hostports).toEqual(hostports);
});

test("a holder that is not in the program is named, soon", async () => {
  const { emulator, host } = await emulated();
  const { id } = emulator.api("POST", "/edges/tls", { hostports }) as { id: string };
  const edge = host.resource("TcpEdge");
  await expect(edge.up({ hostports })).rejects.toThrow(
    new RegExp(
      `^TCP edge could not be created: POST /edges/tcp answered 409 .* TLS edge ${id} has the same hostports: take it`,
    ),
  );
  expect(edge.state).toBeUndefined();
  emulator.api("DELETE", `/edges/tls/${id}`);
  expect(await edge.up({ hostports })).toBe("create");
}, 15_000);

test("a public key that another credential has is refused at once, naming that one", async () => {
  const { emulator, host } = await emulated();
  const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8 someone";
  const { id } = emulator.api("POST", "/ssh_credentials", { public_key: publicKey }) as { id: string };
  await expect(host.resource("SshCredential").up({ publicKey })).rejects.toThrow(
    `SSH credential ${id} has the same publicKey: delete or import that one`,
  );
});

test("a refusal for another reason is shown as it is", async () => {
  const { emulator, host } = await emulated();
  emulator.fail({ path: "/edges/tcp", status: 400, body: { msg: "the port is reserved" } });
  await expect(host.resource("TcpEdge").up({ hostports })).rejects.toThrow(
    "TCP edge could not be created: POST /edges/tcp answered 400 the port is reserved.",
  );
});
