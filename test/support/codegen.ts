/**
 * Generates SDKs from the plugin's schema, as `pulumi package gen-sdk` does. That command needs language hosts which are
 * only in official CLIs; the generator itself is in the Go module registry. Unavailable without Go or the registry.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root";

/** The generator's Go module, whose dependencies are also those of a generated Go SDK. */
export const codegenModule = join(__dirname, "codegen");

export const goEnvironment = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=mod" };

/** Returns a function that writes the SDK of a language into a folder, or undefined if the generator cannot be built. */
export function findCodegen(): ((language: "python" | "go", folder: string) => void) | undefined {
  const program = buildCodegen();
  if (!program) return undefined;
  const schema = join(root, "plugin/schema.json");
  return (language, folder) => void execFileSync(program, [schema, language, folder], { stdio: "pipe" });
}

function buildCodegen(): string | undefined {
  const version = /pkg\/v3 (v\S+)/.exec(readFileSync(join(codegenModule, "go.mod"), "utf8"))?.[1];
  const program = join(root, "node_modules/.cache", `codegen-${version}`);
  if (existsSync(program)) return program;
  const making = `${program}.${process.pid}`;
  try {
    mkdirSync(dirname(program), { recursive: true });
    const args = ["build", "-mod=readonly", "-buildvcs=false", "-tags=osusergo,grpcnotrace", "-o", making, "."];
    execFileSync("go", args, { cwd: codegenModule, env: { ...process.env, GOWORK: "off" }, stdio: "pipe" });
    renameSync(making, program);
    return program;
  } catch {
    return undefined;
  }
}
