/**
 * Generates SDKs from the plugin's schema, as `pulumi package add` does. That command needs language hosts, some of which
 * are only in official CLIs; the generators are in the Go module registry. Unavailable without Go or the registry.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../root";
import { pathWith } from "./pulumi";

export type GeneratedLanguage = "python" | "go" | "dotnet";

/** Returns a function that writes the SDK of a language into a folder, or undefined if the generator cannot be built. */
export function findCodegen(): ((language: GeneratedLanguage, folder: string) => void) | undefined {
  try {
    const env = { ...process.env, PATH: pathWith("sdks") };
    const schema = join(root, "plugin/schema.json");
    return (language, folder) => void execFileSync("generate-sdk", [schema, language, folder], { stdio: "pipe", env });
  } catch {
    return undefined;
  }
}
