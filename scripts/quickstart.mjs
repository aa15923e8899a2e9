// The quickstart on the real Pulumi CLI, with the embedded service and everything else inside the clone:
//   node scripts/quickstart.mjs start            deploys it and says what to try next
//   node scripts/quickstart.mjs pulumi <args>    runs any pulumi command on it
import fs from "node:fs";
import path from "node:path";
import { exclusively, handOver, main, root, run, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

const home = path.join(work, "quickstart");
/** A fixed port keeps the objects' addresses the same from run to run; when it is taken any other will do. */
const port = 20443;
const stack = "dev";

const nextSteps = `
The edge above lives in the emulator, which runs while a command runs; its data and the stack's state are in
.work/quickstart. To try next:

  edit examples/quickstart/index.ts, then
  npm run pulumi -- preview --diff     shows what would change
  npm run pulumi -- up                 asks, and changes it
  npm run pulumi -- refresh            compares the state with the service
  npm run pulumi -- destroy            asks, and deletes everything
`;

async function startService() {
  const { startEmulator } = await import("pulumi-tunnel-edge/emulator");
  const options = { file: path.join(home, "service.json") };
  return startEmulator({ ...options, port }).catch((error) => {
    if (error.code !== "EADDRINUSE") throw error;
    return startEmulator({ ...options, port: 0 });
  });
}

/** Passphrase, login and home, so that nothing of the user's own Pulumi and service is used or changed. */
const environment = (directories, service) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PULUMI|TUNNEL_EDGE)_/.test(name))),
  PATH: [...directories, process.env.PATH].join(path.delimiter),
  PULUMI_HOME: path.join(home, "pulumi"),
  PULUMI_BACKEND_URL: `file://${path.join(home, "state")}`,
  PULUMI_CONFIG_PASSPHRASE: "quickstart",
  PULUMI_STACK: stack,
  PULUMI_SKIP_UPDATE_CHECK: "true",
  TUNNEL_EDGE_BASE_URL: service.url,
  TUNNEL_EDGE_API_KEY: service.apiKey,
});

await main(async ([command, ...args]) => {
  const directories = await setup();
  const state = path.join(home, "state");
  fs.mkdirSync(state, { recursive: true });
  return exclusively(path.join(home, "lock"), async () => {
    const service = await startService();
    try {
      const options = { cwd: root, env: environment(directories, service) };
      if (!fs.existsSync(path.join(state, ".pulumi/stacks/quickstart", `${stack}.json`))) {
        await run("pulumi", ["stack", "init", stack, "--non-interactive"], options);
      }
      if (command === "pulumi") return await handOver("pulumi", args, options);
      const code = await handOver("pulumi", ["up", "--yes", "--skip-preview"], options);
      if (code === 0) console.log(nextSteps);
      return code;
    } finally {
      await service.close();
    }
  });
});
