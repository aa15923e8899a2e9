/**
 * Drives the real Pulumi CLI. Each Stack has its own project and backend. An operation returns what the CLI printed and
 * what its engine reported. If it does not end as expected, it throws with everything printed.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { listChangedInputs } from "../engine/resourceDriver";
import { lazySdk } from "../preload/preload";
import { root } from "../root";
import { decryptState } from "./decrypt";

const { createEnvironment } = require("../../../scripts/lib/environment");

const work = join(root, ".work/test");
const stackName = "dev";

/** What `pulumi stack init dev` writes into the backend and the project, with this passphrase. */
const passphrase = "test";
const salt = "v1:u1isdQwwO1E=:v1:LjlQyZo+Tv20AJ41:jCv0fM3NtsRjEpzCrCIT4ly7BDj2YQ==";
const newState = (project: string) => ({
  version: 3,
  checkpoint: {
    stack: `organization/${project}/${stackName}`,
    latest: {
      manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
      secrets_providers: { type: "passphrase", state: { salt } },
    },
  },
});

/** Writes what `pulumi stack init` would write. */
function initStack(dir: string, state: string): void {
  const settings = join(dir, `Pulumi.${stackName}.yaml`);
  if (!existsSync(settings)) writeFileSync(settings, `encryptionsalt: ${salt}\n`);
  const [, project] = /^name: "?([^"\n]+)/m.exec(readFileSync(join(dir, "Pulumi.yaml"), "utf8")) ?? [];
  if (!project) throw new Error(`${dir}/Pulumi.yaml has no name.`);
  const stacks = join(state, ".pulumi/stacks", project);
  mkdirSync(stacks, { recursive: true });
  writeFileSync(join(state, ".pulumi/meta.yaml"), "version: 1\n");
  writeFileSync(join(stacks, `${stackName}.json`), JSON.stringify(newState(project)));
}

jest.setTimeout(180_000); // an operation takes 2 s on an idle machine, and a test runs several

const created: Stack[] = [];
afterAll(async () => {
  for (const stack of created) await stack.remove();
});

/** Set by `scripts/test/test.mjs`. If jest was started directly, the CLI is looked up here. */
let cliPath = process.env["PULUMI_TUNNEL_EDGE_PATH"];

/** What a script prints. */
const runScript = (name: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(root, "scripts/dev", name), ...args], { encoding: "utf8" }).trim();

/** PATH with the CLI first. */
export function pathWithCli(): string {
  cliPath ??= runScript("setup.mjs");
  return `${cliPath}${delimiter}${process.env["PATH"]}`;
}

const toolPaths = new Map<string, string>();

type LanguageHost = "yaml" | "python" | "go" | "java";

/** PATH with the CLI and a tool first: a language host, or the generator of SDKs. A missing one is built, once. */
export function pathWith(tool: LanguageHost | "sdks"): string {
  const found = toolPaths.get(tool) ?? runScript("cli.mjs", tool);
  toolPaths.set(tool, found);
  return `${found}${delimiter}${process.env["PATH"]}`;
}

/** The version of the CLI: `v3.…`. */
export function readCliVersion(): string {
  const env = { ...process.env, PATH: pathWithCli(), PULUMI_SKIP_UPDATE_CHECK: "true" };
  return execFileSync("pulumi", ["version"], { encoding: "utf8", env }).trim();
}

/** The address and key of an emulator or a service. */
export interface Service {
  url: string;
  apiKey: string;
}

export interface StackOptions {
  /** The content of the program's index.js. The SDK loads only what such a program needs. */
  program?: string;
  /** The resources, outputs and so on of a YAML program, instead of `program`. It uses the plugin. */
  yaml?: string;
  /** An existing project folder, used in place instead of `program`. It has its own Pulumi.yaml. */
  dir?: string;
  /** The service that the settings in the environment point to. */
  emulator?: Service;
  /** Stack config, e.g. `{ "tunnel-edge:apiKey": { secret: "…" } }`. */
  config?: Record<string, string | { secret: string }>;
  /** Additional environment variables; undefined removes one. */
  env?: Record<string, string | undefined>;
  /** A folder that comes first in PATH, for example with another Node. */
  bin?: string;
}

