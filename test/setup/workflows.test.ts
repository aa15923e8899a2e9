/** The repository's own workflows: what each job may do, which actions it uses, and what must pass before a release. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { findActionlint } from "../support/cli/actionlint";
import { runJob } from "../support/cli/workflow";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

interface WorkflowStep {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}
interface Job {
  needs?: string | string[];
  if?: string;
  environment?: string;
  permissions?: Record<string, string>;
  strategy?: { matrix: { node?: number[]; script?: string[] } };
  steps: WorkflowStep[];
}

const folder = join(root, ".github/workflows");
const files = readdirSync(folder).sort();
const read = (file: string) => parse(readFileSync(join(folder, file), "utf8"));
const jobsOf = (file: string) => read(file).jobs as Record<string, Job>;
const writesOf = ({ permissions = {} }: Job) =>
  Object.keys(permissions).filter((name) => permissions[name] === "write");
const commandsOf = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);

test("a workflow may only read, and only jobs that open issues or release may do more", () => {
  expect(files.map((file) => [file, read(file).permissions])).toEqual(
    files.map((file) => [file, { contents: "read" }]),
  );
  const given = files.map(
    (file) => [file, [...new Set(Object.values(jobsOf(file)).flatMap(writesOf))].sort()] as const,
  );
  expect(Object.fromEntries(given.filter(([, writes]) => writes.length > 0))).toEqual({
    "nightly.yml": ["issues"],
    "release.yml": ["attestations", "contents", "id-token"],
  });
});

test("every action is pinned by its commit and names its version, which has one commit in all workflows and examples", () => {
  const examples = ["gitops", "gitops-yaml"].map((name) => join(root, "examples", name, ".github/workflows/edges.yml"));
  const used = [...files.map((file) => join(folder, file)), ...examples].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/uses: (\S+?)@(.*)/g)].map(([, action, pin]) => [action!, pin!] as const),
  );
  expect(used.filter(([, pin]) => !/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(pin))).toEqual([]);
  const pins = [...new Set(used.map((each) => each.join("@")))];
  const versions = pins.map((pin) => pin.replace(/@\S+/, ""));
  expect(versions.filter((version, index) => versions.indexOf(version) !== index)).toEqual([]);
});

test("no job leaves a token in the clone, or puts values of GitHub into a command", () => {
  const steps = files.flatMap((file) => Object.values(jobsOf(file)).flatMap((job) => job.steps));
  const clones = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
  expect(clones.map((step) => step.with?.["persist-credentials"])).toEqual(clones.map(() => false));
  expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
});

test("the oldest Node that the package supports is tested", () => {
  const nodes = Object.values(jobsOf("ci.yml")).flatMap(({ strategy }) => strategy?.matrix.node ?? []);
  expect(manifest.engines.node).toMatch(new RegExp(`^>=${Math.min(...nodes)}\\.`));
});

describe("the nightly workflow", () => {
  /** Runs it with a `node` that exits with a code and an issue that may be open. Returns what npm and gh were asked. */
  async function runNightly(script: string, code: number, open = "") {
    const dir = mkdtempSync(join(tmpdir(), "nightly-"));
    const write = (name: string, text: string) =>
      writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    write("node", `echo "$@" > asked.txt; echo "what was found"; echo "and why" >&2; exit ${code}`);
    write("gh", `echo "$@" >> calls.txt; [ "$1 $2 $4" != "issue list nightly ${script}" ] || echo "${open}"`);
    const path = `${dir}:${process.env["PATH"]}`;
    const github = { token: "t", server_url: "https://github.com", repository: "r", run_id: 1 };
    const contexts = { github, matrix: { script } };
    const { conclusion } = await runJob(join(folder, "nightly.yml"), "check", dir, contexts, { PATH: path });
    const [asked, calls, issue] = ["asked.txt", "calls.txt", "issue.md"].map((name) =>
      existsSync(join(dir, name)) ? readFileSync(join(dir, name), "utf8").trim() : undefined,
    );
    rmSync(dir, { recursive: true });
    const changes = calls!.split("\n").filter((call) => /^issue (?!list)/.test(call));
    return { conclusion, asked, changes, issue };
  }

  test("runs only scripts that exist, and opens no issue for one that passes", async () => {
    const scripts = jobsOf("nightly.yml")["check"]!.strategy!.matrix.script!;
    expect(scripts.filter((script) => !existsSync(join(root, `scripts/${script}.mjs`)))).toEqual([]);
    const { asked: _, ...others } = await runNightly("test/mutate", 0);
    expect(others).toEqual({ conclusion: "success", changes: [], issue: undefined });
  });

  test.each([
    ["test/test", / --nightly$/],
    ["test/simulate", / --seed 20\d{6} --runs 100000 --quiet$/],
    ["release/rehearse", / all$/],
  ])("runs %s with its options for the night", async (script, asked) => {
    expect((await runNightly(script, 0)).asked).toMatch(asked);
  });

  test("opens an issue with what was found, updates it, and closes it when the script passes again", async () => {
    const { conclusion, issue, changes } = await runNightly("test/simulate", 1);
    expect(conclusion).toBe("failure");
    expect(changes).toEqual([
      "issue create --title scripts/test/simulate.mjs fails --label nightly test/simulate --body-file issue.md",
    ]);
    expect(issue).toContain("https://github.com/r/actions/runs/1");
    expect(issue).toContain("what was found\nand why\n");
    const updated = await runNightly("test/simulate", 1, "12");
    expect(updated).toMatchObject({ conclusion: "failure", changes: ["issue edit 12 --body-file issue.md"] });
    const closed = await runNightly("test/simulate", 0, "12");
    expect(closed).toMatchObject({ conclusion: "success", changes: [expect.stringMatching(/^issue close 12 /)] });
  });
});

