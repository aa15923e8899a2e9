/** The commands, for `npx pulumi-tunnel-edge <command>` and for the plugin's executable. */

interface Command {
  summary: string;
  /** Loads the command, only when it runs. */
  load(): { main(argv: string[]): Promise<number> };
}

const commands: Record<string, Command> = {
  emulator: {
    summary: "run an emulator of the service on this machine",
    load: () => require("../emulator/main") as typeof import("../emulator/main"),
  },
  exposure: {
    summary: "print which public addresses a change opens, also as a comment",
    load: () => require("./exposure/main") as typeof import("./exposure/main"),
  },
  import: {
    summary: "write a Pulumi project that imports an existing account",
    load: () => require("./importer/main") as typeof import("./importer/main"),
  },
  inventory: {
    summary: "print what is in an account, and which stack manages it",
    load: () => require("./inventory/main") as typeof import("./inventory/main"),
  },
};

const names = Object.keys(commands);

const help = `Usage: pulumi-tunnel-edge <command> [options]

Commands:
${names.map((name) => `  ${name.padEnd(10)} ${commands[name]!.summary}`).join("\n")}

Options:
  --help     show this help, or the options of a command
  --version  show the version

With Node: npx pulumi-tunnel-edge <command>
With the plugin: pulumi plugin run --kind resource tunnel-edge -- <command>
`;

/** Resolves to the exit code: 0, 1 if the command fails, 2 if it is called with wrong arguments. */
export async function runCommand([name, ...argv]: string[]): Promise<number> {
  // Whoever reads the output has seen enough: `inventory --json | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  if (name === "--help" || name === "-h" || name === "help") return print(help);
  if (name === "--version" || name === "-v") return print(`${require("../../package.json").version}\n`);
  if (name !== undefined && Object.hasOwn(commands, name)) return commands[name]!.load().main(argv);
  const problem = name === undefined ? "Missing command" : `Unknown command ${JSON.stringify(name)}`;
  process.stderr.write(`${problem}: use ${names.slice(0, -1).join(", ")} or ${names.at(-1)}; see --help.\n`);
  return 2;
}

function print(output: string): number {
  process.stdout.write(output);
  return 0;
}
