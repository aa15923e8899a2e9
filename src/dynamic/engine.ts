/**
 * A connection to the engine that started this host, with the SDK's own protocol stubs and gRPC library. Without them
 * there is none, and only what uses it is missing: messages are printed, and the host is not ended with its engine.
 */

/** What is used of the SDK's `EngineClient`, whose own types every program would have to compile. */
export interface EngineClient {
  log(request: object, metadata: object, options: { deadline: number }, done: () => void): void;
  getChannel(): Channel;
}

export interface Channel {
  getConnectivityState(tryToConnect: boolean): number;
  watchConnectivityState(state: number, deadline: number, done: () => void): void;
}

let client: EngineClient | undefined;

/** Undefined without an engine, as in tests. Throws if the SDK has no gRPC library where this file looks for it. */
export function connectEngine(): EngineClient | undefined {
  // The address is the host's first argument.
  const address = process.argv[2];
  if (!address) return undefined;
  client ??= new (stubs().EngineClient)(address, grpc().credentials.createInsecure());
  return client;
}

/** The SDK's own gRPC library, wherever the package manager has put it. */
export const grpc = () => require(require.resolve("@grpc/grpc-js", { paths: [require.resolve("@pulumi/pulumi")] }));

const stubs = () => require("@pulumi/pulumi/proto/engine_grpc_pb");
