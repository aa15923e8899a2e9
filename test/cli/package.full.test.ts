/** The published package: its files, its types, and a program and a project that use it. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startService } from "../support/cli/cliStack";
import { copyExample, editFile, runProcess } from "../support/cli/example";
import { createProject, elsewhere, tarball, writeProgram } from "../support/cli/package";
import { run } from "../support/cli/packageManagers";
import { Stack } from "../support/cli/pulumi";
import { manifest } from "../support/data/manifest";
import { transpileOnly } from "../support/preload/preload";
import { root } from "../support/root";

test("the tarball has the build, the plugin, the pages, examples and schemas, and every entry of package.json", () => {
  const files = run("tar", ["-tzf", tarball], elsewhere)
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  // The plugin is packed as one bundled file, and so is what the dynamic provider host loads.
  const built = sources
    .filter((path) => path.endsWith(".ts") && !path.startsWith("plugin/"))
    .flatMap((path) => [".js", ".d.ts"].map((ending) => `dist/${path.replace(/\.ts$/, ending)}`));
  const pages = run("git", ["ls-files", "docs", "examples", "schemas", "plugin"], root).trim().split("\n");
  const executable = "plugin/pulumi-resource-tunnel-edge";
  const plugin = [executable, `${executable}.cmd`, "plugin/LICENSES.txt"];
  const beside = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "package.json"];
  // npm does not pack .gitignore.
  const expected = [...built, "dist/host.js", ...plugin, ...beside, ...pages].filter(
    (path) => !path.endsWith(".gitignore"),
  );
  expect(files.sort()).toEqual(expected.sort());
  const { main, types, bin, exports } = manifest;
  const entries = [main, types, ...Object.values(bin), ...Object.values(exports).flatMap(listPaths)];
  expect(files).toEqual(expect.arrayContaining(entries.map((path) => path.replace(/^\.\//, ""))));
});

/** The paths in an entry of `exports`. */
function listPaths(entry: unknown): string[] {
  return typeof entry === "string" ? [entry] : Object.values(entry as object).flatMap(listPaths);
}

test("publint and arethetypeswrong find no problems", () => {
  const unpacked = join(elsewhere, "unpacked");
  mkdirSync(unpacked);
  run("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"], elsewhere);
  // Both are ES modules, which jest does not load.
  const script = `
    import { readFileSync } from "node:fs";
    import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
    import { publint } from "publint";
    const { types, problems } = await checkPackage(createPackageFromTarballData(readFileSync("${tarball}")));
    const { messages } = await publint({ pkgDir: "${unpacked}", strict: true, pack: false });
    console.log(JSON.stringify({ types: types.kind, problems, messages }));`;
  const found = JSON.parse(run(process.execPath, ["--input-type=module", "-e", script], root));
  // There is no repository yet. The release workflow adds the one it runs in.
  const messages = found.messages.filter(({ code }: { code: string }) => !/REPOSITORY/.test(code));
  expect({ ...found, messages }).toEqual({ types: "included", problems: [], messages: [] });
});

