/**
 * What the processes of one deployment publish for each other. Each process has a file in the deployment's folder, which
 * is named after the engine's address: all of them get it. The folder is in one of the user's own. A process that ends in
 * the usual way removes its file, and the last one the folder. What others have left behind is removed when it is old.
 */

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { systemTime } from "../base/clock";
import type { Published, SharedRegister } from "../base/sharedRegister";

/** How often a process shows that it runs. */
const touchMs = 2_000;
/** A process that has not shown that it runs for this long has stopped, or hangs. */
const deadMs = 20_000;
/** A file last touched so long before this process began belongs to an earlier deployment with the same port. */
const earlierMs = 60 * 60_000;
const sweepMs = 24 * 60 * 60_000;

/** The first line of every file. A process that does not know the format keeps what it would otherwise delete. */
const format = { format: 1 };

interface OwnFile {
  name: string;
  descriptor: number;
  touching: NodeJS.Timeout;
}

export class RegisterFiles implements SharedRegister {
  /** Why it is not known what another process has published. */
  problem: string | undefined;
  private readonly began = systemTime.now();
  /** How much of each file was read. */
  private readonly offsets = new Map<string, number>();
  private own: OwnFile | undefined;
  /** The files that record which messages this process has shown. */
  private readonly said: string[] = [];
  private isUsable = true;
  /** The folder of all deployments. */
  private readonly home: string;
  /** The folder of this deployment. Others stay out of it: it is read for every resource. */
  private readonly folder: string;

  /** `warn` says, once, that other processes are not known. */
  constructor(
    address: string,
    private readonly warn: (message: string) => void,
    parent = os.tmpdir(),
  ) {
    this.home = path.join(parent, `pulumi-tunnel-edge-${process.getuid?.() ?? ""}`);
    this.folder = path.join(this.home, address.replace(/[^\w.]/g, "-"));
  }

  publish(entry: object): void {
    this.attempt(() => {
      this.own ??= this.open();
      fs.writeSync(this.own.descriptor, `${JSON.stringify(entry)}\n`);
    });
  }

  /** What has come from each other process since the last call. */
  read(): Map<string, Published> {
    const published = new Map<string, Published>();
    this.attempt(() => {
      this.own ??= this.open();
      for (const name of fs.readdirSync(this.folder)) {
        if (name === this.own.name) continue;
        const read = this.readFile(name);
        if (read) published.set(name, read);
      }
    });
    return published;
  }

  /** Whether no other process has shown this message yet: it is shown once in a deployment. */
  isFirstToSay(topic: string): boolean {
    let isFirst = true;
    this.attempt(() => {
      this.own ??= this.open();
      const file = `${this.folder}_${topic}`;
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

  /** This process ends in the usual way. */
  close = (): void => {
    if (!this.own) return;
    const { name, descriptor, touching } = this.own;
    clearInterval(touching);
    process.off("exit", this.closeUnlessFailed);
    this.own = undefined;
    this.isUsable = false;
    try {
      fs.closeSync(descriptor);
      for (const file of [path.join(this.folder, name), ...this.said]) fs.rmSync(file, { force: true });
      fs.rmdirSync(this.folder);
    } catch {
      // Another process is using the folder, or what is left is swept later.
    }
  };

  /** What a process that crashed has declared is kept. */
  private readonly closeUnlessFailed = (code: number): void => {
    if (code === 0) this.close();
  };

  /** Without a folder of the user's own, rights or room on the disk, this process knows only its own resources. */
  private attempt(work: () => void): void {
    if (!this.isUsable) return;
    try {
      work();
    } catch (error) {
      this.isUsable = false;
      // The others then take this process for dead, and keep what it has not published.
      clearInterval(this.own?.touching);
      this.warn(
        `What other provider processes of this deployment declare is not known: ${(error as Error).message}. ` +
          "Deploy changes of providers, versions and imports one at a time.",
      );
    }
  }

  private open(): OwnFile {
    fs.mkdirSync(this.home, { recursive: true, mode: 0o700 });
    assertOwn(this.home);
    sweep(this.home, this.began - sweepMs);
    const name = randomUUID();
    const descriptor = createIn(this.folder, name);
    fs.writeSync(descriptor, `${JSON.stringify(format)}\n`);
    const touching = setInterval(() => {
      try {
        fs.futimesSync(descriptor, systemTime.now() / 1000, systemTime.now() / 1000);
      } catch {
        // The others then take this process for dead, and keep what it declares.
      }
    }, touchMs);
    touching.unref();
    process.once("exit", this.closeUnlessFailed);
    return { name, descriptor, touching };
  }

  private readFile(name: string): Published | undefined {
    const file = path.join(this.folder, name);
    try {
      const { mtimeMs, size } = fs.lstatSync(file);
      if (mtimeMs < this.began - earlierMs) return undefined;
      const isDead = systemTime.now() - mtimeMs > deadMs;
      const offset = this.offsets.get(name) ?? 0;
      // A process that is still writing a line reads afterwards what this process has published.
      const lines = size === offset ? Buffer.of() : completeLines(readFrom(file, offset, size));
      this.offsets.set(name, offset + lines.length);
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
      this.problem = `${file} could not be read: ${(error as Error).message}`;
      return undefined;
    }
  }
}

/** Creates a file in a folder, which another process may just be removing. */
function createIn(folder: string, name: string): number {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return fs.openSync(path.join(folder, name), "ax", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return createIn(folder, name);
    throw error;
  }
}

/** Removes what was left behind long ago. By age, because a process with the same number may be in another container. */
function sweep(folder: string, before: number): void {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    try {
      const found = fs.lstatSync(file);
      if (found.mtimeMs >= before) continue;
      if (found.isDirectory()) {
        sweep(file, before);
        fs.rmdirSync(file);
      } else fs.rmSync(file, { force: true });
    } catch {
      // Another process has removed it, or is using it.
    }
  }
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

/** Whether nobody else can write there: other users of the machine share the temporary folder. */
function assertOwn(folder: string): void {
  const found = fs.lstatSync(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
  // On Windows the temporary folder is the user's own.
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error(`${folder} belongs to another user`);
  if ((found.mode & 0o077) !== 0) throw new Error(`${folder} is open to other users`);
}
