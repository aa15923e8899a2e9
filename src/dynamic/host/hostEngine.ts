/**
 * The engine that started this host, with the SDK's own protocol stubs and gRPC library, wherever the package manager
 * has put it: the SDK's `log` functions do not work in the dynamic provider host.
 */

import { Engine } from "../../engine/engine";

const sdkLibraries = () => ({
  grpc: require(require.resolve("@grpc/grpc-js", { paths: [require.resolve("@pulumi/pulumi")] })),
  ...require("@pulumi/pulumi/proto/engine_grpc_pb"),
  ...require("@pulumi/pulumi/proto/engine_pb"),
});

/** The engine's address is the host's last argument. */
export const hostAddress = process.argv.slice(2).at(-1);

export const hostEngine = new Engine(hostAddress, sdkLibraries);
