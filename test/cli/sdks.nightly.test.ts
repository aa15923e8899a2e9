/** The SDKs that `pulumi package add` generates from the schema: their types, and a program that uses one. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { codeIn, examplesOfSchema, read } from "../docs/pages";
import { findCodegen } from "../support/cli/codegen";
import { runProcess } from "../support/cli/example";
import { createPythonEnvironment } from "../support/cli/packageManagers";
import { readCliVersion } from "../support/cli/pulumi";
import { createExampleStack, expectLifecycle } from "../support/cli/sdkExample";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

jest.setTimeout(600_000);

const folder = mkdtempSync(join(tmpdir(), "sdks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const generate = findCodegen();
const python = generate && createPython();
const testWithGo = testIf(generate, "the generator of SDKs needs Go and its module registry.");
const testWithPython = testIf(python, "SDKs for Python need Go, Python 3.10 or later, and their registries.");

/** A virtual environment with the generated SDK, and Pulumi's in the CLI's version; undefined without Python. */
function createPython(): string | undefined {
  const [environment, sdk] = [join(folder, "venv"), join(folder, "python")];
  generate!("python", sdk);
  writeFileSync(join(sdk, "README.md"), ""); // which its pyproject.toml names
  try {
    const packages = [`pulumi==${readCliVersion().replace("v", "")}`, "mypy"];
    const python = createPythonEnvironment(environment, packages);
    execFileSync(python, ["-m", "pip", "install", "--quiet", sdk], { stdio: "pipe" });
    return python;
  } catch {
    return undefined;
  }
}

testWithGo(".NET: the SDK has the namespaces, classes and properties of the page's program", () => {
  const sdk = join(folder, "dotnet");
  generate!("dotnet", sdk);
  const program = codeIn("docs/languages.md", "csharp");
  const classes = program.split(/\bnew (?=\w+\()|\bnew (?=\w+Args\b)/).slice(1);
  expect(classes).toHaveLength(3);
  for (const part of classes) {
    const [, name] = /^(\w+)/.exec(part)!;
    const file = [`${name}.cs`, `Inputs/${name}.cs`].map((each) => join(sdk, each)).find(existsSync)!;
    const source = readFileSync(file, "utf8");
    const [, namespace] = /^namespace (\S+)$/m.exec(source)!;
    expect(program).toContain(`using ${namespace};`);
    for (const [, property] of part.matchAll(/\b([A-Z]\w+) = new/g))
      expect(source).toMatch(new RegExp(`\\b${property}\\b`));
  }
  const [, output] = /ssh\.(\w+)/.exec(program)!;
  expect(readFileSync(join(sdk, "TcpEdge.cs"), "utf8")).toContain(` ${output} { get; private set; }`);
});

describe("Python", () => {
  testWithPython("the SDK needs the version that the page names", () => {
    const [, version] = /You need Python (\S+) or later/.exec(read("docs/languages.md"))!;
    expect(readFileSync(join(folder, "python/pyproject.toml"), "utf8")).toContain(`requires-python = ">=${version}"`);
  });

  testWithPython(
    "every example of the schema and of the page, and the example project, has the SDK's types",
    async () => {
      const examples = examplesOfSchema("python");
      expect(examples.length).toBeGreaterThan(30);
      // Examples refer to an edge that is declared elsewhere.
      const given = "import pulumi_tunnel_edge\nssh: pulumi_tunnel_edge.TcpEdge\napi: pulumi_tunnel_edge.TlsEdge\n";
      const files = [...examples.map((code) => given + code), codeIn("docs/languages.md", "python")].map(
        (code, index) => {
          const file = join(folder, `example_${index}.py`);
          writeFileSync(file, code);
          return file;
        },
      );
      const broken = join(folder, "broken.py");
      writeFileSync(broken, 'import pulumi_tunnel_edge as tunnel\ntunnel.TcpEdge("ssh", hostport=["a.example:1"])\n');
      const programs = [...files, join(root, "examples/languages/python/__main__.py"), broken];
      // The generator's own code has errors that every generated SDK has.
      const args = ["-m", "mypy", "--follow-imports=silent", "--no-error-summary", "--hide-error-context", ...programs];
      const { printed } = await runProcess(python!, args, folder, process.env);
      const errors = printed.split("\n").filter((line) => line.includes(": error:"));
      expect(errors[0]).toMatch(
        /^broken\.py:2: error: Unexpected keyword argument "hostport" .* did you mean "hostports"\?/,
      );
      expect(errors.filter((line) => !line.startsWith("broken.py:2:"))).toEqual([]);
    },
  );

  testWithPython("the example deploys, previews unchanged, changes one argument and destroys", async () => {
    // The environment is activated, because the language host that the set-up builds does not know its option.
    await expectLifecycle(await createExampleStack("languages/python", { bin: dirname(python!) }), "__main__.py");
  });
});
