/** The package's types in a separate project that also checks the types of what it installs. */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import { root } from "../support/root";

const project = realpathSync(mkdtempSync(join(tmpdir(), "types-")));
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
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(readFileSync(join(installed, file), "utf8"));
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
     import { findOpenedAddresses, type OpenedAddress } from "pulumi-tunnel-edge/exposure";
     import { provider } from "pulumi-tunnel-edge/host";
     export const { id } = new tunnel.TcpEdge("ssh", { hostports: ["1.tcp.example.com:20022"] });
     export const problems: Problem[] = check("TcpEdge", {});
     export const opened: OpenedAddress[] = findOpenedAddresses({});
     export const used = [startEmulator, provider];\n`,
  );
  expect(compile(options)).toEqual([]);
});

/** Returns the errors in the project's files, the installed package's included. */
function compile(json: object): string[] {
  const { options } = ts.convertCompilerOptionsFromJson({ ...json, strict: true, noEmit: true }, project);
  const program = ts.createProgram([join(project, "index.ts")], options);
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(project));
  expect(own.map(({ fileName }) => fileName)).toContain(join(installed, "dist/index.d.ts"));
  const errors = own.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  return [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...errors].map(
    ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
}
