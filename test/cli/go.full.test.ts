/** Go programs: the SDK that `pulumi package add` generates, the page's program, and the example. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeIn, examplesOfSchema, read } from "../docs/pages";
import { startService } from "../support/cli/cliStack";
import { findCodegen } from "../support/cli/codegen";
import { copyExample, editFile, runProcess } from "../support/cli/example";
import { Stack } from "../support/cli/pulumi";
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
  const emulator = await startService();
  emulator.seed(JSON.parse(read("examples/yaml/account.json")));
  const dir = copyExample("go");
  generate!("go", join(dir, "sdks/tunnel-edge"));
  appendFileSync(
    join(dir, "Pulumi.yaml"),
    `plugins: { providers: [{ name: tunnel-edge, path: ${join(root, "plugin")} }] }\n`,
  );
  writePrograms(join(dir, "programs"));
  // They import more of Pulumi's SDK than the example's go.mod needs.
  const vet = await runProcess("go", ["vet", "-mod=mod", "./..."], dir, { ...process.env, ...goEnvironment });
  expect(vet).toEqual({ code: 0, printed: vet.printed });
  const { printed: unformatted } = await runProcess("gofmt", ["-l", "."], dir, process.env);
  expect(unformatted.split("\n").filter((file) => /^main\.go|^programs\/program/.test(file))).toEqual([]);

  const stack = await Stack.create({ dir, emulator, env: goEnvironment });
  const { summary } = await stack.up();
  expect(summary).toEqual({ create: 5 });
  expect(await stack.outputs()).toMatchObject({
    sshAddress: "1.tcp.tunnel.example:20022",
    apiAddress: "api.tunnel.example:443",
    deploymentToken: "[secret]",
    online: expect.arrayContaining(["https://docs.tunnel.example", "https://shop.tunnel.example"]),
  });
  await stack.preview({ expectNoChanges: true });

  editFile(dir, "main.go", '"ipp_office"', '"ipp_home"');
  emulator.clearRequests();
  await stack.up();
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  await stack.destroy();
  expect(emulator.account).toMatchObject({ tcpEdges: [], tlsEdges: [], sshCredentials: [] });
});

test("the example requires the SDK of the CLI that the set-up installs", () => {
  const version = (file: string) => /pulumi\/(?:pkg|sdk)\/v3 (v\S+)/.exec(readFileSync(join(root, file), "utf8"))?.[1];
  expect(version("examples/go/go.mod")).toBe(version("scripts/cli/engine/go.mod"));
});
