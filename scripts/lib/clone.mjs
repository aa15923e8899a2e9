// Copies of the clone, which scripts change.
import fs from "node:fs";
import path from "node:path";
import { manifest, root, run } from "./index.mjs";

/** Copies the clone as it is, built, with packages of its own only where they are the clone itself. */
export async function copyClone(copy) {
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
