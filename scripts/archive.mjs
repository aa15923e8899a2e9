// Makes the plugin's release archive for this machine: the plugin as one executable with Node inside, so that users
// need no Node, its schema and the licences.
//   node scripts/archive.mjs    prints the archive's path, and writes its SHA-256 sum beside it
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Failure, log, main, manifest, root, run, showProgress, work } from "./lib.mjs";
import { bundle, collectLicences, folder, name } from "./plugin.mjs";
import { install } from "./setup.mjs";

const { arch, execPath, platform, version } = process;

/** Systems and architectures by Pulumi's names. */
const system = platform === "win32" ? "windows" : platform;
const architecture = arch === "x64" ? "amd64" : arch;

/** Puts a blob into a copy of Node, which then runs it instead of a script. */
async function injectIntoNode(blob, executable) {
  fs.copyFileSync(execPath, executable);
  fs.chmodSync(executable, 0o755);
  if (platform === "darwin") await run("codesign", ["--remove-signature", executable]);
  const { default: postject } = await import("postject");
  await postject
    .inject(executable, "NODE_SEA_BLOB", fs.readFileSync(blob), {
      sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
      machoSegmentName: "NODE_SEA",
    })
    .catch((error) => {
      throw new Failure(`${execPath} cannot contain the plugin: ${error.message} Use a Node from nodejs.org.`);
    });
  if (platform === "darwin") await run("codesign", ["--sign", "-", executable]);
}

/** The licence of Node, which official distributions have beside their bin folder. */
function readNodeLicence() {
  const file = path.join(path.dirname(execPath), platform === "win32" ? "." : "..", "LICENSE");
  const address = `https://github.com/nodejs/node/blob/${version}/LICENSE`;
  return `Node.js ${version}: ${fs.existsSync(file) ? `\n\n${fs.readFileSync(file, "utf8")}` : `MIT, ${address}\n`}`;
}

async function makeArchive(output) {
  const content = path.join(output, "content");
  fs.rmSync(output, { recursive: true, force: true });
  fs.mkdirSync(content, { recursive: true });
  const [script, blob, config] = ["main.js", "main.blob", "sea.json"].map((file) => path.join(output, file));
  const packages = await bundle(script);
  const options = { main: script, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true };
  fs.writeFileSync(config, JSON.stringify(options));
  await run(execPath, ["--experimental-sea-config", config]);
  await injectIntoNode(blob, path.join(content, platform === "win32" ? `${name}.exe` : name));
  fs.copyFileSync(path.join(folder, "schema.json"), path.join(content, "schema.json"));
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(content, "LICENSE"));
  fs.writeFileSync(
    path.join(content, "LICENSES.txt"),
    `${collectLicences(packages)}\n${"-".repeat(80)}\n\n${readNodeLicence()}`,
  );
  const file = `${name}-v${manifest.version}-${system}-${architecture}.tar.gz`;
  const archive = path.join(output, file);
  // By a relative path: some tars take the colon of a Windows path for a host's.
  await run("tar", ["-czf", `../${file}`, ...fs.readdirSync(content)], { cwd: content });
  const sum = createHash("sha256").update(fs.readFileSync(archive)).digest("hex");
  fs.writeFileSync(`${archive}.sha256`, `${sum}  ${file}\n`);
  for (const file of [content, script, blob, config]) fs.rmSync(file, { recursive: true });
  return archive;
}

await main(async () => {
  await install();
  const archive = await showProgress("Making the plugin's archive", () => makeArchive(path.join(work, "archive")));
  log(fs.readFileSync(`${archive}.sha256`, "utf8").trim());
  console.log(archive);
});
