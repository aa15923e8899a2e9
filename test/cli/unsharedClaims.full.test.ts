/** Deployments whose processes cannot tell each other what they declare. Then nothing is deployed, and nothing deleted. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStack, declare, extractErrors, startService } from "../support/cli/cliStack";
import { listWrites } from "../support/cli/yamlStack";

const parent = mkdtempSync(join(tmpdir(), "claims-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test.each(["dynamic", "plugin"] as const)("%s: the errors name the file and the fix", async (provider) => {
  const [temporary, other] = ["used", "fixed"].map((name) => join(parent, provider, name)) as [string, string];
  for (const each of [temporary, other]) mkdirSync(each, { recursive: true });
  const emulator = await startService();
  const edge = (description: string) => declare("TcpEdge", "ssh", { description });
  const { stack } = await createStack(emulator, edge("one"), { provider, env: { TMPDIR: temporary } });
  await stack.up();
  emulator.clearRequests();

  // Somebody else decides where a link leads to.
  const folder = join(temporary, `pulumi-tunnel-edge-${process.getuid!()}`);
  rmSync(folder, { recursive: true });
  symlinkSync(other, folder);
  const fix = "set TMPDIR to a folder that only you can write to, then run the command again.";
  stack.write(edge("two"));
  for (const operation of ["preview", "up"] as const) {
    const [error, ...more] = extractErrors(await stack[operation]({ fails: true }));
    expect({ operation, error, more }).toEqual({
      operation,
      error: expect.stringMatching(
        `^The other provider processes of this deployment cannot read the declarations of this resource: ${folder}/\\S+ cannot ` +
          `be written \\(${folder} is a link\\)\\. To fix this, ${fix}$`,
      ),
      more: [],
    });
  }
  expect(extractErrors(await stack.destroy({ fails: true }))).toEqual([
    expect.stringMatching(
      "could not be deleted: The declarations of other provider processes of this deployment are not known, because " +
        `${folder}/\\S+ cannot be read \\(${folder} is a link\\)\\. If no other deployment is running, remove that file, or ${fix}$`,
    ),
  ]);
  expect(listWrites(emulator)).toEqual([]);

  await stack.up({ env: { TMPDIR: other } });
  expect(listWrites(emulator)).toEqual(["PATCH /edges/tcp/{id}"]);

  // No program runs, and nobody can have declared anything: this deletes.
  rmSync(folder);
  writeFileSync(folder, "");
  await stack.destroy();
  expect(emulator.account.tcpEdges).toEqual([]);
});
