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

/** A log to which nothing gets that the redaction hides. */
export const redacted = <L extends Partial<Log>>(log: L, { format }: Redaction): L =>
  Object.fromEntries(
    Object.entries(log).map(([name, write]) => [
      name,
      (message: string, about?: Subject) => write(format(message), about),
    ]),
  ) as L;
