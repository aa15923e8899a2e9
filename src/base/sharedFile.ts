/** The one file in which the processes of a deployment tell each other what their resources claim. */

import type { JsonObject } from "./json";

export interface SharedFile {
  /** As messages name it. */
  readonly path: string;
  /** The others can read it when this returns. Throws if it cannot be written. */
  append(line: JsonObject): void;
  /** What other processes have appended since the last call. Throws if that cannot be read. */
  read(): SharedLine[];
}

export interface SharedLine {
  /** The process that has appended it. */
  process: string;
  /** Undefined if the process has ended normally. */
  line?: JsonObject;
}
