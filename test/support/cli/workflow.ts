/** Runs the steps of a job of a GitHub workflow in order, as GitHub's runner does. Actions are left out. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { runBash } from "./example";

type Env = Record<string, string | undefined>;
interface WorkflowStep {
  id?: string;
  name?: string;
  uses?: string;
  if?: string;
  env?: Record<string, string>;
  run?: string;
}

/** What expressions refer to. */
export interface Contexts {
  github?: object;
  secrets?: Record<string, string>;
  inputs?: Record<string, unknown>;
  vars?: Record<string, string>;
  matrix?: Record<string, string>;
}

export interface StepResult {
  outcome: "success" | "failure" | "skipped";
  printed: string;
  outputs: Record<string, string>;
}

export interface JobResult {
  conclusion: "success" | "failure";
  /** By name. */
  steps: Record<string, StepResult>;
}

/**
 * Runs a job in a folder. The variables of the workflow replace those of `env`, and `overrides` replace both. Steps
 * that are `done` are not run again: the folder still has their files.
 */
export async function runJob(
  file: string,
  name: string,
  dir: string,
  contexts: Contexts,
  env: Env,
  overrides: Env = {},
  done: JobResult["steps"] = {},
): Promise<JobResult> {
  const workflow = parse(readFileSync(file, "utf8"));
  const job = workflow.jobs[name];
  const results: Record<string, StepResult> = {};
  const byId: Record<string, StepResult> = {};
  const hasFailed = () => Object.values(results).some(({ outcome }) => outcome === "failure");
  const evaluate = (expression: string, variables: Env = {}) =>
    evaluateExpression(expression, { ...contexts, env: variables, steps: byId }, hasFailed());
  const fill = (values: Record<string, unknown> = {}) =>
    Object.entries(values).map(([key, value]) => {
      const filled = String(value).replace(/\$\{\{(.*?)\}\}/g, (_, expression) => String(evaluate(expression)));
      return [key, filled] as const;
    });
  const variables = { ...Object.fromEntries([...fill(workflow.env), ...fill(job.env)]), ...overrides };
  for (const step of job.steps as WorkflowStep[]) {
    const { run, name: stepName } = step;
    if (step.uses || run === undefined || stepName === undefined) continue;
    const condition = step.if ?? "success()";
    const isStatus = /\b(success|failure|cancelled|always)\(\)/.test(condition);
    const isWanted = evaluate(isStatus ? condition : `success() && (${condition})`, variables);
    const result = isWanted
      ? (done[stepName] ?? (await runStep(run, dir, { ...env, ...variables, ...Object.fromEntries(fill(step.env)) })))
      : ({ outcome: "skipped", printed: "", outputs: {} } as const);
    results[stepName] = result;
    if (step.id) byId[step.id] = result;
  }
  return { conclusion: hasFailed() ? "failure" : "success", steps: results };
}

async function runStep(script: string, dir: string, env: Env): Promise<StepResult> {
  const folder = mkdtempSync(join(tmpdir(), "step-"));
  const file = join(folder, "output");
  const { code, printed } = await runBash(script, dir, {
    ...env,
    GITHUB_OUTPUT: file,
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
  });
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  rmSync(folder, { recursive: true });
  const outputs = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  return { outcome: code === 0 ? "success" : "failure", printed, outputs };
}

/** The operators that workflows use mean the same in JavaScript, once what is not there is an empty string. */
function evaluateExpression(expression: string, contexts: object, hasFailed: boolean): unknown {
  const scope = {
    ...Object.fromEntries(Object.entries(contexts).map(([name, value]) => [name, withDefault(value)])),
    success: () => !hasFailed,
    failure: () => hasFailed,
    cancelled: () => false,
    contains: (list: string[], item: string) => list.includes(item),
  };
  const source = expression
    .replace(/\binputs\.([\w-]+)/g, 'inputs["$1"]')
    .replace(/([\w.]+)\.\*\.(\w+)/g, "[...$1].map((each) => each.$2)");
  return new Function(...Object.keys(scope), `return (${source});`)(...Object.values(scope));
}

const withDefault = (value: unknown): unknown =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? (value ?? "")
    : new Proxy(value, { get: (target, key) => withDefault(Reflect.get(target, key)) });
