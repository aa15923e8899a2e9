// Makes the plugin's release archive for this machine: the plugin as one executable with Node inside, so that users
// need no Node, its schema and the licences. The Node is the one that scripts/node names, whichever runs this script.
//   node scripts/archive.mjs    prints the archive's path, and writes its SHA-256 sum and its SBOM beside it
import fs from "node:fs";
import path from "node:path";
import { checksumOf, findArchive, hashOf, nodeFolder, pluginName, sbomOf } from "./archives.mjs";
import { isMain, log, main, readIfExists, root, run, showProgress, work } from "./lib.mjs";
import { bundle, collectLicences, folder, readLicence } from "./plugin.mjs";
import { createSbom } from "./sbom.mjs";
import { install } from "./setup.mjs";

const { platform } = process;

/** The folder of the npm package with the Node of this machine's archive, installed if need be, with its checksum. */
export async function installNode() {
  const target = path.join(work, "node");
  const installed = path.join(target, "node_modules", findArchive().npmPackage);
  const files = ["package.json", "package-lock.json"];
  const isCurrent = (file) =>
    readIfExists(path.join(target, file)) === fs.readFileSync(path.join(nodeFolder, file), "utf8");
  if (fs.existsSync(installed) && files.every(isCurrent)) return installed;
  fs.rmSync(target, { recursive: true, force: true });
  fs.mkdirSync(target, { recursive: true });
  for (const file of files) fs.copyFileSync(path.join(nodeFolder, file), path.join(target, file));
  const npm = platform === "win32" ? "npm.cmd" : "npm";
  await run(npm, ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: target, shell: platform === "win32" });
  return installed;
}

/** The Node in the folder that `installNode` returns. */
export const nodeIn = (installed) => path.join(installed, "bin", platform === "win32" ? "node.exe" : "node");

/** Makes a copy of Node that runs a script, and nothing else. */
async function makeExecutable(node, script, output) {
  const config = `${script}.json`;
  const options = {
    main: script,
    output,
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS is meant for programs, and could load code into a process that has the API key.
    execArgvExtension: "none",
  };
  fs.writeFileSync(config, JSON.stringify(options));
  await run(node, ["--build-sea", config]);
  if (platform === "darwin") await run("codesign", ["--sign", "-", "--force", output]);
}

async function makeArchive(output) {
  const { file, nodeVersion } = findArchive();
  const content = path.join(output, "content");
  fs.rmSync(output, { recursive: true, force: true });
  fs.mkdirSync(content, { recursive: true });
  const node = await installNode();
  const script = path.join(output, "main.js");
  const packages = await bundle(script);
  const name = platform === "win32" ? `${pluginName}.exe` : pluginName;
  await makeExecutable(nodeIn(node), script, path.join(content, name));
  fs.copyFileSync(path.join(folder, "schema.json"), path.join(content, "schema.json"));
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(content, "LICENSE"));
  const nodeLicence = `Node.js ${nodeVersion}\n\n${readLicence(node)}`;
  fs.writeFileSync(
    path.join(content, "LICENSES.txt"),
    `${collectLicences(packages)}\n${"-".repeat(80)}\n\n${nodeLicence}`,
  );
  const archive = path.join(output, file);
  // By a relative path: some tars take the colon of a Windows path for a host's.
  await run("tar", ["-czf", `../${file}`, ...fs.readdirSync(content)], { cwd: content });
  fs.writeFileSync(checksumOf(archive), `${hashOf(archive)}  ${file}\n`);
  fs.writeFileSync(sbomOf(archive), createSbom(packages, nodeVersion));
  for (const each of [content, script, `${script}.json`]) fs.rmSync(each, { recursive: true });
  return archive;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await install();
    const archive = await showProgress("Making the plugin's archive", () => makeArchive(path.join(work, "archive")));
    log(fs.readFileSync(checksumOf(archive), "utf8").trim());
    console.log(archive);
  });
}
