/** A repository on GitHub with a copy of an example, whose workflow runs step by step. GitHub's own command is simulated. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import type { Stack } from "./pulumi";
import { type JobResult, runJob } from "./workflow";

export interface Run {
  /** An empty string for a repository without the secret. */
  apiKey?: string;
  /** The labels that the pull request has now, with that of the commit. */
  labels?: string[];
  /** What happened to the pull request. */
  action?: "opened" | "labeled" | "synchronize";
  /** How often the run was started. */
  attempt?: number;
  /** The input of a run by hand. */
  opensEdges?: boolean;
  /** The id of what `gh` finds. */
  found?: string;
  /** An earlier run with the same files, state and service, whose previews are used again. */
  previewed?: JobResult;
  env?: Record<string, string>;
}

export interface RunResult extends JobResult {
  /** The steps that did not succeed. */
  outcomes: Record<string, string>;
  /** What was asked of `gh`. */
  ghCalls: string[];
  /** The comment or issue. */
  published: string;
}

/** Commands that a runner has, and the tests replace. `gh` records its arguments and what it publishes. */
const commands = (bin: string) => ({
  npm: "exit 0",
  npx: 'exec "node_modules/.bin/$@"',
  gh: `echo "$*" >> "${bin}/ghCalls"
case "$1 $2" in
  "api --paginate"|"issue list") [ ! -f "${bin}/answer" ] || cat "${bin}/answer";;
  "api repos/"*"/labels"|"api repos/"*"/pulls") cat "${bin}/labels";;
  "api --method") case "$3 $4" in "DELETE "*"/labels/opens-edges") sed -i '/^opens-edges$/d' "${bin}/labels";; esac;;
esac
while [ $# -gt 0 ]; do
  case "$1" in
    --body-file) cat "$2" > "${bin}/published";;
    --field) cat "\${2#body=@}" > "${bin}/published";;
  esac
  shift
done`,
});

export class Repository {
  private readonly bin: string;
  /** Variables that replace those of the workflow. */
  overrides: Record<string, string> = {};

  constructor(
    private readonly stack: Stack,
    private readonly emulator: Emulator,
    /** The repository's variables. */
    private readonly vars: Record<string, string>,
  ) {
    this.bin = join(stack.dir, "bin");
    mkdirSync(this.bin);
    for (const [name, script] of Object.entries(commands(this.bin))) {
      writeFileSync(join(this.bin, name), `#!/usr/bin/env bash\n${script}\n`);
      chmodSync(join(this.bin, name), 0o755);
    }
  }

  /** Runs a job of the workflow, with the secrets and variables of a repository with a self-managed backend. */
  async run(job: string, options: Run = {}): Promise<RunResult> {
    const { apiKey, labels = [], found = "", previewed, env = {}, ...event } = options;
    const { stack, emulator, bin } = this;
    for (const name of ["ghCalls", "published"]) rmSync(join(bin, name), { force: true });
    writeFileSync(join(bin, "answer"), found);
    writeFileSync(join(bin, "labels"), labels.map((name) => `${name}\n`).join(""));
    const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, PULUMI_STACK: _, ...own } = stack.env;
    const contexts = {
      github: {
        token: "token",
        server_url: "https://github.com",
        repository: "acme/edges",
        run_id: 1,
        run_attempt: event.attempt ?? 1,
        event: { number: 7, action: event.action ?? "opened", pull_request: { head: { sha: "0123abc" } } },
      },
      secrets: { PULUMI_CONFIG_PASSPHRASE: PULUMI_CONFIG_PASSPHRASE!, TUNNEL_EDGE_API_KEY: apiKey ?? emulator.apiKey },
      inputs: { "opens-edges": event.opensEdges ?? false },
      vars: { PULUMI_BACKEND_URL: PULUMI_BACKEND_URL!, ...this.vars },
    };
    emulator.clearRequests();
    const PATH = `${bin}${delimiter}${stack.env["PATH"]}`;
    const variables = { ...own, PATH, GITHUB_REPOSITORY: "acme/edges", GITHUB_SHA: "0123abc", ...env };
    const workflow = join(stack.dir, ".github/workflows/edges.yml");
    const previews = Object.entries(previewed?.steps ?? {}).filter(
      ([name, { outcome }]) => /^(Preview|Check for drift)/.test(name) && outcome !== "skipped",
    );
    if (previewed && previews.length === 0) throw new Error("The earlier run has no preview.");
    const result = await runJob(
      workflow,
      job,
      stack.dir,
      contexts,
      variables,
      this.overrides,
      Object.fromEntries(previews),
    );
    const read = (name: string) => (existsSync(join(bin, name)) ? readFileSync(join(bin, name), "utf8").trim() : "");
    return {
      ...result,
      outcomes: outcomesOf(result),
      ghCalls: read("ghCalls").split("\n"),
      published: read("published"),
    };
  }
}

const outcomesOf = ({ steps }: JobResult) =>
  Object.fromEntries(
    Object.entries(steps).flatMap(([name, { outcome }]) => (outcome === "success" ? [] : [[name, outcome]])),
  );

/** The verdict of a comment. */
export const verdictOf = (comment: string) => /^### (.*)$/m.exec(comment)?.[1];

/** The titles of its diffs. */
export const titlesOf = (comment: string) =>
  [...comment.matchAll(/<summary>(.*)<\/summary>/g)].map(([, title]) => title!);

/** One of its diffs. */
export function diffOf(comment: string, title: string): string {
  expect(titlesOf(comment)).toContain(title);
  return comment.split(`<summary>${title}</summary>`)[1]!.split("```")[1]!;
}

export const service = "Compared with the service";
export const state = "Compared with the state";
export const both = "What changes";
export const opens = "⚠️ This change opens public addresses";
export const opensNothing = "✅ This change opens no public address";
export const notKnown = "❓ Who can connect after this change is not known";
