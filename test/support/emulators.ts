/** Emulators that are closed after the last test of the file. */
import { type Emulator, type EmulatorOptions, startEmulator } from "pulumi-tunnel-edge/emulator";

const started: Emulator[] = [];
afterAll(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()));
});

export async function startService(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator(options);
  started.push(emulator);
  return emulator;
}
