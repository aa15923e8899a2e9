/** A repository on GitHub with a copy of an example, whose workflow runs step by step. GitHub's own command is simulated. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { parse } from "yaml";
import { createFolder } from "./example";
import type { Stack } from "./pulumi";
import { isJobWanted, type JobResult, runJob } from "./workflow";

type Event = "pull_request" | "push" | "schedule";

export interface Run {
  /** An empty string for a repository without the secret. */
  apiKey?: string;
  /** The repository of a pull request, if it is a fork. */
  fork?: string;
  /** The id of what `gh` finds. */
  found?: string;
  env?: Record<string, string>;
}

export interface RunResult {
  /** How each job ended. */
  jobs: Record<string, string>;
  /** By job and step, what was printed. */
  printed: Record<string, Record<string, string>>;
  /** What was asked of `gh`. */
  ghCalls: string[];
  /** What was posted as the comment, or as the issue. */
  published: string;
  /** The comment, whether or not it was posted. */
  comment: string;
}

/** Those that a runner has, and the tests replace. `gh` records its arguments and what it publishes. */
const commandsIn = (bin: string) => ({
  npm: `ln -s "${bin}/node_modules" node_modules`,
  npx: 'shift; exec "node_modules/.bin/$@"', // --no
  gh: `echo "$*" >> "${bin}/ghCalls"
case "$1 $2" in "api --paginate" | "issue list") cat "${bin}/answer";; esac
while [ $# -gt 0 ]; do
  case "$1" in
    --body-file) cat "$2" > "${bin}/published";;
    --field) cat "\${2#body=@}" > "${bin}/published";;
  esac
  shift
done`,
});

export class Repository {
  /** Where each job has a checkout of its own, and nothing of another job. */
  readonly checkout: string;
  readonly bin: string;
  private readonly artifacts: string;
  /** Variables that replace those of the workflow. */
  overrides: Record<string, string> = {};

  constructor(
    private readonly stack: Stack,
    private readonly emulator: Emulator,
    /** The repository's variables. */
    private readonly vars: Record<string, string>,
  ) {
    const folder = createFolder("runner");
    [this.checkout, this.bin, this.artifacts] = ["checkout", "bin", "artifacts"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(this.bin, { recursive: true });
    for (const [name, script] of Object.entries(commandsIn(this.bin)))
      writeFileSync(join(this.bin, name), `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 });
  }

  /** Runs the jobs of an event, as the workflow that calls the reusable one says. */
  async run(event: Event, options: Run = {}): Promise<RunResult> {
    const { stack, emulator, bin } = this;
    const { apiKey = emulator.apiKey, fork, found = "", env = {} } = options;
    for (const name of ["ghCalls", "published"]) rmSync(join(bin, name), { force: true });
    rmSync(this.artifacts, { recursive: true, force: true });
    writeFileSync(join(bin, "answer"), found);
    const workflows = join(stack.dir, ".github/workflows");
    const caller = parse(readFileSync(join(workflows, "gitops.yml"), "utf8"));
    expect(caller.on).toHaveProperty(event);
    const { uses, with: inputs = {}, secrets: passed } = caller.jobs.edges;
    const workflow = join(workflows, basename(uses));
    const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, PULUMI_STACK: _, ...own } = stack.env;
    const secrets = Object.entries({ PULUMI_CONFIG_PASSPHRASE, TUNNEL_EDGE_API_KEY: apiKey } as Record<string, string>);
    const isPullRequest = event === "pull_request";
    const contexts = {
      github: {
        event_name: event,
        ref: isPullRequest ? "refs/pull/7/merge" : "refs/heads/main",
        repository: "acme/edges",
        run_id: 1,
        token: "token",
        event: isPullRequest
          ? { number: 7, pull_request: { head: { repo: { full_name: fork ?? "acme/edges" } } } }
          : {},
      },
      inputs,
      secrets: Object.fromEntries(secrets.filter(([name]) => name in passed)),
      vars: { PULUMI_BACKEND_URL: PULUMI_BACKEND_URL!, ...this.vars },
    };
    const variables = {
      ...own,
      PATH: `${bin}${delimiter}${stack.env["PATH"]}`,
      GITHUB_WORKFLOW: caller.name,
      RUNNER_TEMP: bin,
      ...env,
    };
    emulator.clearRequests();
    const results: Record<string, JobResult> = {};
    const needs: Record<string, { result: string }> = {};
    let comment = "";
    for (const [name, job] of Object.entries<{ if?: string; needs?: string }>(
      parse(readFileSync(workflow, "utf8")).jobs,
    )) {
      const needed = { ...contexts, needs: job.needs ? { [job.needs]: needs[job.needs]! } : {} };
      needs[name] = { result: "skipped" };
      if (!isJobWanted(job.if, needed)) continue;
      rmSync(this.checkout, { recursive: true, force: true });
      cpSync(stack.dir, this.checkout, { recursive: true });
      const copy = (from: string, to: string) => cpSync(from, to, { recursive: true });
      const previews = join(this.checkout, "previews");
      results[name] = await runJob(workflow, name, this.checkout, needed, variables, {
        overrides: this.overrides,
        actions: {
          "actions/upload-artifact": () => copy(previews, this.artifacts),
          "actions/download-artifact": () => copy(this.artifacts, previews),
        },
      });
      needs[name] = { result: results[name].conclusion };
      if (name === "preview") comment = readIfExists(join(previews, "comment.md"));
    }
    return {
      jobs: Object.fromEntries(Object.entries(needs).map(([name, { result }]) => [name, result])),
      printed: Object.fromEntries(
        Object.entries(results).map(([name, { steps }]) => [
          name,
          Object.fromEntries(Object.entries(steps).map(([step, { printed }]) => [step, printed])),
        ]),
      ),
      ghCalls: readIfExists(join(bin, "ghCalls")).split("\n"),
      published: readIfExists(join(bin, "published")),
      comment,
    };
  }
}

const readIfExists = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim() : "");

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

/** The job that looks for drift needs it; every runner has it. */
export const hasJq = spawnSync("jq", ["--version"]).status === 0;

export const service = "previews/merge.json, with --refresh";
export const state = "previews/change.json";
export const both = "What changes";
export const opens = "⚠️ This change opens public addresses";
export const opensNothing = "✅ This change opens no public address";
export const notKnown = "❓ Who can connect after this change is not known";
