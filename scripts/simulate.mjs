// Bundles the simulator with the package's own sources, and runs it; see test/simulator/main.ts for the options.
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { isMain, main, root, runInTerminal, work } from "./lib.mjs";

/** Bundles the simulator of a clone, or of a copy of its sources below it, and does something with the file. */
export async function withSimulator(sources, use) {
  const file = path.join(work, `simulator-${process.pid}-${Date.now()}.cjs`);
  try {
    await build({
      entryPoints: [path.join(sources, "test/simulator/main.ts")],
      outfile: file,
      bundle: true,
      platform: "node",
      target: "node20",
      external: ["@pulumi/*", "@grpc/*", "google-protobuf", "undici"],
      logLevel: "warning",
    });
    // Scenarios create much garbage.
    return await use(process.execPath, ["--max-semi-space-size=64", file]);
  } finally {
    fs.rmSync(file, { force: true });
  }
}

if (isMain(import.meta.url)) {
  await main((args) =>
    withSimulator(root, (node, simulator) => runInTerminal(node, [...simulator, ...args], { cwd: root })),
  );
}
