// Bundles the simulator with the package's own sources, and runs it; see test/simulator/main.ts for the options.
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { main, root, runInTerminal, work } from "../lib/index.mjs";

await main(async (args) => {
  const file = path.join(work, `simulator-${process.pid}-${Date.now()}.cjs`);
  try {
    await build({
      entryPoints: [path.join(root, "test/simulator/main.ts")],
      outfile: file,
      bundle: true,
      platform: "node",
      target: "node20",
      external: ["@pulumi/*", "@grpc/*", "google-protobuf", "undici"],
      logLevel: "warning",
    });
    // Scenarios create much garbage.
    return await runInTerminal(process.execPath, ["--max-semi-space-size=64", file, ...args], { cwd: root });
  } finally {
    fs.rmSync(file, { force: true });
  }
});
