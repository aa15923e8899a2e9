/** An edge leaves the program, while a module's own resource keeps its id as a string: `exposure` warns. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { runProcess } from "../support/cli/example";
import { root } from "../support/root";

test.each(["dynamic", "plugin"] as const)("%s", async (provider) => {
  const emulator = await startService();
  const ssh = declare("TcpEdge", "ssh", { hostports: ["1.tcp.example.com:1"] });
  const { stack } = await createStack(emulator, ssh, { provider });
  await stack.up();
  const office = declare("TcpEdgeIpRestriction", "office", {
    edgeId: emulator.account.tcpEdges[0]!.id,
    ipPolicyIds: ["ipp_a"],
  });
  stack.write([ssh, office].join("\n"));
  await stack.up();
  stack.write(office);
  const { stdout } = await stack.run(["preview", "--json", "--show-sames", "--show-replacement-steps"]);
  const file = join(stack.dir, "change.json");
  writeFileSync(file, stdout);
  for (const options of [[], ["--markdown"]]) {
    const args = [join(root, "dist/bin.js"), "exposure", ...options, file];
    expect(await runProcess(process.execPath, args, stack.dir, stack.env)).toEqual({
      code: 0,
      printed: expect.stringMatching(
        /TcpEdgeIpRestriction "office" still has the id of TcpEdge "ssh", edgtcp_\w+, which this change deletes\./,
      ),
    });
  }
});
