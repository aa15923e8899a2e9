/** How the provider and the functions talk to the user. */

import type { Redaction } from "../base/redaction";
import type { Options } from "./options";

export interface Log {
  debug(message: string, about?: Subject): void;
  info(message: string, about?: Subject): Promise<void>;
  warn(message: string, about?: Subject): Promise<void>;
  /** What the user sees while something is waited for. */
  status(message: string): void;
}

/** The resource that a message is about: the message stands on its row or, where there are none, after its name. */
export type Subject = Pick<Options, "key"> & Partial<Pick<Options, "resource">>;

type Severity = "DEBUG" | "INFO" | "WARNING";

/** A log that sends messages, and statuses while something is waited for, through `send`. */
export const createLog = (
  send: (severity: Severity, message: string, about?: Subject, isStatus?: boolean) => Promise<void>,
): Log => ({
  debug: (message, about) => void send("DEBUG", message, about),
  info: (message, about) => send("INFO", message, about),
  warn: (message, about) => send("WARNING", message, about),
  status: (message) => void send("INFO", message, undefined, true),
});

/** The same log, whose messages have no secrets. */
export const redacted = <L extends Partial<Log>>(log: L, { format }: Redaction): L =>
  Object.fromEntries(
    Object.entries(log).map(([name, write]) => [
      name,
      (message: string, about?: Subject) => write(format(message), about),
    ]),
  ) as L;
