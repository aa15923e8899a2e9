// Builds the package, and checks format, lint and types: node scripts/test/check.mjs
import path from "node:path";
import { setup } from "../dev/setup.mjs";
import { isMain, main, root, run, showProgress, tsc, work } from "../lib/index.mjs";

// The script itself: node_modules/.bin has no scripts for Node on Windows.
const biome = path.join(root, "node_modules/@biomejs/biome/bin/biome");

/** Takes seconds, so it runs before the tests. */
export function checkSource() {
  const cache = path.join(work, "check.tsbuildinfo");
  return showProgress("Checking format, lint and types", () =>
    Promise.all([
      run(process.execPath, [biome, "check", "."], { cwd: root }),
      run(process.execPath, [tsc, "--noEmit", "--incremental", "--tsBuildInfoFile", cache], { cwd: root }),
    ]),
  );
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await setup({ cli: false });
    await checkSource();
  });
}
