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
export function bodyOf(request: http.IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= largestBody) chunks.push(chunk);
    });
    request.on("end", () => resolve(size > largestBody ? undefined : Buffer.concat(chunks)));
    request.on("error", reject);
  });
}
