/** The repository's own workflows: what each job may do, which actions it uses, and the order of a release. */
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
  outputs?: Record<string, string>;
  strategy?: { matrix: { os?: string; node?: number[] } };
  steps: WorkflowStep[];
}

const folder = join(root, ".github/workflows");
const files = readdirSync(folder).sort();
const read = (file: string) => parse(readFileSync(join(folder, file), "utf8"));
const jobsOf = (file: string) => read(file).jobs as Record<string, Job>;
const release = jobsOf("release.yml");
const commandsOf = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);

test("there are four workflows, which may only read", () => {
  expect(files).toEqual(["audit.yml", "ci.yml", "nightly.yml", "release.yml"]);
  expect(files.map((file) => read(file).permissions)).toEqual(files.map(() => ({ contents: "read" })));
});

test("only what opens issues, what signs and what publishes may do more", () => {
  const given = files.flatMap((file) =>
    Object.entries(jobsOf(file)).flatMap(([name, { permissions }]) =>
      permissions ? [[`${file}: ${name}`, permissions]] : [],
    ),
  );
  expect(Object.fromEntries(given)).toEqual({
    "nightly.yml: check": { contents: "read", issues: "write" },
    "release.yml: attest": { contents: "read", "id-token": "write", attestations: "write" },
    "release.yml: github": { contents: "write" },
    "release.yml: pypi": { "id-token": "write" },
    "release.yml: go": { contents: "write" },
    "release.yml: npm": { contents: "read", "id-token": "write" },
  });
});

/** Each on a version that runs on Node 24. */
const actions = {
  "actions/attest": "1e69f48acb82d1966a394da916b4c1698aa569d6 # v4.2.2",
  "actions/cache": "27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5",
  "actions/checkout": "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
  "actions/download-artifact": "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1",
  "actions/setup-node": "820762786026740c76f36085b0efc47a31fe5020 # v7.0.0",
  "actions/upload-artifact": "bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0",
  "pypa/gh-action-pypi-publish": "dc37677b2e1c63e2034f94d8a5b11f265b73ba33 # v1.14.2",
};

test("every action is pinned by its commit, the same in all workflows and in the examples", () => {
  const examples = ["gitops", "gitops-yaml"].map((name) => join(root, "examples", name, ".github/workflows/edges.yml"));
  const used = [...files.map((file) => join(folder, file)), ...examples]
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/uses: (\S+?)@(.*)/g)])
    .map(([, action, version]) => [action!, version!] as const);
  for (const [, version] of used) expect(version).toMatch(/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  expect(Object.fromEntries(used)).toMatchObject(actions);
  expect(
    used.filter(([action, version]) => action in actions && actions[action as keyof typeof actions] !== version),
  ).toEqual([]);
});

test("no job leaves a token in the clone, and what it gets from GitHub is no part of a command", () => {
  const steps = files.flatMap((file) => Object.values(jobsOf(file)).flatMap((job) => job.steps));
  const clones = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
  expect(clones.map((step) => step.with?.["persist-credentials"])).toEqual(clones.map(() => false));
  expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
});

test("every Node that the package supports is tested, and the audit runs weekly", () => {
  const { node } = jobsOf("ci.yml")["test"]!.strategy!.matrix;
  expect(node).toEqual([20, 22, 24, 26]);
  expect(manifest.engines.node).toMatch(new RegExp(`^>=${node![0]}\\.`));
  expect(read("audit.yml").on.schedule).toEqual([{ cron: expect.stringMatching(/ \* \* 1$/) }]);
});

