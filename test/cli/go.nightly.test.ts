/** Go programs: the SDK that `pulumi package add` generates, the page's program, and the example. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeIn, examplesOfSchema } from "../docs/pages";
import { findCodegen } from "../support/cli/codegen";
import { runProcess } from "../support/cli/example";
import { createExampleStack, expectLifecycle } from "../support/cli/sdkExample";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

jest.setTimeout(900_000);

const generate = findCodegen();
const testWithGo = testIf(generate, "Go programs need Go and its module registry.");

/** Without the paths of a copy in what is compiled, Go finds it in its cache in the next run. */
const goEnvironment = { GOWORK: "off", GOFLAGS: "-mod=readonly -trimpath" };

/** Every program as a function of one package, so that the compiler reads the SDK once. */
function writePrograms(folder: string): void {
  mkdirSync(folder);
  const page = codeIn("docs/languages.md", "go");
  const programs = [page, ...examplesOfSchema("go")];
  expect(programs.length).toBeGreaterThan(30);
  for (const [index, code] of programs.entries()) {
    expect(code).toContain("\nfunc main() {\n");
    writeFileSync(join(folder, `program${index}.go`), code.replace("func main()", `func program${index}()`));
  }
  const [sdk] = /tunnel ".*"/.exec(page)!;
  // Some refer to an edge that is declared elsewhere.
  const given = ["var ssh *tunnel.TcpEdge", "var api *tunnel.TlsEdge"];
  const calls = programs.map((_, index) => `program${index}()`).join("; ");
  writeFileSync(
    join(folder, "main.go"),
    ["package main", `import ${sdk}`, ...given, `func main() { ${calls} }`].join("\n"),
  );
}

testWithGo("every example of the schema and of the page has the SDK's types, and the example deploys", async () => {
  const example = await createExampleStack("languages/go", { env: goEnvironment });
  const { dir } = example;
  generate!("go", join(dir, "sdks/tunnel-edge"));
  writePrograms(join(dir, "programs"));
  // They import more of Pulumi's SDK than the example's go.mod needs.
  const vet = await runProcess("go", ["vet", "-mod=mod", "./..."], dir, { ...process.env, ...goEnvironment });
  expect(vet).toEqual({ code: 0, printed: vet.printed });
  const { printed: unformatted } = await runProcess("gofmt", ["-l", "."], dir, process.env);
  expect(unformatted.split("\n").filter((file) => /^main\.go|^programs\/program/.test(file))).toEqual([]);

  await expectLifecycle(example, "main.go");
});

test("the example requires the SDK of the CLI that the set-up installs", () => {
  const version = (file: string) => /pulumi\/(?:pkg|sdk)\/v3 (v\S+)/.exec(readFileSync(join(root, file), "utf8"))?.[1];
  expect(version("examples/languages/go/go.mod")).toBe(version("tools/offline-cli/engine/go.mod"));
});
