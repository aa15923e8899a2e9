/** The changes of a preview, resource by resource. */

import { equal, type Json, type JsonObject } from "../../base/json";
import { quote } from "../../base/quote";
import { unknownValue } from "../../core/unknown";
import { secret } from "./model";
import type { Step } from "./preview";

const shownOps = ["create", "update", "delete", "replace", "import", "read"];

/** The lines of a diff, without what stays as it is. The engine's order differs from preview to preview. */
export function listDifferences(steps: Step[]): string[] {
  const sorted = [...steps].sort((a, b) => (a.urn < b.urn ? -1 : 1));
  return sorted.flatMap((step) => {
    const type = (step.newState ?? step.oldState)?.type ?? "";
    const isOwn = type === "pulumi:pulumi:Stack" || type.startsWith("pulumi:providers:");
    if (!shownOps.includes(step.op) || isOwn || (step.op === "read" && step.oldState)) return [];
    const id = step.oldState?.id === undefined ? "" : ` ${step.oldState.id}`;
    const name = step.urn.split("::").slice(3).join("::");
    return [`@@ ${step.op} ${type.split(":").at(-1)} ${quote(name)}${id} @@`, ...listArguments(step)];
  });
}

function listArguments({ oldState, newState, diffReasons = [] }: Step): string[] {
  const [before, after] = [argumentsOf(oldState?.inputs), argumentsOf(newState?.inputs)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    // Two secrets look the same.
    if (equal(was, is) && !(diffReasons.includes(name) && JSON.stringify(is).includes(secret))) return [];
    return [
      ...(was === undefined ? [] : [`- ${name}: ${show(was)}`]),
      ...(is === undefined ? [] : [`+ ${name}: ${show(is)}`]),
    ];
  });
}

const argumentsOf = (inputs: JsonObject = {}): JsonObject =>
  Object.fromEntries(Object.entries(inputs).filter(([name]) => !name.startsWith("__")));

const show = (value: Json) => JSON.stringify(value).replaceAll(`"${unknownValue}"`, "(not known yet)");
