/**
 * The checks of a preview, for programs that read their arguments from files: `pulumi-tunnel-edge/checks`. Loads no
 * SDK.
 */

import { checkArguments, typeName } from "./core/checks";
import { alternatives, quote } from "./core/quote";
import { parseArgs } from "./core/state";
import { unknownValue } from "./core/unknown";
import { commands, definitions } from "./definitions";
import { isObject, type Json } from "./json";
import { nearest } from "./nearest";

/** A mistake in the arguments of a resource. */
export interface Problem {
  /**
   * The keys and indices that lead to the mistake, such as `["hostports", 0]`. For a missing argument, the path ends
   * with its name. For a wrong type, it is `["type"]`.
   */
  path: (string | number)[];
  /** One sentence that names the argument, such as `hostports[0]: "a:0" has an invalid port; use 1 to 65535`. */
  message: string;
}

const checkable = [...definitions, ...commands];

/**
 * Runs the checks of a preview. Returns the mistakes for which a preview rejects these arguments, without those for
 * which it only warns.
 *
 * @param type The name of a resource's class, such as `TcpEdge`.
 * @param args The arguments. Outputs and promises in them are not checked, like unknown values in a preview.
 */
export function check(type: unknown, args: unknown): Problem[] {
  const definition = checkable.find((each) => each.type === type);
  if (!definition) return [{ path: ["type"], message: `type ${typeProblem(type)}` }];
  const value = toJson(args ?? {});
  if (!isObject(value)) {
    return [{ path: [], message: `the arguments of ${definition.type} must be an object, not ${typeName(value)}` }];
  }
  return checkArguments(definition, parseArgs(definition.fields, value));
}

function typeProblem(type: unknown): string {
  const types = checkable.map((each) => each.type);
  if (type === undefined || type === null) return `is required; use ${alternatives(types)}`;
  if (typeof type !== "string") return `must be ${alternatives(types)}`;
  const suggestion = nearest(type, types);
  const hint = suggestion ? `did you mean ${quote(suggestion)}?` : `use ${alternatives(types)}`;
  return `${quote(type)} is not a resource: ${hint}`;
}

/** The arguments as a preview sees them: without undefined, and with one value for all that is not known yet. */
function toJson(value: unknown): Json {
  if (typeof value !== "object" || value === null) return value as Json;
  if (value instanceof Promise || (value as { __pulumiOutput?: unknown }).__pulumiOutput === true) return unknownValue;
  if (Array.isArray(value)) return value.map(toJson);
  const set = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(set.map(([key, inner]) => [key, toJson(inner)]));
}
