// Rehearses a release of this clone, with the release's own scripts and stand-ins on 127.0.0.1 for what is outside:
//   node scripts/release/rehearse.mjs                prints what it did, and what only a real release does
//   node scripts/release/rehearse.mjs python yaml    deploys in these languages only
//   node scripts/release/rehearse.mjs all            deploys in all, also in .NET, which needs dotnet and the official CLI
//   node scripts/release/rehearse.mjs --node <path>  makes the archive with this Node, if the one that runs the script cannot
// Everything happens in .work/rehearsal, in a copy of the clone that has an owner and a date.
// Packages are installed from their files. That does not show whether npm, PyPI and Maven Central accept them and then have
// them: the uploads, their identity, provenance and attestations, and what a registry makes of a version exist only in a
// release.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { parseArgs } from "node:util";
import { setup } from "../dev/setup.mjs";
import { createEnvironment } from "../lib/environment.js";
import { Failure, log, main, manifest, root, run, showProgress, withCleanup, work } from "../lib/index.mjs";
import { archives, checksumOf, hashOf, sbomOf } from "./archives.mjs";
import { packageFiles } from "./packageFiles.mjs";
import { deploy, overrideDownload, readSection, tryLanguage } from "./rehearsal/languages.mjs";

const { name, version } = manifest;
const folder = path.join(work, "rehearsal");
const [clone, assets, remote] = ["clone", "assets", "remote.git"].map((each) => path.join(folder, each));
const stack = "rehearsal";
const owner = "example-owner";

const standIns = [
  ["The repository's owner, the changelog's date, the tag", `stand-ins: ${owner}, today, in a copy of the clone`],
  [
    "npm's registry",
    "`npm publish --dry-run`, and the packed file; OIDC, the trusted publisher and provenance exist only in the release",
  ],
  [
    "PyPI",
    "a folder with the wheel; the upload, by trusted publishing, and its attestations exist only in the release",
  ],
  ["The repository on GitHub", "a folder with a plain git remote"],
  ["GitHub's releases", "a folder and a server of files; attestations exist only in the release"],
  ["Archives of other systems", "empty files; the release makes and starts each on its own system"],
];

/** Processes and servers to stop at the end. */
const stops = [];

const done = [];
async function step(label, task) {
  const startTime = Date.now();
  const result = await showProgress(label, task);
  done.push([label, `${((Date.now() - startTime) / 1000).toFixed(1)} s`]);
  return result;
}

