/** What src/program and src/host rely on in the oldest SDK, and in the newest that runs on this Node. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listSdks } from "../support/cli/sdks";
import { manifest, sdk } from "../support/data/manifest";
import { testSdk } from "./sdk";

const versions = listSdks();
// sdk.test.ts tests this repository's.
const others = [versions[0]!, versions.at(-1)!].filter((version) => version !== manifest.devDependencies[sdk]);

describe.each(others)("SDK %s", (version) => {
  const folder = mkdtempSync(join(tmpdir(), "sdk-"));
  beforeAll(() => {
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `${sdk}@${version}`];
    execFileSync("npm", install, { cwd: folder, stdio: "pipe" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  testSdk(() => join(folder, "node_modules", sdk));
});
