/** Serves the provider protocol. */

import type { Socket } from "node:net";
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { PartialFailure } from "../core/errors";
import { PluginProvider } from "./pluginProvider";
import { deserialize, encode, type MessageClass, serialize } from "./properties";
import { createService } from "./protocol";

/** Pulumi's own limit; that of the gRPC library is 4 MB. */
const maxMessageBytes = 400 * 1024 * 1024;

const maxTimerMs = 2 ** 31 - 1;

type Handler = (request: never) => Promise<unknown> | AsyncIterable<unknown>;

const toHandler = (name: string, handle: Handler) =>
  ResourceProviderService[name]!.responseStream ? toStreamHandler(handle) : toUnaryHandler(handle);

const toUnaryHandler =
  (handle: Handler) => async (call: ServerUnaryCall<never, unknown>, respond: sendUnaryData<unknown>) => {
    try {
      respond(null, await handle(call.request));
    } catch (error) {
      respond(toServiceError(error));
    }
  };

const toStreamHandler = (handle: Handler) => async (call: ServerWritableStream<never, unknown>) => {
  try {
    for await (const response of handle(call.request) as AsyncIterable<unknown>) {
      if (call.cancelled) return;
      call.write(response);
    }
    call.end();
  } catch (error) {
    call.emit("error", toServiceError(error));
  }
};

/** The class of a method's requests, which the types of gRPC leave out. */
type Requests = { requestType: MessageClass };

/** The protocol's methods, whose messages properties.ts reads and writes. */
const service = Object.fromEntries(
  Object.entries(ResourceProviderService).map(([name, method]) => [
    name,
    {
      ...method,
      requestDeserialize: (bytes: Buffer) => deserialize((method as unknown as Requests).requestType, bytes),
      responseSerialize: serialize,
    },
  ]),
);

interface Serving {
  accept(connection: Socket): void;
  /** Called on Ctrl-C, and when the engine asks this process to end, which it does with the same signal. */
  interrupt(): void;
}

/**
 * `engine` is the engine's address. Without one the process was started by hand, and serves all providers of an engine,
 * each of which has a connection of its own.
 */
export function serve(engine: string | undefined): Serving {
  const served = new Set<Served>();
  if (engine !== undefined) served.add(serveProvider(engine));
  return {
    accept(connection) {
      const [own] = engine === undefined ? [serveProvider(undefined)] : served;
      served.add(own!);
      own!.accept(connection);
      if (engine !== undefined) return;
      connection.once("close", () => {
        own!.provider.close();
        served.delete(own!);
      });
    },
    interrupt() {
      // Until the engine has cancelled, it decides what Ctrl-C means. Then it waits for the end of this process.
      if ([...served].some(({ provider }) => !provider.isCancelled)) return;
      void Promise.all([...served].map((each) => each.drain())).then(() => process.exit());
    },
  };
}

interface Served {
  provider: PluginProvider;
  accept(connection: Socket): void;
  /** Resolves when the calls of all connections are answered, and the connections closed. */
  drain(): Promise<unknown>;
}

function serveProvider(engine: string | undefined): Served {
  const provider = new PluginProvider();
  provider.start(engine);
  const methods = Object.entries(createService(provider)).map(([name, handle]) => [name, toHandler(name, handle)]);
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
  });
  server.addService(service, Object.fromEntries(methods));
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const closed: Promise<void>[] = [];
  return {
    provider,
    accept(connection) {
      closed.push(new Promise((done) => connection.once("close", () => done())));
      injector.injectConnection(connection);
    },
    drain() {
      injector.drain(maxTimerMs);
      return Promise.all(closed);
    },
  };
}

/** An error as the protocol carries it: a message for the user and, after a partial failure, what the state records. */
export function toServiceError(error: unknown) {
  const details = error instanceof Error ? error.message : String(error);
  const metadata = new Metadata();
  if (error instanceof PartialFailure) metadata.add("grpc-status-details-bin", failureDetails(error, details));
  return { code: status.UNKNOWN, details, metadata };
}

function failureDetails({ id, properties }: PartialFailure, message: string): Buffer {
  const failure = new ErrorResourceInitFailed();
  failure.setId(id);
  failure.setProperties(encode({ values: properties }));
  failure.setReasonsList([message]);
  const detail = new Any();
  detail.pack(serialize(failure), "pulumirpc.ErrorResourceInitFailed");
  const result = new Status();
  result.setCode(status.UNKNOWN);
  result.setMessage(message);
  result.addDetails(detail);
  return Buffer.from(result.serializeBinary());
}
