/** The SDKs that `pulumi package add` generates from the schema: their types, and a program that uses one. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { read } from "../docs/pages";
import { startService } from "../support/cliStack";
import { codegenModule, findCodegen, goEnvironment } from "../support/codegen";
import { runProcess } from "../support/example";
import { pathWithCli, readCliVersion, Stack } from "../support/pulumi";
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
    execFileSync("python3", ["-m", "venv", environment], { stdio: "pipe" });
    const packages = [`pulumi==${readCliVersion().replace("v", "")}`, "mypy", sdk];
    execFileSync(join(environment, "bin/pip"), ["install", "--quiet", ...packages], { stdio: "pipe" });
    return join(environment, "bin/python");
  } catch {
    return undefined;
  }
}

/** The code of a language in a page. */
const codeIn = (page: string, language: string) =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(read(page))![1]!;

testWithGo("Go: the SDK and the page's program pass go vet", async () => {
  const sdk = join(folder, "go");
  generate!("go", sdk);
  const [, path] = /"(\S+)\/internal"/.exec(readFileSync(join(sdk, "tcpEdge.go"), "utf8"))!;
  const goMod = readFileSync(join(codegenModule, "go.mod"), "utf8");
  writeFileSync(join(sdk, "go.mod"), goMod.replace("module codegen", `module ${path}`));
  cpSync(join(codegenModule, "go.sum"), join(sdk, "go.sum"));
  mkdirSync(join(sdk, "program"));
  writeFileSync(join(sdk, "program/main.go"), codeIn("docs/languages.md", "go"));
  const vet = await runProcess("go", ["vet", "-tags=osusergo,grpcnotrace", "./..."], sdk, goEnvironment);
  expect(vet).toEqual({ code: 0, printed: "" });
});

describe("Python", () => {
  testWithPython(
    "every example of the schema and of the page, and the example project, has the SDK's types",
    async () => {
      const { resources, functions, provider } = JSON.parse(readFileSync(join(root, "plugin/schema.json"), "utf8"));
      const described = [...Object.values({ ...resources, ...functions }), provider] as { description: string }[];
      const examples = described.flatMap(({ description }) =>
        [...description.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code]) => code!),
      );
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
      const programs = [...files, join(root, "examples/python/__main__.py"), broken];
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

  testWithPython("deploys the example project through the Automation API", async () => {
    const emulator = await startService();
    emulator.seed(JSON.parse(read("examples/yaml/account.json")));
    const { env: own } = await Stack.create({ program: "", emulator });
    const run = async (command: string) => {
      const { code, printed } = await runProcess(
        python!,
        [join(root, "test/support/runPython.py"), join(root, "examples/python"), command],
        folder,
        {
          ...own,
          PATH: [join(root, "plugin"), pathWithCli()].join(delimiter),
          PULUMI_STACK: undefined,
        },
      );
      expect({ code, printed }).toEqual({ code: 0, printed });
      return printed;
    };
    expect(JSON.parse(await run("up"))).toMatchObject({
      sshAddress: "1.tcp.tunnel.example:20022",
      apiAddress: "api.tunnel.example:443",
      deploymentToken: "[secret]",
      online: expect.arrayContaining(["https://docs.tunnel.example", "https://shop.tunnel.example"]),
    });
    expect(emulator.account).toMatchObject({ tcpEdges: [{}], tlsEdges: [{}], sshCredentials: [{}] });
    await run("preview");
    await run("destroy");
    expect(emulator.account).toMatchObject({ tcpEdges: [], tlsEdges: [], sshCredentials: [] });
  });
});
