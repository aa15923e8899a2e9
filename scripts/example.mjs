// An example on the real Pulumi CLI, with the embedded service and everything else inside the clone:
//   node scripts/example.mjs quickstart            deploys examples/quickstart and says what to try next
//   node scripts/example.mjs quickstart <args>     runs any pulumi command on it
import fs from "node:fs";
import path from "node:path";
import { exclusively, Failure, handOver, main, read, root, run, work } from "./lib.mjs";
import { setup } from "./setup.mjs";

/** A fixed port keeps the objects' addresses the same from run to run; when it is taken any other will do. */
const port = 20443;
const stack = "emulator";

/** What programs take from the stack's config: here, every account is the one of the embedded service. */
const settings = ({ apiKey }) => ({
  accounts: { administratorsKey: apiKey },
  "components-and-tests": { partnerKey: apiKey },
});

const nextSteps = (name) => {
  const pulumi = name === "quickstart" ? "npm run pulumi --" : `npm run example -- ${name}`;
  return `
All this lives in the emulator, which runs while a command runs; its data and the stack's state are in
.work/examples/${name}. To try next:

  edit ${name === "gitops" ? "a file in examples/gitops/edges" : `examples/${name}/index.ts`}, then
  ${pulumi} preview --diff     shows what would change
  ${pulumi} up                 asks, and changes it
  ${pulumi} refresh            compares the state with the service
  ${pulumi} destroy            asks, and deletes everything
`;
};

/** The service with the account of this example; a new one begins with what is in the example's account.json. */
async function startService(home, folder) {
  const { startEmulator } = await import("pulumi-tunnel-edge/emulator");
  const file = path.join(home, "service.json");
  const seed = !fs.existsSync(file) && read(path.join(folder, "account.json"));
  const service = await startEmulator({ file, port }).catch((error) => {
    if (error.code !== "EADDRINUSE") throw error;
    return startEmulator({ file, port: 0 });
  });
  if (seed) service.seed(JSON.parse(seed));
  return service;
}

/** Passphrase, login and home, so that nothing of the user's own Pulumi and service is used or changed. */
const environment = (home, directories, service) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PULUMI|TUNNEL_EDGE)_/.test(name))),
  PATH: [...directories, process.env.PATH].join(path.delimiter),
  PULUMI_HOME: path.join(home, "pulumi"),
  PULUMI_BACKEND_URL: `file://${path.join(home, "state")}`,
  PULUMI_CONFIG_PASSPHRASE: "example",
  PULUMI_STACK: stack,
  PULUMI_SKIP_UPDATE_CHECK: "true",
  TUNNEL_EDGE_BASE_URL: service.url,
  TUNNEL_EDGE_API_KEY: service.apiKey,
});

/** Makes the stack, unless it is there. */
async function init(home, config, options) {
  const stacks = path.join(home, "state/.pulumi/stacks");
  const made = fs.existsSync(stacks) ? fs.readdirSync(stacks, { recursive: true }) : [];
  if (made.some((file) => path.basename(file) === `${stack}.json`)) return;
  await run("pulumi", ["stack", "init", stack, "--non-interactive"], options);
  for (const [key, value] of Object.entries(config ?? {})) {
    await run("pulumi", ["config", "set", "--secret", key, value, "--non-interactive"], options);
  }
}

await main(async ([example, ...args]) => {
  const folder = path.resolve(root, "examples", example ?? "");
  if (!fs.existsSync(path.join(folder, "Pulumi.yaml"))) {
    const all = fs.readdirSync(path.join(root, "examples"), { withFileTypes: true });
    const programs = all.filter(({ name }) => fs.existsSync(path.join(root, "examples", name, "Pulumi.yaml")));
    const others = example && fs.existsSync(path.join(folder, "README.md"));
    if (others) throw new Failure(`${example} is run in steps of its own: see examples/${example}/README.md.`);
    throw new Failure(`Which example? One of ${programs.map(({ name }) => name).join(", ")}.`);
  }
  const name = path.basename(folder);
  const home = path.join(work, "examples", name);
  const directories = await setup();
  fs.mkdirSync(path.join(home, "state"), { recursive: true });
  return exclusively(path.join(home, "lock"), async () => {
    const service = await startService(home, folder);
    try {
      const options = { cwd: folder, env: environment(home, directories, service) };
      await init(home, settings(service)[name], options);
      if (args.length) return await handOver("pulumi", args, options);
      const code = await handOver("pulumi", ["up", "--yes", "--skip-preview"], options);
      if (code === 0) console.log(nextSteps(name));
      return code;
    } finally {
      await service.close();
    }
  });
});
