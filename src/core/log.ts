/** How the provider and the functions talk to the user. */

import type { Redaction } from "../redaction";
import type { Options } from "./options";

export interface Log {
  debug(message: string, about?: Subject): void;
  info(message: string, about?: Subject): Promise<void>;
  warn(message: string, about?: Subject): Promise<void>;
  /** What the user sees while something is waited for. */
  status(message: string): void;
}

/** The resource on whose row a message stands; with its name before the message, where there are no rows. */
export type Subject = Pick<Options, "key"> & Partial<Pick<Options, "resource">>;

type Severity = "DEBUG" | "INFO" | "WARNING";

/** A log whose messages `send` sends, each with its resource, and whose statuses it shows while something is waited for. */
export const createLog = (
  send: (severity: Severity, message: string, about?: Subject, isStatus?: boolean) => Promise<void>,
): Log => ({
  debug: (message, about) => void send("DEBUG", message, about),
  info: (message, about) => send("INFO", message, about),
  warn: (message, about) => send("WARNING", message, about),
  status: (message) => void send("INFO", message, undefined, true),
});

/** The same log, without what the redaction hides. */
export const redacted = <L extends Partial<Log>>(log: L, { format }: Redaction): L =>
  Object.fromEntries(
    Object.entries(log).map(([name, write]) => [
      name,
      (message: string, about?: Subject) => write(format(message), about),
    ]),
  ) as L;
