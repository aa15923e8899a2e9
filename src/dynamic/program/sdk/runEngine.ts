/**
 * The engine of the run that calls a function, in the SDK's own connection, and whether that engine has started this
 * process. A process may have several runs: inline programs of the Automation API run in the user's own, which outlives
 * their engines. Where the SDK does not show it, the process lives on.
 */

import * as pulumi from "@pulumi/pulumi";
import type { Connected } from "../../../engine/exitWithEngine";

export type RunEngine = Connected["client"];

/** The same object for all calls of a run; undefined outside of one. */
export const runEngine = (): RunEngine | undefined => pulumi.runtime.getEngine?.() as RunEngine | undefined;

export function connect(client: RunEngine): Connected {
  const grpc = () => require(require.resolve("@grpc/grpc-js", { paths: [require.resolve("@pulumi/pulumi")] }));
  return { client, libraries: { grpc: grpc() } };
}

/**
 * Whether the engine of the current run has started this process. It starts Pulumi's runner, whose run has no store of its
 * own, or a component provider, which gets the engine's address as an argument. The address in the environment proves
 * nothing, because child processes inherit it.
 */
export function isStartedBy(client: RunEngine): boolean {
  const { asyncLocalStorage } = globalThis as { asyncLocalStorage?: { getStore(): unknown } };
  if (asyncLocalStorage?.getStore() === undefined) return runner.test(require.main?.filename ?? "");
  const { getTarget } = client.getChannel() as { getTarget?(): string };
  // The target has a scheme: `dns:127.0.0.1:40123`.
  return process.argv.includes(getTarget?.call(client.getChannel()).replace(/^dns:/, "") ?? "");
}

const runner = /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run[\\/]/;
