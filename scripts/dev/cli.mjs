// Finds the Pulumi CLI, language hosts and the generator of SDKs, or installs them:
//   node scripts/dev/cli.mjs [yaml] [python] [go] [java] [sdks]    prints the directories to prepend to PATH
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  Failure,
  isMain,
  main,
  manifest,
  readIfExists,
  root,
  run,
  showProgress,
  withCleanup,
  withLock,
} from "../lib/index.mjs";

const sdk = path.join(root, "node_modules/@pulumi/pulumi");
const languageHost = "pulumi-language-nodejs";
const dynamicHost = "pulumi-resource-pulumi-nodejs";

/**
 * A program in the Go module registry, with its own go.mod and go.sum, the variable that contains its version, the
 * scripts of its module that it runs, and how long its first build takes on 2 cores.
 */
function findSource({
  dir,
  module,
  command,
  scripts,
  time,
  versionPackage = "github.com/pulumi/pulumi/sdk/v3/go/common/version",
}) {
  const cwd = path.join(root, "tools/offline-cli", dir);
  const version = readIfExists(path.join(cwd, "go.mod")).match(new RegExp(`${module} v(\\S+)`))[1];
  const stamp = `-X ${versionPackage}.Version=v${version}`;
  return { cwd, module, version, stamp, scripts, time, name: path.basename(command), source: `${module}/${command}` };
}

/**
 * The engine, and the Node language host. This host and those for Python and Go are old versions because the registry has
 * no newer ones; they work with the current engine and SDKs.
 */
const programs = [
  { dir: "engine", module: "github.com/pulumi/pulumi/pkg/v3", command: "cmd/pulumi", time: "3 to 4 minutes" },
  {
    dir: "nodejs",
    module: "github.com/pulumi/pulumi/sdk/v3",
    command: `nodejs/cmd/${languageHost}`,
    time: "a minute",
  },
].map(findSource);

/** Language hosts, which the official archives contain, and a generator of SDKs for hosts that are too old to do that. */
const tools = {
  yaml: findSource({
    dir: "yaml",
    module: "github.com/pulumi/pulumi-yaml",
    command: "cmd/pulumi-language-yaml",
    versionPackage: "github.com/pulumi/pulumi-yaml/pkg/version",
    time: "a minute",
  }),
  python: findSource({
    dir: "python",
    module: "github.com/pulumi/pulumi/sdk/v3",
    command: "python/cmd/pulumi-language-python",
    scripts: ["python/cmd/pulumi-language-python-exec"],
    time: "a minute",
  }),
  go: findSource({
    dir: "go",
    module: "github.com/pulumi/pulumi/sdk/v3",
    command: "go/pulumi-language-go",
    time: "a minute",
  }),
  java: findSource({
    dir: "java",
    module: "github.com/pulumi/pulumi-java/pkg",
    command: "cmd/pulumi-language-java",
    versionPackage: "github.com/pulumi/pulumi-java/pkg/version",
    time: "2 minutes",
  }),
  sdks: createGenerator(path.join(root, "tools/offline-cli/codegen")),
};

/** Our own program over Pulumi's generators. Its version changes with its source. */
function createGenerator(cwd) {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "main.go"]) hash.update(readIfExists(path.join(cwd, file)));
  const version = hash.digest("hex").slice(0, 12);
  return { cwd, version, stamp: "", time: "a minute", name: "generate-sdk", source: "." };
}

/** The version to install; the minimum, as in the package's peer dependencies; and the Go version to build it. */
const { version } = programs[0];
const minimum = manifest.peerDependencies["@pulumi/pulumi"].replace("^", "");
const goMinimum = readIfExists(path.join(programs[0].cwd, "go.mod")).match(/^go (\S+)/m)[1];

/** Where archives are, and where their SHA-256 sums are: on another host, so that one in the wrong hands is noticed. */
const official = {
  archives: "https://get.pulumi.com/releases/sdk",
  checksums: `https://github.com/pulumi/pulumi/releases/download/v${version}/pulumi-${version}-checksums.txt`,
};

/**
 * Returns the directories to prepend to PATH. The CLI is searched on PATH and in the directory of the official
 * installers; if it is not there, it is downloaded or, if that fails, built from source. `needs` are the names of tools
 * to add. Meanwhile `packages` may install the SDK.
 */
