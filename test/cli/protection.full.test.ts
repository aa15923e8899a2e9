/** What docs/options.md says of the options that keep objects. */
import { createStack, declare, startService } from "../support/cli/cliStack";

const restricted = { hostports: ["1.tcp.example.com:1"], ipRestriction: { ipPolicyIds: ["ipp_a"] } };

test("protect prevents deletions and no update, and --ignore-protect deletes in one run", async () => {
  const emulator = await startService();
  const key = declare("ApiKey", "key", {});
  const edge = (args: object, options: object) => declare("TcpEdge", "ssh", args, options);
  const { stack } = await createStack(emulator, `${edge(restricted, { protect: true })}\n${key}`);
  await stack.up();
  const before = emulator.account;

  expect((await stack.run(["destroy", "--yes"], { fails: true })).stdout).toMatch(
    /cannot be deleted\s+because it is protected/,
  );
  stack.write(key);
  expect((await stack.up({ preview: true, fails: true })).stdout).toMatch(
    /cannot be deleted\s+because it is protected/,
  );
  expect(emulator.account).toEqual(before);

  // Opening it is an update.
  stack.write(`${edge({ hostports: restricted.hostports }, { protect: true })}\n${key}`);
  await stack.up();
  expect(emulator.account.tcpEdges).toMatchObject([{ ip_restriction: null }]);

  stack.write(key);
  await stack.up({ args: ["--ignore-protect"] });
  expect(emulator.account.tcpEdges).toEqual([]);
});

test("retainOnDelete keeps the object, also in a destroy", async () => {
  const emulator = await startService();
  const { stack } = await createStack(emulator, declare("TcpEdge", "ssh", restricted, { retainOnDelete: true }));
  await stack.up();
  const before = emulator.account;
  await stack.destroy();
  expect(emulator.account).toEqual(before);
  expect(JSON.stringify(await stack.export())).not.toContain("edgtcp_");
});
