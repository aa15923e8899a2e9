/**
 * The rows of docs/setup.md, with the published package. Each is a project, whose program a preview runs. Other files
 * test the rows that are named at the end.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { read } from "../docs/pages";
import { extractErrors, startService } from "../support/cli/cliStack";
import { runProcess } from "../support/cli/example";
import { elsewhere, tarball, writeFiles } from "../support/cli/package";
import {
  command,
  installNode,
  npmInstall,
  npmInstallBesideSdk,
  npmOptions,
  pnpmInstall,
  run,
  withNode,
} from "../support/cli/packageManagers";
import { Stack } from "../support/cli/pulumi";
import { listSdks } from "../support/cli/sdks";
import { manifest, sdk } from "../support/data/manifest";
import { lazySdk, transpileOnly } from "../support/preload/preload";
import { root } from "../support/root";

const self = { [manifest.name]: `file:${tarball}` };
const range = { [sdk]: manifest.peerDependencies[sdk] };
const installedSdk = { [sdk]: manifest.devDependencies[sdk] };

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startService();
});

const tested = new Set<string>();

/** Tests the row of the page that has this in its first column. */
function checkRow(row: string, expectations: () => Promise<void>): void {
  tested.add(row);
  test(row, expectations);
}

const createStack = (dir: string, node: number, nodeOptions = "") => {
  const env = { ...transpileOnly, NODE_OPTIONS: `${lazySdk} ${nodeOptions}` };
  return Stack.create({ dir, emulator, env, bin: installNode(node) });
};

/** Previews the program in a folder, whose edge has the version of Node as its description. */
async function expectPreview(dir: string, node: number, nodeOptions = ""): Promise<void> {
  const { summary, steps } = await (await createStack(dir, node, nodeOptions)).preview();
  const description = expect.stringContaining(`v${node}.`);
  expect({ summary, steps }).toMatchObject({ summary: { create: 2 }, steps: [{ new: { inputs: { description } } }] });
}

async function expectFailure(dir: string, node: number, message: string): Promise<void> {
  const { stdout, stderr } = await (await createStack(dir, node)).preview({ fails: true });
  expect(stdout + stderr).toContain(message);
}

const yaml = (rest = "runtime: nodejs") => `name: test\n${rest}\n`;

const javaScript = `const tunnel = require("pulumi-tunnel-edge");
new tunnel.TcpEdge("ssh", { description: process.version });
`;
const typeScript = `import * as tunnel from "pulumi-tunnel-edge";
const description: string = process.version;
new tunnel.TcpEdge("ssh", { description });
`;

/** A script that deploys a program of its own with the Automation API. */
const inline = `
  const { LocalWorkspace } = require("@pulumi/pulumi/automation");
  const tunnel = require("pulumi-tunnel-edge");
  (async () => {
    const program = async () => void new tunnel.TcpEdge("ssh", { description: process.cwd() });
    const stack = await LocalWorkspace.createStack({ stackName: "dev", projectName: "inline", program });
    await stack.up();
  })();`;

/** Runs the script in a folder. */
async function runInline(script: string, folder: string) {
  const env = { NODE_OPTIONS: lazySdk, PULUMI_STACK: undefined };
  const stack = await Stack.create({ program: "", emulator, env });
  return runProcess(process.execPath, [script], folder, stack.env);
}

