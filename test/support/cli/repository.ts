/** A repository on GitHub with a copy of an example, whose workflow runs step by step. GitHub's own command is simulated. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import type { Stack } from "./pulumi";
import { type JobResult, runJob } from "./workflow";

export interface Run {
  /** An empty string for a repository without the secret. */
  apiKey?: string;
  /** The last commit of the pull request; for a push, of the one that it merged. */
  head?: string;
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

const commandsIn = (bin: string) => ({
  npm: "exit 0",
  npx: 'exec "node_modules/.bin/$@"',
  gh: `echo "$*" >> "${bin}/ghCalls"
case "$1 $2" in
  "api --paginate") case "$3" in
    */commits/*/statuses) sha=\${3#*/commits/}; cat "${bin}/status-\${sha%/statuses}" 2> /dev/null || true;;
    */events) echo 2026-01-02T03:04:05Z;;
    *) cat "${bin}/answer";;
  esac;;
  "issue list") cat "${bin}/answer";;
  "api repos/"*"/pulls") cat "${bin}/head";;
  "api repos/"*"/issues/comments/"*) cat "${bin}/comment";;
  "api --method") case "$4" in
    */statuses/*) echo 1 > "${bin}/status-\${4##*/}";;
    */comments*) cp comment.md "${bin}/comment";;
  esac;;
esac
while [ $# -gt 0 ]; do
  case "$1" in
    --body-file) cat "$2" > "${bin}/published";;
    --field) cat "\${2#body=@}" > "${bin}/published";;
  esac
  shift
done`,
});

/** Writes commands that a runner has, and the tests replace. `gh` records its arguments and what it publishes, and keeps statuses. */
export function writeCommands(bin: string, others: Record<string, string> = {}): void {
  mkdirSync(bin);
  for (const [name, script] of Object.entries({ ...commandsIn(bin), ...others }))
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 });
}

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
    writeCommands(this.bin);
  }

  /** Runs a job of the workflow, with the secrets and variables of a repository with a self-managed backend. */
  async run(job: string, options: Run = {}): Promise<RunResult> {
    const { apiKey, head = "0123abc", found = "", previewed, env = {}, ...event } = options;
    const { stack, emulator, bin } = this;
    for (const name of ["ghCalls", "published"]) rmSync(join(bin, name), { force: true });
    writeFileSync(join(bin, "answer"), found);
    writeFileSync(join(bin, "head"), head);
    const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, PULUMI_STACK: _, ...own } = stack.env;
    const contexts = {
      github: {
        token: "token",
        server_url: "https://github.com",
        repository: "acme/edges",
        run_id: 1,
        event: { number: 7, pull_request: { head: { sha: head } }, sender: { login: "alice" } },
      },
      secrets: { PULUMI_CONFIG_PASSPHRASE: PULUMI_CONFIG_PASSPHRASE!, TUNNEL_EDGE_API_KEY: apiKey ?? emulator.apiKey },
      inputs: { "opens-edges": event.opensEdges ?? false },
      vars: { PULUMI_BACKEND_URL: PULUMI_BACKEND_URL!, ...this.vars },
    };
    emulator.clearRequests();
    const PATH = `${bin}${delimiter}${stack.env["PATH"]}`;
    const variables = { ...own, PATH, GITHUB_REPOSITORY: "acme/edges", GITHUB_SHA: "89abcde", ...env };
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

const diffIn = (comment: string) => comment.split("```diff\n")[1]?.split("```")[0] ?? "";

/** Which previews its diff shows: that of several, if they show the same. */
export function titlesOf(comment: string): string[] {
  const titles = [...diffIn(comment).matchAll(/^# (.*)$/gm)].map(([, title]) => title!);
  return titles.length > 0 ? titles : [both];
}

/** What its diff shows of one of several previews. */
export function diffOf(comment: string, title: string): string {
  expect(titlesOf(comment)).toContain(title);
  return diffIn(comment).split(`# ${title}\n`)[1]!.split("\n# ")[0]!;
}

export const service = "merge.json, with --refresh";
export const state = "change.json";
export const both = "What changes";
export const opens = "⚠️ This change opens public addresses";
export const opensNothing = "✅ This change opens no public address";
export const notKnown = "❓ Who can connect after this change is not known";
