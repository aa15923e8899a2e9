// Runs an example with the Pulumi CLI and the emulator; everything else stays inside the clone:
//   node scripts/dev/example.mjs quickstart                 deploys examples/quickstart and prints the next steps
//   node scripts/dev/example.mjs quickstart [--] <args>     runs a pulumi command on it
import fs from "node:fs";
import path from "node:path";
import { createEnvironment } from "../lib/environment.js";
import { Failure, main, manifest, readIfExists, run, runInTerminal, withLock } from "../lib/index.mjs";
import { findExample, openEmulator } from "./emulator.mjs";
import { folder as plugin } from "./plugin.mjs";
import { setup } from "./setup.mjs";

const stack = "emulator";
const schema = path.join(plugin, "schema.json");

/** The stack's configuration by example. Every account is the emulator's. */
const createConfig = ({ apiKey }) => ({
  "components-and-tests": { partnerKey: apiKey },
});

/** What there is to edit, where it is not index.ts. */
const edited = {
  gitops: "a file in examples/gitops/edges",
  "gitops-yaml": "examples/gitops-yaml/Pulumi.yaml",
  "languages/go": "examples/languages/go/main.go",
  "languages/java": "examples/languages/java/src/main/java/edges/App.java",
  yaml: "examples/yaml/Pulumi.yaml",
};

/**
 * What programs in other languages than TypeScript need: tools and, except in YAML, the SDK that `pulumi package add`
 * would generate.
 */
const languages = {
  yaml: { needs: ["yaml"] },
  java: {
    needs: ["java"],
    async generate(options) {
      const sdks = path.join(options.cwd, "sdks");
      await run("pulumi", ["package", "gen-sdk", schema, "--language", "java", "--local", "--out", sdks], options);
      fs.cpSync(path.join(sdks, "java/src"), path.join(options.cwd, "src"), { recursive: true });
    },
  },
  go: {
    needs: ["go", "sdks"],
    generate: (options) => run("generate-sdk", [schema, "go", path.join(options.cwd, "sdks/tunnel-edge")], options),
  },
};

const formatNextSteps = (name, [bin]) => {
  const [pulumi, emulator] =
    name === "quickstart"
      ? ["npm run pulumi --", "npm run emulator"]
      : [`npm run example -- ${name}`, `npm run emulator -- ${name}`];
  const isOnPath = (process.env.PATH ?? "").split(path.delimiter).includes(bin);
  return `
Deployed to the emulator; its data and the stack's state are in .work/examples/${name}.
The Pulumi CLI is ${path.join(bin, "pulumi")}${isOnPath ? "." : ", which is not on PATH. To add it:"}
${isOnPath ? "" : `\n  export PATH="${bin}:$PATH"\n`}
Next, edit ${edited[name] ?? `examples/${name}/index.ts`}, then:

  Preview the change           ${pulumi} preview --diff
  Deploy it                    ${pulumi} up
  Check for drift              ${pulumi} preview --refresh --diff
  Delete everything            ${pulumi} destroy
  Watch it in a browser        ${emulator}
`;
};

/** Links the plugin to where the project finds it once the package is installed. A link to the clone would be a cycle. */
function linkPlugin(folder) {
  const link = path.join(folder, "node_modules", manifest.name, "plugin");
  fs.mkdirSync(path.dirname(link), { recursive: true });
  if (!fs.existsSync(link)) fs.symlinkSync(path.relative(path.dirname(link), plugin), link);
}

/** Installs the plugin as its release archive is installed. */
const installPlugin = (options) =>
  run(
    "pulumi",
    ["plugin", "install", "resource", "tunnel-edge", manifest.version, "--file", plugin, "--reinstall"],
    options,
  );

/** Creates the stack if it does not exist. */
async function ensureStack(home, config, options) {
  const stacks = path.join(home, "state/.pulumi/stacks");
  const files = fs.existsSync(stacks) ? fs.readdirSync(stacks, { recursive: true }) : [];
  if (files.some((file) => path.basename(file) === `${stack}.json`)) return;
  await run("pulumi", ["stack", "init", stack, "--non-interactive"], options);
  for (const [key, value] of Object.entries(config ?? {})) {
    await run("pulumi", ["config", "set", "--secret", key, value, "--non-interactive"], options);
  }
}

await main(async ([exampleName, ...args]) => {
  // `npm run pulumi` ends in "--", so that it deploys nothing without a command.
  if (args[0] === "--") {
    args.shift();
    if (args.length === 0) throw new Failure("Which Pulumi command? For example, `npm run pulumi -- preview`.");
  }
  const example = findExample(exampleName);
  const { name, folder, home, lock } = example;
  const project = readIfExists(path.join(folder, "Pulumi.yaml"));
  const [, runtime] = /^runtime: (\w+)$/m.exec(project);
  const { needs = [], generate } = languages[runtime] ?? {};
  const directories = await setup({ needs });
  const isLinked = project.includes("/plugin");
  if (isLinked) linkPlugin(folder);
  return withLock(lock, async () => {
    const service = await openEmulator(example);
    try {
      const env = createEnvironment({
        home: path.join(home, "pulumi"),
        state: path.join(home, "state"),
        stack,
        searchPath: [...directories, process.env.PATH],
        service,
      });
      const options = { cwd: folder, env };
      if (runtime in languages && !isLinked) await installPlugin(options);
      await generate?.(options);
      await ensureStack(home, createConfig(service)[name], options);
      if (args.length) return await runInTerminal("pulumi", args, options);
      const code = await runInTerminal("pulumi", ["up", "--yes", "--skip-preview"], options);
      if (code === 0) console.log(formatNextSteps(name, directories));
      return code;
    } finally {
      await service.close();
    }
  });
});