describe("installed with npm on Node 20, in workspaces", () => {
  const project = join(elsewhere, "npm-workspaces");
  const workspace = (name: string) => join(project, "programs", name);

  /** Adds a program beside the one that was installed, whose packages it finds in the root folder. */
  function createWorkspace(name: string, type: string, files: Record<string, string | object>): string {
    const module = type === "module" ? "nodenext" : "commonjs";
    const tsconfig = { compilerOptions: { target: "es2022", module, skipLibCheck: true } };
    const shared = { "package.json": { private: true, type }, "Pulumi.yaml": yaml(), "tsconfig.json": tsconfig };
    writeFiles(workspace(name), { ...shared, ...files });
    return workspace(name);
  }

  /** A program of two modules, which waits for a function at its top level. */
  const esModules = (extension: "js" | "ts") => ({
    "index.ts": `import * as tunnel from "pulumi-tunnel-edge";
import { describe } from "./describe.${extension}";
const { tcpEdges } = await tunnel.getTcpEdges();
new tunnel.TcpEdge("ssh", { description: describe(tcpEdges.length) });
`,
    "describe.ts":
      "export const describe = (count: number): string => `" + "$" + "{process.version} " + "$" + "{count}`;\n",
  });

  beforeAll(() => {
    const devDependencies = { typescript: "^5", "@types/node": "^20", tsx: "^4", esbuild: "^0.28" };
    const program = { name: "office", version: "1.0.0", private: true, dependencies: { ...self, ...range } };
    writeFiles(project, {
      "package.json": { private: true, workspaces: ["programs/*"], devDependencies },
      "programs/office/package.json": program,
    });
    npmInstall(project, withNode(20));
  });

  checkRow("Node 20", async () => {
    const { version } = JSON.parse(readFileSync(join(project, "node_modules", sdk, "package.json"), "utf8"));
    expect(version).toBe(listSdks(20).at(-1));
  });

  checkRow("npm workspaces", async () => {
    const files = { "index.ts": typeScript, "Pulumi.yaml": yaml(), "tsconfig.json": {} };
    writeFiles(workspace("office"), files);
    await expectPreview(workspace("office"), 22);
  });

  checkRow("TypeScript with ES modules, without options", async () => {
    await expectPreview(createWorkspace("typescript-modules", "module", esModules("ts")), 22);
  });

  test("TypeScript with ES modules on Node 20, without options", () =>
    expectFailure(workspace("typescript-modules"), 20, 'Unknown file extension ".ts"'));

  checkRow("TypeScript with ES modules and `tsx`", async () => {
    await expectPreview(createWorkspace("with-tsx", "module", esModules("js")), 20, "--import tsx");
  });

  checkRow("Compiled TypeScript", async () => {
    const dir = createWorkspace("compiled", "module", {
      ...esModules("js"),
      "Pulumi.yaml": yaml("runtime: nodejs\nmain: bin/"),
    });
    run("npx", ["--no-install", "tsc", "--outDir", "bin"], dir);
    await expectPreview(dir, 24);
  });

  describe("bundled with esbuild", () => {
    const bundle = (dir: string, ...options: string[]) => {
      const args = ["esbuild", "index.ts", "--bundle", "--platform=node", "--packages=external", ...options];
      run("npx", ["--no-install", ...args, "--outfile=bin/index.js"], dir);
    };
    const files = { "index.ts": typeScript, "Pulumi.yaml": yaml("runtime: nodejs\nmain: bin/") };

    checkRow("A bundle of `esbuild`", async () => {
      const dir = createWorkspace("bundle", "commonjs", files);
      bundle(dir);
      await expectPreview(dir, 22);
    });

    test('A CommonJS bundle in a package with `"type": "module"`', async () => {
      const dir = createWorkspace("bundle-in-module", "module", files);
      bundle(dir, "--format=cjs");
      await expectFailure(dir, 24, "is not defined in ES module scope");
    });
  });

  checkRow("Automation API", async () => {
    writeFiles(project, { "inline.js": inline });
    expect(await runInline(join(project, "inline.js"), "/")).toEqual({ code: 0, printed: "" });
    expect(emulator.account.tcpEdges).toMatchObject([{ description: "/" }]);
  });

  // The last one, because then ts-node is found by all of them.
  checkRow("TypeScript with ES modules and `ts-node`", async () => {
    run("npm", ["install", ...npmOptions, "--save-dev", "ts-node@10"], project, withNode(20));
    await expectPreview(createWorkspace("with-ts-node", "module", esModules("js")), 20);
  });
});

test("An npm alias", async () => {
  const project = join(elsewhere, "alias");
  writeFiles(project, {
    "package.json": { private: true, dependencies: { edges: `file:${tarball}`, ...installedSdk } },
    "Pulumi.yaml": yaml("runtime: nodejs\nmain: index.js"),
    "index.js": javaScript.replace(manifest.name, "edges"),
    "inline.js": inline.replace(manifest.name, "edges"),
  });
  npmInstallBesideSdk(project, installedSdk[sdk]);
  const message =
    `pulumi-tunnel-edge is not installed in ${project}, the folder of the program, from which Pulumi loads it. Add it ` +
    "to the dependencies there, under its own name. An npm alias, or a library that depends on it, is not enough.";
  const stack = await createStack(project, 20);
  expect(extractErrors(await stack.preview({ fails: true }))).toContainEqual(expect.stringContaining(message));
  const { code, printed } = await runInline(join(project, "inline.js"), project);
  expect({ code, printed }).toEqual({ code: 1, printed: expect.stringContaining(message) });
});

