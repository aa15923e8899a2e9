// Finds the Pulumi CLI, and gets it where there is none.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ensuring, exclusively, Failure, read, root, run, showing } from "./lib.mjs";

const sdk = path.join(root, "node_modules/@pulumi/pulumi");
const languageHost = "pulumi-language-nodejs";
const dynamicHost = "pulumi-resource-pulumi-nodejs";

/**
 * The two programs as the Go module registry has them, each with a go.mod and go.sum of its own. The Node language
 * host is an old one because the registry has no newer; it works with today's engine and SDK.
 */
const programs = [
  { dir: "engine", module: "github.com/pulumi/pulumi/pkg/v3", command: "cmd/pulumi" },
  { dir: "nodejs", module: "github.com/pulumi/pulumi/sdk/v3", command: `nodejs/cmd/${languageHost}` },
].map(({ dir, module, command }) => {
  const cwd = path.join(root, "scripts/cli", dir);
  const version = read(path.join(cwd, "go.mod")).match(new RegExp(`${module} v(\\S+)`))[1];
  return { cwd, version, name: path.basename(command), source: `${module}/${command}` };
});

/** The version to get where there is none, the oldest that will do (what the package asks of Pulumi), and its Go. */
const { version } = programs[0];
const minimum = JSON.parse(read(path.join(root, "package.json"))).peerDependencies["@pulumi/pulumi"].replace("^", "");
const goMinimum = read(path.join(programs[0].cwd, "go.mod")).match(/^go (\S+)/m)[1];

/**
 * The directories to put in front of PATH. The CLI is looked for on PATH, then where the official installers put it;
 * failing that it is downloaded, and failing that built from source.
 */
export async function cliPath({ home = os.homedir(), releases = "https://get.pulumi.com/releases/sdk" } = {}) {
  const installs = path.join(home, ".pulumi");
  const cache = path.join(installs, "versions", version);
  const bin = await find(installs, cache, releases);
  if (bin.startsWith(installs)) addDynamicHost(bin);
  return [...new Set([bin, path.dirname(locate(languageHost, bin)), sdk])];
}

async function find(installs, cache, releases) {
  const cached = path.join(cache, "bin");
  const onPath = findOnPath("pulumi");
  const flaws = [];
  for (const bin of [onPath && path.dirname(onPath), cached, path.join(installs, "bin")]) {
    if (!bin || !fs.existsSync(path.join(bin, "pulumi"))) continue;
    const flaw = await flawOf(bin);
    if (!flaw) return bin;
    flaws.push(flaw);
  }
  await exclusively(`${cache}.lock`, async () => {
    if (await flawOf(cached)) await obtain(cache, releases, flaws);
  });
  return cached;
}

/** The host of dynamic providers is a script of the SDK's; the engine warns of one that is not beside the CLI. */
function addDynamicHost(bin) {
  const [host, making] = [path.join(bin, dynamicHost), path.join(bin, `${dynamicHost}.${process.pid}`)];
  if (fs.existsSync(host)) return;
  fs.copyFileSync(path.join(sdk, dynamicHost), making);
  fs.renameSync(making, host);
}

/** What is wrong with the CLI in a directory; undefined when it will do. */
async function flawOf(bin) {
  const cli = path.join(bin, "pulumi");
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const printed = await run(cli, ["version"], { timeout: 20_000, env }).catch(() => undefined);
  if (!printed) return `${cli} does not run`;
  const found = printed.stdout.match(/^v?(\d+\.\d+\.\d+)/)?.[1];
  if (!found) return `${cli} does not tell its version`;
  if (!isRecent(found)) return `${cli} is ${found}, not ${minimum} or later`;
  if (!locate(languageHost, bin)) return `${cli} has no ${languageHost} beside it`;
  return undefined;
}

function isRecent(found) {
  const [[major, minor, patch], least] = [found, minimum].map((text) => text.split(".").map(Number));
  return major === least[0] && (minor - least[1] || patch - least[2]) >= 0;
}

