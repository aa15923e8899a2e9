/** Which strings of a simulated program are secrets. */

import { isSecretEnvelope } from "../../src/core/secrets";
import type { Properties } from "../support/engine/provider";
import { openSecrets, secret } from "../support/engine/secrets";

/** What the strings begin with that programs mark as secret. */
export const secretPrefix = "very-secret-";

/** The arguments of a program, in which these strings are secrets. */
export function markDeclared<T>(value: T): T {
  if (typeof value === "string" && value.startsWith(secretPrefix)) return secret(value) as T;
  if (Array.isArray(value)) return value.map(markDeclared) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, markDeclared(inner)])) as T;
}

/** The names of the arguments that contain secrets. */
export const secretNames = (args: Properties): string[] => Object.keys(openSecrets(args).marks ?? {});

/** What is in plain text in properties. */
export const plainText = (properties: Properties): string =>
  JSON.stringify(properties, (_, value) => (isSecretEnvelope(value) ? "[secret]" : value));
