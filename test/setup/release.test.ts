/** The steps of a release, where they must stop. The rehearsal runs them to their end. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  for (const file of ["release.mjs", "archives.mjs", "lib.mjs", "packageFiles.mjs", "node/package.json"])
    cpSync(join(root, "scripts", file), join(clone, "scripts", file));
  mkdirSync(join(clone, "plugin"));
  git("init", "--quiet");
});
beforeEach(() => {
  write("package.json", { ...manifest, version: "1.2.3", repository: { url: "git+https://github.com/o/r.git" } });
  const language = { csharp: { rootNamespace: "O" } };
  write("plugin/schema.json", { version: "1.2.3", pluginDownloadURL: "github://api.github.com/o/r", language });
  write("CHANGELOG.md", "# Changelog\n\n## 1.2.3 - 2026-11-20\n\nAll new.\n\n## 1.2.2 - 2026-11-01\n");
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message=Release");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
});

function run(args: string[], tag = "v1.2.3") {
  const env = { ...process.env, GITHUB_REF_NAME: tag };
  const options = { cwd: clone, encoding: "utf8", env } as const;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/release.mjs", ...args], options);
  return { status, lines: stderr.trim().split("\n").filter(Boolean) };
}

test("a commit on main with its date, its owner and its schema can be released", () => {
  expect(run(["check"])).toEqual({ status: 0, lines: [] });
});

const other = (change: object) => write("package.json", { ...manifest, version: "1.2.3", ...change });

test.each([
  {
    what: "without an owner",
    change: () => other({ repository: undefined }),
    message: "package.json: repository does not name the repository's owner.",
  },
  {
    what: "without the plugin's address",
    change: () => write("plugin/schema.json", { version: "1.2.3" }),
    message: "plugin/schema.json has no pluginDownloadURL. Set repository, then run `npm run docs`.",
  },
  {
    what: "without a date",
    change: () => write("CHANGELOG.md", "## 1.2.3 - unreleased\n"),
    message: "CHANGELOG.md: 1.2.3 has no date.",
  },
  {
    what: "with the date of another version",
    change: () => write("CHANGELOG.md", "## 1.2.2 - 2026-11-01\n"),
    message: "CHANGELOG.md: 1.2.3 has no date.",
  },
  { what: "with another tag", tag: "v1.2.4", message: "The tag is v1.2.4, not v1.2.3." },
  {
    what: "beside main",
    change: () => git("commit", "--quiet", "--allow-empty", "--message=Other"),
    message: "v1.2.3 is not on main.",
  },
])("a commit $what is not released", ({ change, tag, message }) => {
  change?.();
  expect(run(["check"], tag)).toEqual({ status: 1, lines: [message] });
});

test("a release has the files of every archive and package, and no others, whether it is drafted or only rehearsed", () => {
  const folder = join(clone, "assets");
  mkdirSync(folder);
  const systems = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64"];
  const names = systems.map((system) => `pulumi-resource-tunnel-edge-v1.2.3-${system}`);
  const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  for (const name of names) {
    writeFileSync(join(folder, `${name}.tar.gz`), "");
    writeFileSync(join(folder, `${name}.tar.gz.sha256`), `${sum}  ${name}.tar.gz\n`);
    writeFileSync(join(folder, `${name}.cdx.json`), "{}");
  }
  const packages = [".jar", "-sources.jar", "-javadoc.jar", ".pom"].map((end) => `pulumi-tunnel-edge-1.2.3${end}`);
  expect(run(["complete", folder]).lines.join()).toMatch(
    new RegExp(` has no ${[...packages, "O.TunnelEdge.1.2.3.nupkg"].join(", ")}\\.$`),
  );
  for (const file of [...packages, "O.TunnelEdge.1.2.3.nupkg"]) writeFileSync(join(folder, file), "");
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

test("the SDK for Go is a child of the release's commit with a tag of its own, which is pushed once and never moved", () => {
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
    "A\tsdk/go/.gitignore\nA\tsdk/go/go.mod\n",
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

test("a package without the text of its licence fails the archive", () => {
  const program = `import { readLicence } from "./scripts/plugin.mjs"; readLicence(${JSON.stringify(join(clone, "plugin"))});`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("has no licence, which must be distributed with it.");
});
