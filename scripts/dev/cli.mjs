// Finds the Pulumi CLI, language hosts and the generator of SDKs, or installs them:
//   node scripts/dev/cli.mjs [yaml] [python] [go] [java] [sdks]    prints the directories to prepend to PATH
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buildCli, buildTool, cost, folderOf, goVersion, tools, version } from "../../tools/offline-cli/build.mjs";
import {
  Failure,
  findOnPath,
  isMain,
  log,
  main,
  manifest,
  root,
  run,
  showProgress,
  withCleanup,
  withLock,
} from "../lib/index.mjs";

const sdk = path.join(root, "node_modules/@pulumi/pulumi");
const languageHost = "pulumi-language-nodejs";
const dynamicHost = "pulumi-resource-pulumi-nodejs";

/** As in the package's peer dependencies. */
const minimum = manifest.peerDependencies["@pulumi/pulumi"].replace("^", "");

const official = "https://get.pulumi.com/install.sh";

/**
 * Returns the directories to prepend to PATH. The CLI is searched on PATH and in the directories of the official
 * installer; if it is not there, that installer is run or, if it fails, the CLI is built from source. `needs` are the names
 * of tools to add. Meanwhile `packages` may install the SDK.
 */
export async function ensureCli({ needs = [], packages, home = os.homedir(), installer = official } = {}) {
  const { installs, cache } = locate(home);
  const problems = [];
  const wanted = needs.map((name) => tools[name]);
  const bin = (await find(installs, cache, problems)) ?? (await installOnce(cache, installer, problems, wanted));
  const added = [];
  for (const tool of wanted) added.push(await ensureTool(tool, bin, installs));
  await packages;
  if (bin.startsWith(installs)) addDynamicHost(bin);
  return [...new Set([bin, path.dirname(findProgram(languageHost, bin)), sdk, ...added])];
}

/**
 * Returns the directory of a tool. If it is missing, it is built from source, and linked into the CLI's directory if that
 * is a cache: the engine warns of a language host that is elsewhere. A link to an older build is replaced. Links are
 * relative, so that the cache can be copied to another machine.
 */
async function ensureTool(tool, bin, installs) {
  const { name } = tool;
  const directory = path.join(installs, "versions", folderOf(tool));
  const [built, link, temporary] = [path.join(directory, name), path.join(bin, name), `${directory}.making`];
  const isCache = bin.startsWith(installs);
  const target = path.relative(bin, built);
  const isLink = isCache && fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink();
  const found = findProgram(name, bin);
  if (found && !(isLink && fs.readlinkSync(link) !== target)) return path.dirname(found);
  await withLock(`${directory}.lock`, async () => {
    if (fs.existsSync(built)) return;
    await withCleanup(
      () => fs.rmSync(temporary, { recursive: true, force: true }),
      async () => {
        fs.mkdirSync(temporary, { recursive: true });
        await buildTool(temporary, tool);
        fs.renameSync(temporary, directory);
      },
    ).catch((error) => {
      throw new Failure(`${name} was not found and could not be built: ${error.message}. Install the official CLI.`);
    });
  });
  if (!isCache) return directory;
  for (const file of fs.readdirSync(directory)) {
    const linked = path.join(bin, `${file}.${process.pid}`);
    fs.symlinkSync(path.relative(bin, path.join(directory, file)), linked);
    fs.renameSync(linked, path.join(bin, file));
  }
  return bin;
}

/** Whether `ensureCli` has nothing to install. */
export async function isCliInstalled({ home = os.homedir() } = {}) {
  const { installs, cache } = locate(home);
  return (await find(installs, cache, [])) !== undefined;
}

function locate(home) {
  const installs = path.join(home, ".pulumi");
  return { installs, cache: path.join(installs, "versions", version) };
}

/** Returns the directory of a CLI that can be used; adds to `problems` why others cannot. */
async function find(installs, cache, problems) {
  const onPath = findOnPath("pulumi");
  for (const bin of [onPath && path.dirname(onPath), path.join(cache, "bin"), path.join(installs, "bin")]) {
    if (!bin || !fs.existsSync(path.join(bin, "pulumi"))) continue;
    const problem = await findProblem(bin);
    if (!problem) return bin;
    problems.push(problem);
  }
  return undefined;
}

