/** Java programs: the SDK that `pulumi package add` generates, the page's program, and the example. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeIn, examplesOfSchema } from "../docs/pages";
import { pathWith } from "../support/cli/pulumi";
import { createExampleStack, expectLifecycle } from "../support/cli/sdkExample";
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
  const example = await createExampleStack("languages/java");
  const { dir, stack } = example;
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

  await expectLifecycle(example, "src/main/java/edges/App.java");
});
