/** An emulator for each test file, and a provider that is configured to use it. */
import type { Emulator, EmulatorOptions } from "pulumi-tunnel-edge/emulator";
import { requestIdHeader } from "../clock";
import { startService } from "../emulators";
import { Host } from "./host";
import { Plugin } from "./plugin";
import type { ProviderOptions } from "./pooledProvider";
import type { TestedProvider } from "./provider";
import { ProviderProcess } from "./providerProcess";
import { testedProvider } from "./testedProvider";

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
  { config, env, clock, ...options }: ProviderOptions = {},
): Promise<TestedProvider> {
  const address = { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": emulator.apiKey };
  const settings = {
    config: { ...address, ...config },
    env: { ...clock?.env, ...env },
    ...options,
  };
  if (clock) watchUnanswered(emulator);
  return testedProvider() === "plugin" ? Plugin.start(settings) : Host.start(settings);
}

const timers: NodeJS.Timeout[] = [];
afterAll(() => timers.splice(0).forEach(clearInterval));

/** Tells the processes which of their requests the service never responds to. */
function watchUnanswered(emulator: Emulator): void {
  const told = new WeakSet<object>();
  const tell = () => {
    for (const request of emulator.requests) {
      if (request.status !== "hang" || told.has(request)) continue;
      told.add(request);
      ProviderProcess.tellUnanswered(String(request.headers[requestIdHeader]));
    }
  };
  timers.push(setInterval(tell, 5));
}