describe("other package managers", () => {
  checkRow("pnpm", async () => {
    const workspaces = join(elsewhere, "pnpm");
    const library = {
      "library/package.json": { name: "library", version: "1.0.0", dependencies: { ...self, ...installedSdk } },
      "library/index.js": `exports.declareEdge = () => { ${javaScript} };`,
    };
    const writeProgram = (dependencies: object) =>
      writeFiles(workspaces, {
        "program/package.json": {
          name: "program",
          private: true,
          dependencies: { library: "workspace:*", ...dependencies },
        },
      });
    writeFiles(workspaces, {
      "package.json": { private: true },
      "pnpm-workspace.yaml": "packages: [library, program]\n",
      "program/Pulumi.yaml": yaml("runtime: nodejs\nmain: index.js"),
      "program/index.js": 'require("library").declareEdge();',
      ...library,
    });
    const program = join(workspaces, "program");

    writeProgram(installedSdk);
    pnpmInstall(workspaces);
    const message = `pulumi-tunnel-edge is not installed in ${program}, the folder of the program`;
    await expectFailure(program, 20, message);

    writeProgram({ ...installedSdk, ...self });
    pnpmInstall(workspaces);
    await expectPreview(program, 22);
  });

  const createYarnProject = (name: string, dependencies: object) => {
    const project = mkdtempSync(join(elsewhere, name));
    writeFiles(project, {
      "package.json": { private: true, dependencies },
      "yarn.lock": "",
      "Pulumi.yaml": yaml("runtime: nodejs\nmain: index.js"),
      "index.js": javaScript,
    });
    return project;
  };

  describe("Yarn 4", () => {
    let project: string;
    const install = (nodeLinker: string) => {
      writeFiles(project, { ".yarnrc.yml": `nodeLinker: ${nodeLinker}\nenableScripts: false\n` });
      const env = { YARN_GLOBAL_FOLDER: join(root, ".work/yarn"), YARN_ENABLE_TELEMETRY: "false" };
      run(command("@yarnpkg/cli-dist", 4, "yarn"), ["install", "--no-immutable"], project, env);
    };
    beforeAll(() => {
      project = createYarnProject("yarn-4", { ...self, ...installedSdk });
    });

    checkRow("Yarn 4", async () => {
      install("node-modules");
      await expectPreview(project, 22);
    });

    test("Yarn with Plug'n'Play", async () => {
      install("pnp");
      await expectFailure(project, 22, "It looks like the Pulumi SDK has not been installed");
    });
  });

  checkRow("Node 20 with Yarn 1", async () => {
    const project = createYarnProject("yarn-1", range);
    const env = { ...process.env, ...withNode(20), YARN_CACHE_FOLDER: join(root, ".work/yarn-1") };
    const args = ["install", "--ignore-scripts", "--non-interactive"];
    const { code, printed } = await runProcess(command("yarn", 1), args, project, env);
    expect({ code, printed }).toEqual({
      code: 1,
      printed: expect.stringContaining('The engine "node" is incompatible'),
    });
  });
});

test("every row of the page is tested", () => {
  const elsewhereTested = {
    "Node 22, 24 or 26": "installations.nightly.test.ts",
    JavaScript: "installations.nightly.test.ts",
    "JavaScript with ES modules": "package.full.test.ts",
    TypeScript: "package.full.test.ts",
  };
  const [, tables = ""] = /^## Node and package manager$(.*?)^## Before/ms.exec(read("docs/setup.md")) ?? [];
  const rows = [...tables.matchAll(/^\| (?!---)(.*?) \|/gm)].map(([, cell]) => cell!);
  const headings = ["Setup", "Program"];
  expect(rows.filter((row) => !headings.includes(row)).sort()).toEqual(
    [...tested, ...Object.keys(elsewhereTested)].sort(),
  );
});