export interface OperationOptions {
  /** The operation must fail; otherwise it must succeed. */
  fails?: boolean;
  /** Additional arguments for the CLI. */
  args?: string[];
  /** Additional environment variables for this operation. */
  env?: Record<string, string | undefined>;
}

/** What the engine did (or would do, in a preview) to one resource of the program. */
export interface Step {
  op: string;
  urn: string;
  type: string;
  name: string;
  failed: boolean;
  /** The names of changed inputs, without the internal ones. */
  changed: string[];
  old: ResourceState | null;
  new: ResourceState | null;
}

export interface ResourceState {
  urn: string;
  type: string;
  id: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
}

/** A displayed message: an error, a warning, or what the program or the dynamic provider host printed ("info"). */
export interface Diagnostic {
  severity: string;
  message: string;
  urn?: string;
  ephemeral?: boolean;
}

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The number of resources by operation, including the stack itself: `{ create: 2 }`, `{ same: 2 }`. */
  summary: Record<string, number>;
  /** Only the program's resources, without the stack and its providers. */
  steps: Step[];
  /** Without debug messages. */
  diagnostics: Diagnostic[];
}

/** A running operation. */
export interface Running {
  pid: number;
  /** What was printed so far. */
  printed(): string;
  /** Sends a signal to the CLI and to every process it started. */
  kill(signal?: NodeJS.Signals): void;
  result: Promise<Result>;
}

interface EngineEvent {
  summaryEvent?: { resourceChanges: Record<string, number> };
  diagnosticEvent?: Diagnostic;
  resOutputsEvent?: { metadata: StepMetadata };
  resOpFailedEvent?: { metadata: StepMetadata };
}
type StepMetadata = Omit<Step, "name" | "failed" | "changed">;

/** PATH for the program: other languages than TypeScript and JavaScript have a language host of their own. */
function pathFor({ yaml, dir }: StackOptions): string {
  const project = dir === undefined ? "" : readFileSync(join(dir, "Pulumi.yaml"), "utf8");
  const [, runtime] =
    yaml === undefined ? (/^runtime:\s+(?:name: )?(yaml|python|go|java)$/m.exec(project) ?? []) : ["", "yaml"];
  return runtime ? pathWith(runtime as LanguageHost) : pathWithCli();
}

/** Where the engine finds the plugin. */
const plugins = `{ providers: [{ name: tunnel-edge, path: ${join(root, "plugin")} }] }`;

export class Stack {
  private readonly running = new Set<Running>();
  private operations = 0;

  private constructor(
    readonly dir: string,
    private readonly folder: string,
    private readonly runtime: "nodejs" | "yaml" | undefined,
    /** The environment of its commands. */
    readonly env: Record<string, string | undefined>,
  ) {}

