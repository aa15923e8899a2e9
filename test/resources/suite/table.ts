/** What a resource's own test file provides: its arguments, and the requests that each one causes. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { toSnakeCase } from "../../../src/base/json";
import type { Definition } from "../../../src/definitions/definition";
import type { Field, Fields } from "../../../src/definitions/fields/field";
import type { ModuleRow, ModuleTable } from "../../support/data/modules";
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

export type Parents = (emulator: Emulator) => { here: Properties; elsewhere: Properties[] };

export interface Table {
  /** Every argument except the parents, each with another value than the service's default. */
  full: Properties;
  /** The same, as the body of the create request. */
  wire: Properties;
  /** What happens when all optional arguments are added at once, and removed at once. */
  everything: { add: Outcome; clear: Outcome };
  rows: Record<string, Row>;
  /** Creates the parents of a module. Returns their ids, and the ids of others that it can move to. */
  parents?: Parents;
  /** A --target-replace fails unless deleteBeforeReplace is set. */
  needsDeleteBeforeReplace?: true;
  /** Arguments that are the same in another resource, whose tests have them. */
  shared?: string[];
}

/** The rows of an object's arguments: each is set, changed and emptied by itself. */
export const argumentRows = (full: Properties, send: (body: object) => Outcome, rows: Record<string, Row>) =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]): [string, Row] => {
      const outcomes = {
        add: send({ [name]: full[name] }),
        change: send({ [name]: row.other }),
        clear: send({ [name]: Array.isArray(full[name]) ? [] : "" }),
      };
      return [name, { ...outcomes, ...row }];
    }),
  );

/** The rows of a module, by its name within an edge: a request has the whole module. */
export function rowsOf(table: ModuleTable, send: (body: object) => Outcome, name?: string): Record<string, Row> {
  const { wire, required, rows } = table;
  const least = required ? { [toSnakeCase(required)]: wire[toSnakeCase(required)] } : {};
  const rowOf = (field: string, { add, change, clear, baseArgs, ...others }: ModuleRow): Row => {
    const { [toSnakeCase(field)]: value, ...rest } = wire;
    const whole = (changed: unknown) => ({ [toSnakeCase(field)]: changed });
    const optional = {
      add: add === null ? updates() : send(add ?? { ...least, ...whole(value) }),
      clear: send(clear ?? rest),
    };
    return {
      ...others,
      ...(field !== required && optional),
      change: send(change ?? { ...wire, ...whole(others.other) }),
      ...(baseArgs && { baseArgs: name ? { [name]: baseArgs } : baseArgs }),
    };
  };
  return Object.fromEntries(
    Object.entries(rows).map(([field, row]) => [name ? `${name}.${field}` : field, rowOf(field, row)]),
  );
}

/** The table of a module that is a resource. */
export const moduleTable = (module: ModuleTable, send: (body: object) => Outcome, parents: Parents): Table => {
  const { full, wire, required } = module;
  const least = required ? { [toSnakeCase(required)]: wire[toSnakeCase(required)] } : {};
  return { full, wire, parents, everything: { add: send(wire), clear: send(least) }, rows: rowsOf(module, send) };
};

/** The paths of arguments and of those in modules, such as `backend` and `backend.enabled`, except some of them. */
export function listPaths(definition: Definition, except: string[]): string[] {
  return Object.entries<Field>(definition.fields)
    .filter(([name]) => !except.includes(name))
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
