import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import fs from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** What a lock file says about the process that wrote it. */
interface Owner {
  pid: number;
  /** When the process was started: after its end, another may have its number. */
  started?: string;
  /** Where its emulator listens, as soon as it does. */
  url?: string;
  /** Tells this lock from any other. */
  key: string;
}

/** Another emulator keeps its account in the file. */
export class FileInUseError extends Error {
  readonly code = "EMULATOR_FILE_IN_USE";
  /** The other emulator's base URL; undefined while it starts. */
  readonly url: string | undefined;

  constructor(file: string, { pid, url }: Owner) {
    const other = url === undefined ? "another emulator" : `the emulator on ${url}`;
    super(
      `The data file ${file} is in use by ${other} (process ${pid}). Use that one, stop it, or choose another file.`,
    );
    this.url = url;
  }
}

/** A file that is written in one step and still empty after this time was left by a process that has ended. */
const abandonedMs = 2000;

/** Keeps a file to one emulator at a time. A lock whose owner is gone counts for nothing. */
export class FileLock {
  readonly #file: string;
  readonly #path: string;
  readonly #owner: Owner = { pid: process.pid, started: startOf(process.pid), key: randomUUID() };
  #mine: string | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#path = `${file}.lock`;
  }

  async acquire(): Promise<void> {
    const mine = JSON.stringify(this.#owner);
    while (!(await this.#create(this.#path, mine))) {
      const theirs = await read(this.#path);
      if (theirs === undefined) continue; // just released
      const owner = ownerOf(theirs);
      if (owner && isRunning(owner)) throw new FileInUseError(this.#file, owner);
      if (owner || (await isAbandoned(this.#path))) await this.#remove(theirs);
      else await sleep(50); // being written
    }
    this.#mine = mine;
  }

  /** Says where the emulator listens, for those who find the file locked. */
  async publish(url: string): Promise<void> {
    this.#mine = JSON.stringify({ ...this.#owner, url });
    const temporary = `${this.#path}.${this.#owner.key}.tmp`;
    await fs.writeFile(temporary, this.#mine);
    await fs.rename(temporary, this.#path);
  }

  async release(): Promise<void> {
    if (this.#mine !== undefined && (await read(this.#path)) === this.#mine) await fs.rm(this.#path, { force: true });
    this.#mine = undefined;
  }

  /** Removes an abandoned lock. One process at a time: a slow one would remove the lock of a quick one. */
  async #remove(theirs: string): Promise<void> {
    const turn = `${this.#path}.removing`;
    if (!(await this.#create(turn, ""))) {
      if (await isAbandoned(turn)) await fs.rm(turn, { force: true });
      else await sleep(50);
      return;
    }
    try {
      if ((await read(this.#path)) === theirs) await fs.rm(this.#path);
    } finally {
      await fs.rm(turn, { force: true });
    }
  }

  /** Whether there was no such file, and now there is. */
  async #create(path: string, text: string): Promise<boolean> {
    try {
      await fs.writeFile(path, text, { flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw new Error(`The data file ${this.#file} cannot be written: ${(error as Error).message}`);
    }
  }
}

async function read(path: string): Promise<string | undefined> {
  return fs.readFile(path, "utf8").catch(unlessMissing);
}

async function isAbandoned(path: string): Promise<boolean> {
  const stat = await fs.stat(path).catch(unlessMissing);
  return stat !== undefined && Date.now() - stat.mtimeMs > abandonedMs;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Undefined for a lock that is not written to its end. */
function ownerOf(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner;
    return Number.isInteger(owner.pid) && owner.pid > 0 ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isRunning({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return startOf(pid) === started;
}

/** When a process was started; undefined where the system does not say. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform === "linux")
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop()!.split(" ")[19];
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }).trim();
  } catch {
    return undefined;
  }
}
