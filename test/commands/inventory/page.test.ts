/** The output on docs/inventory.md is what the command prints. `RECORD_PAGE=1` records it. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/root";
import { testIf } from "../../support/testIf";
import { createPageAccount } from "./pageAccount";
import { run } from "./support";

const file = join(root, "docs/inventory.md");
async function print(): Promise<Record<string, string>> {
  const { account, own, managed, killed } = await createPageAccount();
  const withoutOwn = (text: string) =>
    text
      .split("\n")
      .filter((line) => !line.includes(own))
      .join("\n");
  const left = await run(account, "--state", killed, "--unmanaged");
  const all = await run(account, "--state", managed);
  return {
    killed: `\`\`\`text\n${withoutOwn(left.out).split("\n\n").slice(0, 4).join("\n\n").trimEnd()}\n\`\`\``,
    table: `\`\`\`text\n${withoutOwn(all.out).split("\n\n").slice(0, 2).join("\n\n").trimEnd()}\n\`\`\``,
  };
}

test("docs/inventory.md shows what the command prints", async () => {
  let page = readFileSync(file, "utf8");
  for (const [name, block] of Object.entries(await print())) {
    const start = `<!-- ${name} -->\n`;
    const recorded = new RegExp(`${start}(?:\n\`\`\`.*?\n\`\`\`\n)?`, "s");
    expect(page).toMatch(recorded);
    if (process.env["RECORD_PAGE"]) page = page.replace(recorded, () => `${start}\n${block}\n`);
    else expect(page).toContain(`${start}\n${block}\n`);
  }
  if (process.env["RECORD_PAGE"]) writeFileSync(file, page);
});

const jq = spawnSync("jq", ["--version"]).status === 0;

testIf(jq, "jq is not installed")("its filter for jq finds the addresses that no tunnel serves", async () => {
  const [, filter] = /\| jq '(.*)'$/m.exec(readFileSync(file, "utf8"))!;
  const { account, managed } = await createPageAccount();
  const { out } = await run(account, "--state", managed, "--json");
  const { stdout } = spawnSync("jq", ["-r", `${filter} | .address`], { input: out, encoding: "utf8" });
  expect(stdout).toBe("1.tcp.example.com:25432\napi.example.com:443\n");
});
