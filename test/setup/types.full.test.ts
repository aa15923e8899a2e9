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
import { tarball } from "../support/cli/package";
import { compile } from "../support/compile";
import { root } from "../support/root";

const project = realpathSync(mkdtempSync(join(tmpdir(), "types-")));
const installed = join(project, "node_modules/pulumi-tunnel-edge");

beforeAll(() => {
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  // What every program has, without the package's own dependencies.
  for (const name of ["@pulumi/pulumi", "@pulumi/policy", "@types/node"]) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  writeFileSync(
    join(project, "index.ts"),
    `import * as tunnel from "pulumi-tunnel-edge";
     import { check, type Problem } from "pulumi-tunnel-edge/checks";
     import { startEmulator } from "pulumi-tunnel-edge/emulator";
     import { findOpenedAddresses, type OpenedAddress } from "pulumi-tunnel-edge/exposure";
     import { provider } from "pulumi-tunnel-edge/host";
     import { protectedEdges } from "pulumi-tunnel-edge/policy";
     export const { id } = new tunnel.TcpEdge("ssh", { hostports: ["1.tcp.example.com:20022"] });
     export const problems: Problem[] = check("TcpEdge", {});
     export const opened: OpenedAddress[] = findOpenedAddresses({});
     export const used = [startEmulator, provider, protectedEdges];\n`,
  );
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the types need only those of Pulumi's SDKs and of Node", () => {
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
  expect(files).toContain("dist/index.d.ts");
  const needed = files.flatMap((file) => {
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(readFileSync(join(installed, file), "utf8"));
    return [...importedFiles, ...typeReferenceDirectives].map(({ fileName }) => fileName);
  });
  const others = needed.filter((name) => !/^(\.|node:|@pulumi\/(pulumi|policy)$)/.test(name));
  expect(others).toEqual([]);
});

// What `pulumi new typescript` writes.
const usual = { module: "commonjs", moduleResolution: "node", target: "es2020", strict: true, noEmit: true };
const { options } = ts.convertCompilerOptionsFromJson(usual, project);
/** Compiling takes seconds, so the program is created once. */
let program: ts.Program;
beforeAll(() => {
  program = ts.createProgram([join(project, "index.ts")], options);
});

test("a strict project compiles, the installed types included", () => {
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(project));
  expect(own.map(({ fileName }) => fileName)).toContain(join(installed, "dist/index.d.ts"));
  const diagnostics = own.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  const errors = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...diagnostics].map(
    ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
  expect(errors).toEqual([]);
});

test("a strict project of Node's own modules compiles", () => {
  const compilerOptions = { module: "node16", target: "es2022", strict: true, noEmit: true, types: ["node"] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  const errors = compile(project);
  // The types of the SDK are not the package's.
  expect(errors.filter((error) => !error.includes("node_modules/@"))).toEqual([]);
});

/** What a program can import, with its types, wherever these are declared. */
const recorded = join(root, "test/states/types.txt");

test("the public types are as recorded; if they are to change, record them with `npm run record`", () => {
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const entries = Object.entries<{ types?: string }>(exports).filter(([, { types }]) => types !== undefined);
  const types = entries
    .map(([entry, { types: file }]) => `${entry}\n\n${describeExports(join(installed, file!))}\n`)
    .join("\n");
  if (process.env["RECORD_STATE"] !== undefined) writeFileSync(recorded, types);
  expect(types.split("\n")).toEqual(readFileSync(recorded, "utf8").split("\n"));
});

/** Each exported name, with its members, or its signature. */
function describeExports(file: string): string {
  const checker = program.getTypeChecker();
  const format = (type: ts.Type) =>
    checker
      .typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias)
      .replaceAll(/import\("[^"]*"\)\./g, "");
  const formatMembers = (type: ts.Type, of: ts.Node) =>
    type
      .getProperties()
      .filter((member) => !member.name.startsWith("__@"))
      .filter(({ valueDeclaration: declared }) => {
        return !(declared && ts.getCombinedModifierFlags(declared) & ts.ModifierFlags.Private);
      })
      .map((member) => {
        const optional = member.flags & ts.SymbolFlags.Optional ? "?" : "";
        return `  ${member.name}${optional}: ${format(checker.getTypeOfSymbolAtLocation(member, of))}`;
      });
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
    .map((exported) => (exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported))
    .flatMap((symbol) => {
      const at = symbol.declarations![0]!;
      const lines: string[] = [];
      if (symbol.flags & ts.SymbolFlags.Value) {
        const type = checker.getTypeOfSymbolAtLocation(symbol, at);
        const isClass = symbol.flags & ts.SymbolFlags.Class;
        lines.push(`${symbol.name}: ${isClass ? "class" : format(type)}`);
        if (isClass)
          for (const signature of type.getConstructSignatures())
            lines.push(`  new ${checker.signatureToString(signature)}`);
        // The compiler emits a class expression's static members in any order.
        if (isClass)
          lines.push(
            ...formatMembers(type, at)
              .map((line) => line.replace("  ", "  static "))
              .sort(),
          );
      }
      if (symbol.flags & ts.SymbolFlags.Type) {
        const type = checker.getDeclaredTypeOfSymbol(symbol);
        const isObject = type.isClassOrInterface() || (type.flags & ts.TypeFlags.Object && !type.aliasTypeArguments);
        if (!(symbol.flags & ts.SymbolFlags.Value))
          lines.push(`type ${symbol.name}${isObject ? "" : ` = ${format(type)}`}`);
        if (isObject) lines.push(...formatMembers(type, at));
      }
      return lines;
    })
    .join("\n");
}
