/** Hostports that move between edges, with the real CLI. Every order and parallelism is in test/core/execute/conflictsOfMoves.ts. */

import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { fastClock } from "../support/clock";

const port = (number: number) => `a.example.com:${number + 1}`;

test("a chain of 20 edges and a circle of 5 pass on their hostports in one deployment", async () => {
  const emulator = await startService();
  const edges = (hostport: (edge: number) => string, circle: (edge: number) => string) =>
    [
      ...Array.from({ length: 20 }, (_, edge) => declare("TcpEdge", `chain${edge}`, { hostports: [hostport(edge)] })),
      ...Array.from({ length: 5 }, (_, edge) => declare("TlsEdge", `circle${edge}`, { hostports: [circle(edge)] })),
    ].join("\n");
  const { stack } = await createStack(
    emulator,
    edges(port, (edge) => port(100 + edge)),
  );
  await stack.up();
  stack.write(
    edges(
      (edge) => port(edge + 1),
      (edge) => port(100 + ((edge + 1) % 5)),
    ),
  );
  // In fewer updates at once, all could wait for edges that Pulumi has not begun to update.
  await stack.up({ args: ["--parallel", "25"] });
  const { tcpEdges, tlsEdges } = emulator.account;
  const found = [...tcpEdges, ...tlsEdges].flatMap(({ hostports }) => hostports).sort();
  const expected = [...Array(20).keys()].map((edge) => port(edge + 1));
  expect(found).toEqual([...expected, ...[...Array(5).keys()].map((edge) => port(100 + edge))].sort());
  await stack.preview({ expectNoChanges: true });
});

test("an edge that Pulumi updates too early fails, and the error says what works", async () => {
  const emulator = await startService();
  const taker = (hostport: string, opts = {}) => declare("TcpEdge", "taker", { hostports: [hostport] }, opts);
  const giver = (hostport: string, opts = {}) => declare("TcpEdge", "giver", { hostports: [hostport] }, opts);
  const first = [taker(port(1)), giver(port(2))].join("\n");
  const { stack } = await createStack(emulator, first, { env: fastClock(20) });
  await stack.up();
  stack.write([taker(port(2)), giver(port(3), { dependsOn: ["=taker"] })].join("\n"));
  expect(extractErrors(await stack.up({ fails: true }))).toEqual([
    expect.stringMatching(
      /"a\.example\.com:3" is already used by TCP edge \w+\. Remove it there first\. If this deployment does that, use `dependsOn`, a larger `--parallel`, or `pulumi up --continue-on-error` and then `pulumi up`\. If that edge is being deleted/,
    ),
  ]);
  expect(emulator.account.tcpEdges.map(({ hostports }) => hostports).sort()).toEqual([[port(1)], [port(2)]]);
  stack.write([giver(port(3)), taker(port(2), { dependsOn: ["=giver"] })].join("\n"));
  await stack.up({ args: ["--parallel", "1"] });
  expect(emulator.account.tcpEdges.map(({ hostports }) => hostports).sort()).toEqual([[port(2)], [port(3)]]);
});