describe("a release", () => {
  const release = jobsOf("release.yml");
  const jobs = Object.keys(release);
  const publishing = jobs.filter((name) => writesOf(release[name]!).length > 0);

  /** The jobs that must have passed before a job. */
  const needsOf = (name: string): string[] => [
    ...new Set([release[name]!.needs ?? []].flat().flatMap((each) => [each, ...needsOf(each)])),
  ];
  /** The job with a step that has this command, or this action. */
  const jobWith = (part: string) =>
    jobs.find((name) => release[name]!.steps.some(({ run, uses }) => (run ?? uses ?? "").includes(part)))!;

  test("begins with a tag of a version without a suffix, and by hand without a publication", () => {
    const { push, workflow_dispatch } = read("release.yml").on;
    expect(push).toEqual({ tags: ["v[0-9]+.[0-9]+.[0-9]+"] });
    expect(workflow_dispatch).toBeNull();
    expect(publishing.filter((name) => !release[name]!.if?.includes("github.event_name == 'push'"))).toEqual([]);
  });

  test("restores no cache, which another workflow could have filled", () => {
    const steps = Object.values(release).flatMap((job) => job.steps);
    const setups = steps.filter(({ uses }) => uses?.startsWith("actions/setup-node@"));
    expect(setups.map((step) => step.with?.["package-manager-cache"])).toEqual(setups.map(() => false));
    expect(steps.filter(({ uses }) => uses?.startsWith("actions/cache"))).toEqual([]);
  });

  test("signs and publishes only when all other jobs have passed", () => {
    const others = jobs.filter((name) => !publishing.includes(name));
    expect(others.flatMap((name) => commandsOf(release[name]!))).toEqual(
      expect.arrayContaining(["node scripts/release/release.mjs check", "npm test"]),
    );
    for (const name of publishing) expect(needsOf(name)).toEqual(expect.arrayContaining(others));
  });

  test("makes the plugin public before an SDK can be installed that downloads it, and the npm package last", () => {
    const [plugin, go, npm] = ["undraft", "go", "publish"].map((command) => jobWith(`release.mjs ${command}`));
    const python = jobWith("pypi-publish");
    for (const sdk of [go, python, npm]) expect(needsOf(sdk!)).toContain(plugin);
    expect(needsOf(npm!)).toEqual(expect.arrayContaining([go, python]));
  });

  test("publishes what was tested, in jobs that install and build nothing and have no token of npm or PyPI", () => {
    const found = publishing.map((name) => release[name]!);
    expect(found.flatMap(({ environment }) => environment ?? [])).toEqual(["pypi", "npm"]);
    expect(JSON.stringify(found)).not.toMatch(/NODE_AUTH_TOKEN|secrets\.|password/);
    expect(found.flatMap(commandsOf).filter((each) => !each.startsWith("node scripts/release/release.mjs "))).toEqual(
      [],
    );
  });

  test("has a rehearsal of every step that publishes", () => {
    const rehearsal = readFileSync(join(root, "scripts/release/rehearse.mjs"), "utf8");
    const commands = publishing.flatMap((name) => commandsOf(release[name]!)).map((each) => each.split(" ")[2]);
    expect(commands.filter((command) => !rehearsal.includes(`"${command}"`))).toEqual([]);
  });
});

