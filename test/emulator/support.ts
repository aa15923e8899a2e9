import { type Account, type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator";
import { publicKey } from "../support/data/publicKey";

export interface Response {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

/** Starts an emulator for a test file, resets it before each test and closes it at the end. */
export function setUpEmulator(options: EmulatorOptions = {}): () => Emulator {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator(options);
  });
  afterAll(() => emulator.close());
  beforeEach(() => emulator.reset());
  return () => emulator;
}

export const createHeaders = (token: string): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
  "Service-Version": "2",
});

/** Sends a request over HTTP with the required headers. */
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
    headers: { ...createHeaders(emulator.apiKey), ...type, ...headers },
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

export { publicKey };

/** The least that a seed needs for an object of this kind. The name makes it unique. */
export const createMinimalSeed = (kind: keyof Account, name: string): object =>
  kind === "sshCredentials" ? { public_key: publicKey(name) } : {};

/** Matches an error response with this code and a message that contains `text`. */
export const errorResponse = (status: number, code: string, text: string | RegExp = "") => ({
  status,
  body: {
    error_code: `ERR_TUNNEL_${code}`,
    status_code: status,
    msg: typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
    details: { operation_id: expect.stringMatching(/^op_\w{27}$/) },
  },
});
