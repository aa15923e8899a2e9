// Shared by the other scripts. It runs before anything is installed, so it depends only on Node.
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
/** The clone's package.json. */
export const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
/** The directory of everything the scripts write, except node_modules, dist and the CLI. */
export const work = path.join(root, ".work");
/** TypeScript's native compiler. The package `typescript` is the one that programs use, with an API for JavaScript. */
export const tsc = path.join(root, "node_modules/typescript-native/bin/tsc");

/** An error to print without its stack. */
export class Failure extends Error {}

/** Whether node was started with this file. */
export const isMain = (url) => process.argv[1] && url === pathToFileURL(fs.realpathSync(process.argv[1])).href;

/** Runs a script's main function; its result is the exit code. */
export async function main(script) {
  try {
    process.exitCode = Number(await script(process.argv.slice(2))) || 0;
  } catch (error) {
    log(error instanceof Failure ? error.message : error.stack);
    process.exit(1); // ends what runs beside what failed
  }
}

/** Prints a message to stderr; stdout is for results. */
export const log = (line) => process.stderr.write(`${line}\n`);

/** What is being shown by `showProgress`. */
const shown = new Set();
const isTerminal = process.stderr.isTTY;

function formatElapsed(startTime) {
  const seconds = Math.round((Date.now() - startTime) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const formatProgress = ({ label, detail, startTime }) =>
  `${label}${detail && `: ${detail}`} (${formatElapsed(startTime)})`;

/** Overwrites the line of a terminal. */
const overwrite = (line) => process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);

/**
 * Shows the progress of `task`: on a terminal in one line that is overwritten, and that all tasks share; elsewhere in a
 * line now and then.
 */
export async function showProgress(label, task) {
  const progress = { label, detail: "", startTime: Date.now() };
  const show = () =>
    isTerminal ? overwrite([...shown].map(formatProgress).join("; ")) : log(formatProgress(progress));
  if (!isTerminal) log(`${label} …`);
  shown.add(progress);
  const timer = setInterval(show, isTerminal ? 500 : 15_000);
  try {
    const result = await task((text) => {
      progress.detail = text;
    });
    progress.detail = "done";
    return result;
  } catch (error) {
    progress.detail = "failed";
    throw error;
  } finally {
    clearInterval(timer);
    shown.delete(progress);
    if (isTerminal) overwrite("");
    log(formatProgress(progress));
  }
}

const signals = ["SIGHUP", "SIGINT", "SIGTERM"];
const exitOnSignal = (signal) => process.exit(128 + os.constants.signals[signal]);

/** Runs `task`, then `cleanup` (synchronous), even after an error or a signal. */
export async function withCleanup(cleanup, task) {
  process.on("exit", cleanup);
  for (const signal of signals) process.on(signal, exitOnSignal);
  try {
    return await task();
  } finally {
    process.off("exit", cleanup);
    for (const signal of signals) process.off(signal, exitOnSignal);
    cleanup();
  }
}

/**
 * Runs a command and returns its output; `onLine` is called with each line. At the timeout, the processes that it has
 * started end with it: one that never ends by itself would keep the output open.
 */
export function run(command, args, { onLine, timeout, ...options } = {}) {
  const hasGroup = timeout !== undefined && process.platform !== "win32";
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: hasGroup, ...options });
  const endAll = () => {
    if (!hasGroup || child.pid === undefined) return child.kill("SIGKILL");
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    let rest = "";
    child[name].setEncoding("utf8").on("data", (text) => {
      output[name] += text;
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) onLine?.(line);
    });
  }
  const timer = timeout && setTimeout(endAll, timeout);
  return withCleanup(
    () => {
      clearTimeout(timer);
      if (hasGroup) endAll();
      else child.kill();
    },
    () =>
      new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code, signal) => {
          if (code === 0) return resolve(output);
          const text = (output.stderr + output.stdout).trim();
          const how = signal ? `was ended by ${signal}` : `failed with exit code ${code}`;
          reject(new Failure(`${[command, ...args].join(" ")} ${how}\n${text}`));
        });
      }),
  );
}

/**
 * Runs a command in the terminal and returns its exit code. The command handles signals: the terminal sends it Ctrl-C,
 * the others are forwarded, and the script waits until it has ended.
 */
export async function runInTerminal(command, args, options) {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  const forward = (signal) => signal !== "SIGINT" && child.kill(signal);
  const listeners = signals.map((signal) => process.listeners(signal));
  for (const signal of signals) process.removeAllListeners(signal).on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve(code ?? 128 + os.constants.signals[signal]));
    });
  } finally {
    signals.forEach((signal, index) => {
      process.off(signal, forward);
      for (const listener of listeners[index]) process.on(signal, listener);
    });
  }
}

/** Returns the path of a program; undefined if it is not on PATH. */
export function findOnPath(name) {
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((directory) => path.resolve(directory, name))
    .find((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** Runs `task` while this process has the lock file. A lock whose process has ended is ignored. */
export async function withLock(file, task) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const own = JSON.stringify({ pid: process.pid, started: readStartTime(process.pid), key: randomUUID() });
  let waitingFor;
  while (!(await acquire())) await sleep(200);
  return withCleanup(() => readIfExists(file) === own && fs.rmSync(file), task);

  async function acquire() {
    try {
      fs.writeFileSync(file, own, { flag: "wx" });
      return true;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const existing = readIfExists(file);
    const written = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (existing === undefined || written === undefined) return false; // just released
    if (existing === "" && Date.now() - written < 2000) return false; // being written
    const owner = existing && JSON.parse(existing);
    if (owner && readStartTime(owner.pid) === owner.started) {
      if (waitingFor !== owner.pid) log(`Waiting for another run (process ${owner.pid}) that has locked ${file} …`);
      waitingFor = owner.pid;
      return false;
    }
    // If several processes replace an abandoned lock at the same time, the last to write has it.
    if (readIfExists(file) === existing) fs.writeFileSync(file, own);
    await sleep(200);
    return readIfExists(file) === own;
  }
}

/** Returns when a process was started, because another may later get the same pid; undefined if it does not run. */
function readStartTime(pid) {
  try {
    if (process.platform === "linux")
      return fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ")[19];
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }).trim();
  } catch {
    return undefined;
  }
}

/** Installs a tool as the lock file in its folder says, in a folder of its own, which is returned. */
export async function installTool(folder) {
  const [source, installed] = [path.join(root, folder), path.join(work, path.basename(folder))];
  const lockOf = (folder) => readIfExists(path.join(folder, "package-lock.json"));
  if (!fs.existsSync(path.join(installed, "node_modules")) || lockOf(installed) !== lockOf(source)) {
    fs.rmSync(installed, { recursive: true, force: true });
    fs.cpSync(source, installed, { recursive: true });
    // What a tool needs of the clone, such as jest, is the clone's.
    const options = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
    await run("npm", ["ci", ...options], { cwd: installed });
  }
  return installed;
}

/** Returns the content of a file; undefined if it does not exist. */
export function readIfExists(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
