// Makes the plugin's release archive for this machine: the plugin as one executable with Node inside, so that users
// need no Node, its schema and the licences. It prints the archive's path, and writes its SHA-256 sum and its SBOM
// beside it:
//   node scripts/release/archive.mjs                  with the Node that runs this script
//   node scripts/release/archive.mjs --node <path>    with another
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, collectLicences, folder, readLicence } from "../dev/plugin.mjs";
import { install } from "../dev/setup.mjs";
import { Failure, log, main, root, run, showProgress, work } from "../lib/index.mjs";
import { checksumOf, findArchive, hashOf, pluginName, sbomOf } from "./archives.mjs";
import { createSbom } from "./sbom.mjs";

const { platform } = process;

/** What the archive has to say of a Node. */
async function describeNode(file) {
  const version = (await run(file, ["--version"])).stdout.trim().slice(1);
  const { stdout: help } = await run(file, ["--help"]);
  if (!help.includes("--build-sea"))
    throw new Failure(`Node ${version} makes no executables. Use 25.5 or later, or name it with --node <path>.`);
  return {
    file,
    version,
    hash: hashOf(file),
    origin: findOrigin(file, version),
    // The archives of nodejs.org have the licence at their top, and Node in bin, on Windows beside it.
    licence: readLicence(path.dirname(file).replace(/[\\/]bin$/, "")),
  };
}

/** actions/setup-node installs into this folder what nodejs.org has. Of any other Node only the file is known. */
function findOrigin(file, version) {
  const { RUNNER_TOOL_CACHE: tools } = process.env;
  const isOfficial = tools && file.startsWith(path.join(fs.realpathSync(tools), "node", path.sep));
  return isOfficial ? `https://nodejs.org/dist/v${version}/` : pathToFileURL(file).href;
}

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

async function makeArchive(output, nodeFile) {
  const { file } = findArchive();
  const node = await describeNode(nodeFile);
  const content = path.join(output, "content");
  fs.rmSync(output, { recursive: true, force: true });
  fs.mkdirSync(content, { recursive: true });
  const script = path.join(output, "main.js");
  const packages = await bundle(script);
  const name = platform === "win32" ? `${pluginName}.exe` : pluginName;
  await makeExecutable(node.file, script, path.join(content, name));
  fs.copyFileSync(path.join(folder, "schema.json"), path.join(content, "schema.json"));
  fs.copyFileSync(path.join(root, "LICENSE"), path.join(content, "LICENSE"));
  const nodeLicence = `Node.js ${node.version}\n\n${node.licence}`;
  fs.writeFileSync(
    path.join(content, "LICENSES.txt"),
    `${collectLicences(packages)}\n${"-".repeat(80)}\n\n${nodeLicence}`,
  );
  const archive = path.join(output, file);
  // By a relative path: some tars take the colon of a Windows path for a host's.
  await run("tar", ["-czf", `../${file}`, ...fs.readdirSync(content)], { cwd: content });
  fs.writeFileSync(checksumOf(archive), `${hashOf(archive)}  ${file}\n`);
  fs.writeFileSync(sbomOf(archive), createSbom(packages, node));
  for (const each of [content, script, `${script}.json`]) fs.rmSync(each, { recursive: true });
  return archive;
}

await main(async (args) => {
  const { values } = parseArgs({ args, options: { node: { type: "string", default: process.execPath } } });
  const node = fs.realpathSync(values.node);
  await install();
  const output = path.join(work, "archive");
  const archive = await showProgress("Making the plugin's archive", () => makeArchive(output, node));
  log(fs.readFileSync(checksumOf(archive), "utf8").trim());
  console.log(archive);
});
