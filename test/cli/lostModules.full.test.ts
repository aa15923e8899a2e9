/** An edge leaves the program, while a module's own resource keeps its id as a string. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { runProcess } from "../support/cli/example";
import type { Stack } from "../support/cli/pulumi";
import { createYamlStack, writeYaml, yamlResource } from "../support/cli/yamlStack";
import { root } from "../support/root";

const hostports = ["1.tcp.example.com:1"];
const lost = /TcpEdgeIpRestriction "office" keeps the id of TcpEdge "ssh", edgtcp_\w+, which this change deletes\./;
const warning = /TCP edge edgtcp_\w+ was deleted, but TcpEdgeIpRestriction "office" still declares a module of it\./;

/** What `exposure` and `report` print of a preview, and what the deployment says. */
async function expectWarnings(stack: Stack) {
  const { stdout } = await stack.run(["preview", "--json", "--show-sames", "--show-replacement-steps"]);
  const file = join(stack.dir, "change.json");
  writeFileSync(file, stdout);
  for (const command of ["exposure", "report"]) {
    const args = [join(root, "dist/bin.js"), command, file];
    expect(await runProcess(process.execPath, args, stack.dir, stack.env)).toEqual({
      code: 0,
      printed: expect.stringMatching(lost),
    });
  }
  const { diagnostics } = await stack.up();
  expect(diagnostics).toContainEqual(
    expect.objectContaining({ severity: "warning", message: expect.stringMatching(warning) }),
  );
}

test("the classes", async () => {
  const emulator = await startService();
  const { stack } = await createStack(emulator, declare("TcpEdge", "ssh", { hostports }));
  await stack.up();
  const office = (edgeId: string) => declare("TcpEdgeIpRestriction", "office", { edgeId, ipPolicyIds: ["ipp_a"] });
  const { id } = emulator.account.tcpEdges[0]!;
  stack.write([declare("TcpEdge", "ssh", { hostports }), office(id)].join("\n"));
  await stack.up();
  stack.write(office(id));
  await expectWarnings(stack);
});

test("the plugin", async () => {
  const ssh = yamlResource("TcpEdge", { hostports });
  const { stack, emulator } = await createYamlStack({ resources: { ssh } });
  await stack.up();
  const office = yamlResource("TcpEdgeIpRestriction", {
    edgeId: emulator.account.tcpEdges[0]!.id,
    ipPolicyIds: ["ipp_a"],
  });
  writeYaml(stack, { resources: { ssh, office } });
  await stack.up();
  writeYaml(stack, { resources: { office } });
  await expectWarnings(stack);
});