export async function ensureCli({ needs = [], packages, home = os.homedir(), releases = official } = {}) {
  const { installs, cache } = locate(home);
  const problems = [];
  const wanted = needs.map((name) => tools[name]);
  const bin = (await find(installs, cache, problems)) ?? (await installOnce(cache, releases, problems, wanted));
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
  const { cwd, name, version } = tool;
  const directory = path.join(installs, "versions", `${path.basename(cwd)}-${version}`);
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
        await build(temporary, [tool]);
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

async function installOnce(cache, releases, problems, wanted) {
  const bin = path.join(cache, "bin");
  await withLock(`${cache}.lock`, async () => {
    if (await findProblem(bin)) await install(cache, releases, problems, wanted);
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

function findOnPath(name) {
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((directory) => path.resolve(directory, name))
    .find((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** Installs the CLI into a temporary directory, checks it, and then replaces the cache in one step. */
async function install(cache, releases, problems, wanted) {
  const [temporary, replaced] = [`${cache}.making`, `${cache}.replaced`];
  const clear = () => {
    for (const directory of [temporary, replaced]) fs.rmSync(directory, { recursive: true, force: true });
  };
  const bin = path.join(temporary, "bin");
  await withCleanup(clear, async () => {
    for (const method of [() => download(bin, releases), () => build(bin, programs, wanted)]) {
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
        `${minimum} or later, or Go ${goMinimum} or later to build it. \`npm test -- --offline\` runs the tests that need ` +
        "no CLI.",
    );
  });
}

/**
 * Downloads the official archive; fails if there is no response within 5 s, or no data for 15 s, or if its SHA-256 sum
 * is not the published one.
 */
async function download(bin, { archives, checksums }) {
  const timeout = new AbortController();
  let timer;
  const setDeadline = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => timeout.abort(new Error("timeout")), ms);
  };
  setDeadline(5000);
  try {
    const name = `pulumi-v${version}-${process.platform}-${process.arch}.tar.gz`;
    const request = async (url) => {
      const response = await fetch(url, { signal: timeout.signal });
      if (!response.ok) throw new Error(`${url} returned ${response.status}`);
      return response;
    };
    const sums = await (await request(checksums)).text();
    const expected = sums
      .split("\n")
      .find((line) => line.endsWith(`  ${name}`))
      ?.split(" ")[0];
    if (!expected) throw new Error(`${checksums} has no checksum of ${name}`);
    const response = await request(`${archives}/${name}`);
    await showProgress(`Downloading the Pulumi CLI ${version}`, async (progress) => {
      let bytes = 0;
      const hash = createHash("sha256");
      async function* watchProgress(body) {
        for await (const chunk of body) {
          setDeadline(15_000);
          bytes += chunk.length;
          hash.update(chunk);
          progress(`${Math.round(bytes / 1e6)} MB`);
          yield chunk;
        }
      }
      const archive = path.join(bin, "archive");
      await pipeline(Readable.fromWeb(response.body), watchProgress, fs.createWriteStream(archive));
      clearTimeout(timer);
      if (hash.digest("hex") !== expected) throw new Error(`${name} does not have the published checksum`);
      await run("tar", ["-xzf", archive, "-C", bin, "--strip-components=1"]);
      fs.rmSync(archive);
    });
  } catch (error) {
    throw new Failure(`the download failed: ${error.cause?.code ?? error.message}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Builds programs from source: takes minutes the first time, seconds with Go's cache. Fetches the modules of `later`. */
async function build(bin, sources, later = []) {
  if (!findOnPath("go")) throw new Failure("Go is not installed");
  try {
    const [packages] = await Promise.all([fetchModules([...sources, ...later]), compileStandardLibrary(sources[0])]);
    await Promise.all(sources.map((each, index) => compile(each, packages[index], bin)));
  } catch (error) {
    const [, needed] = error.message.match(/requires go >= (\S+)/) ?? [];
    throw needed ? new Failure(`the installed Go is older than ${needed}`) : error;
  }
}

/** Go's own packages need no modules. A problem with them is also one of the build. */
const compileStandardLibrary = ({ cwd }) => runGo({ cwd, source: "std" }, "build", []).catch(() => undefined);

/** The compiler takes a fifth less time if it collects garbage only when it has used much memory. */
function runGo({ cwd, source }, command, args, onLine) {
  const env = { GOGC: "off", GOMEMLIMIT: "2GiB", ...process.env, GOWORK: "off" };
  const options = ["-mod=readonly", "-buildvcs=false", "-tags=osusergo,grpcnotrace", ...args];
  return run("go", [command, ...options, source], { cwd, env, onLine });
}

/** Fetches the modules of all sources side by side; returns the number of packages of each. */
const fetchModules = (sources) =>
  showProgress("Fetching Go modules", (progress) => {
    let modules = 0;
    const onLine = (line) => line.startsWith("go: downloading") && progress(`${++modules} modules`);
    return Promise.all(
      sources.map(async (source) => (await runGo(source, "list", ["-deps"], onLine)).stdout.trim().split("\n").length),
    );
  });

async function compile(source, total, bin) {
  const { module, name, version, stamp, scripts = [], time } = source;
  await showProgress(`Building ${name} ${version}, which usually takes ${time} on 2 cores`, (progress) => {
    let packages = 0;
    const output = ["-v", `-ldflags=-w -s ${stamp}`, "-o", path.join(bin, name)];
    return runGo(source, "build", output, () => progress(`package ${++packages} of ${total}`));
  });
  for (const script of scripts) {
    const { stdout } = await runGo({ ...source, source: module }, "list", ["-m", "-f={{.Dir}}"]);
    const copy = path.join(bin, path.basename(script));
    fs.copyFileSync(path.join(stdout.trim(), script), copy);
    fs.chmodSync(copy, 0o755);
  }
}

if (isMain(import.meta.url)) {
  await main(async (needs) => console.log((await ensureCli({ needs })).join(path.delimiter)));
}
