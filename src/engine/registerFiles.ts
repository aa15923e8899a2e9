/**
 * What the processes of one deployment publish for each other. Each process has a file in the deployment's folder, which
 * is named after the engine's address: all of them get it. The folder is in one of the user's own: the first that can be
 * written to, and all are read. A process that ends in the usual way removes its file, and the last one the folder. What
 * others have left behind is removed when it is old.
 */

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { systemTime } from "../base/clock";
import type { Published, SharedRegister } from "../base/sharedRegister";
import { claim, type Folder, isOther, isOwn, registerHomes, sweep } from "./registerFolders";

/** How often a process shows that it runs. */
const touchMs = 2_000;
/** A process that has not shown that it runs for this long has stopped, or hangs. */
const deadMs = 20_000;
/** A file last touched so long before this process began belongs to an earlier deployment with the same port. */
const earlierMs = 60 * 60_000;
const sweepMs = 24 * 60 * 60_000;

/** The first line of every file. A process that does not know the format keeps what it would otherwise delete. */
const format = { format: 1 };

/** What is added to the name of a file that lacks what its process could not write: renaming needs no room. */
const incomplete = ".incomplete";

interface OwnFile {
  name: string;
  folder: Folder;
  descriptor: number;
  touching: NodeJS.Timeout;
}

export class RegisterFiles implements SharedRegister {
  /** Why it is not known what all processes have published. */
  problem: string | undefined;
  private readonly began = systemTime.now();
  private readonly folders: Folder[];
  /** How much of each file was read. */
  private readonly offsets = new Map<string, number>();
  private own: OwnFile | undefined;
  /** The files that record which messages this process has shown. */
  private readonly said: string[] = [];
  private canWrite = true;
  private isClosed = false;

  /** `warn` says, once, that this process cannot publish. */
  constructor(
    address: string,
    private readonly warn: (problem: string) => void,
    homes = registerHomes(),
  ) {
    const name = address.replace(/[^\w.]/g, "-");
    this.folders = homes.map((home) => ({ home, deployment: path.join(home, name), isOwn: false }));
  }

  publish(entry: object): void {
    this.write(({ descriptor }) => writeLine(descriptor, entry));
  }

  /** What has come from each other process since the last call. */
  read(): Map<string, Published> {
    const published = new Map<string, Published>();
    // Who reads can be asked: the others must know of this process.
    this.write(() => {});
    if (this.isClosed) return published;
    for (const folder of this.folders) {
      for (const name of this.list(folder)) {
        const process = name.endsWith(incomplete) ? name.slice(0, -incomplete.length) : name;
        const read =
          process === this.own?.name ? undefined : this.readFile(path.join(folder.deployment, name), process);
        if (read) published.set(process, read);
      }
    }
    return published;
  }

