/** Go programs: the SDK that `pulumi package add` generates, the page's program, and the example, which runs itself. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { codeIn, examplesOfSchema, read } from "../docs/pages";
import { startService } from "../support/cli/cliStack";
import { findCodegen } from "../support/cli/codegen";
import { copyExample, editFile, runProcess } from "../support/cli/example";
import { pathWithCli, Stack } from "../support/cli/pulumi";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

jest.setTimeout(900_000);

const generate = findCodegen();
const testWithGo = testIf(generate, "Go programs need Go and its module registry.");

const goEnvironment = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=readonly" };

testWithGo("the example deploys, previews unchanged, changes one argument and destroys", async () => {
  const dir = copyExample("go");
  generate!("go", join(dir, "sdks/tunnel-edge"));
  mkdirSync(join(dir, "page"));
  writeFileSync(join(dir, "page/main.go"), codeIn("docs/languages.md", "go"));
  const go = async (...args: string[]) => {
    const { code, printed } = await runProcess("go", args, dir, goEnvironment);
    expect({ code, printed }).toEqual({ code: 0, printed });
  };
  // Every example, some of which refer to an edge that is declared elsewhere.
  const examples = examplesOfSchema("go");
  expect(examples.length).toBeGreaterThan(30);
  for (const [index, code] of examples.entries()) {
    mkdirSync(join(dir, `example${index}`));
    const given = ["\nvar ssh *tunnel.TcpEdge", "var api *tunnel.TlsEdge\n"].join("\n");
    writeFileSync(join(dir, `example${index}/main.go`), code + given);
  }
  // They import more of Pulumi's SDK than the example's go.mod needs.
  await go("vet", "-mod=mod", "./...");
  const { printed: unformatted } = await runProcess("gofmt", ["-l", "."], dir, process.env);
  expect(unformatted.split("\n").filter((file) => file.startsWith("example"))).toEqual([]);

  const emulator = await startService();
  emulator.seed(JSON.parse(read("examples/yaml/account.json")));
  const { env: own } = await Stack.create({ program: "", emulator });
  const env = { ...own, PATH: [join(root, "plugin"), pathWithCli()].join(delimiter), PULUMI_STACK: undefined };
  const run = async (command: string) => {
    await go("build", "-o", "edges", ".");
    emulator.clearRequests();
    const { code, printed } = await runProcess(join(dir, "edges"), [command], dir, env);
    expect({ code, printed }).toEqual({ code: 0, printed });
    return printed;
  };
  const writes = () => emulator.calls().filter((call) => !call.startsWith("GET "));

  const printed = await run("up");
  expect(printed).toMatch(/sshAddress +: "1\.tcp\.tunnel\.example:20022"/);
  expect(printed).toMatch(/deploymentToken: \[secret\]/);
  expect(printed).toContain("https://docs.tunnel.example");
  expect(emulator.account).toMatchObject({ tcpEdges: [{}], tlsEdges: [{}], sshCredentials: [{}] });
  await run("preview");
  expect(writes()).toEqual([]);
  expect(await run("up")).toMatch(/\b5 unchanged/);
  expect(writes()).toEqual([]);

  editFile(dir, "edges.go", '"ipp_office"', '"ipp_home"');
  await run("up");
  expect(writes()).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  await run("destroy");
  expect(emulator.account).toMatchObject({ tcpEdges: [], tlsEdges: [], sshCredentials: [] });

  const { printed: refused } = await runProcess(join(dir, "edges"), ["up", "--refresh"], dir, env);
  expect(refused).toContain("use up, preview, refresh or destroy, not up --refresh");
});

test("the example requires the SDK of the CLI that the set-up installs", () => {
  const version = (file: string) => /pulumi\/(?:pkg|sdk)\/v3 (v\S+)/.exec(readFileSync(join(root, file), "utf8"))?.[1];
  expect(version("examples/go/go.mod")).toBe(version("scripts/cli/engine/go.mod"));
});
