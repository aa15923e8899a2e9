/**
 * Pulumi's dynamic provider host finds the SDK and this package from the folder in which it runs. With the CLI, this is
 * the program's folder. An inline program of the Automation API has none, so Pulumi uses the folder in which its process
 * runs. If the packages are not found from there, their own folders are added to NODE_PATH, which the CLI and the host
 * inherit. Without this, such a process must run in a folder from which both are found.
 */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { programError } from "../programError";
import { isMocked } from "./mocks";

const self = "pulumi-tunnel-edge/host";
const hostPackages = ["@pulumi/pulumi/cmd/dynamic-provider", self];

const folder = process.cwd();
const missing = hostPackages.filter((name) => resolveFrom(`${folder}/`, name) === undefined);
const isCliRun = /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run\b/.test(process.argv[1] ?? "");

let isFound = !missing.includes(self);
if (!isCliRun) {
  const installed = missing.map(
    (name) => /^.*[\\/]node_modules(?=[\\/])/.exec(resolveFrom(__filename, name) ?? "")?.[0],
  );
  const folders = new Set([process.env.NODE_PATH, ...installed].filter(Boolean));
  if (folders.size > 0) process.env.NODE_PATH = [...folders].join(path.delimiter);
  // Under an alias this package finds itself by its own name, but the host does not.
  isFound ||= installed.some(
    (modules) => modules !== undefined && existsSync(path.join(modules, "pulumi-tunnel-edge")),
  );
}

/** The host would say only that it cannot find a module, without the reason. */
export function assertFoundByHost(): void {
  if (isFound || isMocked()) return;
  throw programError(
    `pulumi-tunnel-edge is not installed in ${folder}, the folder of the program, from which Pulumi loads it. Add it ` +
      "to the dependencies there, under its own name. An npm alias, or a library that depends on it, is not enough.",
  );
}

function resolveFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}
