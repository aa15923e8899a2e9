/**
 * A connection to the engine that started this process. Without one, only what uses it is missing: messages are
 * printed, and the process does not end with its engine.
 */

/** The gRPC library and the protocol's stubs, as far as they are used: programs need not compile their types. */
export interface Libraries {
  grpc: {
    credentials: { createInsecure(): unknown };
    Metadata: new () => object;
    connectivityState: { READY: number; TRANSIENT_FAILURE: number; SHUTDOWN: number };
  };
  EngineClient: new (address: string, credentials: never) => EngineClient;
  LogRequest: new () => LogRequest;
  LogSeverity: { DEBUG: number; INFO: number; WARNING: number };
}

interface EngineClient {
  log(request: never, metadata: never, options: { deadline: number }, done: () => void): void;
  getChannel(): Channel;
}

export interface Channel {
  getConnectivityState(tryToConnect: boolean): number;
  watchConnectivityState(state: number, deadline: number, done: () => void): void;
}

interface LogRequest {
  setSeverity(severity: never): unknown;
  setMessage(message: string): unknown;
  setEphemeral(isEphemeral: boolean): unknown;
  setUrn(urn: string): unknown;
}

export class Engine {
  private client: EngineClient | undefined;

  /** The libraries are loaded when they are first used, which may fail. There is no address in tests. */
  constructor(
    private readonly address: string | undefined,
    private readonly loadLibraries: () => Libraries,
  ) {}

  /** Undefined without an engine. Throws if the libraries cannot be loaded. */
  connect(): { client: EngineClient; libraries: Libraries } | undefined {
    if (!this.address) return undefined;
    const libraries = this.loadLibraries();
    const { grpc, EngineClient } = libraries;
    this.client ??= new EngineClient(this.address, grpc.credentials.createInsecure() as never);
    return { client: this.client, libraries };
  }
}
