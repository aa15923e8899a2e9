/** Whether the service has what a program declares. */
import { isObject } from "../../src/base/json";
import { normalize } from "../support/data/samples";
import type { Properties } from "../support/engine/provider";

/** Fields of a declared module that the service may choose. */
const serviceDefaults = [
  "minVersion",
  "terminateAt",
  "cookiePrefix",
  "inactivityTimeout",
  "maximumDuration",
  "scopes",
  "clientSecret",
];
const unordered = new Set(["hostports", "ipPolicyIds", "certificateAuthorityIds", "scopes", "remove", "allow", "deny"]);

/** A public key without its comment. */
const typeAndKey = (key: unknown) => String(key).trim().split(" ", 2).join(" ");

/** Whether the actual value matches the declared one. */
export function matchesDeclared(field: string, declared: unknown, actual: unknown): boolean {
  if (field === "public_key") return typeAndKey(declared) === typeAndKey(actual);
  if (field === "owner_id") return declared === actual;
  const free = isObject(declared) ? serviceDefaults.filter((name) => !(name in declared)) : [];
  return JSON.stringify(normalizeField(field, declared, [])) === JSON.stringify(normalizeField(field, actual, free));
}

/** Whether a field is not set, or has nothing in it. */
export const isEmpty = (field: string, value: unknown) => normalizeField(field, value, []) === undefined;

function normalizeField(field: string, value: unknown, free: string[]): unknown {
  const [[name, held] = ["", undefined]] = Object.entries(normalize({ [field]: value }) as Properties);
  if (!isObject(held)) return normalizeOrder(name, held);
  const kept = Object.entries(held).filter(([inner]) => !free.includes(inner));
  return Object.fromEntries(
    kept.map(([inner, each]) => [inner, normalizeOrder(inner, each)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function normalizeOrder(name: string, value: unknown): unknown {
  if (name === "acl" && JSON.stringify(value) === '["*"]') return undefined;
  if (unordered.has(name) && Array.isArray(value)) {
    return [...new Set(value.map((item) => (name === "hostports" ? String(item).toLowerCase() : item)))].sort();
  }
  return sortKeys(value);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
