/** What a user installs: dependencies without dependencies, no install scripts, and lock files that are complete. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/root";

const json = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

interface Locked {
  resolved?: string;
  integrity?: string;
  dependencies?: object;
  hasInstallScript?: boolean;
}

const lockFiles = execFileSync("git", ["ls-files", "*package-lock.json"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n");
/** What a lock file has of each package. */
const lockedIn = (file: string): [path: string, locked: Locked][] => Object.entries(json(file).packages);

test("the package's dependencies have no dependencies and no install scripts, and are in SECURITY.md", () => {
  const { dependencies, optionalDependencies, bundleDependencies } = json("package.json");
  expect([optionalDependencies, bundleDependencies]).toEqual([undefined, undefined]);
  const locked = new Map(lockedIn("package-lock.json"));
  const security = readFileSync(join(root, "SECURITY.md"), "utf8");
  for (const name of Object.keys(dependencies)) {
    const { dependencies: theirs = {}, hasInstallScript = false } = locked.get(`node_modules/${name}`)!;
    expect({ name, theirs, hasInstallScript }).toEqual({ name, theirs: {}, hasInstallScript: false });
    expect(security).toContain(name);
  }
});

test("the package has no install scripts", () => {
  const { scripts } = json("package.json");
  for (const script of ["preinstall", "install", "postinstall"]) expect(scripts).not.toHaveProperty(script);
});

test.each(lockFiles)("%s has every package's integrity, and no registry", (file) => {
  const locked = lockedIn(file).filter(([path]) => path !== "");
  expect(locked.length).toBeGreaterThan(0);
  expect(locked.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? "")).map(([path]) => path)).toEqual([]);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});

test("the README, the page of supported versions and every example require the same versions as the package", () => {
  const { engines, peerDependencies } = json("package.json");
  const [node, sdk] = [engines.node.replace(">=", ""), peerDependencies["@pulumi/pulumi"].replace("^", "")];
  for (const page of ["README.md", "docs/setup.md"]) {
    const text = readFileSync(join(root, page), "utf8");
    for (const version of [node, sdk]) expect(text).toContain(`${version} or later`);
  }
  const examples = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?!.*node_modules).*package\.json$/.test(file))
    .map((file) => [file, json(join("examples", file)).dependencies["@pulumi/pulumi"]]);
  expect(examples.length).toBeGreaterThan(4);
  expect(examples).toEqual(examples.map(([file]) => [file, `^${sdk}`]));
});
