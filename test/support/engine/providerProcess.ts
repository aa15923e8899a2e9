/** A provider's process, the gRPC calls of the provider protocol, and an engine that collects what it logs. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { RemoteTime, RequestTime } from "../clock";
import { root } from "../root";
import { nameOf } from "./pluginCalls";
import { type Diff, type LogEntry, OperationError, type Properties, type SavedObject } from "./provider";

const { credentials, Server, ServerCredentials } = require("@grpc/grpc-js");
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
export const requests = require("@pulumi/pulumi/proto/provider_pb");
const { EngineService } = require("@pulumi/pulumi/proto/engine_grpc_pb");
const { LogSeverity } = require("@pulumi/pulumi/proto/engine_pb");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { Status } = require("@pulumi/pulumi/proto/status_pb");

interface ProcessOptions {
  /** The script that Node runs, in this environment. */
  script: string;
  env: Record<string, string | undefined>;
  /** The engine's address. Without one, the process is started by hand. */
  engine?: string;
  /** The test's, which the process has too. */
  time?: RequestTime;
}

type Logged = Omit<LogEntry, "severity"> & { severity: LogEntry["severity"] | "DEBUG" };

/** An engine, to which the processes of a deployment are connected. */
export interface Engine {
  address: string;
  stop(): void;
}

/** Starts an engine, which hands on what it is told to log. */
export async function startEngine(log: (entry: Logged) => void): Promise<Engine> {
  const server = new Server();
  // biome-ignore lint/suspicious/noExplicitAny: the SDK has no types for its gRPC services.
  const notImplemented = (_: any, done: any) => done(new Error("not implemented"));
  server.addService(EngineService, {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    log: (call: any, done: any) => {
      const { severity, ephemeral, urn, ...entry } = call.request.toObject();
      // On a resource's own row a message need not name it. Here it does, as one on the stack's row.
      const message = urn && !ephemeral ? `${nameOf(urn)}: ${entry.message}` : entry.message;
      const names = { [LogSeverity.DEBUG]: "DEBUG", [LogSeverity.WARNING]: "WARNING" } as const;
      log({ severity: names[severity] ?? "INFO", message, ephemeral });
      done(undefined, new Empty());
    },
    getRootResource: notImplemented,
    setRootResource: notImplemented,
    startDebugging: notImplemented,
    requirePulumiVersion: notImplemented,
  });
  const port = await new Promise<number>((done, fail) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error: Error | null, bound: number) =>
      error ? fail(error) : done(bound),
    ),
  );
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}

/** What the engine tells a plugin of a resource. */
export interface Target {
  urn?: string;
  /** In seconds. */
  timeout?: number;
  ignoreChanges?: string[];
}

/** An object of the state. A plugin is sent its inputs, too. */
type Saved = SavedObject & { inputs?: Properties };

export class ProviderProcess {
  printed = "";
  /** The calls without a response yet. */
  private pendingCalls = 0;

  private constructor(
    private readonly child: ChildProcess,
    // biome-ignore lint/suspicious/noExplicitAny: the SDK has no types for its gRPC clients.
    private readonly client: any,
    private readonly time?: RemoteTime,
  ) {}

