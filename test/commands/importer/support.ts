/** Runs the import command on an emulator, in a directory of the clone, where the package can be imported. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../../src/commands/importer/main";
import { createFolder, runProcess } from "../../support/cli/example";
import { compile } from "../../support/compile";
import { root } from "../../support/root";
import { collectOutput } from "../output";

export { startService as emulator } from "../../support/emulators";

export const folder = () => createFolder("import");

export interface Imported {
  code: number;
  out: string;
  err: string;
  dir: string;
  /** The program's files. */
  files: string[];
  text(file?: string): string;
}

export async function importFrom(
  service: { url: string; apiKey: string },
  args: string[] = [],
  { dir = join(folder(), "project"), env = {}, terminal = false } = {},
): Promise<Imported> {
  const { printed, io } = collectOutput();
  const target = args.includes("--import-file") ? [] : ["--out", dir];
  const settings = { TUNNEL_EDGE_BASE_URL: service.url, TUNNEL_EDGE_API_KEY: service.apiKey, ...env };
  const code = await main([...target, ...args], { ...io, env: settings, terminal });
  const files = existsSync(dir) ? readdirSync(dir).filter((file) => file.endsWith(".ts")) : [];
  return { code, ...printed, dir, files, text: (file = "index.ts") => readFileSync(join(dir, file), "utf8") };
}

/** Runs the command as `npx pulumi-tunnel-edge` does; resolves to its output. */
export async function runCommand(service: { url: string; apiKey: string }, ...args: string[]): Promise<string> {
  const env = { ...process.env, TUNNEL_EDGE_BASE_URL: service.url, TUNNEL_EDGE_API_KEY: service.apiKey };
  const command = [join(root, "dist/bin.js"), "import", ...args];
  const { code, printed } = await runProcess(process.execPath, command, root, env);
  if (code !== 0) throw new Error(printed);
  return printed;
}

/** Compiles these projects, without the types of the SDK; returns the compiler's errors. */
export function compilerErrors(dirs: string[]): string[] {
  const settings = join(folder(), "tsconfig.json");
  const files = dirs.map((dir) => join(dir, "index.ts"));
  const compilerOptions = { skipLibCheck: true };
  writeFileSync(settings, JSON.stringify({ extends: join(dirs[0]!, "tsconfig.json"), compilerOptions, files }));
  return compile(settings);
}

/** Removes an option from every resource, as a user does: it has a line of its own. */
export function removeOption(dir: string, option: "import" | "protect"): void {
  for (const name of readdirSync(dir).filter((each) => /\.ts$|^Pulumi\.yaml$/.test(each))) {
    const [file, indent] = [join(dir, name), name === "Pulumi.yaml" ? 6 : 4];
    const line = new RegExp(`^ {${indent}}${option}: .*\n`, "gm");
    writeFileSync(
      file,
      readFileSync(file, "utf8")
        .replace(line, "")
        .replace(/^ {4}options:\n(?! {6})/gm, ""),
    );
  }
}
