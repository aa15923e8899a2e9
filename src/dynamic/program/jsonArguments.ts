/**
 * Rejects arguments that JSON cannot carry. The SDK passes on a Date, a Map or a BigInt as `{}`, drops functions, and
 * never ends with an object that contains itself.
 */

import * as pulumi from "@pulumi/pulumi";
import { nonJsonType, protoKey } from "../../base/json";
import { nameOf } from "../../base/quote";
import { unknownStrings } from "../../core/unknown";
import { programError } from "./programError";

/** The arguments of a resource, whose Outputs fail if their values cannot be carried. */
export function assertJson(title: string, args: object): Record<string, unknown> {
  const fail = (path: (string | number)[], problem: string) => programError(`${title}: ${nameOf(path)} ${problem}`);

  function carry(value: unknown, path: (string | number)[], within: unknown[]): unknown {
    if (pulumi.Output.isInstance(value)) return value.apply((inner) => carry(inner, path, within) as object);
    if (value instanceof Promise) return value.then((inner) => carry(inner, path, within));
    const type = nonJsonType(value, within);
    if (type) throw fail(path, `is ${type}, which JSON cannot carry. Pass a string, number, boolean, list or object.`);
    if (typeof value === "string" && unknownStrings.has(value))
      throw fail(path, "is a string that Pulumi takes for an unknown value, and drops. Use another.");
    if (typeof value !== "object" || value === null || isSdkValue(value)) return value;
    const inner = [...within, value];
    if (Array.isArray(value)) return value.map((item, index) => carry(item, [...path, index], inner));
    if (Object.hasOwn(value, protoKey))
      throw fail(path, `has the key "${protoKey}", which cannot be sent. Use another.`);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, carry(item, [...path, key], inner)]));
  }

  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, carry(value, [name], [args])]));
}

/** What the SDK passes on by itself. */
const isSdkValue = (value: object) => pulumi.Resource.isInstance(value) || pulumi.isUnknown(value);
