/** An emulator for each test file, and a provider that is configured to use it. */
import { type Emulator, type EmulatorOptions, startEmulator } from "pulumi-tunnel-edge/emulator";
import { Host, type HostOptions } from "./host";
import { Plugin } from "./plugin";
import type { TestedProvider } from "./provider";

/** The provider that the tests of a file run with: those of test/plugin/ run the tests of others with the plugin. */
export const testedProvider = () => (process.env["TESTED_PROVIDER"] === "plugin" ? "plugin" : "dynamic");

export async function startHost(options: EmulatorOptions = {}, host: HostOptions = {}) {
  const emulator = await startEmulator(options);
  closing.push(emulator);
  return { emulator, host: await connectHost(emulator, host) };
}

/** One emulator and one host for all tests of a file. Each test is a new run, and starts with an empty account. */
export function shareHost(options: EmulatorOptions = {}, host: HostOptions = {}) {
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

export function connectHost(emulator: Emulator, { config, ...options }: HostOptions = {}): Promise<TestedProvider> {
  const address = { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": emulator.apiKey };
  return (testedProvider() === "plugin" ? Plugin : Host).start({ config: { ...address, ...config }, ...options });
}

const closing: Emulator[] = [];
afterAll(async () => {
  await Promise.all(closing.splice(0).map((emulator) => emulator.close()));
});
