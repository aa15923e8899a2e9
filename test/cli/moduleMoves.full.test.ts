/** The IP restriction of an edge moves to a resource of its own, and back, and the edge is never open unless that is said. */
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import type { Result } from "../support/cli/pulumi";
import { listWrites } from "../support/cli/yamlStack";

const ipRestriction = { ipPolicyIds: ["ipp_office"] };
const ssh = (args: object, opts: object = {}) => declare("TcpEdge", "ssh", args, opts);
const office = (edgeId: string, opts: object = {}) =>
  declare("TcpEdgeIpRestriction", "office", { edgeId, ...ipRestriction }, opts);
const put = "PUT /edges/tcp/{id}/ip_restriction";
const remove = "DELETE /edges/tcp/{id}/ip_restriction";
const refusal =
  'TcpEdge "ssh" no longer declares ipRestriction, which TcpEdgeIpRestriction "office" declares. The edge would be ' +
  'without it in between. Add ignoreChanges: ["ipRestriction"] to TcpEdge "ssh" for one deployment.';
const fromOtherProcess =
  /^ Another provider process of this deployment says so in \S+\. If it is from an interrupted run, remove that file\.$/;

test.each(["dynamic", "plugin"] as const)(
  "%s: a move out of the edge is refused until it has no gap",
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
    const messages = ({ diagnostics }: Result) => diagnostics.map(({ message }) => message);
    outcome("created");

    const settings = JSON.stringify({ apiKey: emulator.apiKey, baseUrl: emulator.url });
    const programs = {
      "the id is an output": [ssh({}), office("=ssh.id")],
      "the resource is first, with the id as a string": [office(id), ssh({}, { dependsOn: "=office" })],
      "another process has the resource": [
        `const account = new tunnel.Provider("account", ${settings});`,
        ssh({}),
        office("=ssh.id", { provider: "=account" }),
      ],
      "another process has the resource, which is first": [
        `const account = new tunnel.Provider("account", ${settings});`,
        office(id, { provider: "=account" }),
        ssh({}, { dependsOn: "=office" }),
      ],
    };
    for (const [step, program] of Object.entries(programs)) {
      stack.write(program.join("\n"));
      const [error = "", ...more] = extractErrors(await stack.preview({ fails: true }));
      const suffix = step.startsWith("another") ? expect.stringMatching(fromOtherProcess) : "";
      expect({ step, error: error.slice(0, refusal.length), suffix: error.slice(refusal.length), more }).toEqual({
        ...{ step, error: refusal, suffix, more: [] },
      });
      expect(outcome(step)).toEqual({ step, sent: [], restricted: true });
    }

    // What the error says.
    stack.write([ssh({}, { ignoreChanges: ["ipRestriction"] }), office("=ssh.id")].join("\n"));
    const { diagnostics } = await stack.up({ preview: true });
    expect(diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(outcome("ignoreChanges")).toEqual({ step: "ignoreChanges", sent: [put], restricted: true });

    // The way back, while the option is forgotten.
    stack.write(ssh({ ipRestriction }, { ignoreChanges: ["ipRestriction"] }));
    expect(extractErrors(await stack.up({ fails: true }))).toEqual([
      `IP restriction of TCP edge ${id} could not be deleted: TcpEdge "ssh" has ignoreChanges for it. Remove that first.`,
    ]);
    expect(outcome("forgotten")).toEqual({ step: "forgotten", sent: [], restricted: true });
    stack.write(ssh({ ipRestriction }));
    expect(messages(await stack.up({ preview: true }))).toContainEqual(
      expect.stringContaining(
        `IP restriction of TCP edge ${id} was not deleted, because TcpEdge "ssh" still declares it.`,
      ),
    );
    expect(outcome("back")).toEqual({ step: "back", sent: [put], restricted: true });

    // Without a preview, the update of the edge is refused, too. The resource, which is first, was created.
    stack.write(programs["the resource is first, with the id as a string"].join("\n"));
    expect(extractErrors(await stack.up({ fails: true }))).toEqual([refusal]);
    expect(outcome("without a preview")).toEqual({ step: "without a preview", sent: [put], restricted: true });

    // Pulumi updates the edge before it checks what needs its id. What was removed is set again, whatever the state says.
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
