/** What `pulumi preview --json --show-sames --show-replacement-steps` prints. */

import { isObject, type Json, type JsonObject } from "../json";

/** What happens to a resource. */
export interface Step {
  op: string;
  urn: string;
  oldState?: ResourceState;
  newState?: ResourceState;
  /** The names of changed arguments. */
  diffReasons?: string[];
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
  retainOnDelete?: boolean;
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

/** The steps of a preview, one for each object or module. */
export function parsePreview(preview: unknown): Step[] {
  const { steps, changeSummary, diagnostics = [] } = isObject(preview) ? preview : {};
  if (!Array.isArray(steps) || !steps.every(isStep) || !isObject(changeSummary) || !Array.isArray(diagnostics)) {
    throw new PreviewError(`This is not what \`${command}\` prints.`);
  }
  if (diagnostics.some((each) => isObject(each) && each.severity === "error")) {
    throw new PreviewError("The preview failed, so it does not show what would change. Fix its errors first.");
  }
  const all = steps as unknown as Step[];
  if (all.filter(({ op }) => op === "same").length < Number(changeSummary.same ?? 0)) {
    throw new PreviewError(`The preview leaves out unchanged resources. Use \`${command}\`.`);
  }
  const leftovers = all.filter((step) => isLeftover(step, all)).map((step) => ({ ...step, op: "delete" }));
  return [...all.filter(({ op }) => !partialOperations.includes(op)), ...leftovers];
}

const isStep = (step: Json) =>
  isObject(step) && isString(step.op) && isString(step.urn) && isState(step.oldState) && isState(step.newState);
const isString = (value: Json | undefined) => typeof value === "string";
const isState = (state: Json | undefined) => state === undefined || (isObject(state) && isString(state.type));
