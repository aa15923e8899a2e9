// Makes a clone ready: packages, dist, and the Pulumi CLI. What is ready already costs a fraction of a second.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { cliPath } from "./cli.mjs";
import { exclusively, Failure, isMain, main, read, root, run, showing, work } from "./lib.mjs";

/** Sets up the clone and returns the directories to put in front of PATH for the CLI (none when it is not wanted). */
export async function setup({ cli = true } = {}) {
  if (Number.parseInt(process.versions.node, 10) < 20) {
    throw new Failure(`Node 20 or later is needed; this is ${process.version}.`);
  }
  await exclusively(path.join(work, "setup.lock"), async () => {
    await install();
    await build();
    link();
  });
  return cli ? cliPath() : [];
}

async function install() {
  const wanted = JSON.parse(read(path.join(root, "package-lock.json"))).packages;
  // npm's own record, which it writes when all else is in place.
  const installed = JSON.parse(read(path.join(root, "node_modules/.package-lock.json")) ?? "{}").packages;
  const matches = ([name, { version, integrity, optional }]) =>
    installed[name]
      ? installed[name].version === version && installed[name].integrity === integrity
      : optional || !name;
  if (installed && Object.entries(wanted).every(matches)) return;
  await showing("Installing packages", () =>
    run("npm", ["ci", "--include=dev", "--no-audit", "--no-fund"], { cwd: root }),
  );
}

/** Compiles src into a folder beside dist, which then takes its place: dist is whole, and holds nothing of old. */
async function build() {
  const [dist, making, replaced] = ["dist", ".work/dist.making", ".work/dist.replaced"].map((name) =>
    path.join(root, name),
  );
  const stamp = path.join(work, "dist.sha256");
  const current = fingerprint("src", "tsconfig.json", "tsconfig.build.json", "package-lock.json");
  if (fs.existsSync(dist) && read(stamp) === current) return;
  const remove = (name) => fs.rmSync(name, { recursive: true, force: true });
  for (const name of [making, replaced]) remove(name);
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  await showing("Building dist", () =>
    run(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", making], { cwd: root }),
  );
  fs.chmodSync(path.join(making, "bin.js"), 0o755); // as npm does where it installs: npx runs it in the clone too
  remove(stamp);
  if (fs.existsSync(dist)) fs.renameSync(dist, replaced);
  fs.renameSync(making, dist);
  fs.writeFileSync(stamp, current);
  remove(replaced);
}

function fingerprint(...names) {
  const hash = createHash("sha256");
  for (const name of names) {
    const start = path.join(root, name);
    const files = fs.statSync(start).isDirectory() ? fs.readdirSync(start, { recursive: true }).sort() : [""];
    for (const file of files.map((entry) => path.join(start, entry))) {
      if (fs.statSync(file).isFile()) hash.update(`${file}\0`).update(fs.readFileSync(file)).update("\0");
    }
  }
  return hash.digest("hex");
}

/** Lets programs inside the clone find the package by its name, as the dynamic-provider host does. */
function link() {
  const self = path.join(root, "node_modules", JSON.parse(read(path.join(root, "package.json"))).name);
  if (fs.lstatSync(self, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  fs.symlinkSync("..", self);
}

if (isMain(import.meta.url)) {
  await main(async ([only]) => {
    const directories = await setup({ cli: only !== "--no-cli" });
    if (directories.length) console.log(directories.join(path.delimiter));
  });
}
