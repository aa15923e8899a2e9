/** Replays a scenario on the real CLI, with the real host or plugin, through the simulation's network and service. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { wrapProgram } from "../support/cli/cliStack";
import { Stack as CliStack, type Deployment, type Diagnostic, type Running } from "../support/cli/pulumi";
import { declare } from "../support/engine/declare";
import type { Properties } from "../support/engine/provider";
import { secret } from "../support/engine/secrets";
import { waitUntil } from "../support/waitUntil";
import { type Entry, type Program, Run, type RunOptions } from "./engine";
import { declareAll } from "./print";
import { isSerialRun, type Observation, Observed } from "./rehearsal";
import type { PlannedRun, Scenario } from "./scenario";
import { apiKey, baseUrl } from "./service";
import type { Message, Stack } from "./simulation";
import { Process, World } from "./world";

/** The time of this machine. */
class RealWorld extends World {
  override get now(): number {
    return Date.now();
  }

  override after(ms: number, work: () => void): () => void {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  }
}

/** A run of the CLI, with what happens in the middle of it. */
class RealRun extends Run {
  running!: Running;
  isKilled = false;

  /** When the CLI has noticed a Ctrl-C: until then, it might start what comes next. */
  hasHeard: Promise<void> | undefined;

  override interrupt(): void {
    this.isInterrupted = true;
    this.running.kill("SIGINT");
    this.hasHeard = waitUntil(() => /\^C received/.test(this.running.printed()));
  }

  override kill(): void {
    this.isKilled = true;
    this.running.kill("SIGKILL");
  }

  override killProviders(): void {
    for (const pid of findProviders(this.running.pid)) process.kill(pid, "SIGKILL");
  }
}

/** The processes below a CLI that are providers. */
function findProviders(cli: number): number[] {
  const processes = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((found) => (found ? [{ pid: Number(found[1]), parent: Number(found[2]), args: found[3]! }] : []));
  const listBelow = (parent: number): typeof processes =>
    processes.filter((each) => each.parent === parent).flatMap((each) => [each, ...listBelow(each.pid)]);
  return listBelow(cli)
    .filter(({ args }) => /dynamic-provider|pulumi-resource-tunnel-edge/.test(args))
    .map(({ pid }) => pid);
}

export class Replay extends Observed {
  private readonly clis = new Map<number, CliStack>();
  private readonly server = createServer((request, response) => void this.handle(request, response));
  private process!: Process;
  private operations = 0;

  constructor(scenario: Scenario) {
    super(scenario, new RealWorld(scenario.seed));
  }

  override async run(): Promise<void> {
    await once(this.server.listen(0, "127.0.0.1"), "listening");
    try {
      await super.run();
    } finally {
      this.server.closeAllConnections();
      this.server.close();
    }
  }

  private get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // A preview reads what it imports, outside of a deployment.
    if (!this.current) this.process = new Process(this.world, "cli");
    const { method = "", url: path = "", headers } = incoming;
    const request = { method, path, headers: headers as Record<string, string>, body: await text(incoming) };
    const cut = () => {
      outgoing.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" });
      outgoing.write("{", () => incoming.socket.destroy());
    };
    this.network.exchange(
      this.process,
      request,
      async ({ status, headers: own, body = "" }) => {
        await (this.current?.run as RealRun | undefined)?.hasHeard;
        outgoing.writeHead(status, own as Record<string, string>).end(body.replaceAll(baseUrl, this.url));
      },
      (code) => (code === "UND_ERR_SOCKET" ? cut() : incoming.socket.resetAndDestroy()),
    );
  }

  protected async cliOf({ index }: Stack): Promise<CliStack> {
    let cli = this.clis.get(index);
    if (!cli) {
      const { maxRetries, timeoutSeconds } = this.scenario;
      cli = await CliStack.create({
        program: "",
        emulator: { url: this.url, apiKey },
        env: { TUNNEL_EDGE_MAX_RETRIES: String(maxRetries), TUNNEL_EDGE_TIMEOUT_SECONDS: String(timeoutSeconds) },
      });
      this.clis.set(index, cli);
    }
    return cli;
  }

  protected override async execute(stack: Stack, program: Program, options: RunOptions, planned?: PlannedRun) {
    const cli = await this.cliOf(stack);
    this.write(cli, program, isSerialRun(options));
    const log = join(cli.dir, `grpc-${++this.operations}.json`);
    const run = new RealRun(stack.state, program, options, () => {
      throw new Error("the CLI starts the provider");
    });
    this.process = new Process(this.world, "cli");
    const result = this.begin(stack, run, planned);
    run.running = cli.startOperation(this.toArguments(options), { env: { PULUMI_DEBUG_GRPC: log } });
    const { code, diagnostics, stderr } = await run.running.result;
    const [, rejection] = existsSync(log) ? [] : (/^error: (.*)$/m.exec(stderr) ?? []);
    this.process.kill();
    this.current = undefined;
    if (run.isKilled) await cli.run(["cancel", "--yes"]);
    const state = JSON.stringify(await cli.export({ showSecrets: true }));
    stack.state = readEntries(this.toSimulated(state));
    result.messages.push(...diagnostics.flatMap(toMessages));
    if (rejection) result.messages.push({ severity: "error", text: rejection });
    Object.assign(run, { state: stack.state });
    Object.assign(result, { isSuccess: code === 0, isKilled: run.isKilled });
    const asked = rejection ? {} : readAsked(this.toSimulated(readFileSync(log, "utf8")));
    rmSync(log, { force: true });
    this.record(result, asked);
    const observation = this.observations.pop()!;
    this.observations.push(JSON.parse(this.toSimulated(JSON.stringify(observation))) as Observation);
    return result;
  }

  protected write(cli: CliStack, program: Program, isSerial: boolean): void {
    cli.write(wrapProgram(this.toText(program, isSerial), this.scenario.provider));
  }

  /** Types and addresses as the simulation has them. */
  private toSimulated = (content: string): string =>
    content.replaceAll("tunnel-edge:index:", "pulumi-nodejs:dynamic/tunnel-edge:").replaceAll(this.url, baseUrl);

  private toReal = (urn: string): string =>
    this.scenario.provider === "plugin" ? urn.replace("pulumi-nodejs:dynamic/tunnel-edge:", "tunnel-edge:index:") : urn;

  private toArguments({ kind, parallel, refresh, targets, replace, continueOnError }: RunOptions): string[] {
    return [
      kind,
      ...(kind === "preview" ? [] : ["--yes", "--skip-preview"]),
      `--parallel=${parallel}`,
      ...(refresh ? ["--refresh"] : []),
      ...(kind === "refresh" ? ["--clear-pending-creates"] : []),
      ...(continueOnError && (kind === "up" || kind === "destroy") ? ["--continue-on-error"] : []),
      ...(targets ?? []).map((urn) => `--target=${this.toReal(urn)}`),
      ...(replace ?? []).map((urn) => `--replace=${this.toReal(urn)}`),
    ];
  }

  private toText(program: Program, isSerial: boolean): string {
    const { maxRetries, timeoutSeconds } = this.scenario;
    const settings = { apiKey, baseUrl: this.url, maxRetries, timeoutSeconds };
    const components = [...new Set(program.flatMap(({ parent = [] }) => parent))];
    const statements = [
      ...(program.some(({ provider }) => provider) ? [declare("Provider", "second", settings)] : []),
      ...components.map((parent) => {
        const [type, name] = parent.split("::");
        return `const ${name} = new pulumi.ComponentResource("${type}", "${name}");`;
      }),
      ...declareAll(program).flatMap((statement) => {
        const [, variable] = /^const (\w+)/.exec(statement)!;
        return [statement, ...(isSerial ? [`await registered(${variable});`] : [])];
      }),
    ];
    return [
      "const registered = (resource) => new Promise((done) => resource.urn.apply(done));",
      "module.exports = (async () => {",
      ...statements,
      "})();",
    ].join("\n");
  }
}

