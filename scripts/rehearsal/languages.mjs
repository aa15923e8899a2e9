// Deploys a program in each language with its package, by the commands of docs/languages.md, in an empty folder and with
// an empty PULUMI_HOME. The program declares an edge, a secret, an enum, a function and an explicit provider.
import fs from "node:fs";
import path from "node:path";
import { Failure, run, work } from "../lib.mjs";

/** Where each program is, its name in the project, and what runs it where its language host is missing. */
const programs = {
  python: { title: "Python", files: { "python/__main__.py": "__main__.py" }, runner: runPython },
  go: { title: "Go", files: { "go/edges.go": "edges.go", "../../examples/go/main.go": "main.go" }, runner: runGo },
  java: { title: "Java", files: { "java/App.java": "src/main/java/App.java" } },
  dotnet: { title: ".NET", files: { "dotnet/Program.cs": "Program.cs" } },
};

const expected = { hostports: ["api.example.com:443"], online: 0, token: "[secret]" };

/** Deploys a project to an emulator and destroys it, and returns its outputs. */
export async function deploy(cwd, env) {
  const pulumi = (...args) => run("pulumi", [...args, "--non-interactive"], { cwd, env });
  await pulumi("up", "--yes", "--skip-preview");
  await pulumi("preview", "--expect-no-changes");
  const { stdout } = await pulumi("stack", "output", "--json");
  await pulumi("destroy", "--yes", "--skip-preview");
  return JSON.parse(stdout);
}

/** The blocks of code in a section of the page, each with its language. */
export function readSection(clone, title) {
  const page = fs.readFileSync(path.join(clone, "docs/languages.md"), "utf8");
  const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`));
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language, code]) => ({ language, code }));
}

/** Lets Pulumi download the plugin from a server instead of from its own address. */
export const overrideDownload = ({ pluginDownloadURL }, server) => ({
  PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}=${server}`,
});

/** What stands in for PyPI, GitHub, Maven's repository and the plugin's download address. */
function createStandIns({ env, index, project, remote, schema, server }) {
  const { PULUMI_STACK, ...others } = env;
  const { repository } = schema;
  const modules = path.join(project, "../go");
  return {
    ...others,
    ...overrideDownload(schema, server),
    PIP_EXTRA_INDEX_URL: `${index}/simple/`,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${remote}.insteadOf`,
    GIT_CONFIG_VALUE_0: repository,
    // A cache of its own, because this version may have been another before; what others have is in the user's.
    GOPRIVATE: repository.replace("https://", ""),
    GOMODCACHE: modules,
    GOFLAGS: "-modcacherw -trimpath",
    GOPROXY: `file://${env.GOMODCACHE}/cache/download,${env.GOPROXY}`,
    MAVEN_OPTS: `-Dmaven.repo.local=${path.join(work, "maven")}`,
  };
}

async function runPython({ clone, project, env }, command) {
  const script = path.join(clone, "scripts/rehearsal/python/run.py");
  await run(path.join(project, "venv/bin/python"), [script, project, command], { cwd: project, env });
}

async function runGo({ project, env }, command) {
  const { stdout } = await run("go", ["run", ".", command], { cwd: project, env });
  if (command === "preview" && !/\b4 unchanged/.test(stdout))
    throw new Failure(`A second run is not quiet:\n${stdout}`);
}

async function deployItself(context, runner) {
  await runner(context, "up");
  await runner(context, "preview");
  const { stdout } = await run("pulumi", ["stack", "output", "--json"], { cwd: context.project, env: context.env });
  await runner(context, "destroy");
  return JSON.parse(stdout);
}

export async function tryLanguage(name, given) {
  const { title, files, runner } = programs[name];
  const { clone, hasCommands, project, server, schema } = given;
  const go = (await run("go", ["env", "GOMODCACHE", "GOPROXY"]).catch(() => ({ stdout: "" }))).stdout.split("\n");
  const context = {
    ...given,
    env: createStandIns({ ...given, env: { ...given.env, GOMODCACHE: go[0], GOPROXY: go[1] } }),
  };
  const { env } = context;
  const blocks = readSection(clone, title);
  const [install, ...others] = blocks.filter(({ language }) => language === "sh").map(({ code }) => code);
  const shell = (code) => run("bash", ["-euc", code], { cwd: project, env });
  const downloads = `${schema.repository}/releases/download/v${schema.version}`;
  await shell(install.replaceAll(downloads, server));
  for (const [from, to] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(project, to)), { recursive: true });
    const text = fs.readFileSync(path.join(clone, "scripts/rehearsal", from), "utf8");
    fs.writeFileSync(path.join(project, to), text.replace('"edges-go"', '"edges"'));
  }
  for (const { code } of blocks.filter(({ language }) => language === "xml"))
    fs.writeFileSync(path.join(project, "pom.xml"), code);
  // What comes before `pulumi up`, such as `go mod tidy`.
  for (const code of others) await shell(code.replace(/^pulumi up$/m, ""));
  const activated = name === "python" ? { ...env, PATH: `${project}/venv/bin:${env.PATH}` } : env;
  const outputs = await (runner && !hasCommands ? deployItself(context, runner) : deploy(project, activated));
  const printed = JSON.stringify(Object.fromEntries(Object.entries(outputs).sort()));
  if (printed !== JSON.stringify(expected)) throw new Failure(`${title} deployed ${printed}.`);
}
