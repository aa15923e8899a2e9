/** The steps of a release, where they must stop. The rehearsal runs them to their end. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifest } from "../support/data/manifest";
import { root } from "../support/root";

const clone = mkdtempSync(join(tmpdir(), "release-"));
afterAll(() => rmSync(clone, { recursive: true, force: true }));

const write = (file: string, content: string | object) =>
  writeFileSync(join(clone, file), typeof content === "string" ? content : JSON.stringify(content));

const git = (...args: string[]) => {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...identity, ...args], { cwd: clone, stdio: "pipe" });
};

/** What this clone must have to be released, and nothing that the steps could install or import besides. */
beforeAll(() => {
  for (const file of ["release/release.mjs", "release/archives.mjs", "lib/index.mjs", "release/packageFiles.mjs"])
    cpSync(join(root, "scripts", file), join(clone, "scripts", file));
  mkdirSync(join(clone, "plugin"));
  mkdirSync(join(clone, ".github/workflows"), { recursive: true });
  write(".github/workflows/release.yml", "name: release\n");
  git("init", "--quiet");
  prepare();
});
const language = { csharp: { rootNamespace: "O" } };
/** Commits a version that can be released. */
function prepare(): void {
  write("package.json", { ...manifest, version: "1.2.3", repository: { url: "git+https://github.com/o/r.git" } });
  write("plugin/schema.json", { version: "1.2.3", pluginDownloadURL: "github://api.github.com/o/r", language });
  write("CHANGELOG.md", "# Changelog\n\n## 1.2.3 - 2026-11-20\n\nAll new.\n\n## 1.2.2 - 2026-11-01\n");
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message=Release");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
}

function run(args: string[], tag = "v1.2.3", path = "") {
  const env = { ...process.env, GITHUB_REF_NAME: tag, PATH: `${path}:${process.env["PATH"]}` };
  const options = { cwd: clone, encoding: "utf8", env } as const;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/release/release.mjs", ...args], options);
  return { status, lines: stderr.trim().split("\n").filter(Boolean) };
}

test("a commit on main with its date, its owner and its schema can be released", () => {
  expect(run(["check"])).toEqual({ status: 0, lines: [] });
});

test("a commit that lacks something cannot be released, and every reason is printed", () => {
  write("CHANGELOG.md", "## 1.2.3 - unreleased\n");
  expect(run(["check"])).toEqual({ status: 1, lines: ["CHANGELOG.md: 1.2.3 has no date."] });
  write("package.json", { ...manifest, version: "1.2.3", repository: undefined });
  write("plugin/schema.json", { version: "1.2.3", language });
  write("CHANGELOG.md", "## 1.2.2 - 2026-11-01\n");
  git("commit", "--quiet", "--allow-empty", "--message=Other");
  expect(run(["check"], "v1.2.4")).toEqual({
    status: 1,
    lines: [
      "The tag is v1.2.4, not v1.2.3.",
      "CHANGELOG.md: 1.2.3 has no date.",
      "package.json: repository does not name the repository's owner.",
      "plugin/schema.json has no pluginDownloadURL. Set repository, then run `npm run docs`.",
      "v1.2.3 is not on main.",
    ],
  });
});

const systems = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64"];
const names = systems.map((system) => `pulumi-resource-tunnel-edge-v1.2.3-${system}`);
const packages = [
  ...[".jar", "-sources.jar", "-javadoc.jar", ".pom"].map((end) => `pulumi-tunnel-edge-1.2.3${end}`),
  "O.TunnelEdge.1.2.3.nupkg",
];

function writeArchives(folder: string): void {
  mkdirSync(folder);
  const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  for (const name of names) {
    writeFileSync(join(folder, `${name}.tar.gz`), "");
    writeFileSync(join(folder, `${name}.tar.gz.sha256`), `${sum}  ${name}.tar.gz\n`);
    writeFileSync(join(folder, `${name}.cdx.json`), "{}");
  }
}

function writePackages(folder: string): void {
  for (const file of packages) writeFileSync(join(folder, file), "");
}

test("a release has the files of every archive and package, and no others, whether it is drafted or only rehearsed", () => {
  const folder = join(clone, "assets");
  writeArchives(folder);
  expect(run(["complete", folder]).lines.join()).toMatch(new RegExp(` has no ${packages.join(", ")}\\.$`));
  writePackages(folder);
  expect(run(["complete", folder])).toEqual({ status: 0, lines: [] });
  const [first] = names as [string];
  writeFileSync(join(folder, "other.txt"), "");
  for (const command of ["complete", "draft"]) {
    const { lines } = run([command, folder]);
    expect(lines.join()).toMatch(/files that do not belong to the release: other\.txt\.$/);
  }
  rmSync(join(folder, "other.txt"));
  writeFileSync(join(folder, `${first}.tar.gz`), "changed");
  expect(run(["draft", folder]).lines).toEqual([`${first}.tar.gz does not have its checksum.`]);
  rmSync(join(folder, `${first}.tar.gz`));
  expect(run(["draft", folder]).lines.join()).toMatch(new RegExp(` has no ${first}\\.tar\\.gz\\.$`));
});

