/** Serves the provider protocol on this machine, and prints the port. */

import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { toServiceError } from "./errors";
import { Provider } from "./provider";
import { createService } from "./service";

/** Pulumi's own limit; that of the gRPC library is 4 MB. */
const maxMessageBytes = 400 * 1024 * 1024;

type Handler = (request: never) => Promise<unknown>;

const toUnaryHandler =
  (handle: Handler) => async (call: ServerUnaryCall<never, unknown>, respond: sendUnaryData<unknown>) => {
    try {
      respond(null, await handle(call.request));
    } catch (error) {
      respond(toServiceError(error));
    }
  };

/** `engine` is the engine's address; without one, the engine attaches later. */
export function serve(engine: string | undefined): void {
  const provider = new Provider();
  provider.start(engine);

  const methods = Object.entries(createService(provider)).map(([name, handle]) => [name, toUnaryHandler(handle)]);
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
  });
  // Ctrl-C reaches this process, too, and the engine decides what it means. Once it has cancelled, it asks this process
  // to end with the same signal, and waits for that.
  process.on("SIGINT", () => {
    if (provider.isCancelled) server.tryShutdown(() => process.exit());
  });
  server.addService(ResourceProviderService, Object.fromEntries(methods));
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    // The engine reads this line.
    process.stdout.write(`${port}\n`);
  });
}
