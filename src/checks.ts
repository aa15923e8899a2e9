/**
 * The checks of a preview, for programs that read their arguments from files: `pulumi-tunnel-edge/checks`. Loads no
 * SDK.
 */

import { isObject } from "./base/json";
import { alternatives, nearest, quote } from "./base/quote";
import { setArgs } from "./core/arguments";
import { checkArguments, typeName } from "./core/check/checks";
import { toJson } from "./core/check/nonJson";
import { agentCommands, definitions } from "./definitions";

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

const checkable = [...definitions, ...agentCommands];

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
  return checkArguments(definition, setArgs(definition.fields, value));
}

function typeProblem(type: unknown): string {
  const types = checkable.map((each) => each.type);
  if (type === undefined || type === null) return `is required; use ${alternatives(types)}`;
  if (typeof type !== "string") return `must be ${alternatives(types)}`;
  const suggestion = nearest(type, types);
  const hint = suggestion ? `did you mean ${quote(suggestion)}?` : `use ${alternatives(types)}`;
  return `${quote(type)} is not a resource: ${hint}`;
}
