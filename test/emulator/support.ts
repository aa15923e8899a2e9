import { type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator";

export interface Response {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

/** An emulator for the tests of one file, closed after them. */
export function emulatorOf(options: EmulatorOptions = {}): () => Emulator {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator(options);
  });
  afterAll(() => emulator.close());
  beforeEach(() => emulator.reset());
  return () => emulator;
}

export const headersOf = (token: string): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
  "Service-Version": "2",
});

/** Sends a request over HTTP, with all that every request must carry. */
export async function send(
  emulator: { url: string; apiKey: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const type: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
  const response = await fetch(path.startsWith("http") ? path : emulator.url + path, {
    method,
    headers: { ...headersOf(emulator.apiKey), ...type, ...headers },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    redirect: "manual",
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = text === "" ? undefined : JSON.parse(text);
  } catch {}
  return { status: response.status, headers: response.headers, body: parsed };
}

export const publicKey = (name: string) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${name}`;

/** The error body of a refusal: its code, with a message that names what is wrong. */
export const refusal = (status: number, code: string, naming: string | RegExp = "") => ({
  status,
  body: {
    error_code: `ERR_TUNNEL_${code}`,
    status_code: status,
    msg: typeof naming === "string" ? expect.stringContaining(naming) : expect.stringMatching(naming),
    details: { operation_id: expect.stringMatching(/^op_\w{27}$/) },
  },
});
