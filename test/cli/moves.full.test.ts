/** What moves between resources while the engine checks and updates them in its own order, with both providers. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { listWrites } from "../support/cli/yamlStack";
import { waitUntil } from "../support/waitUntil";

const providers = ["dynamic", "plugin"] as const;
const ipRestriction = { ipPolicyIds: ["ipp_office"] };
const ssh = (args: object, opts: object = {}) => declare("TcpEdge", "ssh", args, opts);
const office = (edgeId: string, opts: object = {}) =>
  declare("TcpEdgeIpRestriction", "office", { edgeId, ...ipRestriction }, opts);
const messages = ({ diagnostics }: Result) => diagnostics.map(({ message }) => message);

test.each(providers)(
  "%s: an IP restriction moves out of its edge with a warning, or without a gap",
  async (provider) => {
    const emulator = await startService();
    const { stack } = await createStack(emulator, ssh({ ipRestriction }), { provider });
    await stack.up();
    const { id } = emulator.account.tcpEdges[0]!;
    /** What a step has sent, and whether the edge is restricted after it. */
    const outcome = (step: string) => {
      const sent = listWrites(emulator);
      emulator.clearRequests();
      return { step, sent, restricted: emulator.account.tcpEdges[0]!.ip_restriction?.enabled === true };
    };
    const [put, remove] = ["PUT", "DELETE"].map((method) => `${method} /edges/tcp/{id}/ip_restriction`);
    outcome("created");

    const refusal =
      'TcpEdge "ssh" no longer declares ipRestriction, which TcpEdgeIpRestriction "office" declares. The edge would be ' +
      'without it in between. Add ignoreChanges: ["ipRestriction"] to TcpEdge "ssh" for one deployment.';
    const settings = JSON.stringify({ apiKey: emulator.apiKey, baseUrl: emulator.url });
    const programs = {
      "refused: the id is an output": [ssh({}), office("=ssh.id")],
      "refused: another process has the resource, and checks it first": [
        `const account = new tunnel.Provider("account", ${settings});`,
        office(id, { provider: "=account" }),
        ssh({}, { dependsOn: "=office" }),
      ],
    };
    for (const [step, program] of Object.entries(programs)) {
      stack.write(program.join("\n"));
      const [error = "", ...more] = extractErrors(await stack.preview({ fails: true }));
      const otherProcess =
        /^ Another provider process of this deployment says so in \S+\. If it is from an interrupted run, remove that file\.$/;
      expect({ step, error: error.slice(0, refusal.length), rest: error.slice(refusal.length), more }).toEqual({
        step,
        error: refusal,
        rest: step.includes("another process") ? expect.stringMatching(otherProcess) : "",
        more: [],
      });
      expect(outcome(step)).toEqual({ step, sent: [], restricted: true });
    }

    // What the error says.
    stack.write([ssh({}, { ignoreChanges: ["ipRestriction"] }), office("=ssh.id")].join("\n"));
    const ignoring = await stack.up({ preview: true });
    expect(ignoring.stdout).toContain("ipRestriction is no longer managed, because of ignoreChanges.");
    expect(ignoring.diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(outcome("ignoreChanges")).toEqual({ step: "ignoreChanges", sent: [put], restricted: true });

    stack.write(ssh({ ipRestriction }));
    expect(messages(await stack.up())).toContainEqual(
      expect.stringContaining(
        `IP restriction of TCP edge ${id} was not deleted, because TcpEdge "ssh" still declares it.`,
      ),
    );
    expect(outcome("back")).toEqual({ step: "back", sent: [put], restricted: true });

    // Without a preview, Pulumi updates the edge before it checks what needs its id.
    stack.write([ssh({}), office("=ssh.id")].join("\n"));
    expect(messages(await stack.up())).toEqual([
      expect.stringContaining(
        `The ipRestriction of TCP edge ${id} was removed. If another resource declares it, run \`pulumi refresh\`, then`,
      ),
      expect.stringContaining(
        `The IP restriction of TCP edge ${id} moves from TcpEdge "ssh" to TcpEdgeIpRestriction "office" and is not set in ` +
          "between. To move it without a gap, see docs/rule.md in pulumi-tunnel-edge.",
      ),
    ]);
    expect(outcome("with a gap")).toEqual({ step: "with a gap", sent: [remove, put], restricted: true });
    await stack.preview({ expectNoChanges: true });
  },
);

test("a module that two resources declare fails in the first preview, in which its edge has no id yet", async () => {
  const { stack, calls } = await createStack(
    await startService(),
    [ssh({}), office("=ssh.id"), declare("TcpEdgeIpRestriction", "hq", { edgeId: "=ssh.id", ...ipRestriction })].join(
      "\n",
    ),
  );
  expect(extractErrors(await stack.preview({ fails: true }))).toEqual([
    expect.stringMatching(
      /^The IP restriction of its edge is already declared by TcpEdgeIpRestriction "(office|hq)"\. Declare it in one place\.$/,
    ),
  ]);
  expect(calls()).toEqual([]);
});

test.each(providers)("%s: a hostport moves between edges that the engine updates at once", async (provider) => {
  const emulator = await startService();
  const port = (number: number) => `a.example.com:${number}`;
  const edges = (first: number, second: number) =>
    [
      declare("TcpEdge", "first", { hostports: [port(first)] }),
      declare("TlsEdge", "second", { hostports: [port(second)] }),
    ].join("\n");
  const { stack } = await createStack(emulator, edges(1, 2), { provider });
  await stack.up();
  const { tcpEdges, tlsEdges } = emulator.account;

  // The service rejects the update that takes the hostport before it gets the one that releases it.
  const [taking, releasing] = [`/edges/tcp/${tcpEdges[0]!.id}`, `/edges/tls/${tlsEdges[0]!.id}`].map((path) =>
    emulator.fail({ path, status: 429, headers: { "Retry-After": "1" }, times: Number.POSITIVE_INFINITY }),
  );
  stack.write(edges(2, 3));
  const { result } = stack.startOperation(["up", "--yes", "--skip-preview"]);
  await waitUntil(() => taking!.hits > 0 && releasing!.hits > 0);
  taking!.cancel();
  await waitUntil(() => emulator.requests.some(({ status }) => status === 409));
  releasing!.cancel();
  expect((await result).code).toBe(0);
  expect(emulator.account).toMatchObject({
    tcpEdges: [{ hostports: [port(2)] }],
    tlsEdges: [{ hostports: [port(3)] }],
  });
});
