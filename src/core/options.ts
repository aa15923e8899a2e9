/** The resource options that the provider needs to know. */

import { equal, type Json, type JsonObject } from "../base/json";
import type { Timeouts } from "./timeouts";

export interface Options {
  /** What identifies the resource in the program. Names do not: two resources under different parents may share one. */
  key: string;
  /** How messages name the resource: `TcpEdge "ssh"`. */
  resource: string;
  /** For a module: the key of its edge, if the edge is in the program and the program can see that. */
  edgeKey?: string;
  /** The id of an existing object to import. */
  importId?: string;
  /** Whether the engine itself has imported it in this deployment: it has a state, although it is new. */
  isImport?: boolean;
  ignoreChanges: string[];
  replaceOnChanges: string[];
  timeouts: Timeouts;
}

/** How messages name a resource. */
export const titleOf = (type: string, name: string) => `${type} ${JSON.stringify(name)}`;

/** Whether a change, given by its path, is one of those that `replaceOnChanges` names. */
export function requiresReplacement(
  { replaceOnChanges }: Options,
  change: string[],
  before: JsonObject,
  after: JsonObject,
): boolean {
  return replaceOnChanges.some((path) => matchesPath(parsePath(path), change, before, after));
}

/** The arguments that `ignoreChanges` covers as a whole. A path into an argument leaves the argument declared. */
export function ignoredNames({ ignoreChanges = [] }: Partial<Options>, names: string[]): string[] {
  const whole = ignoreChanges.map(parsePath).filter(({ length }) => length === 1);
  return names.filter((name) => whole.some(([key]) => key === "*" || key === name));
}

/** The paths, with the names of all arguments in place of `*`. */
export const expandAll = (paths: string[], fields: object): string[] =>
  paths.flatMap((path) => (parsePath(path).join() === "*" ? Object.keys(fields) : [path]));

/** The keys of a property path as Pulumi writes it: `backend.enabled`, `policy.inbound[0]`, `*`, `["description"]`. */
export const parsePath = (path: string) =>
  [...path.matchAll(/\["((?:\\.|[^"\\])*)"\]|[^.[\]]+/g)].map(
    ([key, quoted]) => quoted?.replace(/\\(.)/g, "$1") ?? key,
  );

/** Whether a change is at or below a path, or contains the path and the value there differs. */
function matchesPath(keys: string[], change: string[], before: JsonObject, after: JsonObject): boolean {
  const isOnPath = change.every((key, index) => [undefined, "*", key].includes(keys[index]));
  return isOnPath && differAt([...change, ...keys.slice(change.length)], before, after);
}

/** Whether two values differ at a path, where `*` stands for every key. */
function differAt([key, ...rest]: string[], before: Json | undefined, after: Json | undefined): boolean {
  if (key === undefined) return !equal(before, after);
  const [old, next] = [propertiesOf(before), propertiesOf(after)];
  const keys = key === "*" ? Object.keys({ ...old, ...next }) : [key];
  return keys.some((each) => differAt(rest, old[each], next[each]));
}

const propertiesOf = (value: Json | undefined): Partial<JsonObject> =>
  typeof value === "object" && value !== null ? (value as JsonObject) : {};
