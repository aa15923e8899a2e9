import fs from "node:fs/promises";
import { parseArgs } from "node:util";
import { defaultApiKey, type Emulator, type EmulatorOptions, startEmulator } from "./emulator";
import { parseFault } from "./faults";
import type { EmptyStrings } from "./fields";
import { isLoopback } from "./hosts";
import { watchLauncher } from "./launcher";
import type { Seed } from "./objects";

const help = `Usage: pulumi-tunnel-edge emulator [options]

Runs an emulator of the service on this machine until it is stopped.

  --port N           port to listen on (default 8790; 0 for any free port)
  --host H           name or address to listen on (default 127.0.0.1)
  --allow-host H     also answer API requests whose Host is this name, as behind
                     a proxy; repeatable
  --file F           keep the account in this file (default: in memory)
  --seed F           add the objects in this JSON file to the account
  --documented-only  reject deletes that are not in the API document
  --empty-strings W  meaning of an empty string in a module, for programs that
                     declare one: keep (default), default or reject. The API
                     document does not say
  --rate-limit N     allow at most N requests per minute
  --fault JSON       inject a fault; repeatable. For example:
                     '{"path":"/edges/tcp/*","status":503,"times":2}'
  --api-key K        token of the API key (default ${defaultApiKey})
  --help             show this help
`;

const options = {
  port: { type: "string" },
  host: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  file: { type: "string" },
  seed: { type: "string" },
  "documented-only": { type: "boolean" },
  "empty-strings": { type: "string" },
  "rate-limit": { type: "string" },
  fault: { type: "string", multiple: true },
  "api-key": { type: "string" },
  help: { type: "boolean" },
} as const;

/** What the command reads from and writes to. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Resolves when the command must stop. */
  waitForStop(): Promise<unknown>;
}

const processIo: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  waitForStop: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
      watchLauncher(resolve);
    }),
};

class UsageError extends Error {}

/** The command line of the emulator; resolves to the exit code: 1 if it fails, 2 if an option is wrong. */
export async function main(argv: string[], { out, err, waitForStop }: Io = processIo): Promise<number> {
  try {
    const values = parseOptions(argv);
    if (values.help) {
      out(help);
      return 0;
    }
    const seed = values.seed === undefined ? undefined : await readSeed(values.seed);
    const stopRequested = waitForStop();
    const emulator = await start({
      port: parseNumber("--port", values.port ?? "8790", 0, 65535),
      host: values.host,
      allowedHosts: values["allow-host"],
      file: values.file,
      documentedOnly: values["documented-only"],
      emptyStrings: parseEmptyStrings(values["empty-strings"]),
      rateLimit: parseRateLimit(values["rate-limit"]),
      faults: values.fault?.map(parseFaultOption),
      apiKey: parseApiKey(values["api-key"]),
      keepRequests: 1000,
    });
    try {
      if (seed) applySeed(emulator, seed, values.seed!);
      out(formatGreeting(emulator));
      if (!isLoopback(values.host ?? "127.0.0.1"))
        err("Warning: other machines can reach the emulator. Only the API key protects it.\n");
      await stopRequested;
    } finally {
      await emulator.close();
    }
    return 0;
  } catch (error) {
    err(`${(error as Error).message.split("\n")[0]}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    // Without the advice that parseArgs adds.
    throw new UsageError(`${(error as Error).message.split(". ")[0]!.replace(/\.$/, "")}; see --help.`);
  }
}

const formatGreeting = ({ url, apiKey }: Emulator) => `The emulator listens on ${url} (open it in a browser to watch).
Its API key is ${apiKey}

  export TUNNEL_EDGE_BASE_URL=${url}
  export TUNNEL_EDGE_API_KEY=${quoteForShell(apiKey)}

Press Ctrl-C to stop it.
`;

const quoteForShell = (value: string) => (/^[\w.:/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

function parseNumber(option: string, value: string, min: number, max: number): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${option} must be a number from ${min} to ${max}.`);
}

const parseRateLimit = (value: string | undefined) =>
  value === undefined ? undefined : parseNumber("--rate-limit", value, 1, 1_000_000);

function parseEmptyStrings(value: string | undefined): EmptyStrings | undefined {
  if (value === undefined || value === "keep" || value === "default" || value === "reject") return value;
  throw new UsageError("--empty-strings must be keep, default or reject.");
}

function parseApiKey(value: string | undefined): string | undefined {
  if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
    throw new UsageError("--api-key must consist of printable ASCII characters without spaces.");
  return value;
}

function parseFaultOption(value: string) {
  try {
    return parseFault(JSON.parse(value));
  } catch (error) {
    throw new UsageError(`--fault is invalid: ${(error as Error).message}.`);
  }
}

async function readSeed(file: string): Promise<Seed> {
  try {
    const seed: unknown = JSON.parse(await fs.readFile(file, "utf8"));
    if (typeof seed !== "object" || seed === null || Array.isArray(seed)) throw new Error("it is not a JSON object");
    return seed;
  } catch (error) {
    throw new Error(`The seed file ${file} cannot be used: ${(error as Error).message}`);
  }
}

function applySeed(emulator: Emulator, seed: Seed, file: string): void {
  try {
    emulator.seed(seed);
  } catch (error) {
    throw new Error(`The seed file ${file} cannot be used: ${(error as Error).message}`);
  }
}

const portErrors: Record<string, string> = {
  EADDRINUSE: "is in use. Choose another with --port, or any free one with --port 0.",
  EACCES: "needs more privileges. Choose another with --port.",
};
const hostErrors: Record<string, string> = {
  EADDRNOTAVAIL: "is not an address of this machine. Choose another with --host.",
  ENOTFOUND: "is not a known host name. Choose another with --host.",
};

async function start(options: EmulatorOptions): Promise<Emulator> {
  try {
    return await startEmulator(options);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const host = options.host ?? "127.0.0.1";
    if (code in portErrors) throw new Error(`Port ${options.port} of ${host} ${portErrors[code]}`);
    if (code in hostErrors) throw new Error(`${host} ${hostErrors[code]}`);
    throw error;
  }
}
