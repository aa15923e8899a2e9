/** What `pulumi preview --json --show-sames --show-replacement-steps` prints. */

import { isObject, type Json, type JsonObject } from "../../base/json";
import { joinWithAnd } from "../../base/quote";
import { parseFile } from "../io";

/** What happens to a resource. */
export interface Step {
  op: string;
  urn: string;
  oldState?: ResourceState;
  newState?: ResourceState;
  /** The names of changed arguments. */
  diffReasons?: string[];
  /** What changes, by its path. Null, which the CLI often prints, says nothing. */
  detailedDiff?: JsonObject | null;
}

export interface ResourceState {
  type: string;
  /** Missing in new states. */
  id?: string;
  inputs?: JsonObject;
  outputs?: JsonObject;
  /** The resource is only read, by `get`. */
  external?: boolean;
  /** By argument, the URNs of the resources that its value comes from. */
  propertyDependencies?: Record<string, string[]>;
  ignoreChanges?: string[];
  /** Why the last create or update was not finished. */
  initErrors?: string[];
  retainOnDelete?: boolean;
  /** The URN of the resource with which it is deleted. */
  deletedWith?: string;
}

/** The value is not such a preview, or does not show everything. */
export class PreviewError extends Error {}

export const command = "pulumi preview --json --show-sames --show-replacement-steps";

/** A refresh is followed by the step that it leads to, and a replacement is one step. */
const partialOperations = ["refresh", "create-replacement", "delete-replaced", "read-replacement"];

/** Whether a step deletes what an earlier deployment replaced, and could not delete. */
const isLeftover = ({ op, urn, oldState }: Step, all: Step[]) =>
  op === "delete-replaced" &&
  !all.some((other) => other.op === "replace" && other.urn === urn && other.oldState?.id === oldState?.id);

/** What a preview says. */
export interface Preview {
  steps: Step[];
  /** Why it failed. */
  errors: string[];
  /** Whether it was made with `--refresh`. */
  isRefreshed: boolean;
}

/** Reads a file with a preview. An error names the file. */
export function readPreviewFile<T>(file: string, read: (preview: unknown) => T): T {
  const content = parseFile(file, command);
  try {
    return read(content);
  } catch (error) {
    throw new PreviewError(`${file}: ${(error as Error).message}`);
  }
}

export function readPreview(preview: unknown): Preview {
  const { steps, changeSummary, diagnostics = [] } = isObject(preview) ? preview : {};
  if (!Array.isArray(steps) || !steps.every(isStep) || !isObject(changeSummary) || !Array.isArray(diagnostics)) {
    throw new PreviewError(`This is not the output of \`${command}\`.`);
  }
  const all = steps as unknown as Step[];
  const errors = listErrors(diagnostics);
  const same = Number(changeSummary.same ?? 0);
  if (errors.length === 0 && all.filter(({ op }) => op === "same").length < same) {
    throw new PreviewError(`The preview leaves out unchanged resources. Use \`${command}\`.`);
  }
  return { steps: all, errors, isRefreshed: all.some(({ op }) => op === "refresh") };
}

/** The steps of a preview, one for each object or module. */
export function parsePreview(preview: unknown): Step[] {
  const { steps, errors } = readPreview(preview);
  if (errors.length > 0) {
    const list = errors.join("\n");
    throw new PreviewError(`The preview failed, so it does not show what would change. Fix its errors first:\n${list}`);
  }
  return resolveSteps(steps);
}

/** The steps, one for each object or module. */
export function resolveSteps(all: Step[]): Step[] {
  const leftovers = all.filter((step) => isLeftover(step, all)).map((step) => ({ ...step, op: "delete" }));
  return [...all.filter(({ op }) => !partialOperations.includes(op)), ...leftovers];
}

/** `project/stack`, from the URN of a step. */
export function stackOf([step]: Step[]): string | undefined {
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(step?.urn ?? "") ?? [];
  return stack && `${project}/${stack}`;
}

/** The preview of one stack proves nothing about another one. */
export function assertOneStack(previews: Step[][]): void {
  const stacks = new Set(previews.flatMap((steps) => stackOf(steps) ?? []));
  if (stacks.size > 1)
    throw new PreviewError(`The previews are of ${joinWithAnd([...stacks])}. Give those of one stack.`);
}

/** The errors among a preview's diagnostics, without colours. */
function listErrors(diagnostics: Json[]): string[] {
  const all = diagnostics.flatMap((each) =>
    isObject(each) && typeof each.message === "string" ? [{ severity: each.severity, raw: each.message }] : [],
  );
  const errors = all.filter(({ severity }) => severity === "error").map(({ raw }) => raw);
  // The YAML host prints the errors of a program, while what another program prints to stderr is no failure.
  const printed = all.filter(({ severity }) => severity === "info#err").map(({ raw }) => raw);
  const isFromYaml = printed.some(
    (raw, index) => yamlError.test(raw) || (/^Error: /.test(raw) && yamlPosition.test(printed[index + 1] ?? "")),
  );
  return [...errors, ...(isFromYaml ? [printed.join("")] : [])].map((raw) => withoutColours(raw).trim());
}

const yamlError = /^\x1b\[\d+mError\x1b\[0m: /;
const yamlPosition = /^ +on .* line \d+:/;

const withoutColours = (text: string) => text.replace(/\x1b\[[\d;]*m/g, "");

const isStep = (step: Json) =>
  isObject(step) && isString(step.op) && isString(step.urn) && isState(step.oldState) && isState(step.newState);
const isString = (value: Json | undefined) => typeof value === "string";
const isState = (state: Json | undefined) => state === undefined || (isObject(state) && isString(state.type));