  static async create(options: StackOptions): Promise<Stack> {
    mkdirSync(work, { recursive: true });
    const folder = mkdtempSync(join(work, "stack-"));
    const state = join(folder, "state");
    const dir = options.dir ?? join(folder, "program");
    for (const path of [state, dir]) mkdirSync(path, { recursive: true });
    const own = /^(NODE_|npm_|JEST_)/;
    const runtime = options.program !== undefined ? "nodejs" : options.yaml !== undefined ? "yaml" : undefined;
    const stack = new Stack(dir, folder, runtime, {
      ...createEnvironment({
        home: join(work, "home"),
        state,
        stack: stackName,
        searchPath: [options.bin, pathFor(options)].filter(Boolean),
        service: options.emulator,
        inherited: Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name))),
      }),
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_DISABLE_CI_DETECTION: "true",
      PULUMI_DEBUG_COMMANDS: "true", // for --event-log
      GOGC: "800", // a fifth less CPU, for some more memory
      ...options.env,
    });
    created.push(stack);
    const program = options.program ?? options.yaml;
    if (program !== undefined) stack.write(program);
    initStack(dir, state);
    if (options.config) {
      const settings = Object.entries(options.config).flatMap(([key, value]) =>
        typeof value === "string" ? ["--plaintext", `${key}=${value}`] : ["--secret", `${key}=${value.secret}`],
      );
      await stack.run(["config", "set-all", ...settings]);
    }
    return stack;
  }

  /** Replaces the program. */
  write(program: string): void {
    const project = (rest: string) => writeFileSync(join(this.dir, "Pulumi.yaml"), `name: test\nruntime: ${rest}`);
    if (this.runtime === "yaml") project(`yaml\nplugins: ${plugins}\n${program}`);
    else writeFileSync(join(this.dir, "index.js"), program);
    if (this.runtime === "nodejs")
      project(`{ name: nodejs, options: { typescript: false } }\nmain: index.js\nplugins: ${plugins}\n`);
  }

  /** Skips the preview unless asked for. The engine reports only the update: read the preview in `stdout`. */
  up({ preview = false, ...options }: OperationOptions & { preview?: boolean } = {}): Promise<Result> {
    return this.operate(["up", "--yes", ...(preview ? [] : ["--skip-preview"])], options);
  }

  preview(options: OperationOptions & { diff?: boolean; expectNoChanges?: boolean } = {}): Promise<Result> {
    const flags = { "--diff": options.diff, "--expect-no-changes": options.expectNoChanges };
    const given = Object.entries(flags).flatMap(([flag, wanted]) => (wanted ? [flag] : []));
    return this.operate(["preview", ...given], options);
  }

  /** The preview that `exposure` reads. */
  async previewJson(options: OperationOptions = {}): Promise<string> {
    const { stdout } = await this.run(["preview", "--json", "--show-sames", "--show-replacement-steps"], options);
    return stdout;
  }

  refresh(options: OperationOptions = {}): Promise<Result> {
    return this.operate(["refresh", "--yes", "--skip-preview"], options);
  }

  destroy(options: OperationOptions = {}): Promise<Result> {
    return this.operate(["destroy", "--yes", "--skip-preview"], options);
  }

  /** `pulumi import` of one object. */
  import(type: string, name: string, id: string, options: OperationOptions = {}): Promise<Result> {
    return this.operate(["import", type, name, id, "--yes", "--skip-preview", "--generate-code=false"], options);
  }

  /** The deployment as `pulumi stack export` shows it. Secrets are encrypted unless asked for. */
  async export({ showSecrets = false } = {}): Promise<Deployment> {
    const state = this.readState();
    return showSecrets ? decryptState(state, passphrase) : state;
  }

  /** What `pulumi stack output --json` shows. */
  async outputs({ showSecrets = false } = {}): Promise<Record<string, unknown>> {
    const { resources } = await this.export({ showSecrets });
    const stack = resources?.find(({ type }) => type === "pulumi:pulumi:Stack");
    const readSecret = (_: string, value: unknown) => {
      const { [secretSignature]: signature, plaintext } = (value ?? {}) as Record<string, unknown>;
      if (signature === undefined) return value;
      return typeof plaintext === "string" ? JSON.parse(plaintext) : "[secret]";
    };
    return JSON.parse(JSON.stringify(stack?.outputs ?? {}), readSecret) as Record<string, unknown>;
  }

  /** The state in the backend. */
  private readState(): Deployment {
    const state = JSON.parse(readFileSync(this.stateFile, "utf8"));
    return (state as { checkpoint: { latest: Deployment } }).checkpoint.latest;
  }

  private get stateFile(): string {
    const stacks = join(this.folder, "state/.pulumi/stacks");
    const [project = ""] = readdirSync(stacks);
    return join(stacks, project, `${stackName}.json`);
  }

  /** Runs any other command. */
  run(args: string[], options: OperationOptions = {}): Promise<Result> {
    return expectOutcome(this.start(args, options), args, options.fails ?? false);
  }

  /**
   * Called automatically after the last test: kills what still runs and removes the project and its backend. A given
   * `dir` is kept.
   */
  async remove(): Promise<void> {
    const running = [...this.running];
    for (const operation of running) operation.kill("SIGKILL");
    await Promise.all(running.map((operation) => operation.result));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Starts a command without waiting for it, for tests that interrupt it. For operations use `startOperation`. */
  start(args: string[], options: OperationOptions = {}, eventLog?: string): Running {
    const env = { ...this.env, ...options.env };
    if (this.runtime === "nodejs") env["NODE_OPTIONS"] = [lazySdk, env["NODE_OPTIONS"]].filter(Boolean).join(" ");
    const child = spawn("pulumi", [...args, "--non-interactive", "--color=never", ...(options.args ?? [])], {
      cwd: this.dir,
      env: env as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a process group of its own, to be killed as one
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const result = new Promise<Result>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => {
        this.running.delete(running);
        resolve({ code, stdout, stderr, ...readReport(eventLog) });
      });
    });
    const running: Running = {
      pid: child.pid as number,
      printed: () => stdout + stderr,
      kill: (signal = "SIGKILL") => {
        try {
          process.kill(-(child.pid as number), signal);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
      },
      result,
    };
    this.running.add(running);
    return running;
  }

  /** Like `start`, for up, preview, refresh, destroy and import: the result includes the engine's report. */
  startOperation(args: string[], options: OperationOptions = {}): Running {
    const eventLog = join(this.folder, `events-${++this.operations}.json`);
    return this.start([...args, "--suppress-progress", `--event-log=${eventLog}`], options, eventLog);
  }

  private operate(args: string[], options: OperationOptions): Promise<Result> {
    return expectOutcome(this.startOperation(args, options), args, options.fails ?? false);
  }
}