/** Starts a program and returns the first text that matches a pattern in what it prints. */
async function start(command, args, options, pattern) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  stops.push(() => child.kill());
  let printed = "";
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => reject(new Failure(`${command} ${args.join(" ")} ended:\n${printed}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        printed += text;
        const [found] = pattern.exec(printed) ?? [];
        if (found) resolve(found);
      });
    }
  });
}

async function serve(handle) {
  const server = http.createServer(handle).listen(0, "127.0.0.1");
  stops.push(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}`;
}

/** Copies the clone as it is, built, with packages of its own only where they are the clone itself. */
async function copyClone(copy) {
  const { stdout } = await run("git", ["ls-files", "-coz", "--exclude-standard"], { cwd: root });
  const built = ["dist", "plugin", ".work/dist.sha256", ".work/plugin.sha256"];
  const listed = stdout.split("\0").filter((file) => file && fs.existsSync(path.join(root, file)));
  for (const file of new Set([...listed, ...built])) {
    fs.cpSync(path.join(root, file), path.join(copy, file), { recursive: true, preserveTimestamps: true });
  }
  const packages = path.join(copy, "node_modules");
  fs.mkdirSync(packages);
  for (const name of fs.readdirSync(path.join(root, "node_modules")).filter((each) => each !== manifest.name)) {
    fs.symlinkSync(path.join(root, "node_modules", name), path.join(packages, name));
  }
  fs.symlinkSync("..", path.join(packages, manifest.name));
}

/** The clone as it is now, as a commit on main with its tag, an owner and a date. */
async function prepareClone() {
  await copyClone(clone);
  for (const cache of ["python", "maven"]) {
    fs.mkdirSync(path.join(work, cache), { recursive: true });
    fs.symlinkSync(path.join(work, cache), path.join(clone, ".work", cache));
  }
  const changelog = path.join(clone, "CHANGELOG.md");
  const today = new Date().toISOString().slice(0, 10);
  fs.writeFileSync(changelog, fs.readFileSync(changelog, "utf8").replace(/^(## \S+ - )unreleased$/m, `$1${today}`));
  const repository = { type: "git", url: `git+https://github.com/${owner}/${name}.git` };
  fs.writeFileSync(path.join(clone, "package.json"), JSON.stringify({ ...manifest, repository }, undefined, 2));
  await run(process.execPath, ["scripts/docs/docs.mjs"], { cwd: clone });
  const identity = ["-c", "user.name=rehearsal", "-c", "user.email=rehearsal@example.com"];
  const git = (...args) => run("git", [...identity, ...args], { cwd: clone });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Release");
  await git("tag", `v${version}`);
  await run("git", ["init", "--quiet", "--bare", remote]);
  await git("remote", "add", "origin", remote);
  await git("push", "--quiet", "origin", "main", `v${version}`);
}

/** A `gh` that keeps the release in a folder, of which the server shows what is not a draft. */
function writeGh() {
  const bin = path.join(folder, "bin");
  const file = path.join(folder, "release.json");
  fs.mkdirSync(bin);
  fs.writeFileSync(
    path.join(bin, "gh"),
    `#!${process.execPath}
const fs = require("node:fs");
const path = require("node:path");
const file = ${JSON.stringify(file)};
const [, command, tag, ...args] = process.argv.slice(2);
if (command === "create") fs.writeFileSync(file, JSON.stringify({ isDraft: args.includes("--draft") }));
if (!fs.existsSync(file)) {
  console.error("release not found");
  process.exit(1);
}
if (command === "edit") fs.writeFileSync(file, JSON.stringify({ isDraft: false }));
if (command === "view") console.log(fs.readFileSync(file, "utf8"));
for (const asset of args.filter((each) => each.startsWith(${JSON.stringify(`${assets}/`)})))
  fs.copyFileSync(asset, path.join(${JSON.stringify(path.join(folder, "public"))}, path.basename(asset)));
`,
    { mode: 0o755 },
  );
  fs.mkdirSync(path.join(folder, "public"));
  const isPublic = () => fs.existsSync(file) && !JSON.parse(fs.readFileSync(file, "utf8")).isDraft;
  return { bin, isPublic };
}

/** What was made here, and for everything else an empty file, with the archives' checksums. */
function collectAssets() {
  for (const made of ["archive", "packages/java", "packages/dotnet"].map((each) => path.join(clone, ".work", each)))
    if (fs.existsSync(made)) fs.cpSync(made, assets, { recursive: true });
  const { java, dotnet } = packageFiles(readClonedSchema());
  for (const file of [...java, ...dotnet]) fs.appendFileSync(path.join(assets, file), "");
  for (const { file } of archives) {
    const archive = path.join(assets, file);
    if (fs.existsSync(archive)) continue;
    fs.writeFileSync(archive, "");
    fs.writeFileSync(checksumOf(archive), `${hashOf(archive)}  ${file}\n`);
    fs.writeFileSync(sbomOf(archive), "{}\n");
  }
}

const readClonedSchema = () => JSON.parse(fs.readFileSync(path.join(clone, "plugin/schema.json"), "utf8"));

const address = /http:\/\/127\.0\.0\.1:\d+/;

function makeFolder(...names) {
  const made = path.join(folder, ...names);
  fs.mkdirSync(made, { recursive: true });
  return made;
}

/** Pulumi's environment with a folder of its own and the emulator at this address. */
const isolate = (name, searchPath, url, stack) =>
  createEnvironment({
    home: makeFolder(name, "pulumi"),
    state: makeFolder(name, "state"),
    stack,
    searchPath,
    service: { url, apiKey: "emulator-api-key" },
  });

/** A new project with the quickstart's program, with the package as npm installs it. */
async function tryPackage(packed, directories) {
  const project = path.join(folder, "quickstart");
  fs.cpSync(path.join(clone, "examples/quickstart"), project, {
    recursive: true,
    filter: (file) => !/node_modules|Pulumi\.\w+\.yaml$/.test(file),
  });
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", packed], { cwd: project });
  const command = path.join(project, "node_modules/.bin", name);
  const url = await start(command, ["emulator", "--port", "0"], { cwd: project }, address);
  const env = isolate("home", [...directories, process.env.PATH], url, stack);
  await run("pulumi", ["stack", "init", stack, "--non-interactive"], { cwd: project, env });
  const { sshAddress } = await deploy(project, env);
  if (sshAddress !== "1.tcp.tunnel.example:20022") throw new Failure(`The quickstart deployed ${sshAddress}.`);
}

const program = `name: edges
runtime: yaml
resources:
  ssh:
    type: tunnel-edge:TcpEdge
    properties: { hostports: ["1.tcp.example.com:20022"] }
outputs:
  hostports: \${ssh.hostports}
`;

/** A YAML project on a machine without Node: the plugin comes from the server, and so does the emulator. */
async function tryPlugin(server, directories) {
  const project = makeFolder("yaml");
  fs.writeFileSync(path.join(project, "Pulumi.yaml"), program);
  const searchPath = directories.filter((each) => !fs.existsSync(path.join(each, "node")));
  const environment = (url) => isolate("yaml-home", searchPath, url, stack);
  const [{ code: install }] = readSection(clone, "YAML");
  const env = { ...environment(""), ...overrideDownload(readClonedSchema(), server) };
  await run("/bin/sh", ["-euc", install], { cwd: project, env });
  const emulator = ["plugin", "run", "--kind", "resource", "tunnel-edge", "--", "emulator", "--port", "0"];
  const url = await start("pulumi", emulator, { cwd: project, env: environment("") }, address);
  await run("pulumi", ["stack", "init", stack, "--non-interactive"], { cwd: project, env: environment(url) });
  const { hostports } = await deploy(project, environment(url));
  if (hostports.join() !== "1.tcp.example.com:20022") throw new Failure(`The plugin deployed ${hostports}.`);
}

function printTable(title, rows) {
  const width = Math.max(...rows.map(([label]) => label.length));
  console.log([title, ...rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`), ""].join("\n"));
}

const steps = {
  typescript: "Install the package, and deploy the quickstart",
  yaml: "Install the plugin, and deploy YAML without Node",
  python: "Install the package for Python, and deploy",
  go: "Get the module for Go, and deploy",
  java: "Install the package for Java, and deploy",
  dotnet: "Install the package for .NET, and deploy",
};

async function rehearse(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { node: { type: "string", default: process.execPath } },
  });
  const node = path.resolve(values.node);
  const all = Object.keys(steps);
  const named = positionals[0] === "all" ? all : positionals;
  const unknown = named.filter((each) => !all.includes(each));
  if (unknown.length > 0) throw new Failure(`Use all, ${all.join(", ")}, not ${unknown.join(", ")}.`);
  const chosen = named.length > 0 ? named : all.filter((each) => each !== "dotnet");
  const made = ["python", "go", "java", "dotnet"].filter((each) => chosen.includes(each));
  const directories = await setup({ needs: ["yaml", ...(made.length > 0 ? ["python", "go", "java", "sdks"] : [])] });
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(path.join(clone, ".work"), { recursive: true });
  const { bin, isPublic } = writeGh();
  const release = (...args) =>
    run(process.execPath, ["scripts/release/release.mjs", ...args], {
      cwd: clone,
      env: { ...process.env, PATH: [bin, process.env.PATH].join(path.delimiter), GITHUB_REF_NAME: `v${version}` },
    });
  const packed = path.join(clone, `.work/release/${name}-${version}.tgz`);

  await step("Copy the clone, with an owner and a date", prepareClone);
  await step("Check the commit and its tag", () => release("check"));
  await step("Pack the package", () => release("pack"));
  await step("Make the archive", () =>
    run(process.execPath, ["scripts/release/archive.mjs", "--node", node], { cwd: clone }),
  );
  await step("Start what is in it", () => release("try"));
  for (const each of made)
    await step(`Make the package for ${each}`, () =>
      run(process.execPath, ["scripts/release/packages.mjs", each], { cwd: clone }),
    );
  collectAssets();
  await step("See that nothing is missing", () => release("complete", assets));
  await step("Draft the release, twice", async () => {
    for (let times = 0; times < 2; times++) await release("draft", assets);
    if (isPublic()) throw new Failure("The draft is public.");
  });
  await step("Make the release public", () => release("undraft"));
  if (made.includes("go"))
    await step("Push the SDK for Go, twice", async () => {
      const sdk = path.join(clone, ".work/packages/go");
      await release("go", sdk);
      const { stderr } = await release("go", sdk);
      if (!stderr.includes("already")) throw new Failure("A repeated run publishes again.");
    });
  await step("Let npm check the packed file", () => release("publish", packed, "--dry-run"));
  const server = await serve((request, response) => {
    const file = path.join(folder, "public", path.basename(request.url));
    if (!isPublic() || !fs.existsSync(file)) return response.writeHead(404).end();
    // Pulumi compares the length.
    response.setHeader("Content-Length", fs.statSync(file).size);
    fs.createReadStream(file).pipe(response);
  });
  const tries = {
    typescript: () => tryPackage(packed, directories),
    yaml: () => tryPlugin(server, directories),
  };
  const url = await start(process.execPath, ["dist/bin.js", "emulator", "--port", "0"], { cwd: clone }, address);
  for (const each of chosen) {
    const project = makeFolder(`try-${each}`);
    const context = { clone, project, remote, server, schema: readClonedSchema() };
    const env = isolate(`try-${each}-home`, [...directories, process.env.PATH], url);
    await step(steps[each], tries[each] ?? (() => tryLanguage(each, { ...context, env })));
  }
}

await main(async (args) => {
  const stop = () => stops.splice(0).forEach((each) => void each());
  await withCleanup(stop, () => rehearse(args));
  log("");
  printTable("Rehearsed:", done);
  printTable("Only in a release:", standIns);
});