async function installOnce(cache, installer, problems, wanted) {
  const bin = path.join(cache, "bin");
  await withLock(`${cache}.lock`, async () => {
    if (await findProblem(bin)) await install(cache, installer, problems, wanted);
  });
  return bin;
}

/** Copies the dynamic provider host from the SDK: the engine warns if it is not in the CLI's directory. */
function addDynamicHost(bin) {
  const [host, temporary] = [path.join(bin, dynamicHost), path.join(bin, `${dynamicHost}.${process.pid}`)];
  if (fs.existsSync(host)) return;
  fs.copyFileSync(path.join(sdk, dynamicHost), temporary);
  fs.renameSync(temporary, host);
}

/** Returns what is wrong with the CLI in a directory; undefined if it can be used. */
async function findProblem(bin) {
  const cli = path.join(bin, "pulumi");
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const output = await run(cli, ["version"], { timeout: 20_000, env }).catch(() => undefined);
  if (!output) return `${cli} does not run`;
  const installed = output.stdout.match(/^v?(\d+\.\d+\.\d+)/)?.[1];
  if (!installed) return `${cli} does not print its version`;
  if (!isSupported(installed)) return `${cli} is ${installed}, not ${minimum} or later`;
  if (!findProgram(languageHost, bin)) return `${cli} has no ${languageHost} in its directory`;
  return undefined;
}

function isSupported(installed) {
  const [[major, minor, patch], least] = [installed, minimum].map((text) => text.split(".").map(Number));
  return major === least[0] && (minor - least[1] || patch - least[2]) >= 0;
}

/** Finds a program as the engine does: in the CLI's directory, in the target of its link, or on PATH. */
function findProgram(name, bin) {
  const linked = path.dirname(fs.realpathSync(path.join(bin, "pulumi")));
  return [bin, linked].map((directory) => path.join(directory, name)).find(fs.existsSync) ?? findOnPath(name);
}

/** Installs the CLI into a temporary directory, checks it, and then replaces the cache in one step. */
async function install(cache, installer, problems, wanted) {
  const [temporary, replaced] = [`${cache}.making`, `${cache}.replaced`];
  const clear = () => {
    for (const directory of [temporary, replaced]) fs.rmSync(directory, { recursive: true, force: true });
  };
  const bin = path.join(temporary, "bin");
  await withCleanup(clear, async () => {
    for (const method of [() => download(temporary, installer), () => build(bin, wanted, problems)]) {
      clear();
      fs.mkdirSync(bin, { recursive: true });
      const problem = await method().then(
        () => findProblem(bin),
        (error) => error.message,
      );
      if (problem) {
        problems.push(problem);
        continue;
      }
      if (fs.existsSync(cache)) fs.renameSync(cache, replaced);
      fs.renameSync(temporary, cache);
      return;
    }
    throw new Failure(
      `The Pulumi CLI was not found and could not be installed (${problems.join("; ")}). Install the Pulumi CLI ` +
        `${minimum} or later, or Go ${goVersion} or later to build it. \`npm test -- --offline\` runs the tests that need ` +
        "no CLI.",
    );
  });
}

/**
 * Runs the official installer for this version, as Pulumi's package `pulumi` on npm does. Fails if there is no response
 * within 5 s, or if the installer has not ended in 10 minutes.
 */
async function download(directory, installer) {
  try {
    const response = await fetch(installer, { signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(`${installer} returned ${response.status}`);
    const script = path.join(directory, "install.sh");
    fs.writeFileSync(script, await response.text());
    const args = [script, "--no-edit-path", "--install-root", directory, "--version", version];
    await showProgress(`Downloading the Pulumi CLI ${version}, about 100 MB, to ~/.pulumi/versions`, () =>
      run("/bin/sh", args, { timeout: 600_000 }),
    );
    fs.rmSync(script);
  } catch (error) {
    throw new Failure(`the download failed: ${error.cause?.code ?? error.message}`);
  }
}

async function build(bin, wanted, problems) {
  if (findOnPath("go")) log(`Building the Pulumi CLI ${version} because ${problems.join("; ")}. This takes ${cost}.`);
  await buildCli(bin, wanted);
}

if (isMain(import.meta.url)) {
  await main(async (needs) => console.log((await ensureCli({ needs })).join(path.delimiter)));
}
