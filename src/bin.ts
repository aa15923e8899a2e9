#!/usr/bin/env node
/** The command line, `npx pulumi-tunnel-edge <command>`. */

interface Command {
  summary: string;
  /** Loads the command, only when it runs. */
  load(): { main(argv: string[]): Promise<number> };
}

const commands: Record<string, Command> = {
  emulator: {
    summary: "run an emulator of the service on this machine",
    load: () => require("./emulator/main") as typeof import("./emulator/main"),
  },
  exposure: {
    summary: "print which edges a change opens, from its preview",
    load: () => require("./exposure/main") as typeof import("./exposure/main"),
  },
  import: {
    summary: "write a Pulumi project that imports an existing account",
    load: () => require("./importer/main") as typeof import("./importer/main"),
  },
};

const names = Object.keys(commands);

const help = `Usage: pulumi-tunnel-edge <command> [options]

Commands:
${names.map((name) => `  ${name.padEnd(10)} ${commands[name]!.summary}`).join("\n")}

Options:
  --help     show this help, or the options of a command
  --version  show the version
`;

/** Resolves to the exit code: 0, 1 if the command fails, 2 if it is called with wrong arguments. */
async function run([command, ...argv]: string[]): Promise<number> {
  if (command === "--help" || command === "-h" || command === "help") return print(help);
  if (command === "--version" || command === "-v") return print(`${require("../package.json").version}\n`);
  if (command !== undefined && Object.hasOwn(commands, command)) return commands[command]!.load().main(argv);
  const problem = command === undefined ? "Missing command" : `Unknown command ${JSON.stringify(command)}`;
  process.stderr.write(`${problem}: use ${names.slice(0, -1).join(", ")} or ${names.at(-1)}; see --help.\n`);
  return 2;
}

function print(output: string): number {
  process.stdout.write(output);
  return 0;
}

run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
