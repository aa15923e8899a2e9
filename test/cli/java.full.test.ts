/** Java programs: the SDK that `pulumi package add` generates, the page's program, and the example. */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeIn, examplesOfSchema, read } from "../docs/pages";
import { startService } from "../support/cli/cliStack";
import { copyExample, editFile } from "../support/cli/example";
import { pathWith, Stack } from "../support/cli/pulumi";
import { root } from "../support/root";
import { testIf } from "../support/testIf";

jest.setTimeout(900_000);

function isJavaAvailable(): boolean {
  try {
    execFileSync("mvn", ["--version"], { stdio: "pipe" });
    pathWith("java");
    return true;
  } catch {
    return false;
  }
}

const testWithJava = testIf(isJavaAvailable(), "Java programs need Java, Maven, Go and their registries.");

testWithJava("the example deploys, previews unchanged, changes one argument and destroys", async () => {
  const emulator = await startService();
  emulator.seed(JSON.parse(read("examples/yaml/account.json")));
  const dir = copyExample("java");
  appendFileSync(
    join(dir, "Pulumi.yaml"),
    `plugins: { providers: [{ name: tunnel-edge, path: ${join(root, "plugin")} }] }\n`,
  );
  const stack = await Stack.create({ dir, emulator });
  const sdks = join(dir, "sdks");
  const generated = await stack.run([
    "package",
    "gen-sdk",
    join(root, "plugin/schema.json"),
    "--language=java",
    "--local",
    `--out=${sdks}`,
  ]);
  // The page on troubleshooting explains what the generator says of the secret settings. It says nothing else.
  expect(generated.stderr.match(/WARN.*/g)).toEqual(
    ["apiKey", "headers"].map((name) => expect.stringContaining(`WARN: secret property ${name} (property of config)`)),
  );
  cpSync(join(sdks, "java/src"), join(dir, "src"), { recursive: true });
  writeFileSync(join(dir, "src/main/java/App.java"), codeIn("docs/languages.md", "java"));
  // Every example, some of which refer to an edge that is declared elsewhere.
  const examples = examplesOfSchema("java");
  expect(examples.length).toBeGreaterThan(30);
  const given = ["TcpEdge ssh", "TlsEdge api"].map((each) => `    static com.example.tunneledge.${each};\n`).join("");
  for (const [index, code] of examples.entries()) {
    const folder = join(dir, `src/main/java/example${index}`);
    mkdirSync(folder);
    writeFileSync(
      join(folder, "App.java"),
      `package example${index};\n${code.replace("public class App {\n", (begin) => begin + given)}`,
    );
  }

  const { summary } = await stack.up();
  expect(summary).toEqual({ create: 5 });
  expect(await stack.outputs()).toMatchObject({
    sshAddress: "1.tcp.tunnel.example:20022",
    apiAddress: "api.tunnel.example:443",
    deploymentToken: "[secret]",
    online: expect.arrayContaining(["https://docs.tunnel.example", "https://shop.tunnel.example"]),
  });
  await stack.preview({ expectNoChanges: true });

  const file = "src/main/java/edges/App.java";
  editFile(dir, file, '"ipp_office"', '"ipp_home"');
  emulator.clearRequests();
  await stack.up();
  expect(emulator.calls().filter((call) => !call.startsWith("GET "))).toEqual(["PUT /edges/tcp/{id}/ip_restriction"]);
  await stack.destroy();
  expect(emulator.account).toMatchObject({ tcpEdges: [], tlsEdges: [], sshCredentials: [] });
});
