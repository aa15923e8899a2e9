/** The script of docs/report.md, "In another pipeline", with the real CLI. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { runBash } from "../support/cli/example";
import { lazySdk } from "../support/preload/preload";
import { root } from "../support/root";

const page = readFileSync(join(root, "docs/report.md"), "utf8");
const [, script] = /```bash\n([\s\S]*?)```/.exec(page)!;

const edge = (rest: object) =>
  declare("TcpEdge", "ssh", { hostports: ["a.example:1"], backend: { backendId: "bkdhr_1" }, ...rest });

test("the script comments, and stops what opens an address without an approval, and what failed", async () => {
  const { stack } = await createStack(await startService(), edge({ ipRestriction: { ipPolicyIds: ["ipp_a"] } }));
  await stack.up();
  const bin = join(stack.dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(root, "dist/bin.js")}" "$@"\n`);
  chmodSync(join(bin, "npx"), 0o755);
  /** Runs the script as a CI does. */
  const run = async (isApproved = false) => {
    const own = `post() { echo "posted $1"; }\nis_approved() { ${isApproved ? "true" : "false"}; }\n`;
    const PATH = `${bin}${delimiter}${stack.env["PATH"]}`;
    const env = { ...stack.env, PATH, COMMIT: "0123abc", NODE_OPTIONS: lazySdk };
    const { code, printed } = await runBash(`${own}${script}`, stack.dir, env);
    return { code, printed, comment: readFileSync(join(stack.dir, "comment.md"), "utf8") };
  };
  const unchanged = await run();
  expect(unchanged).toMatchObject({ code: 0, printed: "posted comment.md\n" });
  expect(unchanged.comment).toContain("### ✅ This change opens no public address");

  stack.write(edge({}));
  const opening = await run();
  expect(opening).toMatchObject({ code: 1, printed: expect.stringContaining("anyone can connect to a.example:1") });
  expect(opening.comment).toContain("Merging it needs an approval.");
  expect(opening.comment).toContain("Commit `0123abc`.");
  expect((await run(true)).code).toBe(0);

  stack.write(edge({ hostports: ["a.example:99999"] }));
  const failed = await run(true);
  expect(failed.code).toBe(1);
  expect(failed.comment).toContain("### ❓ Who can connect after this change is not known");
  expect((await run()).code).toBe(2);
});
