// Bundles the plugin into plugin/: one executable that needs Node, its form for Windows, and the licences of what is in
// it. The schema beside them is in the repository.
import fs from "node:fs";
import path from "node:path";
import { Failure, manifest, root } from "../lib/index.mjs";
import { pluginName as name } from "../release/archives.mjs";

export const folder = path.join(root, "plugin");
export const executable = path.join(folder, name);

const oldestNode = manifest.engines.node.replace(">=", "");
const fix = "Install it, or the plugin's release archive, which contains Node.";
const missing = `${name} needs Node ${oldestNode} or later, which is not on PATH. ${fix}`;

/**
 * The shell reads the beginning of the executable up to exec. Node skips it: the first line, and a string that a comment
 * follows. The comment must not end early, so there is no pattern with an asterisk before a slash.
 */
export const shellScript = `#!/bin/sh
":" /*
node=$(command -v node || command -v nodejs) || {
  echo "${missing}" >&2
  exit 1
}
exec "$node" "$0" "$@"
*/;
`;

const cmdScript = `@echo off
where node >nul 2>nul
if errorlevel 1 (
  echo ${missing} 1>&2
  exit /b 1
)
node "%~dp0${name}" %*
`;

/** Runs before anything that an old Node lacks. */
const versionCheck = `
if (process.versions.node.localeCompare("${oldestNode}", undefined, { numeric: true }) < 0) {
  console.error("${name} needs Node ${oldestNode} or later, not " + process.versions.node + ". ${fix}");
  process.exit(1);
}
`;

/** What the bundle has in place of modules of which the plugin uses nothing. */
const replacements = {
  // gRPC loads a parser of .proto files for services that the plugin does not have.
  "@grpc/proto-loader": "",
};
const withReplacements = {
  name: "with replacements",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, namespace }) =>
      path in replacements && namespace === "file" ? { path, namespace: "replacement" } : undefined,
    );
    onLoad({ filter: /./, namespace: "replacement" }, ({ path }) => ({
      contents: replacements[path],
      resolveDir: root,
    }));
  },
};

/** Bundles a plugin with its dependencies into one JavaScript file. Returns the folders of the packages in it. */
export async function bundle(outfile, banner = "", entry = "src/plugin/main.ts") {
  const { build } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    banner: { js: banner + versionCheck },
    bundle: true,
    minify: true,
    platform: "node",
    // What the oldest Node that anybody has can parse, so that it can say that it is too old.
    target: "node12",
    legalComments: "none",
    metafile: true,
    plugins: [withReplacements],
    logLevel: "warning",
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const used = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(used)].sort();
}

/** The package.json of a package in the bundle, given by its folder. */
export const readPackage = (folder) => JSON.parse(fs.readFileSync(path.join(root, folder, "package.json"), "utf8"));

/** The text of a package's licence, and its notices. */
export function readLicence(directory) {
  const files = fs.readdirSync(directory).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  if (files.length === 0) throw new Failure(`${directory} has no licence, which must be distributed with it.`);
  return files.map((file) => `${fs.readFileSync(path.join(directory, file), "utf8").trim()}\n`).join("\n");
}

/** The licences of packages, in one text. */
export function collectLicences(packages) {
  const parts = packages.map((each) => {
    const { name, version, license } = readPackage(each);
    return `${name} ${version}: ${license}\n\n${readLicence(path.join(root, each))}`;
  });
  return parts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Writes everything of plugin/ except the schema. */
export async function bundlePlugin() {
  const temporary = `${executable}.making`;
  const packages = await bundle(temporary, shellScript);
  fs.chmodSync(temporary, 0o755);
  fs.renameSync(temporary, executable);
  fs.writeFileSync(`${executable}.cmd`, cmdScript.replaceAll("\n", "\r\n"));
  fs.writeFileSync(path.join(folder, "LICENSES.txt"), collectLicences(packages));
}