describe("the nightly workflow", () => {
  /** Runs it with an `npm` that exits with a code, and returns what it was asked and what became an issue. */
  async function runNightly(script: string, code: number) {
    const dir = mkdtempSync(join(tmpdir(), "nightly-"));
    const write = (name: string, text: string) =>
      writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    write("npm", `echo "$@" > asked.txt; echo "what was found"; echo "and why" >&2; exit ${code}`);
    write("gh", 'echo "$@" > issue.txt; cat issue.md >> issue.txt');
    const path = `${dir}:${process.env["PATH"]}`;
    const contexts = { github: { token: "t", repository: "r" }, matrix: { script } };
    const { conclusion } = await runJob(join(folder, "nightly.yml"), "check", dir, contexts, { PATH: path });
    const [asked, issue] = ["asked.txt", "issue.txt"].map((name) =>
      existsSync(join(dir, name)) ? readFileSync(join(dir, name), "utf8").trim() : undefined,
    );
    rmSync(dir, { recursive: true });
    return { conclusion, asked, issue };
  }

  test("runs the nightly tests, the seed of the day, in the simulator and for the sample of mutants, all holes, and the rehearsal", async () => {
    const simulation = await runNightly("simulate", 0);
    expect(simulation).toMatchObject({ conclusion: "success", issue: undefined });
    expect(simulation.asked).toMatch(/^run --silent simulate -- --seed 20\d{6} --runs 100000 --quiet$/);
    expect((await runNightly("mutate", 0)).asked).toMatch(/^run --silent mutate -- --seed 20\d{6}$/);
    expect(await runNightly("holes", 0)).toMatchObject({ conclusion: "success", asked: "run --silent holes --" });
    expect((await runNightly("rehearse", 0)).asked).toBe("run --silent rehearse -- all");
    expect((await runNightly("providertest", 0)).asked).toBe("run --silent providertest --");
    expect((await runNightly("test:nightly", 0)).asked).toBe("run --silent test:nightly --");
    const [, listed] = /script: \[(.*)\]/.exec(readFileSync(join(folder, "nightly.yml"), "utf8"))!;
    expect(listed).toBe("test:nightly, simulate, holes, mutate, rehearse, providertest");
  });

  test("opens an issue with what was found", async () => {
    const { conclusion, issue } = await runNightly("simulate", 1);
    expect(conclusion).toBe("failure");
    expect(issue).toMatch(/^issue create --title npm run simulate found something on 20\d\d-\d\d-\d\d --body-file/);
    expect(issue).toContain("what was found\nand why\n");
  });
});

describe("a release", () => {
  test("begins with a tag of a version without a suffix, and by hand without a publication", () => {
    const { push, workflow_dispatch } = read("release.yml").on;
    expect(push).toEqual({ tags: ["v[0-9]+.[0-9]+.[0-9]+"] });
    expect(workflow_dispatch).toBeNull();
    const onlyPushed = Object.keys(release).filter((name) =>
      release[name]!.if?.includes("github.event_name == 'push'"),
    );
    expect(onlyPushed).toEqual(["check", "attest", "github", "pypi", "go", "npm"]);
  });

  test("restores no cache, which another workflow could have filled", () => {
    const steps = Object.values(release).flatMap((job) => job.steps);
    const setups = steps.filter(({ uses }) => uses?.startsWith("actions/setup-node@"));
    expect(setups.map((step) => step.with?.["package-manager-cache"])).toEqual(setups.map(() => false));
    expect(steps.filter(({ uses }) => uses?.startsWith("actions/cache"))).toEqual([]);
  });

  test("is a list of the scripts that the rehearsal runs, in this order", () => {
    const jobs = Object.entries(release).map(([name, job]) => [name, job.needs, commandsOf(job)]);
    const step = (command: string) => `node scripts/release.mjs ${command}`;
    expect(jobs).toEqual([
      ["check", undefined, [step("check")]],
      [
        "test",
        "check",
        ["npm test", "npm run test:full", "npm run test:nightly", step('runners >> "$GITHUB_OUTPUT"'), step("pack")],
      ],
      ["archive", "test", ["npm ci", "npm run plugin:archive", step("try")]],
      ["packages", "test", ["npm ci", "node scripts/packages.mjs"]],
      ["rehearse", "test", ["npm ci", "npm run rehearse -- all"]],
      ["collect", ["archive", "packages", "rehearse"], [step("complete assets")]],
      ["attest", "collect", []],
      // The plugin is public before an SDK can be installed that downloads it.
      ["github", "attest", [step("draft assets"), step("undraft")]],
      ["pypi", "github", []],
      ["go", "github", [step("go go")]],
      ["npm", ["pypi", "go"], [step("publish package/*.tgz")]],
    ]);
    const rehearsal = readFileSync(join(root, "scripts/rehearse.mjs"), "utf8");
    for (const command of ["check", "pack", "try", "complete", "draft", "undraft", "go", "publish"])
      expect(rehearsal).toMatch(new RegExp(`(release\\(\\w+, |twice\\()"${command}"`));
  });

  /** Started by hand or by a tag, it asserts these. To leave a system out, remove its line from scripts/node. */
  const systems: [system: string, arch: string, runner: string][] = [
    ["darwin", "arm64", "macos-latest"],
    ["darwin", "amd64", "macos-15-intel"],
    ["linux", "arm64", "ubuntu-24.04-arm"],
    ["linux", "amd64", "ubuntu-latest"],
    ["windows", "amd64", "windows-latest"],
  ];

  test("makes and starts the archive of every system that scripts/node names on a runner of its own", () => {
    const program =
      'import { archives } from "./scripts/archives.mjs"; console.log(JSON.stringify(archives.map((each) => [each.file, each.runner, each.nodeVersion])));';
    const run = (args: string[]) => execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    const listed: string[][] = JSON.parse(run(["--input-type=module", "-e", program]));
    const { version } = manifest;
    expect(listed.map(([file, runner]) => [file, runner])).toEqual(
      systems.map(([system, arch, runner]) => [
        `pulumi-resource-tunnel-edge-v${version}-${system}-${arch}.tar.gz`,
        runner,
      ]),
    );
    expect(new Set(listed.map(([, , node]) => node)).size).toBe(1);
    const runners = run(["scripts/release.mjs", "runners"]);
    expect(runners).toBe(`runners=${JSON.stringify(systems.map(([, , runner]) => runner))}\n`);
    expect(release["archive"]!.strategy!.matrix.os).toMatch(/ fromJSON\(needs\.test\.outputs\.runners\) /);
    expect(release["test"]!.outputs).toEqual({ runners: expect.stringContaining(" steps.runners.outputs.runners ") });
  });

  test("the pages name these systems", () => {
    const archs = (name: string) => systems.filter(([system]) => system === name).map(([, arch]) => arch);
    const words: Record<string, string> = { "arm64,amd64": "x86-64 and Arm", arm64: "Arm", amd64: "x86-64" };
    const [linux, macOs, windows] = ["linux", "darwin", "windows"].map((name) => words[String(archs(name))]);
    const [first, second] =
      linux === macOs ? [`Linux and macOS on ${linux}`] : [`Linux on ${linux}`, `macOS on ${macOs}`];
    const sentence = [first, ...(second ? [second] : []), `Windows on ${windows}`].join(", ");
    for (const page of ["docs/compatibility.md", "docs/languages.md"])
      expect(readFileSync(join(root, page), "utf8")).toContain(sentence);
  });

  test("publishes what was tested, in jobs that install and build nothing and have no token of npm or PyPI", () => {
    const publishing = ["github", "pypi", "go", "npm"].map((name) => release[name]!);
    expect(publishing.map(({ environment }) => environment)).toEqual([undefined, "pypi", undefined, "npm"]);
    expect(JSON.stringify(publishing)).not.toMatch(/npm (ci|install|run|pack)|NODE_AUTH_TOKEN|secrets\.|password/);
    expect(
      publishing.flatMap(commandsOf).filter((command) => !command.startsWith("node scripts/release.mjs ")),
    ).toEqual([]);
    // What this script imports depends only on Node.
    const imports = ["release.mjs", "archives.mjs", "packageFiles.mjs", "lib.mjs"].flatMap((file) =>
      [...readFileSync(join(root, "scripts", file), "utf8").matchAll(/ from "(.*?)"/g)].map(([, name]) => name!),
    );
    expect(imports.filter((name) => !/^(node:|\.\/(archives|packageFiles|lib)\.mjs$)/.test(name))).toEqual([]);
  });

  test("uploads the packages for Python once, and attaches those for Java and .NET", () => {
    const [, upload] = release["pypi"]!.steps;
    expect(upload!.with).toEqual({ "skip-existing": true });
    const artifacts = release["packages"]!.steps.flatMap(({ uses, with: given }) =>
      uses?.startsWith("actions/upload-artifact@") ? [[given!["name"], given!["path"]]] : [],
    );
    expect(artifacts).toEqual([
      ["python", ".work/packages/python/"],
      ["go", ".work/packages/go/"],
      ["asset-java", ".work/packages/java/"],
      ["asset-dotnet", ".work/packages/dotnet/"],
    ]);
  });
});

