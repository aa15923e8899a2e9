/** Emulators that are closed after the last test of the file, if not before. */
import { type Emulator, EmulatorError, type EmulatorOptions, startEmulator } from "pulumi-tunnel-edge/emulator";

const started: Emulator[] = [];
afterAll(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()));
});

export async function startService(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator(options);
  started.push(emulator);
  return emulator;
}

/** Closes an emulator with its connections, of which each process of a provider keeps one. */
export async function stopService(emulator: Emulator): Promise<void> {
  started.splice(started.indexOf(emulator), 1);
  await emulator.close();
}

/** The stack's configuration of a program that uses this service. */
export const configOf = (
  { url, apiKey }: Pick<Emulator, "url" | "apiKey">,
  more: Record<string, string> = {},
): Record<string, string> => ({
  "tunnel-edge:baseUrl": url,
  "tunnel-edge:apiKey": apiKey,
  ...more,
});

/** Whether the service never responds to the request with this id. */
export const isUnanswered = (id: string): boolean =>
  started.some(({ requests }) =>
    requests.some(({ status, headers }) => status === "hang" && headers["x-request-id"] === id),
  );

/** Executes, later, the calls that the service has neither responded to nor processed: the fault `hang`. */
export function executeUnanswered(emulator: Emulator): void {
  for (const request of emulator.requests.filter(({ status, processed }) => status === "hang" && !processed)) {
    request.processed = true;
    try {
      emulator.api(request.method, request.path, request.body);
    } catch (error) {
      if (!(error instanceof EmulatorError)) throw error; // the service rejects it
    }
  }
}
