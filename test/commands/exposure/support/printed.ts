/**
 * What `pulumi preview --json` prints of a change, as far as `exposure` reads it, by which provider. That the real CLI
 * prints the same is shown by test/cli/hiddenValues.full.test.ts.
 */
import { isDeepStrictEqual } from "node:util";
import { listPaths } from "../../../simulator/paths";
import { unknown } from "../../../support/engine/provider";

export type Provider = "dynamic" | "plugin";

/** An argument, and what of it is a secret or unknown: the whole, or one field of a module. */
export interface Argument {
  value: unknown;
  hidden?: { how: "secret" | "unknown"; field?: string };
}

export type Arguments = Record<string, Argument>;

export interface ResourceChange {
  type: string;
  name: string;
  /** The id before the change. */
  id?: string;
  before?: Arguments;
  /** What the service has beside what was declared. */
  unmanaged?: Record<string, unknown>;
  after?: Arguments;
  /** Whether the options change, too, in a way that the host of the classes reports without details. */
  hasOtherOptions?: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isSecret = ({ hidden }: Argument) => hidden?.how === "secret";

/** What is shown in place of an argument. The classes hide one that contains a secret as a whole. */
function print(provider: Provider, { value, hidden }: Argument): unknown {
  if (!hidden) return value;
  const shown = hidden.how === "secret" ? "[secret]" : unknown;
  const isWhole = hidden.field === undefined || (provider === "dynamic" && hidden.how === "secret");
  return isWhole ? shown : { ...(value as object), [hidden.field!]: shown };
}

const printAll = (provider: Provider, args: Arguments = {}) =>
  Object.fromEntries(Object.entries(args).map(([name, argument]) => [name, print(provider, argument)]));

/** The paths of an argument that changes. */
function listChanges(provider: Provider, name: string, before?: Argument, after?: Argument): string[] {
  const { hidden } = after ?? {};
  const isUnknown = hidden?.how === "unknown";
  if (!before || !after) return [name];
  if (!isUnknown && isDeepStrictEqual(before.value, after.value)) return [];
  if (provider === "dynamic")
    return isSecret(before) && isSecret(after)
      ? [name]
      : listPaths(name, print(provider, before), print(provider, after));
  if (!isObject(before.value) || !isObject(after.value) || (isUnknown && hidden?.field === undefined)) return [name];
  const [was, is] = [before.value, after.value];
  return Object.keys({ ...was, ...is })
    .filter((key) => !isDeepStrictEqual(was[key], is[key]) || (isUnknown && hidden?.field === key))
    .map((key) => `${name}.${key}`);
}

/** Whether something becomes a secret that was none. */
function isNewlySecret(provider: Provider, before: Argument | undefined, after: Argument | undefined): boolean {
  if (!after || !isSecret(after)) return false;
  if (!before || !isSecret(before)) return true;
  const [was, is] = [before.hidden!.field, after.hidden!.field];
  return provider === "plugin" && was !== undefined && was !== is;
}

export const typeOf = (provider: Provider, type: string) =>
  `${provider === "dynamic" ? "pulumi-nodejs:dynamic/tunnel-edge" : "tunnel-edge:index"}:${type}`;

export const urnOf = (provider: Provider, { type, name }: Pick<ResourceChange, "type" | "name">) =>
  `urn:pulumi:dev::test::${typeOf(provider, type)}::${name}`;

/** The operation, and what changes; null if the preview does not say that. */
export function printDifference(
  provider: Provider,
  { before, after, hasOtherOptions }: ResourceChange,
): { op: string; detailedDiff: Record<string, object> | null } {
  if (!before) return { op: "create", detailedDiff: null };
  if (!after) return { op: "delete", detailedDiff: null };
  const names = Object.keys({ ...before, ...after });
  const changes = names.flatMap((name) => listChanges(provider, name, before[name], after[name]));
  const becomesSecret = names.some((name) => isNewlySecret(provider, before[name], after[name]));
  if (changes.length === 0 && !becomesSecret) return { op: "same", detailedDiff: null };
  const secretNames = (args: Arguments) => names.filter((name) => args[name] && isSecret(args[name]!));
  const isVague =
    provider === "dynamic" && (hasOtherOptions || !isDeepStrictEqual(secretNames(before), secretNames(after)));
  return {
    op: "update",
    detailedDiff: isVague ? null : Object.fromEntries(changes.map((path) => [path, {}])),
  };
}

/** A step of the preview. */
export function printStep(provider: Provider, change: ResourceChange): object {
  const { type, id = "edgtcp_1", before, unmanaged, after } = change;
  const inputs = printAll(provider, before);
  const managed = provider === "dynamic" ? { __managed: Object.keys(before ?? {}).join(" ") } : {};
  return {
    urn: urnOf(provider, change),
    ...printDifference(provider, change),
    ...(before && {
      oldState: { type: typeOf(provider, type), id, inputs, outputs: { ...managed, ...unmanaged, ...inputs } },
    }),
    ...(after && { newState: { type: typeOf(provider, type), inputs: printAll(provider, after) } }),
  };
}

export const printPreview = (provider: Provider, changes: ResourceChange[]) => ({
  steps: changes.map((change) => printStep(provider, change)),
  changeSummary: {},
});
