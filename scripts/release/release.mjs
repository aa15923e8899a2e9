// The steps of a release, each a command, for the workflow and for the rehearsal. Those that publish depend only on Node,
// npm, git and gh, and run nothing that was installed. What is published already is not published again:
//   node scripts/release/release.mjs check                 fails unless this commit and its tag can be released
//   node scripts/release/release.mjs pack                  packs the npm package, in .work/release
//   node scripts/release/release.mjs runners               prints the runners that make the archives
//   node scripts/release/release.mjs try                   starts the archive that archive.mjs has made
//   node scripts/release/release.mjs complete <folder>     fails unless the folder has exactly the files that the release has
//   node scripts/release/release.mjs draft <folder>        drafts the release on GitHub, with the files in the folder
//   node scripts/release/release.mjs undraft               makes the release public, from which SDKs download the plugin
//   node scripts/release/release.mjs go <folder>           pushes the SDK for Go, with a tag of its own
//   node scripts/release/release.mjs publish <file>        publishes the packed file on npm; with --dry-run, npm only checks it
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Failure, log, main, manifest, root, run, work } from "../lib/index.mjs";
import { archives, assertComplete, findArchive, pluginName } from "./archives.mjs";
import { readSchema } from "./packageFiles.mjs";

const { name, version } = manifest;
const tag = `v${version}`;
const read = (file) => fs.readFileSync(path.join(root, file), "utf8");

/** What the changelog says of this version. */
const readNotes = () =>
  read("CHANGELOG.md")
    .split(/^## /m)
    .find((section) => section.startsWith(`${version} `)) ?? "";

/** What must hold of the commit: Pulumi's registry, npm and users read it as it is at the tag. */
async function check() {
  const schema = readSchema();
  const problems = [
    !/^\d+\.\d+\.\d+$/.test(version) && `package.json: ${version} is a prerelease, which is not released.`,
    process.env.GITHUB_REF_NAME !== tag && `The tag is ${process.env.GITHUB_REF_NAME}, not ${tag}.`,
    !/^\S+ - \d{4}-\d\d-\d\d\n/.test(readNotes()) && `CHANGELOG.md: ${version} has no date.`,
    !manifest.repository && "package.json: repository does not name the repository's owner.",
    !schema.pluginDownloadURL &&
      "plugin/schema.json has no pluginDownloadURL. Set repository, then run `npm run docs`.",
    schema.version !== version && "plugin/schema.json has another version. Run `npm run docs`.",
    !(await isOnMain()) && `${tag} is not on main.`,
  ].filter(Boolean);
  if (problems.length > 0) throw new Failure(problems.join("\n"));
}

const isOnMain = () =>
  run("git", ["merge-base", "--is-ancestor", "HEAD", "origin/main"], { cwd: root }).then(
    () => true,
    () => false,
  );

const packed = path.join(work, "release");

async function pack() {
  fs.rmSync(packed, { recursive: true, force: true });
  fs.mkdirSync(packed, { recursive: true });
  await run("npm", ["pack", "--pack-destination", packed], { cwd: root });
  console.log(path.join(packed, `${name}-${version}.tgz`));
}

/** As an output of a step. */
const printRunners = () => console.log(`runners=${JSON.stringify(archives.map(({ runner }) => runner))}`);

/** Starts what is in this machine's archive, as the engine and as a user do. */
async function tryArchive() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "archive-"));
  const { file } = findArchive();
  fs.copyFileSync(path.join(work, "archive", file), path.join(folder, file));
  await run("tar", ["-xzf", file], { cwd: folder });
  const executable = path.join(folder, process.platform === "win32" ? `${pluginName}.exe` : pluginName);
  const child = spawn(executable, [], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise((resolve, reject) => {
    child.on("error", reject).on("exit", () => reject(new Failure(`${file} ends without a port.`)));
    child.stdout.once("data", (text) => resolve(String(text)));
  });
  child.removeAllListeners("exit").kill();
  await new Promise((done) => child.once("close", done));
  const printed = [port];
  for (const args of [["--version"], ["exposure", "--help"]]) printed.push((await run(executable, args)).stdout);
  const [, versionLine, help] = printed;
  if (!/^\d+\r?\n$/.test(port) || versionLine !== `${version}\n` || !help.startsWith("Usage: "))
    throw new Failure(`${file} does not print its port, its version and its help, but ${JSON.stringify(printed)}.`);
  // Windows keeps what has just run for a moment.
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  log(`${file} prints its port, its version and its help.`);
}

