import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The content of a lock file. */
interface Owner {
  pid: number;
  run: string;
  /** The emulator's base URL; unset while it starts. */
  url?: string;
}

/** Another emulator uses the file. */
export class FileInUseError extends Error {
  readonly code = "EMULATOR_FILE_IN_USE";
  /** The other emulator's base URL; undefined while it starts. */
  readonly url: string | undefined;

  constructor(file: string, lock: string, { pid, url }: Partial<Owner>) {
    const other = url === undefined ? "another emulator" : `the emulator on ${url}`;
    const process = pid === undefined ? "" : ` (process ${pid})`;
    super(
      `The data file ${file} is in use by ${other}${process}. Use that one, stop it, or choose another file. ` +
        `If it is not running, delete ${lock}.`,
    );
    this.url = url;
  }
}

/** Tells this process from an ended one that had its pid: in a container that was killed, both may be process 1. */
const run = randomUUID();

/** Reserves a file for one emulator. A lock whose process has ended is ignored. */
export class FileLock {
  readonly #file: string;
  readonly #path: string;
  #isHeld = false;

  constructor(file: string) {
    this.#file = file;
    this.#path = `${file}.lock`;
  }

  async acquire(): Promise<void> {
    while (!this.#write({}, "wx")) {
      const owner = this.#read();
      if (owner === undefined) continue; // just released
      if (isRunning(owner)) throw new FileInUseError(this.#file, this.#path, owner);
      this.#write({}, "w");
      // Of several emulators that replace an abandoned lock at the same time, the last to write has it.
      await sleep(50);
      if (this.#isMine()) break;
    }
    this.#isHeld = true;
  }

  /** Adds the emulator's URL to the lock. */
  publish(url: string): void {
    this.#write({ url }, "w");
  }

  release(): void {
    if (this.#isHeld && this.#isMine()) fs.rmSync(this.#path, { force: true });
  }

  /** Returns false if the lock must not exist, but does. */
  #write(more: Partial<Owner>, flag: "w" | "wx"): boolean {
    try {
      fs.writeFileSync(this.#path, JSON.stringify({ pid: process.pid, run, ...more }), { flag });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw new Error(`The data file ${this.#file} cannot be written: ${(error as Error).message}`);
    }
  }

  /** Returns nothing of an owner whose lock is not written completely, and undefined if there is no lock. */
  #read(): Partial<Owner> | undefined {
    try {
      return JSON.parse(fs.readFileSync(this.#path, "utf8")) ?? {};
    } catch (error) {
      if (error instanceof SyntaxError) return {};
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  #isMine(): boolean {
    const owner = this.#read();
    return owner?.pid === process.pid && owner.run === run;
  }
}

function isRunning(owner: Partial<Owner>): boolean {
  if (owner.pid === undefined) return true; // it is writing the lock
  if (owner.pid === process.pid) return owner.run === run;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
