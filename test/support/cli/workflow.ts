/** Runs the steps of a job of a GitHub workflow in order, as GitHub's runner does. Actions are left out, or simulated. */
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
  with?: Record<string, unknown>;
  if?: string;
  env?: Record<string, string>;
  run?: string;
}

/** What expressions refer to. */
export interface Contexts {
  github?: object;
  /** The jobs that ran before. */
  needs?: Record<string, { result: string }>;
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

export interface JobOptions {
  /** Variables that replace those of the workflow. */
  overrides?: Env;
  /** What an action does instead, by the beginning of its name. */
  actions?: Record<string, (inputs: Record<string, unknown>) => void>;
}

/** Whether a job or a step with this condition runs. */
function isWanted(condition = "success()", contexts: object, hasFailed: boolean): unknown {
  const isStatus = /\b(success|failure|cancelled|always)\(\)/.test(condition);
  return evaluateExpression(isStatus ? condition : `success() && (${condition})`, contexts, hasFailed);
}

/** Whether a job runs after those that it needs. */
export const isJobWanted = (condition: string | undefined, contexts: Contexts): boolean =>
  Boolean(
    isWanted(
      condition,
      contexts,
      Object.values(contexts.needs ?? {}).some(({ result }) => result !== "success"),
    ),
  );

/** Runs a job in a folder. The variables of the workflow replace those of `env`. */
export async function runJob(
  file: string,
  name: string,
  dir: string,
  contexts: Contexts,
  env: Env,
  { overrides = {}, actions = {} }: JobOptions = {},
): Promise<JobResult> {
  const workflow = parse(readFileSync(file, "utf8"));
  const job = workflow.jobs[name];
  const results: Record<string, StepResult> = {};
  const byId: Record<string, StepResult> = {};
  const hasFailed = () => Object.values(results).some(({ outcome }) => outcome === "failure");
  const evaluate = (expression: string) => evaluateExpression(expression, { ...contexts, steps: byId }, hasFailed());
  const fill = (values: Record<string, unknown> = {}) =>
    Object.entries(values).map(([key, value]) => {
      const filled = String(value).replace(/\$\{\{(.*?)\}\}/g, (_, expression) => String(evaluate(expression)));
      return [key, filled] as const;
    });
  const variables = { ...Object.fromEntries([...fill(workflow.env), ...fill(job.env)]), ...overrides };
  for (const step of job.steps as WorkflowStep[]) {
    const { uses, run, name: stepName } = step;
    const isNext = isWanted(step.if, { ...contexts, env: variables, steps: byId }, hasFailed());
    const action = Object.entries(actions).find(([begin]) => uses?.startsWith(begin));
    if (action && isNext) action[1](step.with ?? {});
    if (run === undefined || stepName === undefined) continue;
    const result = isNext
      ? await runStep(run, dir, { ...env, ...variables, ...Object.fromEntries(fill(step.env)) })
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
    always: () => true,
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