describe("installed into an empty project with npm", () => {
  let folder: string;
  beforeAll(() => {
    folder = createProject("npm");
  });

  test("runs a program that is an ES module", async () => {
    const emulator = await startService();
    const manifest = readFileSync(join(folder, "package.json"), "utf8");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...JSON.parse(manifest), type: "module" }));
    writeProgram(
      folder,
      `import * as tunnel from "pulumi-tunnel-edge";
       import { getTcpEdges, TcpEdge } from "pulumi-tunnel-edge";
       import { startEmulator } from "pulumi-tunnel-edge/emulator";
       if (tunnel.TcpEdge !== TcpEdge || !startEmulator) throw new Error("two packages");
       const edge = new TcpEdge("ssh", { description: "ssh" });
       export const isEdge = tunnel.TcpEdge.isInstance(edge);
       export const before = (await getTcpEdges()).tcpEdges.length;`,
    );
    const stack = await Stack.create({ dir: folder, emulator });
    await stack.up();
    expect(await stack.outputs()).toEqual({ isEdge: true, before: 0 });
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "ssh" }]);
    writeFileSync(join(folder, "package.json"), manifest);
  });

  test("an ES module can import every name", () => {
    const names = Object.keys(require("pulumi-tunnel-edge")).sort();
    expect(names).toEqual(expect.arrayContaining(["Provider", "TcpEdge", "getTunnels", "getTunnelsOutput"]));
    const script = `import { ${names.join(", ")} } from "pulumi-tunnel-edge"; console.log([${names.join(", ")}].every(Boolean));`;
    expect(run(process.execPath, ["--input-type=module", "-e", script], folder).trim()).toBe("true");
  });

  // `pulumi new typescript` writes node10 (by "commonjs"), newer projects have the others.
  test.each([
    ["commonjs", "node10", ["script.ts"]],
    ["node16", "node16", ["script.cts", "module.mts"]],
    ["nodenext", "nodenext", ["script.cts", "module.mts"]],
    ["esnext", "bundler", ["script.ts"]],
  ])("TypeScript with module %s and moduleResolution %s finds its types in %j", async (module, resolution, files) => {
    for (const file of files) writeFileSync(join(folder, file), typed);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022"];
    const args = [tsc, ...options, "--module", module, "--moduleResolution", resolution, ...files];
    expect(await runProcess(process.execPath, args, folder, process.env)).toEqual({ code: 0, printed: "" });
  });

  test("a project created by pulumi new asks for its settings, installs, compiles and runs", async () => {
    // Installed before, so that npm finds what the registry does not have yet.
    const project = join(elsewhere, "office");
    mkdirSync(project);
    renameSync(join(folder, "node_modules"), join(project, "node_modules"));
    const emulator = await startService();
    const { env } = await Stack.create({ program: "", env: transpileOnly });
    const pulumi = async (...args: string[]) => {
      const own = { ...env, PULUMI_STACK: "staging" };
      const { code, printed } = await runProcess("pulumi", [...args, "--non-interactive"], elsewhere, own);
      expect({ code, printed }).toEqual({ code: 0, printed });
    };
    // What a user would type: with --yes the defaults are used.
    const template = copyExample("template/typescript");
    editFile(
      template,
      "Pulumi.yaml",
      "    tunnel-edge:apiKey:\n",
      `      default: ${emulator.url}\n    tunnel-edge:apiKey:\n`,
    );
    editFile(template, "Pulumi.yaml", "secret: true", `secret: true\n      default: ${emulator.apiKey}`);
    const names = ["--name=office", "--description=Edges of the office", "--stack=staging", `--dir=${project}`];
    await pulumi("new", template, "--force", "--yes", ...names);

    expect(JSON.parse(readFileSync(join(project, "package.json"), "utf8"))).toMatchObject({ name: "office" });
    expect(readFileSync(join(project, "Pulumi.yaml"), "utf8")).toMatch(
      /^name: office\ndescription: Edges of the office\n/,
    );
    const config = readFileSync(join(project, "Pulumi.staging.yaml"), "utf8");
    expect(config).toMatch(/tunnel-edge:apiKey:\n +secure: /);
    expect(config).toContain(`tunnel-edge:baseUrl: ${emulator.url}`);

    run("npx", ["--no-install", "tsc"], project);
    await pulumi("-C", project, "up", "--yes", "--skip-preview");
    expect(emulator.account.tcpEdges).toMatchObject([{ hostports: ["1.tcp.tunnel.example:20022"] }]);
    await pulumi("-C", project, "preview", "--expect-no-changes");
    await pulumi("-C", project, "destroy", "--yes", "--skip-preview");
    expect(emulator.account.tcpEdges).toEqual([]);
  });
});

const typed = `
  import * as tunnel from "pulumi-tunnel-edge";
  import { type TcpEdgeArgs, TcpEdge } from "pulumi-tunnel-edge";
  import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
  const args: TcpEdgeArgs = { hostports: ["1.tcp.example.com:1"] };
  const edge: TcpEdge = new tunnel.TcpEdge("ssh", args);
  export const hostports = edge.hostports.apply((list) => list?.[0]?.length);
  export const emulator: Promise<Emulator> = startEmulator({ port: 0 });
  // @ts-expect-error: types that resolve to any would allow it.
  new TcpEdge("ssh", { hostport: "1.tcp.example.com:1" });
`;
