#!/usr/bin/env node
/** The command line, `npx pulumi-tunnel-edge <command>`. */

interface Command {
  summary: string;
  /** Loaded when it is the one to run. */
  load(): { main(argv: string[]): Promise<number> };
}

const commands: Record<string, Command> = {
  emulator: {
    summary: "runs an emulator of the service on this machine",
    load: () => require("./emulator/main") as typeof import("./emulator/main"),
  },
  import: {
    summary: "writes a Pulumi project that imports an existing account",
    load: () => require("./importer/main") as typeof import("./importer/main"),
  },
};

const names = Object.keys(commands);

const help = `Usage: pulumi-tunnel-edge <command> [options]

${names.map((name) => `  ${name.padEnd(10)} ${commands[name]!.summary}`).join("\n")}

  --help     show this help; after a command, show its options
  --version  show the version
`;

/** Resolves to the exit code: 0, 1 if the command fails, 2 if it is called with wrong arguments. */
async function run([word, ...argv]: string[]): Promise<number> {
  if (word === "--help" || word === "-h" || word === "help") return print(help);
  if (word === "--version" || word === "-v") return print(`${require("../package.json").version}\n`);
  if (word !== undefined && Object.hasOwn(commands, word)) return commands[word]!.load().main(argv);
  const problem = word === undefined ? "Missing command" : `Unknown command ${JSON.stringify(word)}`;
  process.stderr.write(`${problem}: use ${names.join(" or ")}; see --help.\n`);
  return 2;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
