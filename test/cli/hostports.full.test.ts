/** Hostports that move between edges, with the real CLI. The rules are tested in test/core/execute/conflicts.test.ts. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { fastClock } from "../support/clock";
import { waitUntil } from "../support/waitUntil";

const port = (number: number) => `a.example.com:${number}`;

test.each(["dynamic", "plugin"] as const)(
  "%s: a hostport moves between edges, unless they are in a circle or a stranger has it",
  async (provider) => {
    const emulator = await startService();
    const edges = (first: string[], second: string[]) =>
      [declare("TcpEdge", "first", { hostports: first }), declare("TlsEdge", "second", { hostports: second })].join(
        "\n",
      );
    const { stack } = await createStack(emulator, edges([port(1)], [port(2)]), { provider });
    await stack.up();
    const [first] = emulator.account.tcpEdges;
    const [second] = emulator.account.tlsEdges;
    const found = () => [emulator.account.tcpEdges[0]!.hostports, emulator.account.tlsEdges[0]!.hostports];
    const usedBy = (hostport: string, holder: string, fix: string) =>
      expect.stringContaining(`"${hostport}" is already used by ${holder}${fix}`);
    /** Updates both edges. The service answers neither before Pulumi has begun both. */
    const update = async (options: object = {}) => {
      const gates = [`/edges/tcp/${first!.id}`, `/edges/tls/${second!.id}`].map((path) =>
        emulator.fail({ path, status: 429, headers: { "Retry-After": "1" }, times: Number.POSITIVE_INFINITY }),
      );
      const { result } = stack.startOperation(["up", "--yes", "--skip-preview"], options);
      await waitUntil(() => gates.every(({ hits }) => hits > 0));
      return { result, gates };
    };

    // The service rejects the update that takes the hostport before it gets the one that releases it.
    stack.write(edges([port(2)], [port(3)]));
    const moving = await update();
    moving.gates[0]!.cancel();
    await waitUntil(() => emulator.requests.some(({ status }) => status === 409));
    moving.gates[1]!.cancel();
    expect({ code: (await moving.result).code, found: found() }).toEqual({ code: 0, found: [[port(2)], [port(3)]] });

    // A circle: both updates wait for each other. The plugin, which is one file, keeps the real clock: it waits for a minute.
    stack.write(edges([port(3)], [port(2)]));
    const circling = await update({ env: fastClock(20) });
    for (const gate of circling.gates) gate.cancel();
    const fix = ", which has not released it yet. Remove it from one of them in a separate `pulumi up` first.";
    expect(extractErrors(await circling.result).sort()).toEqual([
      usedBy(port(3), `TLS edge ${second!.id}`, fix),
      usedBy(port(2), `TCP edge ${first!.id}`, fix),
    ]);
    expect(found()).toEqual([[port(2)], [port(3)]]);
    for (const program of [edges([], [port(3)]), edges([port(3)], [port(2)])]) {
      stack.write(program);
      await stack.up();
    }
    expect(found()).toEqual([[port(3)], [port(2)]]);

    // An edge that is not in the program.
    const stranger = emulator.api<{ id: string }>("POST", "/edges/tcp", { hostports: [port(4)] });
    stack.write(edges([port(4)], [port(2)]));
    expect(extractErrors(await stack.up({ fails: true }))).toEqual([
      usedBy(
        port(4),
        `TCP edge ${stranger.id}`,
        ". Remove it there first. If that edge is being deleted in this deployment,",
      ),
    ]);
  },
);
