/** The package's types in a separate project that also compiles the types of what it installs. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { preProcessFile } from "typescript";

const root = resolve(__dirname, "../..");
const project = mkdtempSync(join(tmpdir(), "types-"));
const installed = join(project, "node_modules/pulumi-tunnel-edge");

beforeAll(() => {
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", project], { cwd: root, stdio: "pipe" });
  const [tarball] = readdirSync(project).filter((name) => name.endsWith(".tgz"));
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(project, tarball!), "-C", installed, "--strip-components=1"]);
  // What every program has, without the package's own dependencies.
  for (const name of ["@pulumi/pulumi", "@types/node"]) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the types need only those of Pulumi's SDK and of Node", () => {
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
  expect(files).toContain("dist/index.d.ts");
  const needed = files.flatMap((file) => {
    const { importedFiles, typeReferenceDirectives } = preProcessFile(readFileSync(join(installed, file), "utf8"));
    return [...importedFiles, ...typeReferenceDirectives].map(({ fileName }) => fileName);
  });
  const others = needed.filter((name) => !/^(\.|node:|@pulumi\/pulumi$)/.test(name));
  expect(others).toEqual([]);
});

// The first is what `pulumi new typescript` writes.
test.each([
  { module: "commonjs", moduleResolution: "node", target: "es2020" },
  { module: "node16", moduleResolution: "node16", target: "es2022" },
])("a strict project with module $module compiles", (options) => {
  writeFileSync(
    join(project, "index.ts"),
    `import * as tunnel from "pulumi-tunnel-edge";
     import { check, type Problem } from "pulumi-tunnel-edge/checks";
     import { startEmulator } from "pulumi-tunnel-edge/emulator";
     import { provider } from "pulumi-tunnel-edge/host";
     export const { id } = new tunnel.TcpEdge("ssh", { hostports: ["1.tcp.example.com:20022"] });
     export const problems: Problem[] = check("TcpEdge", {});
     export const used = [startEmulator, provider];\n`,
  );
  expect(compile(options)).toMatchObject({ status: 0, stdout: "" });
});

test("an error in a resource's arguments names their interface", () => {
  writeFileSync(
    join(project, "index.ts"),
    `import { TcpEdge } from "pulumi-tunnel-edge";
     new TcpEdge("ssh", { hostport: ["1.tcp.example.com:20022"] });\n`,
  );
  const { stdout } = compile({ module: "node16", moduleResolution: "node16", target: "es2022" });
  expect(stdout).toContain("'hostport' does not exist in type 'TcpEdgeArgs'. Did you mean to write 'hostports'?");
});

function compile(options: object) {
  const compilerOptions = { ...options, strict: true, noEmit: true };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc], { cwd: project, encoding: "utf8" });
}
