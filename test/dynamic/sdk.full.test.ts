/** What src/dynamic relies on in the oldest SDK, and in the newest that runs on this Node. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { testSdk } from "./sdk";

const manifest = JSON.parse(readFileSync(resolve(__dirname, "../../package.json"), "utf8"));
const range: string = manifest.peerDependencies["@pulumi/pulumi"];

describe.each([
  ["oldest", range.replace("^", "")],
  ["newest", range],
])("the %s SDK, %s", (_, version) => {
  const folder = mkdtempSync(join(tmpdir(), "sdk-"));
  beforeAll(() => {
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `@pulumi/pulumi@${version}`];
    execFileSync("npm", install, { cwd: folder, stdio: "pipe" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  testSdk(() => join(folder, "node_modules/@pulumi/pulumi"));
});
