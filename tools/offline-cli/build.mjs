// Builds the Pulumi CLI, language hosts and a generator of SDKs from Go source, for machines that reach Go's module
// registry and not Pulumi's server. scripts/dev/cli.mjs finds, downloads or builds them.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Failure, findOnPath, readIfExists, run, showProgress } from "../../scripts/lib/index.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));

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
  const cwd = path.join(folder, dir);
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
    command: "nodejs/cmd/pulumi-language-nodejs",
    time: "a minute",
  },
].map(findSource);

/** Language hosts, which the official archives contain, and a generator of SDKs for hosts that are too old to do that. */
export const tools = {
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
  sdks: createGenerator(path.join(folder, "codegen")),
};

/** Our own program over Pulumi's generators. Its version changes with its source. */
function createGenerator(cwd) {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "main.go"]) hash.update(readIfExists(path.join(cwd, file)));
  const version = hash.digest("hex").slice(0, 12);
  return { cwd, version, stamp: "", time: "a minute", name: "generate-sdk", source: "." };
}

/** The folder in which a tool is kept. */
export const folderOf = ({ cwd, version }) => `${path.basename(cwd)}-${version}`;

export const { version } = programs[0];
export const goVersion = readIfExists(path.join(programs[0].cwd, "go.mod")).match(/^go (\S+)/m)[1];
export const cost = "4 to 5 minutes on 2 cores, and about 4 GB, mostly in Go's caches";

/** Builds the CLI, and fetches the modules of tools that are built later. */
export const buildCli = (bin, later) => build(bin, programs, later);

export const buildTool = (bin, tool) => build(bin, [tool]);

/** Takes minutes the first time, seconds with Go's cache. */
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
