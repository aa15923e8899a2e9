import type http from "node:http";
import type { Fault, FaultHandle, Faults } from "./faults";
import type { Account, Seed, Seeded } from "./objects";
import type { LoggedRequest, RequestLog } from "./requestLog";
import type { Service } from "./service";

/** Called with every request, and without one after every other change of the account. */
export type Watcher = (request?: LoggedRequest) => void;

/** What the admin API can do with the emulator. */
interface EmulatorControls {
  readonly url: string;
  readonly account: Account;
  api(method: string, path: string, body?: unknown): unknown;
  clearRequests(): void;
  fail(fault: Fault): FaultHandle;
  seed(seed: Seed): Seeded;
  reset(): void;
}

/** What the HTTP server needs. */
export interface ServerContext {
  emulator: EmulatorControls;
  service: Service;
  faults: Faults;
  log: RequestLog;
  watchers: Set<Watcher>;
  /** The name or address that the server listens on. */
  host: string;
  /** Further names, in lower case. */
  allowedHosts: string[];
  basePath: string;
  /** Aborted when the server closes. */
  closing: AbortSignal;
  onRequest(request: LoggedRequest): void | Promise<void>;
  onChange: Watcher;
}

export const maxBodyBytes = 1024 * 1024;

/** Reads the body; undefined if it is too large. */
export function readBody(request: http.IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
    });
    request.on("end", () => resolve(size > maxBodyBytes ? undefined : Buffer.concat(chunks)));
    request.on("error", reject);
  });
}