/** Whether the release on GitHub is a draft; undefined if there is none. GitHub would create a second draft of one tag. */
const isDraft = () =>
  run("gh", ["release", "view", tag, "--json", "isDraft"]).then(
    ({ stdout }) => JSON.parse(stdout).isDraft,
    (error) => {
      if (error.message.includes("release not found")) return undefined;
      throw error;
    },
  );

/** A run that is repeated completes the draft. What is public stays as it is. */
async function draft(folder) {
  assertComplete(folder);
  const found = await isDraft();
  if (found === false) return log(`The release ${tag} is public already.`);
  const files = fs.readdirSync(folder).map((file) => path.join(folder, file));
  if (found) return run("gh", ["release", "upload", tag, ...files, "--clobber"]);
  const notes = path.join(os.tmpdir(), `${tag}-notes.md`);
  fs.writeFileSync(notes, readNotes().replace(/^.*\n+/, ""));
  return run("gh", [
    "release",
    "create",
    tag,
    ...files,
    "--draft",
    "--verify-tag",
    "--title",
    tag,
    "--notes-file",
    notes,
  ]);
}

const undraft = () => run("gh", ["release", "edit", tag, "--draft=false"]);

/** Runs git in the clone, and returns what it prints. */
const git = async (args, options) => (await run("git", args, { cwd: root, ...options })).stdout.trim();

/**
 * A commit with the SDK for Go in sdk/go. Its parent is the release's commit, whose licence is thus the SDK's. It has no
 * workflows: GitHub rejects those of a workflow's token unless a branch has the same, which main has only until they change.
 */
async function commitGo(folder) {
  const index = fs.mkdtempSync(path.join(os.tmpdir(), "go-"));
  const date = await git(["log", "-1", "--format=%cI"]);
  const [name, email] = ["github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com"];
  const env = {
    ...process.env,
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
  const write = (file) => {
    const options = { env: { ...env, GIT_INDEX_FILE: path.join(index, file) } };
    return (...args) => git(args, options);
  };
  const [writeSdk, writeAll] = [write("sdk"), write("all")];
  const gitDir = await git(["rev-parse", "--absolute-git-dir"]);
  await writeSdk("-C", path.resolve(folder), `--git-dir=${gitDir}`, "--work-tree=.", "add", "--all", "--force", ".");
  const sdk = await writeSdk("write-tree");
  await writeAll("read-tree", "HEAD");
  await writeAll("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", ".github/workflows");
  await writeAll("read-tree", "--prefix=sdk/go/", sdk);
  const tree = await writeAll("write-tree");
  fs.rmSync(index, { recursive: true });
  return git(["commit-tree", tree, "-p", "HEAD", "-m", `Add the SDK for Go ${version}`], { env });
}

/** A pushed tag is never moved: Go's checksum database has its content. */
async function publishGo(folder) {
  const ref = `refs/tags/sdk/go/${tag}`;
  const commit = await commitGo(folder);
  // gh has the workflow's token. A remote that needs none does not ask it.
  const asGh = ["-c", "credential.helper=", "-c", "credential.helper=!gh auth git-credential"];
  if (!(await git([...asGh, "ls-remote", "origin", ref]))) return git([...asGh, "push", "origin", `${commit}:${ref}`]);
  await git([...asGh, "fetch", "--quiet", "--depth=1", "origin", ref]);
  const [pushed, made] = await Promise.all(["FETCH_HEAD", commit].map((each) => git(["rev-parse", `${each}^{tree}`])));
  if (pushed !== made) throw new Failure(`sdk/go/${tag} is pushed already, with other content. Release a new version.`);
  return log(`sdk/go/${tag} is pushed already.`);
}

const isPublished = () =>
  run("npm", ["view", `${name}@${version}`, "version", "--json"]).then(
    ({ stdout }) => stdout.includes(version),
    (error) => {
      if (/\bE404\b/.test(error.message)) return false;
      throw error;
    },
  );

/** npm takes a path without `./` for a repository on GitHub. Provenance needs the identity of a workflow. */
async function publish(file, ...options) {
  if (await isPublished()) return log(`npm has ${name} ${version} already.`);
  const provenance = process.env.ACTIONS_ID_TOKEN_REQUEST_URL ? ["--provenance"] : [];
  const args = [`./${path.relative(".", file)}`, "--access", "public", "--ignore-scripts", ...provenance, ...options];
  await run("npm", ["publish", ...args]);
}

const commands = {
  check,
  pack,
  runners: printRunners,
  try: tryArchive,
  complete: assertComplete,
  draft,
  undraft,
  go: publishGo,
  publish,
};

await main(async ([command, ...args]) => {
  if (!Object.hasOwn(commands, command)) throw new Failure(`Use one of ${Object.keys(commands).join(", ")}.`);
  await commands[command](...args);
});
