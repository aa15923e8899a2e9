/** An emulator for each test file, and a provider that is configured to use it. */
import type { Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { configOf, startService } from "../emulators";
import { Host } from "./host";
import { Plugin } from "./plugin";
import type { ProviderOptions } from "./pooledProvider";
import { Processes } from "./processes";
import type { TestedProvider } from "./provider";
import { testedProvider } from "./testedProvider";

const isInProcess = process.env["TEST_TRANSPORT"] !== "grpc";

export async function startHost(options: EmulatorOptions = {}, host: ProviderOptions = {}) {
  const emulator = await startService(options);
  return { emulator, host: await connectHost(emulator, host) };
}

/** One emulator and one host for all tests of a file. Each test is a new run, and starts with an empty account. */
export function shareHost(options: EmulatorOptions = {}, host: ProviderOptions = {}) {
  let shared: Awaited<ReturnType<typeof startHost>>;
  beforeAll(async () => {
    shared = await startHost(options, host);
  });
  beforeEach(async () => {
    shared.emulator.reset();
    await shared.host.startNewRun();
  });
  return () => shared;
}

export function connectHost(
  emulator: Emulator,
  { config, env, time, ...options }: ProviderOptions = {},
): Promise<TestedProvider> {
  const all = configOf(emulator, config);
  if (isInProcess && !env && Object.keys(options).length === 0) {
    return Promise.resolve(new Processes(time).start(testedProvider(), all));
  }
  const settings = {
    config: all,
    env,
    time,
    ...options,
  };
  return testedProvider() === "plugin" ? Plugin.start(settings) : Host.start(settings);
}
