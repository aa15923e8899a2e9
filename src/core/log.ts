/** How the provider and the functions talk to the user. */

import type { Options } from "./options";

export interface Log {
  debug(message: string, about?: Subject): void;
  info(message: string, about?: Subject): Promise<void>;
  warn(message: string, about?: Subject): Promise<void>;
  /** What the user sees while something is waited for. */
  status(message: string): void;
}

/** The resource that a message is about. */
export type Subject = Pick<Options, "resource">;
