/**
 * actionlint, the linter for GitHub workflows, built from the Go module registry. Unavailable without Go or the
 * registry.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../root";

/** Returns a function that lints files and returns one line per finding, or undefined if actionlint is unavailable. */
export function findActionlint(): ((...files: string[]) => string[]) | undefined {
  const program = buildActionlint();
  if (!program) return undefined;
  return (...files) => {
    // Without the other linters that actionlint uses when they are installed.
    const { stdout, error } = spawnSync(program, ["-oneline", "-shellcheck=", "-pyflakes=", ...files], {
      cwd: root,
      encoding: "utf8",
    });
    if (error) throw error;
    return stdout.split("\n").filter(Boolean);
  };
}

function buildActionlint(): string | undefined {
  const cwd = join(__dirname, "actionlint");
  const version = /actionlint (v\S+)/.exec(readFileSync(join(cwd, "go.mod"), "utf8"))?.[1];
  const program = join(root, "node_modules/.cache", `actionlint-${version}`);
  if (existsSync(program)) return program;
  const making = `${program}.${process.pid}`;
  try {
    const source = "github.com/rhysd/actionlint/cmd/actionlint";
    const args = ["build", "-mod=readonly", "-buildvcs=false", "-o", making, source];
    const env = { ...process.env, GOWORK: "off" };
    mkdirSync(dirname(program), { recursive: true });
    execFileSync("go", args, { cwd, env, stdio: "pipe", timeout: 300_000 });
    renameSync(making, program);
    return program;
  } catch {
    return undefined;
  }
}
