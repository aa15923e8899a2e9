/** What a user installs: two dependencies, no install scripts, and a complete lockfile. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/root";

const json = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

interface Locked {
  resolved?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}

const lock = json("package-lock.json") as { packages: Record<string, Locked> };
const locked = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith("node_modules/") && !link);

/** The scripts that npm runs when it installs a package from the registry. */
const installScripts = ["preinstall", "install", "postinstall"];

test("only undici and zod are installed, and they have no dependencies", () => {
  const { dependencies, optionalDependencies, bundleDependencies } = json("package.json");
  expect(Object.keys(dependencies).sort()).toEqual(["undici", "zod"]);
  expect([optionalDependencies, bundleDependencies]).toEqual([undefined, undefined]);
  for (const name of Object.keys(dependencies)) {
    const { dependencies: theirs = {}, scripts = {} } = json(`node_modules/${name}/package.json`);
    expect([name, Object.keys(theirs)]).toEqual([name, []]);
    for (const script of installScripts) expect(scripts).not.toHaveProperty(script);
    expect(lock.packages[`node_modules/${name}`]?.hasInstallScript).toBeUndefined();
  }
});

test("the package has no install scripts", () => {
  const { scripts } = json("package.json");
  for (const script of installScripts) expect(scripts).not.toHaveProperty(script);
});

test("the lockfile has every package's integrity, and no registry", () => {
  expect(locked.length).toBeGreaterThan(100);
  expect(locked.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? "")).map(([path]) => path)).toEqual([]);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toMatch(/"resolved": "(?!\.|examples)/);
});

test("the README, the page of supported versions and every example require the same versions as the package", () => {
  const { engines, peerDependencies } = json("package.json");
  const [node, sdk] = [engines.node.replace(">=", ""), peerDependencies["@pulumi/pulumi"].replace("^", "")];
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain(
    `\`@pulumi/pulumi\` ${sdk} or later. Node ${node} or later is supported too.`,
  );
  const supported = readFileSync(join(root, "docs/compatibility.md"), "utf8");
  for (const version of [node, sdk]) expect(supported).toContain(`| ${version} or later`);
  const examples = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?!.*node_modules).*package\.json$/.test(file))
    .map((file) => [file, json(join("examples", file)).dependencies["@pulumi/pulumi"]]);
  expect(examples.length).toBeGreaterThan(4);
  expect(examples).toEqual(examples.map(([file]) => [file, `^${sdk}`]));
});
