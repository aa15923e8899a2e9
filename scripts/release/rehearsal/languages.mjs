// Deploys a program in each language with its package, by the commands of docs/languages.md, in an empty folder and with
// an empty PULUMI_HOME. The program declares an edge, a secret, an enum, a function and an explicit provider.
import fs from "node:fs";
import path from "node:path";
import { Failure, run, work } from "../../lib/index.mjs";

/** The page's section on each language, where its program is, and the program's name in a project. */
const programs = {
  python: { title: "Python", from: "python/__main__.py", to: "__main__.py" },
  go: { title: "Go", from: "go/main.go", to: "main.go" },
  java: { title: "Java", from: "java/App.java", to: "src/main/java/App.java" },
  dotnet: { title: ".NET", from: "dotnet/Program.cs", to: "Program.cs" },
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
function createStandIns({ clone, env, project, remote, schema, server }) {
  const { repository } = schema;
  return {
    ...env,
    ...overrideDownload(schema, server),
    PIP_FIND_LINKS: path.join(clone, ".work/packages/python"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${remote}.insteadOf`,
    GIT_CONFIG_VALUE_0: repository,
    // Caches of their own, because this version may have been another before; what others have is in the user's.
    NUGET_PACKAGES: path.join(project, "../nuget"),
    GOPRIVATE: repository.replace("https://", ""),
    GOMODCACHE: path.join(project, "../go"),
    GOFLAGS: "-modcacherw -trimpath",
    GOPROXY: `file://${env.GOMODCACHE}/cache/download,${env.GOPROXY}`,
    MAVEN_OPTS: `-Dmaven.repo.local=${path.join(work, "maven")}`,
  };
}

export async function tryLanguage(name, given) {
  const { title, from, to } = programs[name];
  const { clone, project, server, schema } = given;
  const go = (await run("go", ["env", "GOMODCACHE", "GOPROXY"]).catch(() => ({ stdout: "" }))).stdout.split("\n");
  const env = createStandIns({ ...given, env: { ...given.env, GOMODCACHE: go[0], GOPROXY: go[1] } });
  const blocks = readSection(clone, title);
  const [install, ...others] = blocks.filter(({ language }) => language === "sh").map(({ code }) => code);
  const shell = (code) => run("bash", ["-euc", code], { cwd: project, env });
  const downloads = `${schema.repository}/releases/download/v${schema.version}`;
  await shell(install.replaceAll(downloads, server));
  fs.copyFileSync(path.join(clone, "scripts/release/rehearsal", from), path.join(project, to));
  for (const { code } of blocks.filter(({ language }) => language === "xml"))
    fs.writeFileSync(path.join(project, "pom.xml"), code);
  // What comes before `pulumi up`, such as `go mod tidy`.
  for (const code of others) await shell(code.replace(/^pulumi up$/m, ""));
  const activated = name === "python" ? { ...env, PATH: `${project}/venv/bin:${env.PATH}` } : env;
  const outputs = await deploy(project, activated);
  const printed = JSON.stringify(Object.fromEntries(Object.entries(outputs).sort()));
  if (printed !== JSON.stringify(expected)) throw new Failure(`${title} deployed ${printed}.`);
}
