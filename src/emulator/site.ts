import type http from "node:http";
import type { Emulator } from "./emulator";
import type { Faults } from "./faults";
import type { LoggedRequest, RequestLog } from "./log";
import type { Service } from "./service";

/** Told of every request answered, and without one of every other change of the account. */
export type Watcher = (request?: LoggedRequest) => void;

/** What the server serves. */
export interface Site {
  emulator: Emulator;
  service: Service;
  faults: Faults;
  log: RequestLog;
  watchers: Set<Watcher>;
  /** The name or address the server listens on. */
  host: string;
  basePath: string;
  /** Aborted when the server closes. */
  closing: AbortSignal;
  onRequest(request: LoggedRequest): void | Promise<void>;
  changed: Watcher;
}

export const largestBody = 1024 * 1024;

/** The body, or undefined when it is too large. */
export async function bodyOf(request: http.IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= largestBody) chunks.push(chunk);
  }
  if (size > largestBody) return undefined;
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}
