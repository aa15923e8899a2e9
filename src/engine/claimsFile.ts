/**
 * The file of a deployment to which its processes append the claims of their resources. The processes are the dynamic
 * provider host, that of each explicit Provider, the plugin, and its old version beside its new one. The file is named
 * after the host and the engine's address, which all of them get. It is in a private folder in the temporary folder:
 * every Node program can write there, and every process finds it in the same way.
 */

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { systemTime } from "../base/clock";
import { isObject, type JsonObject } from "../base/json";
import type { SharedFile, SharedLine } from "../base/sharedFile";

/** Every line names it, because an old and a new version of the plugin may share a file. */
const format = 1;
const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_RDONLY, O_WRONLY } = fs.constants;
const dayMs = 24 * 60 * 60_000;
/** How often, and how long, a line is waited for that another process is just writing. */
const torn = { tries: 10, pauseMs: 10 };

export class ClaimsFile implements SharedFile {
  readonly path: string;
  private readonly folder: string;
  private readonly process = randomUUID();
  private descriptor: number | undefined;
  private hasEnded = false;
  private offset = 0;

  constructor(
    address: string,
    private readonly temporary = os.tmpdir(),
  ) {
    this.folder = path.join(temporary, `pulumi-tunnel-edge-${process.getuid?.() ?? ""}`);
    this.path = path.join(this.folder, `${os.hostname()}-${address}`.replace(/[^\w.-]/g, "-"));
  }

  append(line: JsonObject): void {
    if (this.hasEnded) return;
    this.descriptor ??= this.open();
    this.write(this.descriptor, line);
  }

  read(): SharedLine[] {
    // Each process would read another one, and none has written to it.
    if (!path.isAbsolute(this.temporary)) return [];
    try {
      assertOwn(this.folder);
      const text = this.readNew();
      const lines = text.split("\n").filter(Boolean).map(parseLine);
      // Only now: a line that cannot be read is an error each time.
      this.offset += Buffer.byteLength(text);
      return lines.filter((each) => each.process !== this.process);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isMissing = code === "ENOENT" || code === "ENOTDIR";
      if (isMissing && this.descriptor === undefined) return [];
      throw isMissing ? new Error("it was removed") : error;
    }
  }

  /** This process ends normally: it claims nothing any more. The claims of a killed process stay, and are not done. */
  end = (): void => {
    if (this.descriptor !== undefined && !this.hasEnded) {
      try {
        this.write(this.descriptor, { ended: true });
      } catch {
        // Its claims stay, as if it had been killed.
      }
    }
    this.hasEnded = true;
    process.off("exit", this.endAtExit);
  };

  private readonly endAtExit = (code: number): void => {
    if (code === 0) this.end();
  };

  private open(): number {
    if (!path.isAbsolute(this.temporary)) {
      throw new Error(`the temporary folder is "${this.temporary}", which is another one for each process`);
    }
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    assertOwn(this.folder);
    removeOld(this.folder);
    const descriptor = fs.openSync(this.path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    process.once("exit", this.endAtExit);
    return descriptor;
  }

  /** In one write, so that the lines of two processes do not mix. A disk that is almost full takes part of a line. */
  private write(descriptor: number, line: JsonObject): void {
    const bytes = Buffer.from(`${JSON.stringify({ format, process: this.process, ...line })}\n`);
    if (fs.writeSync(descriptor, bytes) < bytes.length) throw new Error("no space left");
  }

  /** What was appended since the last time. */
  private readNew(): string {
    const descriptor = fs.openSync(this.path, O_RDONLY | O_NOFOLLOW);
    try {
      if (this.descriptor !== undefined && fs.fstatSync(this.descriptor).ino !== fs.fstatSync(descriptor).ino) {
        throw new Error("another file is in its place");
      }
      for (let tries = torn.tries; ; tries--) {
        const text = readFrom(descriptor, this.offset);
        if (text === "" || text.endsWith("\n")) return text;
        if (tries === 0) throw new Error("its last line is not complete");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, torn.pauseMs);
      }
    } finally {
      fs.closeSync(descriptor);
    }
  }
}

function parseLine(text: string): SharedLine {
  const { format: found, process, ended, ...line } = parseObject(text);
  if (found !== format || typeof process !== "string") throw new Error("it has another format");
  return ended ? { process } : { process, line };
}

function parseObject(text: string): JsonObject {
  try {
    const value = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // It is a line of which only a part was written.
  }
  throw new Error("a line is not complete");
}

function readFrom(descriptor: number, offset: number): string {
  const { size } = fs.fstatSync(descriptor);
  if (size < offset) throw new Error("it was truncated");
  const buffer = Buffer.alloc(size - offset);
  const length = fs.readSync(descriptor, buffer, 0, buffer.length, offset);
  return buffer.subarray(0, length).toString();
}

/** Other users of the machine share the temporary folder. On Windows it is the user's own, too. */
function assertOwn(folder: string): void {
  const found = fs.lstatSync(folder);
  if (found.isSymbolicLink()) throw new Error(`${folder} is a link`);
  if (!found.isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: "ENOTDIR" });
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error(`${folder} belongs to another user`);
  if ((found.mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
}

/** Removes the files of earlier deployments, which nobody has touched for a day. */
function removeOld(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    try {
      const file = path.join(folder, name);
      if (systemTime.now() - fs.lstatSync(file).mtimeMs > dayMs) fs.rmSync(file, { force: true, recursive: true });
    } catch {
      // Another process has removed it.
    }
  }
}
