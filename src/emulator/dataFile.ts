import fs from "node:fs/promises";
import path from "node:path";
import { FileLock } from "./fileLock";
import type { Store } from "./store";

const formatVersion = 1;

/** The file of an account: read at start, replaced after changes, and locked against other emulators. */
export class DataFile {
  readonly #path: string;
  readonly #store: Store;
  readonly #lock: FileLock;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, store: Store) {
    this.#path = path.resolve(file);
    this.#store = store;
    this.#lock = new FileLock(this.#path);
  }

  async open(): Promise<void> {
    await this.#lock.acquire();
    await this.#load();
  }

  /** Writes the emulator's URL to the lock, for the error message of other emulators. */
  publish(url: string): void {
    this.#lock.publish(url);
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#lock.release();
    }
  }

  async #load(): Promise<void> {
    let content: string;
    try {
      content = await fs.readFile(this.#path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw new Error(`The data file ${this.#path} cannot be read: ${(error as Error).message}`);
    }
    try {
      const { emulator, ...dump } = JSON.parse(content) as Record<string, unknown>;
      if (emulator !== formatVersion) throw new Error("it is not a data file of this emulator");
      this.#store.load(dump);
    } catch (error) {
      const reason = (error as Error).message.replace(/\.$/, "");
      throw new Error(
        `The data file ${this.#path} is broken: ${reason}. Choose another file, or delete it to start over.`,
      );
    }
  }

  /** Writes soon, so that several changes are written at once. */
  scheduleWrite(): void {
    this.#timer ??= setTimeout(() => {
      this.flush().catch((error: Error) => process.emitWarning(error.message));
    }, 25);
  }

  /** Writes the changes that are not written yet. */
  flush(): Promise<void> {
    if (this.#timer) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#writing = this.#writing.catch(() => {}).then(() => this.#write());
    }
    return this.#writing;
  }

  async #write(): Promise<void> {
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      // The file contains tokens and client secrets.
      await fs.writeFile(temporary, JSON.stringify({ emulator: formatVersion, ...this.#store.dump() }), {
        mode: 0o600,
      });
      await fs.rename(temporary, this.#path);
    } catch (error) {
      await fs.rm(temporary, { force: true });
      throw new Error(`The data file ${this.#path} cannot be written: ${(error as Error).message}`);
    }
  }
}
