/** The scripts of docs/exposure.md, "In a pipeline", with the real CLI. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createStack, declare, startService } from "../support/cli/cliStack";
import { runBash } from "../support/cli/example";
import { lazySdk } from "../support/preload/preload";
import { root } from "../support/root";

const page = readFileSync(join(root, "docs/exposure.md"), "utf8");
const [previewJob, checkJob] = [...page.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, script]) => script!);

const edge = (rest: object) =>
  declare("TcpEdge", "ssh", { hostports: ["a.example:1"], backend: { backendId: "bkdhr_1" }, ...rest });

test("one job comments, and another one fails if an address opens that is not listed", async () => {
  const { stack } = await createStack(await startService(), edge({ ipRestriction: { ipPolicyIds: ["ipp_a"] } }));
  await stack.up();
  const bin = join(stack.dir, "bin");
  mkdirSync(bin);
  const command = `shift\nexec "${process.execPath}" "${join(root, "dist/bin.js")}" "$@"`;
  for (const [name, script] of Object.entries({ npx: command, npm: "exit 0", post: 'echo "posted $1"' }))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { ...stack.env, PATH: `${bin}${delimiter}${stack.env["PATH"]}`, NODE_OPTIONS: lazySdk };
  /** Runs the jobs as a CI does. */
  const run = async (list = "") => {
    writeFileSync(join(stack.dir, "open.txt"), list);
    const preview = await runBash(previewJob!, stack.dir, env);
    const check = await runBash(checkJob!, stack.dir, env);
    return { preview, check, comment: readFileSync(join(stack.dir, "comment.md"), "utf8") };
  };
  const posted = "posted comment.md\n";
  const unchanged = await run();
  expect(unchanged).toMatchObject({ preview: { code: 0, printed: posted }, check: { code: 0, printed: "" } });
  expect(unchanged.comment).toContain("### ✅ This change opens no public address");

  stack.write(edge({}));
  const opening = await run();
  expect(opening).toMatchObject({
    preview: { code: 0 },
    check: { code: 1, printed: expect.stringContaining("anyone can connect to a.example:1") },
  });
  const accepted = await run("a.example:1 # for everybody\n");
  expect(accepted).toMatchObject({ preview: { code: 0 }, check: { code: 0 } });
  for (const text of [accepted.check.printed, accepted.comment]) expect(text).toContain("accepted in open.txt");

  stack.write(edge({ hostports: ["a.example:99999"] }));
  const failed = await run();
  expect(failed).toMatchObject({ preview: { code: 1 }, check: { code: 2 } });
  expect(failed.comment).toContain("### ❓ Who can connect after this change is not known");
});
