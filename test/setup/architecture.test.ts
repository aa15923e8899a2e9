/** What the code's structure promises: who may know whom, no import circles, no SDK in the core. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { root } from "../support/root";

const src = path.join(root, "src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replaceAll("\\", "/"));

/** What a file imports, requires or mentions as a type. */
const importsOf = (file: string) =>
  ts
    .preProcessFile(readFileSync(path.join(src, file), "utf8"), true, true)
    .importedFiles.map(({ fileName }) => fileName);

/** The file of src that an import names, or undefined for a package. */
function resolve(from: string, name: string): string | undefined {
  if (!name.startsWith(".")) return undefined;
  const target = path.posix.join(path.posix.dirname(from), name);
  return [`${target}.ts`, `${target}/index.ts`].find((file) => files.includes(file));
}

const graph = new Map(
  files.map((file) => [file, [...new Set(importsOf(file).flatMap((name) => resolve(file, name) ?? []))]]),
);

/** The circles that a file is the first of, each as a path. */
function circlesFrom(start: string): string[] {
  const circles: string[] = [];
  const seen = new Set<string>();
  const follow = (file: string, trail: string[]): void => {
    for (const next of graph.get(file) ?? []) {
      if (next === start) circles.push([...trail, start].join(" → "));
      else if (!seen.has(next)) {
        seen.add(next);
        follow(next, [...trail, next]);
      }
    }
  };
  follow(start, [start]);
  return circles;
}

const commands = ["exposure", "importer", "inventory"].map((name) => `commands/${name}`);

/** Which folders, or files at the top level, each may import. The parts of the dynamic provider and the commands are apart. */
const layers: Record<string, string[]> = {
  "index.ts": ["dynamic/resources", "dynamic/program", "definitions"],
  "checks.ts": ["core", "definitions", "base"],
  "policy.ts": ["commands/exposure", "commands/io.ts", "core"],
  "bin.ts": ["commands/index.ts"],
  "dynamic/resources": ["dynamic/program", "definitions"],
  "dynamic/program": ["core", "definitions", "engine", "dynamic/hiddenInputs.ts", "base"],
  "dynamic/host": ["core", "definitions", "engine", "dynamic/hiddenInputs.ts", "base"],
  "dynamic/hiddenInputs.ts": ["core", "base"],
  engine: ["base"],
  plugin: ["core", "definitions", "engine", "commands/index.ts", "base"],
  core: ["definitions", "api", "base"],
  definitions: ["api", "base"],
  api: ["base"],
  "commands/index.ts": [...commands, "emulator"],
  "commands/io.ts": ["base"],
  "commands/account.ts": ["commands/io.ts", "definitions", "api", "base"],
  "commands/listFile.ts": ["base"],
  "commands/exposure": ["commands/io.ts", "commands/listFile.ts", "core", "definitions", "base"],
  "commands/importer": ["commands/io.ts", "commands/account.ts", "definitions", "core", "api", "base"],
  "commands/inventory": [
    "commands/io.ts",
    "commands/account.ts",
    "commands/importer",
    "commands/exposure",
    "commands/listFile.ts",
    "definitions",
    "core",
    "api",
    "base",
  ],
  emulator: [],
  base: [],
};
const layerOf = (file: string) => {
  const [folder, inner] = file.split("/") as [string, string?];
  return ["dynamic", "commands"].includes(folder) ? `${folder}/${inner}` : folder;
};

test("every folder imports only what it may know", () => {
  const wrong = [...graph].flatMap(([file, imports]) =>
    imports
      .filter((other) => layerOf(other) !== layerOf(file) && !layers[layerOf(file)]!.includes(layerOf(other)))
      .map((other) => `${file} imports ${other}`),
  );
  expect(wrong).toEqual([]);
});

/** src/core from the top. All that is not named here is shared, and below. */
const floors = [
  ["adapters.ts"],
  ["resourceProvider.ts", "commandProvider.ts"],
  ["provider.ts"],
  ["execute"],
  ["operation.ts"],
  ["deployment", "functions"],
  ["claims"],
  ["plan", "read"],
];
const placeOf = (file: string) => file.split("/")[1]!;
const floorOf = (file: string) => floors.findIndex((places) => places.includes(placeOf(file)));

test("nothing in src/core imports what is beside or above it", () => {
  const isCore = (file: string) => layerOf(file) === "core";
  const isShared = (file: string) => !floors.flat().includes(placeOf(file));
  const wrong = [...graph]
    .filter(([file]) => isCore(file))
    .flatMap(([file, imports]) =>
      imports
        .filter((other) => isCore(other) && placeOf(other) !== placeOf(file) && !isShared(other))
        .filter((other) => isShared(file) || floorOf(other) <= floorOf(file))
        .map((other) => `${file} imports ${other}`),
    );
  expect(wrong).toEqual([]);
});

test("definitions import only the route type from api", () => {
  const wrong = files
    .filter((file) => layerOf(file) === "definitions")
    .flatMap((file) => graph.get(file)!.filter((other) => layerOf(other) === "api" && other !== "api/routes.ts"));
  expect(wrong).toEqual([]);
});

test("there are no import circles, those of types included", () => {
  expect(files.flatMap(circlesFrom)).toEqual([]);
});

test("nothing that definitions, core, checks and exposure may import mentions the SDK", () => {
  const layersOf = (layer: string): string[] => [layer, ...layers[layer]!.flatMap(layersOf)];
  const folders = ["definitions", "core", "checks.ts", "commands/exposure"].flatMap(layersOf);
  const wrong = files
    .filter((file) => folders.includes(layerOf(file)))
    .filter((file) => importsOf(file).some((name) => name.startsWith("@pulumi/")));
  expect(wrong).toEqual([]);
});

test.each(["index", "host", "plugin/server"])(
  "%s loads the HTTP client and the schemas only when they are needed",
  (entry) => {
    const program = `
    require(${JSON.stringify(path.join(root, "dist", entry))});
    const isLoaded = (name) => Object.keys(require.cache).some((file) => file.split(/[\\\\/]/).includes(name));
    console.log(JSON.stringify(["undici", "yaml", "zod"].filter(isLoaded)));`;
    expect(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" })).toBe("[]\n");
  },
);

test("the dynamic provider host loads one file, and the clock, which tests replace", () => {
  const program = `
    require("pulumi-tunnel-edge/host").provider("TcpEdge");
    console.log(JSON.stringify(Object.keys(require.cache)));`;
  const printed = execFileSync(process.execPath, ["-e", program], { cwd: root, encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual(["host.js", "base/clock.js"].map((file) => path.join(root, "dist", file)));
});
