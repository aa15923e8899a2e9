/** What a resource's own test file provides: its arguments, and the requests that each one causes. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { type Definition, parentsOf } from "../../../src/definitions/definition";
import type { Field, Fields } from "../../../src/definitions/fields/field";
import type { ModuleTable } from "../../support/data/modules";
import type { Properties } from "../../support/engine/provider";
import type { Step } from "../../support/engine/resourceDriver";

/** A request: `["PATCH /edges/tcp/{id}", { description: "ssh" }]`. */
export type Call = [operation: string, body?: unknown];

/** What `pulumi up` does, and the requests it sends. */
export interface Outcome {
  step: Step;
  calls: Call[];
}
export const updates = (...calls: Call[]): Outcome => ({ step: "update", calls });
export const replaces = (...calls: Call[]): Outcome => ({ step: "replace", calls });
export const same: Outcome = { step: "same", calls: [] };

/** One argument, or one of a module: `backend.enabled`. */
export interface Row {
  /** Another value than the one in `full`. */
  other?: unknown;
  /** What `pulumi up` does when the argument is added, changed to the other value, and removed. */
  add?: Outcome;
  change?: Outcome;
  clear?: Outcome;
  /** The other arguments, if some of `full` are incompatible with the other value. */
  baseArgs?: Properties;
  /**
   * The value that is set outside of Pulumi, as in requests; "removed" for a module; absent if it cannot be changed.
   */
  outsideValue?: unknown;
  /** The same for an argument that is not declared and therefore has the default of the API document. */
  nonDefault?: unknown;
  /** The order of the list matters. */
  ordered?: true;
}

export interface Table {
  /** Every argument except the parents, each with another value than the service's default. */
  full: Properties;
  /** The same, as the body of the create request. */
  wire: Properties;
  /** What happens when all optional arguments are added at once, and removed at once. */
  everything: { add: Outcome; clear: Outcome };
  rows: Record<string, Row>;
  /** Creates the parents of a module. Returns their ids, and the ids of others that it can move to. */
  parents?: (emulator: Emulator) => { here: Properties; elsewhere: Properties[] };
  /** A --target-replace fails unless deleteBeforeReplace is set. */
  needsDeleteBeforeReplace?: true;
}

/** The rows of a shared module: within an edge, by the module's name, or of a resource of its own. */
export function rowsOf({ rows }: ModuleTable, send: (body: object) => Outcome, name?: string): Record<string, Row> {
  const outcome = (body: object | null) => (body ? send(body) : updates());
  const withOutcomes = ({ add, change, clear, baseArgs, ...others }: ModuleTable["rows"][string]): Row => ({
    ...others,
    ...(add !== undefined && { add: outcome(add) }),
    change: send(change),
    ...(clear && { clear: send(clear) }),
    ...(baseArgs && { baseArgs: name ? { [name]: baseArgs } : baseArgs }),
  });
  return Object.fromEntries(
    Object.entries(rows).map(([field, row]) => [name ? `${name}.${field}` : field, withOutcomes(row)]),
  );
}

/** The rows of a shared module within an edge: of the whole module, and of its arguments. */
export const moduleRows = (
  name: string,
  table: ModuleTable,
  send: (body: object) => Outcome,
  clear: Outcome,
): Record<string, Row> => ({
  [name]: { add: send(table.wire), clear, outsideValue: "removed" },
  ...rowsOf(table, send, name),
});

/** The paths of all arguments and of those in modules, such as `backend` and `backend.enabled`, except the parents. */
export function listPaths(definition: Definition): string[] {
  return Object.entries<Field>(definition.fields)
    .filter(([name]) => !parentsOf(definition).includes(name))
    .flatMap(([name, { module }]) => [name, ...Object.keys(module?.fields ?? {}).map((inner) => `${name}.${inner}`)]);
}

/** The argument that a path belongs to, and the module's fields if it is inside a module. */
export function parsePath({ fields }: Definition, path: string): { name: string; inner?: string; module?: Fields } {
  const [name, inner] = path.split(".") as [string, string?];
  return { name, ...(inner && { inner, module: fields[name]!.module!.fields }) };
}

export function fieldAt(definition: Definition, path: string): Field {
  const { name, inner, module } = parsePath(definition, path);
  return module ? module[inner!]! : definition.fields[name]!;
}

/** Only the required values of the arguments or of a body. */
export function pickRequired(values: Properties, fields: Fields, nameOf = (name: string) => name): Properties {
  const names = Object.keys(fields).filter((name) => fields[name]!.required);
  return Object.fromEntries(names.map(nameOf).flatMap((name) => (name in values ? [[name, values[name]]] : [])));
}

export const getAt = (values: Properties, path: string): unknown =>
  path.split(".").reduce((value, key) => value?.[key], values);

export function setAt(values: Properties, path: string, value: unknown): Properties {
  const [name, inner] = path.split(".") as [string, string?];
  return { ...values, [name]: inner ? { ...values[name], [inner]: value } : value };
}

export function removeAt(values: Properties, path: string): Properties {
  const [name, inner] = path.split(".") as [string, string?];
  if (inner) return { ...values, [name]: removeAt(values[name] ?? {}, inner) };
  const { [name]: _, ...rest } = values;
  return rest;
}
