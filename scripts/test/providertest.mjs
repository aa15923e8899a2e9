// Runs providertest, Pulumi's own tests for providers, with the plugin and the YAML example: node scripts/test/providertest.mjs
// Needs Go, and its module registry.
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { setup } from "../dev/setup.mjs";
import { main, root, runInTerminal } from "../lib/index.mjs";

const require = createRequire(import.meta.url);

/** A copy of the example that does not say where the plugin is: providertest does. */
function copyExample() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "providertest-"));
  const program = fs.readFileSync(path.join(root, "examples/yaml/Pulumi.yaml"), "utf8");
  fs.writeFileSync(path.join(folder, "Pulumi.yaml"), program.replace(/^plugins:\n(?: .*\n)+/m, ""));
  return folder;
}

await main(async (args) => {
  const directories = await setup({ cli: true, needs: ["yaml"] });
  const { startEmulator } = require("../../dist/emulator");
  const emulator = await startEmulator();
  emulator.seed(JSON.parse(fs.readFileSync(path.join(root, "examples/yaml/account.json"), "utf8")));
  const example = copyExample();
  try {
    return await runInTerminal("go", ["test", "-count=1", "-timeout=30m", ...args, "./..."], {
      cwd: path.join(root, "test/providertest"),
      env: {
        ...process.env,
        GOFLAGS: "-mod=readonly",
        PATH: [...directories, process.env.PATH].join(path.delimiter),
        PULUMI_SKIP_UPDATE_CHECK: "true",
        TUNNEL_EDGE_BASE_URL: emulator.url,
        TUNNEL_EDGE_API_KEY: emulator.apiKey,
        PROVIDERTEST_PLUGIN: path.join(root, "plugin"),
        PROVIDERTEST_EXAMPLE: example,
      },
    });
  } finally {
    await emulator.close();
    fs.rmSync(example, { recursive: true, force: true });
  }
});
