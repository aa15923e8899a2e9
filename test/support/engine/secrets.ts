/** Secrets as the engine has them: values in envelopes. */

import type { Json, JsonObject } from "../../../src/base/json";
import { isSecretEnvelope, type Marked, type SecretMarks } from "../../../src/core/secrets";
import { OperationError, type Properties } from "./provider";

/** A class passes an argument that contains a secret as a secret as a whole. */
export const markWhole = (args: Properties): Properties =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const { value: plain, marks } = open(value as Json);
      return [name, marks === undefined ? value : secret(plain)];
    }),
  );

/** A value in an envelope. */
export const secret = (value: unknown): Properties => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** Properties without envelopes, and what is secret in them. A list that contains a secret is secret as a whole. */
export function openSecrets(properties: Properties): Marked {
  const { value, marks } = open(properties as Json);
  return { values: value as JsonObject, marks };
}

export const withoutSecrets = (properties: Properties): Properties => openSecrets(properties).values;

function open(value: Json): { value: Json; marks?: SecretMarks } {
  if (typeof value !== "object" || value === null) return { value };
  if (isSecretEnvelope(value)) return { value: open(value.value!).value, marks: true };
  const entries = Object.entries(value).map(([key, inner]) => [key, open(inner as Json)] as const);
  const marked = entries.filter(([, { marks }]) => marks !== undefined).map(([key, { marks }]) => [key, marks!]);
  if (Array.isArray(value))
    return { value: entries.map(([, inner]) => inner.value), ...(marked.length > 0 && { marks: true }) };
  return {
    value: Object.fromEntries(entries.map(([key, inner]) => [key, inner.value])),
    ...(marked.length > 0 && { marks: Object.fromEntries(marked) as SecretMarks }),
  };
}

/**
 * For a provider that does not accept secrets, the engine marks what it returns where what it was sent is secret
 * (annotateSecrets in sdk/v3/go/common/resource/plugin/provider_plugin.go).
 */
export function annotateSecrets(returned: Properties, sent: Properties): Properties {
  return Object.fromEntries(
    Object.entries(returned).map(([key, value]) => [key, key in sent ? annotate(value, sent[key]) : value]),
  );
}

/** The engine marks what the state has after a failure, too. */
export const annotateFailure = <T>(inputs: Properties, work: () => Promise<T>): Promise<T> =>
  work().catch((error: OperationError) => {
    const { message, partialState } = error;
    if (!partialState) throw error;
    throw new OperationError(message, { ...partialState, outputs: annotateSecrets(partialState.outputs, inputs) });
  });

function annotate(value: unknown, sent: unknown): unknown {
  if (isSecretEnvelope(value)) return value;
  if (isSecretEnvelope(sent)) return secret(value);
  if (Array.isArray(value)) return Array.isArray(sent) && open(sent as Json).marks ? secret(value) : value;
  const isMap = (each: unknown): each is Properties =>
    typeof each === "object" && each !== null && !Array.isArray(each);
  return isMap(value) && isMap(sent) ? annotateSecrets(value, sent) : value;
}
