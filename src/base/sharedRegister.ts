/**
 * What the processes of a deployment publish for each other: the dynamic provider host, the one of each explicit
 * Provider, the plugin, and its old version beside its new one.
 */

import type { JsonObject } from "./json";

/** What one process has published. */
export interface Published {
  /** What was published since the last read. A later entry for the same resource or place replaces an earlier one. */
  entries: JsonObject[];
  /** Whether the process has stopped: what it declares was perhaps never sent. */
  isDead: boolean;
}

export interface SharedRegister {
  /** The others see it when this returns. */
  publish(entry: object): void;
  /** What the other processes have published, by process. */
  read(): Map<string, Published>;
  /** Why it is not known what another process has published. */
  readonly problem?: string;
}

/** Of a process that is alone. */
export const unshared: SharedRegister = { publish: () => {}, read: () => new Map() };
