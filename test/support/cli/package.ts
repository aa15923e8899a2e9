/** The package as it is published, and projects outside of this clone into which it is installed. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { manifest, sdk } from "../data/manifest";
import { root } from "../root";
import { npmInstallBesideSdk, run } from "./packageManagers";

// Outside of the clone: Node looks for packages in every parent folder.
export const elsewhere = mkdtempSync(join(tmpdir(), "package-"));
afterAll(() => run("rm", ["-rf", elsewhere], root)); // for tens of thousands of files a tenth of the CPU of rmSync

/** The file that `npm pack` writes, of which `scripts/test/test.mjs` makes one for all test files. */
const { PULUMI_TUNNEL_EDGE_PACKED: packed } = process.env;
export const tarball = packed ?? join(elsewhere, `${manifest.name}-${manifest.version}.tgz`);
beforeAll(() => {
  if (!packed) run("npm", ["pack", "--pack-destination", elsewhere], root);
});

/** Writes files below a folder; objects as JSON. */
export function writeFiles(folder: string, files: Record<string, string | object>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** An empty project with only the package and its peer installed. */
export function createProject(
  name: string,
  install: (folder: string, version: string) => void = npmInstallBesideSdk,
  version: string = manifest.devDependencies[sdk],
): string {
  const folder = join(elsewhere, name);
  mkdirSync(folder);
  const dependencies = { [manifest.name]: `file:${tarball}`, [sdk]: version };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  install(folder, version);
  return folder;
}

/** Makes the project a Pulumi project. */
export function writeProgram(folder: string, program: string): void {
  writeFileSync(join(folder, "Pulumi.yaml"), "name: test\nruntime: nodejs\nmain: index.js\n");
  writeFileSync(join(folder, "index.js"), program);
}