test("a release is drafted if GitHub has none, completed if it is a draft, and unchanged if it is public", () => {
  const [folder, bin, asked] = ["files", "bin", "asked.txt"].map((name) => join(clone, name)) as [
    string,
    string,
    string,
  ];
  writeArchives(folder);
  writePackages(folder);
  mkdirSync(bin);
  const draft = (view: string) => {
    writeFileSync(asked, "");
    writeFileSync(
      join(bin, "gh"),
      `#!/bin/sh\necho "$@" | cut -d " " -f 1-3 >> ${asked}\n[ "$2" != view ] || { ${view}; }\n`,
      { mode: 0o755 },
    );
    const { status, lines } = run(["draft", folder], "v1.2.3", bin);
    return { status, lines, asked: readFileSync(asked, "utf8").trim().split("\n").slice(1) };
  };
  expect(draft("echo release not found >&2; exit 1")).toEqual({
    status: 0,
    lines: [],
    asked: ["release create v1.2.3"],
  });
  expect(draft("echo '{\"isDraft\":true}'")).toEqual({ status: 0, lines: [], asked: ["release upload v1.2.3"] });
  expect(draft("echo '{\"isDraft\":false}'")).toEqual({
    status: 0,
    lines: ["The release v1.2.3 is public already."],
    asked: [],
  });
  const failed = draft("echo HTTP 502 >&2; exit 1");
  expect(failed).toMatchObject({ status: 1, asked: [] });
  expect(failed.lines.join()).toContain("HTTP 502");
});

test("the SDK for Go is a child of the release's commit with a tag of its own, which is pushed once and never moved", () => {
  prepare();
  const remote = join(clone, "remote.git");
  git("init", "--quiet", "--bare", remote);
  git("remote", "add", "origin", remote);
  const sdk = join(clone, "made");
  mkdirSync(sdk);
  writeFileSync(join(sdk, "go.mod"), "module m\n");
  writeFileSync(join(sdk, ".gitignore"), "go.mod\n");
  const before = git("status", "--porcelain").toString();
  expect(run(["go", sdk])).toEqual({ status: 0, lines: [] });
  expect(git("ls-remote", "origin").toString()).toMatch(/^[0-9a-f]{40}\trefs\/tags\/sdk\/go\/v1\.2\.3\n$/);
  git("fetch", "--quiet", "origin", "refs/tags/sdk/go/v1.2.3");
  const [parent, head] = ["FETCH_HEAD^", "HEAD"].map((ref) => git("rev-parse", ref).toString());
  expect(parent).toBe(head);
  expect(git("diff", "--name-status", "HEAD", "FETCH_HEAD").toString()).toBe(
    "D\t.github/workflows/release.yml\nA\tsdk/go/.gitignore\nA\tsdk/go/go.mod\n",
  );
  // The clone and its branch stay as they are.
  expect(git("status", "--porcelain").toString()).toBe(before);
  expect(run(["go", sdk])).toEqual({ status: 0, lines: ["sdk/go/v1.2.3 is pushed already."] });
  writeFileSync(join(sdk, "go.mod"), "module other\n");
  expect(run(["go", sdk])).toEqual({
    status: 1,
    lines: ["sdk/go/v1.2.3 is pushed already, with other content. Release a new version."],
  });
});

test("the packed file is published if npm has not this version, without provenance outside of a workflow", () => {
  const [bin, asked] = [join(clone, "npm"), join(clone, "published.txt")];
  mkdirSync(bin);
  const publish = (view: string, ...options: string[]) => {
    writeFileSync(asked, "");
    writeFileSync(join(bin, "npm"), `#!/bin/sh\n[ "$1" != view ] || { ${view}; }\necho "$@" >> ${asked}\n`, {
      mode: 0o755,
    });
    const { status, lines } = run(["publish", "p.tgz", ...options], "v1.2.3", bin);
    return { status, lines, asked: readFileSync(asked, "utf8").trim() };
  };
  const args = "publish ./p.tgz --access public --ignore-scripts";
  expect(publish("echo npm error code E404 >&2; exit 1")).toEqual({ status: 0, lines: [], asked: args });
  expect(publish("echo npm error code E404 >&2; exit 1", "--dry-run").asked).toBe(`${args} --dry-run`);
  const name = manifest.name as string;
  expect(publish("echo '\"1.2.3\"'; exit 0")).toEqual({
    status: 0,
    lines: [`npm has ${name} 1.2.3 already.`],
    asked: "",
  });
  const failed = publish("echo npm error code E503 >&2; exit 1");
  expect(failed).toMatchObject({ status: 1, asked: "" });
  expect(failed.lines.join()).toContain("E503");
});

test("a Node that makes no executables fails the archive, and the message has the fix", () => {
  const node = join(clone, "node");
  writeFileSync(node, "#!/bin/sh\necho v20.0.0\n", { mode: 0o755 });
  const args = [join(root, "scripts/release/archive.mjs"), "--node", node];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("Node 20.0.0 makes no executables. Use 25.5 or later, or name it with --node <path>.\n");
});

test("a package without the text of its licence fails the archive", () => {
  const program = `import { readLicence } from "./scripts/dev/plugin.mjs"; readLicence(${JSON.stringify(join(clone, "plugin"))});`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("has no licence, which must be distributed with it.");
});
