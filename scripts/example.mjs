// An example on the real Pulumi CLI and the emulator, with everything else inside the clone:
//   node scripts/example.mjs quickstart            deploys examples/quickstart and says what to try next
//   node scripts/example.mjs quickstart <args>     runs any pulumi command on it
import fs from "node:fs";
import path from "node:path";
import { exampleOf, openEmulator } from "./emulator.mjs";
import { exclusively, handOver, main, run } from "./lib.mjs";
import { setup } from "./setup.mjs";

const stack = "emulator";

/** What programs take from the stack's config: here, every account is the emulator's. */
const settings = ({ apiKey }) => ({
  accounts: { administratorsKey: apiKey },
  "components-and-tests": { partnerKey: apiKey },
});

const nextSteps = (name, [bin]) => {
  const [pulumi, emulator] =
    name === "quickstart"
      ? ["npm run pulumi --", "npm run emulator"]
      : [`npm run example -- ${name}`, `npm run emulator -- ${name}`];
  const isOnPath = (process.env.PATH ?? "").split(path.delimiter).includes(bin);
  return `
Deployed on the emulator; its data and the stack's state are in .work/examples/${name}.
The Pulumi CLI is ${path.join(bin, "pulumi")}${isOnPath ? "." : ", which is not on PATH. To put it there:"}
${isOnPath ? "" : `\n  export PATH="${bin}:$PATH"\n`}
To try next, edit ${name === "gitops" ? "a file in examples/gitops/edges" : `examples/${name}/index.ts`}, then:

  Show what would change       ${pulumi} preview --diff
  Change it                    ${pulumi} up
  Compare with the emulator    ${pulumi} refresh
  Delete everything            ${pulumi} destroy
  Watch it in a browser        ${emulator}
`;
};

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

await main(async ([wanted, ...args]) => {
  const example = exampleOf(wanted);
  const { name, folder, home, lock } = example;
  const directories = await setup();
  return exclusively(lock, async () => {
    const service = await openEmulator(example);
    try {
      const options = { cwd: folder, env: environment(home, directories, service) };
      await init(home, settings(service)[name], options);
      if (args.length) return await handOver("pulumi", args, options);
      const code = await handOver("pulumi", ["up", "--yes", "--skip-preview"], options);
      if (code === 0) console.log(nextSteps(name, directories));
      return code;
    } finally {
      await service.close();
    }
  });
});
