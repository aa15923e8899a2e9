// The plugin's release archives: one for each system in `runners`. What is not named there is left out of the release
// everywhere. It depends only on Node.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Failure, manifest } from "../lib/index.mjs";
import { packageFiles } from "./packageFiles.mjs";

export const pluginName = "pulumi-resource-tunnel-edge";

/** GitHub's runner of each system, by Pulumi's names. */
const runners = {
  "darwin-arm64": "macos-latest",
  "darwin-amd64": "macos-15-intel",
  "linux-arm64": "ubuntu-24.04-arm",
  "linux-amd64": "ubuntu-latest",
  "windows-amd64": "windows-latest",
};

export const archives = Object.entries(runners).map(([system, runner]) => {
  return { system, runner, file: `${pluginName}-v${manifest.version}-${system}.tar.gz` };
});

/** Pulumi's names, where Node has others. */
const names = { win32: "windows", x64: "amd64" };

/** The archive for this machine. */
export function findArchive() {
  const own = [process.platform, process.arch].map((name) => names[name] ?? name).join("-");
  const found = archives.find(({ system }) => system === own);
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