  static async start({ script, env, engine, time }: ProcessOptions): Promise<ProviderProcess> {
    let started: ProviderProcess | undefined;
    const child = spawn(process.execPath, [script, ...(engine ? [engine] : [])], {
      cwd: root,
      env: env as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe", ...(time ? ["ipc" as const] : [])],
    });
    const remoteTime = time?.lend(child, () => started?.pendingCalls ?? 1);
    const port = await new Promise<string>((done, fail) => {
      child.stdout!.once("data", (text) => done(String(text).trim()));
      child.once("exit", () => fail(new Error("the provider did not start")));
    });
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1, // as the engine, which accepts messages of 400 MB
    });
    started = new ProviderProcess(child, client, remoteTime);
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (text) => {
        started.printed += text;
      });
    }
    return started;
  }

  /** Resolves when it has ended. */
  get exited(): Promise<unknown> {
    return this.child.exitCode === null && this.child.signalCode === null
      ? once(this.child, "exit")
      : Promise.resolve();
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** Kills the process and closes the connection. */
  close(): void {
    this.kill();
    this.client.close();
  }

  async configure(urn: string | undefined, args: Properties): Promise<void> {
    await this.call("configure", new requests.ConfigureRequest().setUrn(urn), { setArgs: args });
  }

  async check({ urn = "" }: Target, olds: Properties, news: Properties) {
    const request = new requests.CheckRequest().setUrn(urn);
    const response = await this.call("check", request, { setOlds: olds, setNews: news });
    return {
      inputs: response.getInputs().toJavaScript(),
      failures: response.getFailuresList().map((failure: Properties) => failure.getReason()) as string[],
    };
  }

  async diff(target: Target, old: Saved, news: Properties): Promise<Diff> {
    const request = describe(new requests.DiffRequest(), target, old.id);
    const response = await this.call("diff", request, { ...oldProperties(old), setNews: news });
    return {
      changes: [undefined, false, true][response.getChanges()],
      replaces: response.getReplacesList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
      paths: [...response.getDetaileddiffMap().keys()],
    };
  }

  async create(target: Target, inputs: Properties): Promise<SavedObject> {
    const request = describe(new requests.CreateRequest(), target);
    const response = await this.call("create", request, { setProperties: inputs });
    return { id: response.getId(), outputs: response.getProperties().toJavaScript() };
  }

  /** Undefined if there is no such object. */
  async read(target: Target, { id, outputs, inputs }: Partial<Saved> & { id: string }) {
    const request = describe(new requests.ReadRequest(), target, id);
    const response = await this.call("read", request, { setProperties: outputs, setInputs: inputs });
    if (response.getId() === "") return undefined;
    return {
      id: response.getId() as string,
      outputs: response.getProperties().toJavaScript(),
      inputs: response.getInputs()?.toJavaScript(),
    };
  }

  async update(target: Target, old: Saved, news: Properties): Promise<Properties> {
    const request = describe(new requests.UpdateRequest(), target, old.id);
    const response = await this.call("update", request, { ...oldProperties(old), setNews: news });
    return response.getProperties().toJavaScript();
  }

  async delete(target: Target, { id, outputs, inputs }: Saved): Promise<void> {
    const request = describe(new requests.DeleteRequest(), target, id);
    await this.call("delete", request, { setProperties: outputs, setOldInputs: inputs });
  }

  /** Sends a request with these properties, each under the name of its setter. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  call(method: string, request: any, properties: Record<string, Properties | undefined>): Promise<any> {
    for (const [setter, value] of Object.entries(properties)) {
      if (value) request[setter](Struct.fromJavaScript(value));
    }
    this.pendingCalls++;
    this.time?.wake();
    return new Promise((done, fail) => {
      this.client[method](request, (error: Properties | null, response: unknown) => {
        this.pendingCalls--;
        this.time?.wake();
        if (!error) return done(response);
        const [details] = error.metadata?.get("grpc-status-details-bin") ?? [];
        fail(new OperationError(error.details || error.message, details && partialStateIn(details)));
      });
    });
  }

  /** As `call`, with all messages of a stream. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async stream<T>(method: string, request: any, properties: Record<string, Properties>): Promise<T[]> {
    for (const [setter, value] of Object.entries(properties)) request[setter](Struct.fromJavaScript(value));
    const messages: T[] = [];
    try {
      for await (const message of this.client[method](request)) messages.push(message.toObject());
    } catch (error) {
      throw new OperationError((error as Properties).details);
    }
    return messages;
  }
}

/** The partial state that an error contains. */
function partialStateIn(details: Uint8Array): SavedObject {
  const [detail] = Status.deserializeBinary(details).getDetailsList();
  const failed = requests.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return { id: failed.getId(), outputs: failed.getProperties().toJavaScript() };
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
function describe(request: any, { urn = "", timeout = 0, ignoreChanges = [] }: Target, id?: string) {
  if (id !== undefined) request.setId(id);
  request.setIgnorechangesList?.(ignoreChanges);
  request.setTimeout?.(timeout);
  return request.setUrn(urn);
}

const oldProperties = ({ outputs, inputs }: Saved) => ({ setOlds: outputs, setOldInputs: inputs });
