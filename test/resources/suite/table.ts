/** What a resource's own test file states: its arguments, and what becomes of each in requests. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import type { Definition } from "../../../src/definitions/definition";
import type { Field, Fields } from "../../../src/definitions/fields";
import type { Bag, Step } from "../../support/host";

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
  around?: Bag;
  /** What someone else sets it to, as requests write it; "removed" for a module; absent where nobody can. */
  theirs?: unknown;
  /** The same where the program does not state it, and thus states the default that the API document gives it. */
  againstDefault?: unknown;
  /** The order of the list has a meaning. */
  ordered?: true;
}

export interface Table {
  /** Every argument, each other than what the service would choose; parents aside. */
  full: Bag;
  /** The same, as the request that creates it writes it. */
  wire: Bag;
  /** What becomes of an object with nothing but what is required when everything is stated at once, and back. */
  everything: { add: Outcome; clear: Outcome };
  rows: Record<string, Row>;
  /** Makes the objects that a module belongs to; the ids of them, and of the others that it can move to. */
  parents?: (emulator: Emulator) => { here: Bag; elsewhere: Bag[] };
  /** A forced replacement is refused unless the user asks for deleteBeforeReplace. */
  collides?: true;
}

/** The arguments, and those of modules: `backend`, `backend.enabled`; without what names the parents. */
export function pathsOf({ fields, parents }: Definition): string[] {
  return Object.entries(fields)
    .filter(([name]) => !(name in (parents ?? {})))
    .flatMap(([name, { module }]) => [name, ...Object.keys(module?.fields ?? {}).map((inner) => `${name}.${inner}`)]);
}

/** The argument that a path belongs to, and for one inside a module that module's fields. */
export function partsOf({ fields }: Definition, path: string): { name: string; inner?: string; module?: Fields } {
  const [name, inner] = path.split(".") as [string, string?];
  return { name, ...(inner && { inner, module: fields[name]!.module!.fields }) };
}

export function fieldAt(definition: Definition, path: string): Field {
  const { name, inner, module } = partsOf(definition, path);
  return module ? module[inner!]! : definition.fields[name]!;
}

/** Of the arguments, or of a body, what must be stated. */
export function required(values: Bag, fields: Fields, nameOf = (name: string) => name): Bag {
  const names = Object.keys(fields).filter((name) => fields[name]!.required);
  return Object.fromEntries(names.map(nameOf).flatMap((name) => (name in values ? [[name, values[name]]] : [])));
}

export const at = (values: Bag, path: string): unknown => path.split(".").reduce((value, key) => value?.[key], values);

export function put(values: Bag, path: string, value: unknown): Bag {
  const [name, inner] = path.split(".") as [string, string?];
  return { ...values, [name]: inner ? { ...values[name], [inner]: value } : value };
}

export function without(values: Bag, path: string): Bag {
  const [name, inner] = path.split(".") as [string, string?];
  if (inner) return { ...values, [name]: without(values[name] ?? {}, inner) };
  const { [name]: _, ...rest } = values;
  return rest;
}
