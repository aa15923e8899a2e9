/** What a resource's own test file states: its arguments, and what becomes of each in requests. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import type { Definition } from "../../../src/definitions/definition";
import type { Field, Fields } from "../../../src/definitions/fields";
import type { Properties, Step } from "../../support/host";

/** A request: `["PATCH /edges/tcp/{id}", { description: "ssh" }]`. */
export type Call = [operation: string, body?: unknown];

/** What an up does, and what it asks of the service. */
export interface Outcome {
  step: Step;
  calls: Call[];
}
export const updates = (...calls: Call[]): Outcome => ({ step: "update", calls });
export const replaces = (...calls: Call[]): Outcome => ({ step: "replace", calls });
export const same: Outcome = { step: "same", calls: [] };

/** One argument, or one of a module's: `backend.enabled`. */
export interface Row {
  /** Another value than the one in `full`. */
  other?: unknown;
  /** What an up does when the program begins to state it, states the other value, and states it no longer. */
  add?: Outcome;
  change?: Outcome;
  clear?: Outcome;
  /** The arguments around it, where not everything else can stand beside the other value. */
  baseArgs?: Properties;
  /** What someone else sets it to, as requests write it; "removed" for a module; absent where nobody can. */
  outsideValue?: unknown;
  /** The same where the program does not state it, and thus states the default that the API document gives it. */
  nonDefault?: unknown;
  /** The order of the list has a meaning. */
  ordered?: true;
}

export interface Table {
  /** Every argument, each other than what the service would choose; parents aside. */
  full: Properties;
  /** The same, as the request that creates it writes it. */
  wire: Properties;
  /** What becomes of an object with nothing but what is required when everything is stated at once, and back. */
  everything: { add: Outcome; clear: Outcome };
  rows: Record<string, Row>;
  /** Makes the objects that a module belongs to; the ids of them, and of the others that it can move to. */
  parents?: (emulator: Emulator) => { here: Properties; elsewhere: Properties[] };
  /** A forced replacement is refused unless the user asks for deleteBeforeReplace. */
  needsDeleteBeforeReplace?: true;
}

/** The arguments, and those of modules: `backend`, `backend.enabled`; without what names the parents. */
export function listPaths({ fields, parents }: Definition): string[] {
  return Object.entries(fields)
    .filter(([name]) => !(name in (parents ?? {})))
    .flatMap(([name, { module }]) => [name, ...Object.keys(module?.fields ?? {}).map((inner) => `${name}.${inner}`)]);
}

/** The argument that a path belongs to, and for one inside a module that module's fields. */
export function parsePath({ fields }: Definition, path: string): { name: string; inner?: string; module?: Fields } {
  const [name, inner] = path.split(".") as [string, string?];
  return { name, ...(inner && { inner, module: fields[name]!.module!.fields }) };
}

export function fieldAt(definition: Definition, path: string): Field {
  const { name, inner, module } = parsePath(definition, path);
  return module ? module[inner!]! : definition.fields[name]!;
}

/** Of the arguments, or of a body, what must be stated. */
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
