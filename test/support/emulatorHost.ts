/** An emulator for each test file, and a dynamic provider host that is configured to use it. */
import { type Emulator, type EmulatorOptions, startEmulator } from "pulumi-tunnel-edge/emulator";
import { Host, type HostOptions } from "./host";

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

export const connectHost = (emulator: Emulator, { config, ...options }: HostOptions = {}) =>
  Host.start({
    config: { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": emulator.apiKey, ...config },
    ...options,
  });

const closing: Emulator[] = [];
afterAll(async () => {
  await Promise.all(closing.splice(0).map((emulator) => emulator.close()));
});
