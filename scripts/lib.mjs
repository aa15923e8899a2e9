// What the other scripts share. It runs before anything is installed, so it needs nothing but Node.
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
/** Everything the scripts leave behind, except node_modules, dist and the CLI. */
export const work = path.join(root, ".work");

/** A failure whose message is all that the user needs. */
export class Failure extends Error {}

/** Whether node was started with this file. */
export const isMain = (url) => process.argv[1] && url === pathToFileURL(fs.realpathSync(process.argv[1])).href;

/** Runs a script's main function; its result is the exit code. */
export async function main(script) {
  try {
    process.exitCode = Number(await script(process.argv.slice(2))) || 0;
  } catch (error) {
    say(error instanceof Failure ? error.message : error.stack);
    process.exitCode = 1;
  }
}

/** Messages go to stderr: stdout is for answers. */
export const say = (line) => process.stderr.write(`${line}\n`);

/** Says what is going on while `task` runs: one line kept up to date on a terminal, a line now and then elsewhere. */
export async function showing(label, task) {
  const terminal = process.stderr.isTTY;
  const begun = Date.now();
  let detail = "";
  const elapsed = () => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  };
  const show = () => {
    const line = `${label}${detail && `: ${detail}`} (${elapsed()})`;
    if (terminal) process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
    else say(line);
  };
  if (!terminal) say(`${label} …`);
  const timer = setInterval(show, terminal ? 500 : 15_000);
  try {
    const result = await task((text) => {
      detail = text;
    });
    detail = "done";
    return result;
  } catch (error) {
    detail = "failed";
    throw error;
  } finally {
    clearInterval(timer);
    show();
    if (terminal) say("");
  }
}

const signals = ["SIGHUP", "SIGINT", "SIGTERM"];
const leave = (signal) => process.exit(128 + os.constants.signals[signal]);

/** Runs `task`; `cleanup` (synchronous) follows whatever happens, a signal included. */
export async function ensuring(cleanup, task) {
  process.on("exit", cleanup);
  for (const signal of signals) process.on(signal, leave);
  try {
    return await task();
  } finally {
    process.off("exit", cleanup);
    for (const signal of signals) process.off(signal, leave);
    cleanup();
  }
}

/** Runs a command to its end and returns what it printed; `onLine` is given each line as it comes. */
export function run(command, args, { onLine, timeout, ...options } = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    let rest = "";
    child[name].setEncoding("utf8").on("data", (text) => {
      printed[name] += text;
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) onLine?.(line);
    });
  }
  const timer = timeout && setTimeout(() => child.kill("SIGKILL"), timeout);
  return ensuring(
    () => {
      clearTimeout(timer);
      child.kill();
    },
    () =>
      new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code, signal) => {
          if (code === 0) return resolve(printed);
          const output = (printed.stderr + printed.stdout).trim();
          const how = signal ? `was ended by ${signal}` : `failed with exit code ${code}`;
          reject(new Failure(`${[command, ...args].join(" ")} ${how}\n${output}`));
        });
      }),
  );
}

/**
 * Gives the terminal to a command and returns its exit code. Meanwhile signals are the command's affair: Ctrl-C reaches
 * it by itself, the others are passed on, and in any case it is waited for, so that it can end in its own way.
 */
export async function handOver(command, args, options) {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  const pass = (signal) => signal !== "SIGINT" && child.kill(signal);
  const others = signals.map((signal) => process.listeners(signal));
  for (const signal of signals) process.removeAllListeners(signal).on(signal, pass);
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve(code ?? 128 + os.constants.signals[signal]));
    });
  } finally {
    signals.forEach((signal, i) => {
      process.off(signal, pass);
      for (const listener of others[i]) process.on(signal, listener);
    });
  }
}

/** Runs `task` while no other process runs one under the same lock file; a lock whose owner is gone counts for nothing. */
export async function exclusively(file, task) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid), key: randomUUID() });
  let waitingFor;
  while (!(await acquire())) await sleep(200);
  return ensuring(() => read(file) === mine && fs.rmSync(file), task);

  async function acquire() {
    try {
      fs.writeFileSync(file, mine, { flag: "wx" });
      return true;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const theirs = read(file);
    const written = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (theirs === undefined || written === undefined) return false; // just released
    if (theirs === "" && Date.now() - written < 2000) return false; // just being written
    const owner = theirs && JSON.parse(theirs);
    if (owner && startOf(owner.pid) === owner.started) {
      if (waitingFor !== owner.pid) say(`Waiting for another run (process ${owner.pid}) that holds ${file} …`);
      waitingFor = owner.pid;
      return false;
    }
    // Of several that take over an abandoned lock at once, the last to write has it.
    if (read(file) === theirs) fs.writeFileSync(file, mine);
    await sleep(200);
    return read(file) === mine;
  }
}

/** When a process was started, undefined for one that does not run: a number alone may since belong to another. */
function startOf(pid) {
  try {
    if (process.platform === "linux")
      return fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ")[19];
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }).trim();
  } catch {
    return undefined;
  }
}

/** A file's text, undefined when there is none. */
export function read(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
