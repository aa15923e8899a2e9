/** The examples, and a project that the import command writes, outside of this clone with the published package. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../commands/importer/support";
import { read } from "../docs/pages";
import { startService } from "../support/cli/cliStack";
import { elsewhere, tarball } from "../support/cli/package";
import { npmOptions, run } from "../support/cli/packageManagers";
import { Stack } from "../support/cli/pulumi";
import { manifest } from "../support/data/manifest";
import { transpileOnly } from "../support/preload/preload";
import { root } from "../support/root";

/** Those that do not install the package have tests of their own: sdks, go, java and gitopsYaml. */
const others = ["python", "go", "java", "gitops-yaml"];
const programs = readdirSync(join(root, "examples")).filter(
  (name) => !others.includes(name) && existsSync(join(root, "examples", name, "Pulumi.yaml")),
);

test.each(programs)("%s, copied out of the clone and installed as its README says, previews", async (name) => {
  const dir = copyOutside(`copied-${name}`, join(root, "examples", name));
  installPacked(dir, readFileSync(join(dir, "README.md"), "utf8"));
  if (existsSync(join(dir, "index.ts"))) checkTypes(dir);
  const emulator = await startService();
  emulator.seed(
    existsSync(join(dir, "account.json")) ? JSON.parse(readFileSync(join(dir, "account.json"), "utf8")) : {},
  );
  const key = { secret: emulator.apiKey };
  const config = { administratorsKey: key, partnerKey: key };
  const stack = await Stack.create({ dir, emulator, config, env: transpileOnly });
  const { summary } = await stack.preview();
  expect(summary["create"]).toBeGreaterThan(1);
});

test("the project that the import command writes, installed as its README says, previews", async () => {
  const emulator = await startService();
  emulator.seed({ tcpEdges: [{ description: "ssh" }] });
  const dir = join(elsewhere, "imported");
  await runCommand(emulator, "--out", dir);
  installPacked(dir, readFileSync(join(dir, "README.md"), "utf8"));
  const stack = await Stack.create({ dir, emulator });
  expect((await stack.preview()).summary).toEqual({ create: 2 });
});

function copyOutside(name: string, from: string): string {
  const folder = join(elsewhere, name);
  cpSync(from, folder, {
    recursive: true,
    filter: (path) => !/node_modules|Pulumi\.\w+\.yaml$/.test(path.slice(from.length)),
  });
  return folder;
}

/** With the native compiler, which needs a tenth of the CPU time that Pulumi needs for it. */
function checkTypes(folder: string): void {
  const tsc = join(root, "node_modules/typescript-native/bin/tsc");
  const options = ["--noEmit", "--skipLibCheck", "--module", "nodenext", "--types", "node"];
  run(process.execPath, [tsc, ...options, "index.ts"], folder);
}

/** The packages of the previous project. npm keeps those of them that the next one needs, and removes the others. */
let installed: string | undefined;

/** Runs the command for the packed file, which is in the README or on the page that it refers to. */
function installPacked(folder: string, readme: string): void {
  const packages = join(folder, "node_modules");
  if (installed) renameSync(installed, packages);
  installed = undefined;
  const file = `${manifest.name}-${manifest.version}.tgz`;
  const command = new RegExp(`^npm install \\S+/${file}.*$`, "m");
  const [found] = (command.exec(readme) ?? command.exec(read("docs/setup.md")))!;
  run("sh", ["-c", `${found.replace(/\S+\.tgz/, tarball)} ${npmOptions.join(" ")}`], folder);
  installed = packages;
}
