import fs from "node:fs/promises";
import { parseArgs } from "node:util";
import { isLoopback } from "./admin";
import { defaultApiKey, type Emulator, type EmulatorOptions, startEmulator } from "./emulator";
import { faultFromJson } from "./faults";
import type { EmptyStrings } from "./fields";
import type { Seed } from "./seed";

const help = `Usage: pulumi-tunnel-edge emulator [options]

Runs the service on this machine, in memory, until it is stopped.

  --port N           port to listen on (default 8790; 0 for any free one)
  --host H           name or address to listen on (default 127.0.0.1)
  --file F           keep the account in this file
  --seed F           put the objects of this JSON file in the account at the start
  --documented-only  refuse the deletes that the API document does not show
  --empty-strings W  what an empty string in a module means: keep (the default), default or reject
  --rate-limit N     at most N requests in any minute
  --fault JSON       make something go wrong, such as
                     '{"path":"/edges/tcp/*","status":503,"times":2}'; may be repeated
  --api-key K        token of the key that opens the account (default ${defaultApiKey})
  --help             show this
`;

const options = {
  port: { type: "string" },
  host: { type: "string" },
  file: { type: "string" },
  seed: { type: "string" },
  "documented-only": { type: "boolean" },
  "empty-strings": { type: "string" },
  "rate-limit": { type: "string" },
  fault: { type: "string", multiple: true },
  "api-key": { type: "string" },
  help: { type: "boolean" },
} as const;

/** Where the command writes, and what ends it; SIGINT and SIGTERM by default. */
export interface Surroundings {
  out(text: string): void;
  err(text: string): void;
  stopped(): Promise<unknown>;
}

const terminal: Surroundings = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  stopped: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
    }),
};

/** The command line of the emulator; resolves to the exit code. */
export async function main(argv: string[], { out, err, stopped }: Surroundings = terminal): Promise<number> {
  try {
    const { values } = parseArgs({ args: argv, options, strict: true });
    if (values.help) {
      out(help);
      return 0;
    }
    const faults = (values.fault ?? []).map(faultOf);
    const seed = values.seed === undefined ? undefined : await seedOf(values.seed);
    const ended = stopped();
    const emulator = await start({
      port: numberOf("--port", values.port ?? "8790", 0, 65535),
      host: values.host,
      file: values.file,
      documentedOnly: values["documented-only"],
      emptyStrings: emptyStringsOf(values["empty-strings"]),
      rateLimit:
        values["rate-limit"] === undefined
          ? undefined
          : { requests: numberOf("--rate-limit", values["rate-limit"], 1, 1_000_000), windowMs: 60_000 },
      apiKey: apiKeyOf(values["api-key"]),
      keepRequests: 1000,
    });
    try {
      if (seed) sow(emulator, seed, values.seed!);
      for (const fault of faults) emulator.fail(fault);
      out(greeting(emulator));
      if (!isLoopback(values.host ?? "127.0.0.1"))
        err("Others may reach it too: it listens beyond this machine, and its key is all that guards it.\n");
      await ended;
    } finally {
      await emulator.close();
    }
    return 0;
  } catch (error) {
    err(`${sentence(error as NodeJS.ErrnoException)}\n`);
    return 1;
  }
}

/** What is wrong, without the advice that parseArgs adds to it. */
function sentence({ code, message }: NodeJS.ErrnoException): string {
  const line = message.split("\n")[0]!;
  return code?.startsWith("ERR_PARSE_ARGS") ? `${line.split(". ")[0]!.replace(/\.$/, "")}; see --help.` : line;
}

const greeting = ({ url, apiKey }: Emulator) => `The emulator listens on ${url} (open it in a browser to watch).
Its API key is ${apiKey}

  export TUNNEL_EDGE_BASE_URL=${url}
  export TUNNEL_EDGE_API_KEY=${quoted(apiKey)}

Press Ctrl-C to stop it.
`;

const quoted = (text: string) => (/^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function numberOf(option: string, text: string, from: number, to: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= from && number <= to) return number;
  throw new Error(`${option} must be a number from ${from} to ${to}.`);
}

function emptyStringsOf(text: string | undefined): EmptyStrings | undefined {
  if (text === undefined || text === "keep" || text === "default" || text === "reject") return text;
  throw new Error("--empty-strings must be keep, default or reject.");
}

function apiKeyOf(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[\x21-\x7e]+$/.test(text))
    throw new Error("--api-key must be printable characters without spaces.");
  return text;
}

function faultOf(text: string) {
  try {
    return faultFromJson(JSON.parse(text));
  } catch (error) {
    throw new Error(`--fault is broken: ${(error as Error).message}.`);
  }
}

async function seedOf(file: string): Promise<Seed> {
  try {
    const seed: unknown = JSON.parse(await fs.readFile(file, "utf8"));
    if (typeof seed !== "object" || seed === null || Array.isArray(seed)) throw new Error("it is not a JSON object");
    return seed;
  } catch (error) {
    throw new Error(`The seed file ${file} cannot be used: ${(error as Error).message}`);
  }
}

function sow(emulator: Emulator, seed: Seed, file: string): void {
  try {
    emulator.seed(seed);
  } catch (error) {
    throw new Error(`The seed file ${file} cannot be used: ${(error as Error).message}`);
  }
}

const reasons: Record<string, string> = {
  EADDRINUSE: "is in use: choose another with --port, or any free one with --port 0",
  EACCES: "may not be used by this user",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "is not an address of this machine",
};

async function start(options: EmulatorOptions): Promise<Emulator> {
  try {
    return await startEmulator(options);
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    throw new Error(`Port ${options.port} of ${options.host ?? "127.0.0.1"} ${reason}.`);
  }
}