describe("the archives", () => {
  const program = `import { archives } from "./scripts/release/archives.mjs"; console.log(JSON.stringify(archives));`;
  const args = ["--input-type=module", "-e", program];
  const archives: { file: string; runner: string }[] = JSON.parse(
    execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }),
  );

  test("are each made on a runner of their own, with the exact Node that is audited", () => {
    expect(new Set(archives.flatMap(({ runner }) => runner ?? [])).size).toBe(archives.length);
    expect(readFileSync(join(root, ".nvmrc"), "utf8")).toMatch(/^\d+\.\d+\.\d+\n$/);
    const jobs = Object.values(jobsOf("release.yml"));
    const { steps } = jobs.find((job) => commandsOf(job).includes("node scripts/release/archive.mjs"))!;
    const given = steps.flatMap((step) => step.with ?? []);
    expect(given).toContainEqual(expect.objectContaining({ "node-version-file": ".nvmrc" }));
  });

  test("are those for the systems that the pages name", () => {
    const archs = (system: string) =>
      ["amd64", "arm64"].filter((arch) => archives.some(({ file }) => file.endsWith(`-${system}-${arch}.tar.gz`)));
    const words: Record<string, string> = { "amd64,arm64": "x86-64 and Arm", arm64: "Arm", amd64: "x86-64" };
    const [linux, macOs, windows] = ["linux", "darwin", "windows"].map((system) => words[String(archs(system))]);
    const [first, second] =
      linux === macOs ? [`Linux and macOS on ${linux}`] : [`Linux on ${linux}`, `macOS on ${macOs}`];
    const sentence = [first, ...(second ? [second] : []), `Windows on ${windows}`].join(", ");
    for (const page of ["docs/setup.md", "docs/languages.md"])
      expect(readFileSync(join(root, page), "utf8")).toContain(sentence);
  });
});

describe("Dependabot", () => {
  interface Update {
    "package-ecosystem": string;
    directories: string[];
    cooldown?: { "default-days": number };
  }
  const { updates } = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8")) as { updates: Update[] };

  test("waits a week before it proposes a new version", () => {
    expect(updates.filter(({ cooldown }) => !(cooldown && cooldown["default-days"] >= 7))).toEqual([]);
  });

  test("updates every lock file and every workflow", () => {
    const listed = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
    const foldersWith = (end: RegExp) =>
      listed.map((file) => `/${file}`).flatMap((file) => (end.test(file) ? [file.replace(end, "") || "/"] : []));
    // What an example depends on is in this package's clone, too.
    const packages = (end: RegExp) => foldersWith(end).filter((folder) => !folder.startsWith("/examples/"));
    const found = {
      npm: packages(/\/package-lock\.json$/),
      gomod: packages(/\/go\.mod$/),
      pip: packages(/\/requirements\.txt$/),
      maven: packages(/\/pom\.xml$/),
      "github-actions": [...new Set(foldersWith(/\/\.github\/workflows\/.*$/))],
    };
    const sorted = (folders: Record<string, string[]>) =>
      Object.fromEntries(Object.entries(folders).map(([ecosystem, each]) => [ecosystem, each.toSorted()]));
    const given = updates.map((each) => [each["package-ecosystem"], each.directories] as const);
    expect(sorted(Object.fromEntries(given))).toEqual(sorted(found));
  });
});

const lint = findActionlint();
testIf(lint, "actionlint could not be built. It needs Go and its module registry.")("actionlint finds nothing", () => {
  expect(lint!(...files.map((file) => join(".github/workflows", file)))).toEqual([]);
});