/** The property that marks a secret in the state. */
const secretSignature = "4dabf18193072939515e22adb298388d";

export interface Deployment {
  resources?: (ResourceState & Record<string, unknown>)[];
  pending_operations?: unknown[];
  [key: string]: unknown;
}

async function expectOutcome(running: Running, args: string[], fails: boolean): Promise<Result> {
  const result = await running.result;
  if ((result.code !== 0) === fails) return result;
  const outcome = result.code === 0 ? "succeeded unexpectedly" : `failed (exit code ${result.code})`;
  throw new Error(`pulumi ${args.join(" ")} ${outcome}:\n${result.stdout}${result.stderr}`);
}

/** Reads what the engine reported to its event log. */
function readReport(eventLog: string | undefined): Pick<Result, "summary" | "steps" | "diagnostics"> {
  const steps: Step[] = [];
  const diagnostics: Diagnostic[] = [];
  let summary: Record<string, number> = {};
  for (const event of eventLog ? readEvents(eventLog) : []) {
    if (event.summaryEvent) summary = event.summaryEvent.resourceChanges;
    if (event.diagnosticEvent && event.diagnosticEvent.severity !== "debug") {
      const { severity, message, urn, ephemeral } = event.diagnosticEvent;
      diagnostics.push({ severity, message: message.replace(/<\{%.*?%\}>/g, "").trimEnd(), urn, ephemeral });
    }
    const ended = (event.resOutputsEvent ?? event.resOpFailedEvent)?.metadata;
    if (!ended || /^pulumi:(pulumi:Stack|providers:.*)$/.test(ended.type)) continue;
    const { op, urn, type, old, new: now } = ended;
    const name = urn.split("::").pop() as string;
    const failed = event.resOpFailedEvent !== undefined;
    steps.push({
      op,
      urn,
      type,
      name,
      failed,
      changed: listChangedInputs(old?.inputs ?? {}, now?.inputs ?? {}),
      old,
      new: now,
    });
  }
  return { summary, steps, diagnostics };
}

/** If the CLI was killed, the last line may be cut off. If it was killed early, there is no log. */
function readEvents(file: string): EngineEvent[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as EngineEvent];
    } catch {
      return [];
    }
  });
}
