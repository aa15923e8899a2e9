// Sets up a clone: packages, dist, the plugin and the Pulumi CLI. If all are up to date, this takes a fraction of a second.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import {
  Failure,
  isMain,
  main,
  manifest,
  readIfExists,
  root,
  run,
  showProgress,
  tsc,
  withLock,
  work,
} from "../lib/index.mjs";
import { ensureCli } from "./cli.mjs";
import { bundlePlugin, executable } from "./plugin.mjs";

const oldestNode = manifest.engines.node.replace(">=", "");

/**
 * Sets up the clone and returns the directories to prepend to PATH for the CLI, if `cli` is set, and for the tools
 * that it `needs`. Packages and the CLI are installed side by side. Without `types`, a dist that exists is brought up to
 * date without checking types, which takes milliseconds.
 */
export async function setup({ cli = true, needs = [], types = true } = {}) {
  if (process.versions.node.localeCompare(oldestNode, undefined, { numeric: true }) < 0) {
    throw new Failure(`Node ${oldestNode} or later is required. This is Node ${process.version}.`);
  }
  const packages = withLock(path.join(work, "setup.lock"), async () => {
    await install();
    await (types || !fs.existsSync(dist) ? build() : transpile());
    await bundle();
    linkPackage();
  });
  const [, directories] = await Promise.all([packages, cli ? ensureCli({ needs, packages }) : []]);
  return directories;
}

/** Installs the packages that package-lock.json names. */
export async function install() {
  const locked = JSON.parse(readIfExists(path.join(root, "package-lock.json"))).packages;
  // Written by npm when everything is installed.
  const installed = JSON.parse(readIfExists(path.join(root, "node_modules/.package-lock.json")) ?? "{}").packages;
  const matches = ([name, { version, integrity, optional }]) =>
    installed[name]
      ? installed[name].version === version && installed[name].integrity === integrity
      : optional || !name;
  if (installed && Object.entries(locked).every(matches)) return;
  await showProgress("Installing packages", () =>
    run("npm", ["ci", "--include=dev", "--no-audit", "--no-fund"], { cwd: root }),
  );
}

const [src, dist] = ["src", "dist"].map((name) => path.join(root, name));
/** The hash of the files that dist was built from. */
const stamp = path.join(work, "dist.sha256");
const remove = (name) => fs.rmSync(name, { recursive: true, force: true });

/** Compiles src into a temporary directory, which then replaces dist: dist is always complete, without old files. */
async function build() {
  const [temporary, replaced] = ["dist.making", "dist.replaced"].map((name) => path.join(work, name));
  const current = hashFiles(
    "src",
    "tsconfig.json",
    "tsconfig.build.json",
    "package-lock.json",
    "scripts/dev/setup.mjs",
  );
  if (fs.existsSync(dist) && readIfExists(stamp) === current) return;
  for (const name of [temporary, replaced]) remove(name);
  await showProgress("Building dist", () =>
    run(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", temporary], { cwd: root }),
  );
  await bundleHost(temporary);
  fs.chmodSync(path.join(temporary, "bin.js"), 0o755); // as npm does on install, so that npx works in the clone
  remove(stamp);
  if (fs.existsSync(dist)) fs.renameSync(dist, replaced);
  fs.renameSync(temporary, dist);
  fs.writeFileSync(stamp, current);
  remove(replaced);
}

/** Writes the JavaScript of the files that are newer than it. The next build also checks them and writes their types. */
async function transpile() {
  const modified = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const edited = fs
    .readdirSync(src, { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({ from: path.join(src, name), to: path.join(dist, name.replace(/\.ts$/, ".js")) }))
    .filter(({ from, to }) => modified(from) > modified(to));
  if (edited.length === 0) return;
  remove(stamp); // dist is not what a build would write any more, even if the edits are undone
  for (const { from, to } of edited) await transpileFile(from, to);
  await bundleHost(dist);
}

/**
 * Writes what the dynamic provider host loads as one file, in half of the time that its modules take. The packages that
 * it needs are not in it, so that they are updated as others are; nor is the clock, which tests replace.
 */
async function bundleHost(folder) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: folder,
    entryPoints: ["dynamic/host/index.js"],
    outfile: "host.js",
    bundle: true,
    platform: "node",
    packages: "external",
    external: ["./base/clock.js"],
    logLevel: "warning",
  });
}

/** Writes the JavaScript of a file, without checking its types. */
async function transpileFile(from, to) {
  const { default: ts } = await import("typescript");
  const { compilerOptions } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile).config;
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  const { outputText } = ts.transpileModule(fs.readFileSync(from, "utf8"), {
    compilerOptions: { ...options, module: ts.ModuleKind.CommonJS },
    fileName: from,
  });
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.writeFileSync(to, outputText, { mode: from.endsWith("/bin.ts") ? 0o755 : 0o644 });
}

function hashFiles(...names) {
  const hash = createHash("sha256");
  for (const name of names) {
    const start = path.join(root, name);
    const files = fs.statSync(start).isDirectory() ? fs.readdirSync(start, { recursive: true }).sort() : [""];
    for (const file of files.map((entry) => path.join(start, entry))) {
      if (fs.statSync(file).isFile())
        hash
          .update(`${path.relative(root, file)}\0`)
          .update(fs.readFileSync(file))
          .update("\0");
    }
  }
  return hash.digest("hex");
}

/** Bundles the plugin if what it is made of has changed. */
async function bundle() {
  const bundleStamp = path.join(work, "plugin.sha256");
  const current = hashFiles("src", "package.json", "package-lock.json", "scripts/dev/plugin.mjs");
  if (fs.existsSync(executable) && readIfExists(bundleStamp) === current) return;
  await bundlePlugin();
  fs.writeFileSync(bundleStamp, current);
}

/** Lets programs in the clone import the package by its name, as the dynamic provider host does. */
function linkPackage() {
  const self = path.join(root, "node_modules", manifest.name);
  if (fs.lstatSync(self, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  fs.symlinkSync("..", self);
}

if (isMain(import.meta.url)) {
  await main(async (args) => {
    const directories = await setup({
      cli: !args.includes("--no-cli"),
      needs: args.includes("--yaml") ? ["yaml"] : [],
    });
    if (directories.length) console.log(directories.join(path.delimiter));
  });
}
