import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import fs from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** The content of a lock file: the process that wrote it. */
interface Owner {
  pid: number;
  /** Where the pid has a meaning: the machine and, on Linux, the container. */
  host?: string;
  /** When the process was started, because another may later get the same pid. */
  started?: string;
  /** The emulator's base URL; unset while it starts. */
  url?: string;
  /** Makes the lock unique. */
  key: string;
}

/** Another emulator uses the file. */
export class FileInUseError extends Error {
  readonly code = "EMULATOR_FILE_IN_USE";
  /** The other emulator's base URL; undefined while it starts. */
  readonly url: string | undefined;

  constructor(file: string, owner: Owner) {
    const { pid, url } = owner;
    const other = url === undefined ? "another emulator" : `the emulator on ${url}`;
    const where = isOnThisHost(owner) ? "" : " in another container or on another machine";
    super(
      `The data file ${file} is in use by ${other} (process ${pid}${where}). ` +
        "Use that one, stop it, or choose another file.",
    );
    this.url = url;
  }
}

/** A lock file that is still empty after this time was left by a process that has ended. */
const abandonedMs = 2000;

/** How often an emulator touches its lock, for emulators that cannot see its process. */
const touchMs = 1000;

/** A lock of another host that is not touched for this time was left by a process that has ended. */
const untouchedMs = 5000;

const host = `${hostname()} ${readPidNamespace()}`.trim();

/** Locks a file for one emulator. A lock whose process has ended is ignored. */
export class FileLock {
  readonly #file: string;
  readonly #path: string;
  readonly #owner: Owner = { pid: process.pid, host, started: readStartTime(process.pid), key: randomUUID() };
  #content: string | undefined;
  #touching: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#path = `${file}.lock`;
  }

  async acquire(): Promise<void> {
    const content = JSON.stringify(this.#owner);
    while (!(await this.#create(this.#path, content))) {
      const existing = await readIfExists(this.#path);
      if (existing === undefined) continue; // just released
      const owner = parseOwner(existing);
      if (owner && (isOnThisHost(owner) ? isRunning(owner) : await isTouched(this.#path)))
        throw new FileInUseError(this.#file, owner);
      if (owner || (await isAbandoned(this.#path))) await this.#remove(existing);
      else await sleep(50); // being written
    }
    this.#content = content;
    const touch = () => fs.utimes(this.#path, new Date(), new Date()).catch(() => {});
    this.#touching = setInterval(touch, touchMs).unref();
  }

  /** Adds the emulator's URL to the lock. */
  async publish(url: string): Promise<void> {
    this.#content = JSON.stringify({ ...this.#owner, url });
    const temporary = `${this.#path}.${this.#owner.key}.tmp`;
    await fs.writeFile(temporary, this.#content);
    await fs.rename(temporary, this.#path);
  }

  async release(): Promise<void> {
    clearInterval(this.#touching);
    if (this.#content !== undefined && (await readIfExists(this.#path)) === this.#content)
      await fs.rm(this.#path, { force: true });
    this.#content = undefined;
  }

  /** Removes an abandoned lock, one process at a time, so that none removes a new lock of another. */
  async #remove(existing: string): Promise<void> {
    const guard = `${this.#path}.removing`;
    if (!(await this.#create(guard, ""))) {
      if (await isAbandoned(guard)) await fs.rm(guard, { force: true });
      else await sleep(50);
      return;
    }
    try {
      if ((await readIfExists(this.#path)) === existing) await fs.rm(this.#path);
    } finally {
      await fs.rm(guard, { force: true });
    }
  }

  /** Creates a file; returns false if it exists. */
  async #create(path: string, content: string): Promise<boolean> {
    try {
      await fs.writeFile(path, content, { flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw new Error(`The data file ${this.#file} cannot be written: ${(error as Error).message}`);
    }
  }
}

async function readIfExists(path: string): Promise<string | undefined> {
  return fs.readFile(path, "utf8").catch(ignoreMissing);
}

async function isAbandoned(path: string): Promise<boolean> {
  const stat = await fs.stat(path).catch(ignoreMissing);
  return stat !== undefined && Date.now() - stat.mtimeMs > abandonedMs;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Returns undefined if the lock is not written completely. */
function parseOwner(content: string): Owner | undefined {
  try {
    const owner = JSON.parse(content) as Owner;
    return Number.isInteger(owner.pid) && owner.pid > 0 ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** A lock without a host is of an earlier version. */
const isOnThisHost = (owner: Owner) => owner.host === undefined || owner.host === host;

/** Whether a lock is touched within some seconds: compared with itself, because the clocks of two machines may differ. */
async function isTouched(path: string): Promise<boolean> {
  const readTime = async () => (await fs.stat(path).catch(ignoreMissing))?.mtimeMs;
  const before = await readTime();
  for (let waited = 0; waited < untouchedMs; waited += touchMs / 2) {
    await sleep(touchMs / 2);
    const now = await readTime();
    if (now !== before) return now !== undefined;
  }
  return false;
}

/** Pids differ from one container to another. */
function readPidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function isRunning({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return readStartTime(pid) === started;
}

/** Returns when a process was started, or undefined if that is not known. */
function readStartTime(pid: number): string | undefined {
  try {
    if (process.platform === "linux")
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop()!.split(" ")[19];
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }).trim();
  } catch {
    return undefined;
  }
}
