// The steps of a release, each a command, for the workflow and for the rehearsal. Those that publish depend only on Node,
// npm and gh, and run nothing that was installed:
//   node scripts/release.mjs check                 fails unless this commit and its tag can be released
//   node scripts/release.mjs pack                  packs the npm package, in .work/release
//   node scripts/release.mjs runners               prints the runners that make the archives
//   node scripts/release.mjs try                   starts the archive that `npm run plugin:archive` has made
//   node scripts/release.mjs complete <folder>     fails unless the folder has exactly the files of every archive
//   node scripts/release.mjs draft <folder>        drafts the release on GitHub, with the archives in the folder
//   node scripts/release.mjs publish <file>        publishes the packed file, unless npm has that version
//   node scripts/release.mjs undraft               makes the release public
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { archives, assertComplete, findArchive, pluginName } from "./archives.mjs";
import { Failure, log, main, manifest, root, run, work } from "./lib.mjs";

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
  const schema = JSON.parse(read("plugin/schema.json"));
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

/** Whether the release on GitHub is a draft; undefined if there is none. */
const isDraft = () =>
  run("gh", ["release", "view", tag, "--json", "isDraft"]).then(
    ({ stdout }) => JSON.parse(stdout).isDraft,
    () => undefined,
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

const isPublished = () =>
  run("npm", ["view", `${name}@${version}`, "version", "--json"]).then(
    ({ stdout }) => stdout.includes(version),
    (error) => {
      if (/\bE404\b/.test(error.message)) return false;
      throw error;
    },
  );

/** npm takes a path without `./` for a repository on GitHub. Provenance needs the identity of a workflow. */
async function publish(file) {
  if (await isPublished()) return log(`npm has ${name} ${version} already.`);
  const provenance = process.env.ACTIONS_ID_TOKEN_REQUEST_URL ? ["--provenance"] : [];
  const args = [`./${path.relative(".", file)}`, "--access", "public", "--ignore-scripts", ...provenance];
  await run("npm", ["publish", ...args]);
}

const commands = {
  check,
  pack,
  runners: printRunners,
  try: tryArchive,
  complete: assertComplete,
  draft,
  publish,
  undraft,
};

await main(async ([command, ...args]) => {
  if (!Object.hasOwn(commands, command)) throw new Failure(`Use one of ${Object.keys(commands).join(", ")}.`);
  await commands[command](...args);
});
