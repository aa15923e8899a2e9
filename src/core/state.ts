/**
 * What the state records of a resource: the service's values, in the arguments' shape, and which arguments the program
 * declares. When no program runs, only the latter shows which arguments are managed, and which inputs a refresh returns.
 */

import { asList, type Json, type JsonObject, withoutNull } from "../base/json";

export interface State {
  id: string;
  /** The outputs. */
  values: JsonObject;
  /** The names of what the program declares, a module's fields one by one: `description`, `backend.backendId`. */
  managed: string[];
  /** The names of inputs that are there only because of `ignoreChanges`, in the same form. */
  ignored: string[];
  /**
   * The arguments whose values in the service are not known, because the response to their call was lost. They are sent
   * again. The state has them as `__unconfirmed`.
   */
  unconfirmed: string[];
  /** Whether a module protects an edge of the same program, and is deleted with it. In the state, `__withEdge`. */
  withEdge?: boolean | undefined;
  /**
   * Whether the plugin has only imported the object so far: its inputs are the values that were read, and declare
   * nothing.
   */
  isImported?: boolean;
}

/** A state. Empty properties can be left out. */
export const newState = (state: Pick<State, "id" | "values" | "managed"> & Partial<State>): State => ({
  ignored: [],
  unconfirmed: [],
  ...state,
});

/** The properties of the state with three lists of names, and with whether a module is deleted with its edge. */
export const managedKey = "__managed";
const ignoredKey = "__ignored";
const unconfirmedKey = "__unconfirmed";
const withEdgeKey = "__withEdge";

/**
 * The plugin's input after an import, whose other inputs are the values that were read. Values that the program does
 * not declare are then not removed. Check drops this input, so that it is gone after the first `pulumi up`.
 */
export const importedKey = "__imported";

export const isImported = (inputs: JsonObject) => inputs[importedKey] === true;

/** Properties that are internal, to the engine or to this package. */
const isInternal = (name: string) => name.startsWith("__");

export const internalProperties = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => isInternal(name)));

export const withoutInternal = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !isInternal(name)));

export function parseState(id: string, properties: JsonObject): State {
  return newState({
    id,
    values: withoutInternal(withoutNull(properties)),
    managed: parseNames(properties[managedKey]),
    ignored: asList(properties[ignoredKey]).map(String),
    unconfirmed: parseNames(properties[unconfirmedKey]),
    ...(properties[withEdgeKey] === true && { withEdge: true }),
    ...(isImported(properties) && { isImported: true }),
  });
}

export const toProperties = ({ values, managed, ignored, unconfirmed, withEdge }: State): JsonObject => ({
  ...values,
  [managedKey]: managed.join(" "),
  ...(ignored.length > 0 && { [ignoredKey]: ignored }),
  ...(unconfirmed.length > 0 && { [unconfirmedKey]: unconfirmed.join(" ") }),
  ...(withEdge && { [withEdgeKey]: true }),
});

/** Names that are kept as one string. */
export const parseNames = (names: Json | undefined) =>
  typeof names === "string" && names !== "" ? names.split(" ") : [];