test("Dependabot waits a week before it proposes a new version", () => {
  const { updates } = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8"));
  expect(updates.map(({ cooldown }: { cooldown?: object }) => cooldown)).toEqual(
    updates.map(() => ({ "default-days": 7 })),
  );
});

test("Dependabot updates every package.json with a lock, every go.mod and every workflow", () => {
  const { updates } = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8"));
  const listed = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
  const foldersWith = (end: string) =>
    listed
      .filter((file) => `/${file}`.endsWith(`/${end}`))
      .map((file) => `/${file.slice(0, -end.length)}`.replace(/(.)\/$/, "$1"));
  const byEcosystem = Object.fromEntries(
    updates.map((each: Record<string, string | string[]>) => [each["package-ecosystem"], each["directories"]]),
  );
  expect(byEcosystem).toEqual({
    npm: foldersWith("package-lock.json"),
    "github-actions": ["/", "/examples/gitops", "/examples/gitops-yaml"],
    // The example's go.mod names an SDK that is generated, and has the version of the set-up's CLI.
    gomod: foldersWith("go.mod").filter((folder) => folder !== "/examples/go"),
    pip: foldersWith("requirements.txt").filter((folder) => folder !== "/examples/python"),
    maven: ["/scripts/packages"],
  });
});

const lint = findActionlint();
testIf(lint, "actionlint could not be built. It needs Go and its module registry.")("actionlint finds nothing", () => {
  expect(lint!(...files.map((file) => join(".github/workflows", file)))).toEqual([]);
});