/** A program beside the CLI, as the engine looks for it: also where a link leads, and on PATH. */
function locate(name, bin) {
  const linked = path.dirname(fs.realpathSync(path.join(bin, "pulumi")));
  return [bin, linked].map((directory) => path.join(directory, name)).find(fs.existsSync) ?? findOnPath(name);
}

function findOnPath(name) {
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((directory) => path.resolve(directory, name))
    .find((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** Fills the cache: the CLI is made beside it, and takes its place in one step once it has been seen to run. */
async function obtain(cache, releases, flaws) {
  const [making, replaced] = [`${cache}.making`, `${cache}.replaced`];
  const clear = () => {
    for (const directory of [making, replaced]) fs.rmSync(directory, { recursive: true, force: true });
  };
  const bin = path.join(making, "bin");
  await ensuring(clear, async () => {
    for (const way of [download, build]) {
      clear();
      fs.mkdirSync(bin, { recursive: true });
      const flaw = await way(bin, releases).then(
        () => flawOf(bin),
        (error) => error.message,
      );
      if (flaw) {
        flaws.push(flaw);
        continue;
      }
      if (fs.existsSync(cache)) fs.renameSync(cache, replaced);
      fs.renameSync(making, cache);
      return;
    }
    throw new Failure(
      `There is no Pulumi CLI and no way to get one (${flaws.join("; ")}): install the Pulumi CLI ${minimum} or later, ` +
        `or Go ${goMinimum} or later to build it with; \`npm run test:offline\` runs the tests that need no CLI.`,
    );
  });
}

/** The official archive; given up when it does not begin within 5 s, or stands still for 15. */
async function download(bin, releases) {
  const stalled = new AbortController();
  let timer;
  const allow = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => stalled.abort(new Error("no answer")), ms);
  };
  allow(5000);
  try {
    const url = `${releases}/pulumi-v${version}-${process.platform}-${process.arch}.tar.gz`;
    const response = await fetch(url, { signal: stalled.signal });
    if (!response.ok) throw new Error(`status ${response.status}`);
    await showing(`Downloading the Pulumi CLI ${version}`, async (progress) => {
      let bytes = 0;
      async function* watched(body) {
        for await (const chunk of body) {
          allow(15_000);
          bytes += chunk.length;
          progress(`${Math.round(bytes / 1e6)} MB`);
          yield chunk;
        }
      }
      const archive = path.join(bin, "archive");
      await pipeline(Readable.fromWeb(response.body), watched, fs.createWriteStream(archive));
      clearTimeout(timer);
      await run("tar", ["-xzf", archive, "-C", bin, "--strip-components=1"]);
      fs.rmSync(archive);
    });
  } catch (error) {
    throw new Failure(`the download from ${new URL(releases).host} failed: ${error.cause?.code ?? error.message}`);
  } finally {
    clearTimeout(timer);
  }
}

/** The same programs from their sources; minutes the first time, seconds with Go's own cache. */
async function build(bin) {
  if (!findOnPath("go")) throw new Failure("Go is not installed");
  try {
    for (const program of programs) await compile(program, bin);
  } catch (error) {
    const [, needed] = error.message.match(/requires go >= (\S+)/) ?? [];
    throw needed ? new Failure(`the installed Go is older than ${needed}`) : error;
  }
}

async function compile({ cwd, name, source, version }, bin) {
  const go = (command, args, onLine) =>
    run("go", [command, "-mod=readonly", "-tags=osusergo,grpcnotrace", ...args, source], {
      cwd,
      env: { ...process.env, GOWORK: "off" },
      onLine,
    });
  await showing(`Building ${name} ${version} from source, which takes minutes the first time`, async (progress) => {
    let [modules, packages] = [0, 0];
    const list = await go("list", ["-deps"], (line) => {
      if (line.startsWith("go: downloading")) progress(`${++modules} modules downloaded`);
    });
    const total = list.stdout.trim().split("\n").length;
    const stamp = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
    await go("build", ["-v", `-ldflags=-w -s ${stamp}`, "-o", path.join(bin, name)], () =>
      progress(`package ${++packages} of ${total}`),
    );
  });
}
