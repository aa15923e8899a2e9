/** An emulator that the settings in the environment point to, for functions called in the test's own process. */
import type * as pulumi from "@pulumi/pulumi";
import { type Emulator, type EmulatorOptions, startEmulator } from "pulumi-tunnel-edge/emulator";

const running: Emulator[] = [];

export async function startService(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ apiKey: "key-of-the-account", ...options });
  running.push(emulator);
  process.env["TUNNEL_EDGE_BASE_URL"] = emulator.url;
  process.env["TUNNEL_EDGE_API_KEY"] = emulator.apiKey;
  return emulator;
}

afterEach(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith("TUNNEL_EDGE_")) delete process.env[name];
  await Promise.all(running.splice(0).map((emulator) => emulator.close()));
});

interface State<T> {
  value: T;
  known: boolean;
  secret: boolean;
}

/** An Output's value and flags. */
export async function readOutput<T>(output: pulumi.Output<T>): Promise<State<T>> {
  const { isKnown, isSecret, promise } = output as unknown as {
    isKnown: Promise<boolean>;
    isSecret: Promise<boolean>;
    promise(): Promise<T>;
  };
  return { value: await promise(), known: await isKnown, secret: await isSecret };
}

export const readOutputValue = async <T>(output: pulumi.Output<T>): Promise<T> => (await readOutput(output)).value;
