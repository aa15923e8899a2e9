/** The linter of GitHub's workflows, built from the Go module registry; there is none where Go, or the registry, is not. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** A function that returns what actionlint has to say of files, a line each; undefined where it cannot be had. */
export function findActionlint(): ((...files: string[]) => string[]) | undefined {
  const program = buildActionlint();
  if (!program) return undefined;
  return (...files) => {
    // Without the other linters that it would use if they happened to be there.
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
  } catch (error) {
    console.warn(`The workflows are not linted, for want of actionlint: ${(error as Error).message}`);
    return undefined;
  }
}