const ownType = /(?:^|\$)pulumi-nodejs:dynamic\/tunnel-edge:(\w+)$/;

/** The resources of the package in a state, as the simulated engine has them. */
function readEntries(state: string): Entry[] {
  const { resources = [] } = JSON.parse(state, readSecret) as Deployment;
  return resources.flatMap((each) => {
    const [, , typePart = "", name = ""] = each.urn.split("::");
    const [, type] = ownType.exec(typePart) ?? [];
    if (type === undefined) return [];
    const [parentType] = typePart.includes("$") ? typePart.split("$") : [];
    const provider = String(each["provider"]).includes("::second::") ? "second" : undefined;
    return [
      {
        urn: each.urn,
        type,
        name,
        ...(parentType !== undefined && { parent: `${parentType}::${parentType.split(":").at(-1)}` }),
        ...(provider && { provider }),
        id: each.id,
        inputs: (each.inputs ?? {}) as Properties,
        outputs: (each.outputs ?? {}) as Properties,
        dependencies: (each["dependencies"] as string[] | undefined) ?? [],
        ...(Array.isArray(each["ignoreChanges"]) && { ignoreChanges: each["ignoreChanges"] as string[] }),
        ...(each["delete"] === true && { isPendingDelete: true as const }),
        ...(each["pendingReplacement"] === true && { isPendingReplacement: true as const }),
        ...(Array.isArray(each["initErrors"]) && { hasInitErrors: true as const }),
      },
    ];
  });
}

/** A secret in the state, as the simulated engine has it. */
const readSecret = (_: string, value: unknown): unknown => {
  const { plaintext } = (value ?? {}) as { plaintext?: string };
  return typeof plaintext === "string" ? secret(JSON.parse(plaintext)) : value;
};

/** What the engine asked of each resource of the package. */
function readAsked(log: string): Observation["asked"] {
  const asked: Observation["asked"] = {};
  for (const line of log.split("\n")) {
    const [, ask] = /"method":"\/pulumirpc\.ResourceProvider\/(Check|Diff|Create|Read|Update|Delete)"/.exec(line) ?? [];
    if (ask === undefined || !line.includes('"progress":"request_started"')) continue;
    const { urn } = (JSON.parse(line) as { request: { urn: string } }).request;
    if (!ownType.test(urn.split("::")[2]!)) continue;
    asked[urn] ??= [];
    asked[urn].push(ask.toLowerCase());
  }
  return asked;
}

/** What the engine says by itself. */
const engineWords =
  /^(update failed|update canceled|preview failed|.*: update canceled|context canceled|Killed)$|exited prematurely|^Attempting to deploy or update resources with \d+ pending operations/;

/** How the dynamic provider, whose messages the engine attributes to the stack, names a message's resource. */
const namedResource = /^\w+ "\w+": /;

/** Messages of the providers, and errors without the engine's words around them. */
function toMessages({ severity, urn, message, ephemeral }: Diagnostic): Message[] {
  if (engineWords.test(message)) return [];
  if (severity === "error") {
    const errors = message
      .replace(/^(\d+ errors? occurred:\n|\S+ resource '\w+' has a problem: )/, "")
      .split(/^\t\* /m);
    return errors.filter(Boolean).map((each) => ({ severity, urn, text: each.trim() }));
  }
  if (ephemeral || !/^(info|info#err|warning)$/.test(severity)) return [];
  return [{ severity: severity === "warning" ? severity : "info", text: message.replace(namedResource, "") }];
}
