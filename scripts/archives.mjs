// The plugin's release archives: one for each system whose Node scripts/node names. What is not named there is left out
// of the release everywhere. It depends only on Node.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Failure, manifest, root } from "./lib.mjs";
import { packageFiles } from "./packageFiles.mjs";

export const nodeFolder = path.join(root, "scripts/node");
export const pluginName = "pulumi-resource-tunnel-edge";

const { optionalDependencies } = JSON.parse(fs.readFileSync(path.join(nodeFolder, "package.json"), "utf8"));

/** GitHub's runner of each system. */
const runners = {
  "linux-x64": "ubuntu-latest",
  "linux-arm64": "ubuntu-24.04-arm",
  "darwin-x64": "macos-15-intel",
  "darwin-arm64": "macos-latest",
  "win-x64": "windows-latest",
};

/** Each with the system and the architecture by Node's names, its runner, and the archive's file by Pulumi's names. */
export const archives = Object.entries(optionalDependencies).map(([npmPackage, nodeVersion]) => {
  const [, system, arch] = /^node(?:-bin)?-(linux|darwin|win)-(x64|arm64)$/.exec(npmPackage);
  const names = [system === "win" ? "windows" : system, arch === "x64" ? "amd64" : arch];
  const file = `${pluginName}-v${manifest.version}-${names.join("-")}.tar.gz`;
  const platform = system === "win" ? "win32" : system;
  return { npmPackage, nodeVersion, platform, arch, runner: runners[`${system}-${arch}`], file };
});

/** The archive for this machine. */
export function findArchive() {
  const found = archives.find(({ platform, arch }) => platform === process.platform && arch === process.arch);
  if (found) return found;
  throw new Failure(`There is no archive for ${process.platform} on ${process.arch}. Use the npm package's plugin.`);
}

/** What stands beside each archive. */
export const checksumOf = (archive) => `${archive}.sha256`;
export const sbomOf = (archive) => archive.replace(/\.tar\.gz$/, ".cdx.json");

export const hashOf = (file) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");

/** Fails unless a folder has exactly the files of every archive, with their checksums, and the packages to attach. */
export function assertComplete(folder) {
  const { java, dotnet } = packageFiles();
  const expected = [...archives.flatMap(({ file }) => [file, checksumOf(file), sbomOf(file)]), ...java, ...dotnet];
  const found = fs.readdirSync(folder).sort();
  const missing = expected.filter((file) => !found.includes(file));
  const others = found.filter((file) => !expected.includes(file));
  if (missing.length > 0) throw new Failure(`${folder} has no ${missing.join(", ")}.`);
  if (others.length > 0)
    throw new Failure(`${folder} has files that do not belong to the release: ${others.join(", ")}.`);
  for (const { file } of archives) {
    const sum = fs.readFileSync(path.join(folder, checksumOf(file)), "utf8");
    if (sum !== `${hashOf(path.join(folder, file))}  ${file}\n`)
      throw new Failure(`${file} does not have its checksum.`);
  }
}
