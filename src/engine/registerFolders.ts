/** The folders in which the processes of a deployment have their files: where they may be, and whose they are. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export interface Folder {
  /** The folder of all deployments. */
  home: string;
  /** The folder of this deployment. Others stay out of it: it is read for every resource. */
  deployment: string;
  /** Whether it was seen to be the user's own. */
  isOwn: boolean;
}

/**
 * Where the folders of deployments may be: in the temporary folder, which other users share, then in Pulumi's own home,
 * which other machines and containers may share.
 */
export function registerHomes(): string[] {
  const user = process.getuid?.();
  const temporary = path.join(os.tmpdir(), `pulumi-tunnel-edge-${user ?? ""}`);
  try {
    const home = process.env["PULUMI_HOME"] || path.join(os.homedir(), ".pulumi");
    const names = [os.hostname(), user ?? os.userInfo().username].map((name) => String(name).replace(/[^\w.-]/g, "-"));
    return [temporary, path.join(home, ["pulumi-tunnel-edge", ...names].join("-"))];
  } catch {
    // The user has no home.
    return [temporary];
  }
}

export const isOther = (uid: number) => process.getuid !== undefined && uid !== process.getuid();

/** Whether a folder is the user's own. On Windows the temporary folder is, too. */
export function isOwn(folder: string): boolean {
  try {
    const found = fs.lstatSync(folder);
    return found.isDirectory() && !isOther(found.uid);
  } catch {
    // It does not exist, or no process of this user can use it.
    return false;
  }
}

/** Makes a folder that nobody else can write to: other users of the machine share the temporary folder. */
export function claim(folder: Folder): void {
  const { home } = folder;
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  const found = fs.lstatSync(home);
  if (!found.isDirectory()) throw new Error("not a folder");
  if (isOther(found.uid)) throw new Error("belongs to another user");
  if (process.getuid !== undefined && (found.mode & 0o077) !== 0) fs.chmodSync(home, 0o700);
  folder.isOwn = true;
}

/** Removes what was left behind long ago. By age, because a process with the same number may be in another container. */
export function sweep(folder: string, before: number): void {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    try {
      const found = fs.lstatSync(file);
      if (found.mtimeMs >= before) continue;
      if (found.isDirectory()) {
        sweep(file, before);
        fs.rmdirSync(file);
      } else fs.rmSync(file, { force: true });
    } catch {
      // Another process has removed it, or is using it.
    }
  }
}
