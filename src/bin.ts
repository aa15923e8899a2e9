#!/usr/bin/env node
/** The command line, `npx pulumi-tunnel-edge <command>`. */

interface Command {
  summary: string;
  /** Loaded when it is the one to run. */
  load(): { main(argv: string[]): Promise<number> };
}

const commands: Record<string, Command> = {
  emulator: {
    summary: "runs the service on this machine, in memory",
    load: () => require("./emulator/main") as typeof import("./emulator/main"),
  },
  import: {
    summary: "writes a Pulumi program for what an account already has",
    load: () => require("./importer/main") as typeof import("./importer/main"),
  },
};

const names = Object.keys(commands);

const help = `Usage: pulumi-tunnel-edge <command> [options]

${names.map((name) => `  ${name.padEnd(10)} ${commands[name]!.summary}`).join("\n")}

  --help     show this; after a command, show its options
  --version  show the version
`;

/** Resolves to the exit code: 0, 1 when the command fails, 2 when it was called in a way it does not know. */
async function run([word, ...argv]: string[]): Promise<number> {
  if (word === "--help" || word === "-h" || word === "help") return print(help);
  if (word === "--version" || word === "-v") return print(`${require("../package.json").version}\n`);
  if (word !== undefined && Object.hasOwn(commands, word)) return commands[word]!.load().main(argv);
  const problem = word === undefined ? "No command was given" : `There is no command ${JSON.stringify(word)}`;
  process.stderr.write(`${problem}: the commands are ${names.join(" and ")}; see --help.\n`);
  return 2;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