  /** Whether no other process has shown this message yet: it is shown once in a deployment. */
  isFirstToSay(topic: string): boolean {
    let isFirst = true;
    this.write(({ folder }) => {
      const file = `${folder.deployment}_${topic}`;
      try {
        fs.closeSync(fs.openSync(file, "ax", 0o600));
        this.said.push(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        isFirst = false;
      }
    });
    return isFirst;
  }

  /** This process ends in the usual way. What it could not publish is still not known then, and its file says so. */
  close = (): void => {
    this.isClosed = true;
    if (!this.own) return;
    const { name, folder, descriptor, touching } = this.own;
    clearInterval(touching);
    process.off("exit", this.closeUnlessFailed);
    this.own = undefined;
    removeAll([path.join(folder.deployment, name), ...this.said]);
    try {
      fs.closeSync(descriptor);
      fs.rmdirSync(folder.deployment);
    } catch {
      // Another process is using the folder, or what is left is swept later.
    }
  };

  /** What a process that crashed has declared is kept. */
  private readonly closeUnlessFailed = (code: number): void => {
    if (code === 0) this.close();
  };

  /** Writes for the others. What cannot be written is not known: nobody deletes anything in this deployment then. */
  private write(work: (own: OwnFile) => void): void {
    if (!this.canWrite || this.isClosed) return;
    try {
      this.own ??= this.open();
      work(this.own);
    } catch (error) {
      this.canWrite = false;
      const { own } = this;
      if (own) markIncomplete(path.join(own.folder.deployment, own.name));
      this.problem = own ? describe(own.folder.home, error) : (error as Error).message;
      this.warn(this.problem);
    }
  }

  /** Creates this process's file in the first folder that works. */
  private open(): OwnFile {
    const name = randomUUID();
    const problems: string[] = [];
    const left: string[] = [];
    for (const folder of this.folders) {
      try {
        claim(folder);
        sweep(folder.home, this.began - sweepMs);
        const descriptor = createIn(folder.deployment, name);
        removeAll(left);
        return { name, folder, descriptor, touching: this.touch(descriptor) };
      } catch (error) {
        problems.push(describe(folder.home, error));
        // If no other folder works, this is how the others know of this process.
        left.push(markIncomplete(path.join(folder.deployment, name)));
      }
    }
    throw new Error(problems.join(", "));
  }

  /** Shows that this process runs. */
  private touch(descriptor: number): NodeJS.Timeout {
    const touching = setInterval(() => {
      try {
        fs.futimesSync(descriptor, systemTime.now() / 1000, systemTime.now() / 1000);
      } catch {
        // The others then take this process for dead, and keep what it declares.
      }
    }, touchMs);
    touching.unref();
    process.once("exit", this.closeUnlessFailed);
    return touching;
  }

  /** The names of the processes' files. Nobody publishes in a folder of another user, or in one that does not exist. */
  private list(folder: Folder): string[] {
    folder.isOwn ||= isOwn(folder.home);
    try {
      return folder.isOwn ? fs.readdirSync(folder.deployment) : [];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.problem = describe(folder.home, error);
      return [];
    }
  }

  private readFile(file: string, process: string): Published | undefined {
    try {
      const { mtimeMs, size, uid } = fs.lstatSync(file);
      if (mtimeMs < this.began - earlierMs || isOther(uid)) return undefined;
      if (file.endsWith(incomplete)) this.problem = `${file} (its process could no longer write)`;
      const isDead = systemTime.now() - mtimeMs > deadMs;
      const offset = this.offsets.get(process) ?? 0;
      // A process that is still writing a line reads afterwards what this process has published.
      const lines = size === offset ? Buffer.of() : completeLines(readFrom(file, offset, size));
      this.offsets.set(process, offset + lines.length);
      const entries = lines
        .toString()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      const isUnknown = entries.some((entry) => entry["format"] !== undefined && entry["format"] !== format.format);
      if (isUnknown) throw new Error("it has another format");
      return { entries, isDead };
    } catch (error) {
      // A process that ended in the usual way has removed its file.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      this.problem = describe(file, error);
      return undefined;
    }
  }
}

/** What is wrong with a folder or file, without its name, which Node repeats. */
const describe = (file: string, error: unknown) =>
  `${file} (${(error as Error).message.replace(/, \w+( '.*')?( -> '.*')?$/, "")})`;

/** A disk that is almost full takes part of a line. */
function writeLine(descriptor: number, entry: object): void {
  const line = Buffer.from(`${JSON.stringify(entry)}\n`);
  if (fs.writeSync(descriptor, line) < line.length) throw new Error("no space left");
}

function removeAll(files: string[]): void {
  for (const file of files) {
    try {
      fs.rmSync(file, { force: true });
    } catch {
      // What is left is swept later.
    }
  }
}

/** Says that a file lacks something, and returns its new name. */
function markIncomplete(file: string): string {
  try {
    fs.renameSync(file, file + incomplete);
  } catch {
    // It was never created, or the others take its process for dead when it stops.
  }
  return file + incomplete;
}

/** Creates a file in a folder, which another process may just be removing. */
function createIn(folder: string, name: string): number {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  let descriptor: number;
  try {
    descriptor = fs.openSync(path.join(folder, name), "ax", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return createIn(folder, name);
    throw error;
  }
  writeLine(descriptor, format);
  return descriptor;
}

const completeLines = (read: Buffer) => read.subarray(0, read.lastIndexOf("\n") + 1);

function readFrom(file: string, offset: number, end: number): Buffer {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    const buffer = Buffer.alloc(end - offset);
    const length = fs.readSync(descriptor, buffer, 0, buffer.length, offset);
    return buffer.subarray(0, length);
  } finally {
    fs.closeSync(descriptor);
  }
}
