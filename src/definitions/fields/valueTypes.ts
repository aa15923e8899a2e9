/**
 * The types of values. Each is described once, for the checks of a preview, the JSON Schemas of editors, the reference
 * and the plugin's schema.
 */
import type { JsonObject } from "../../base/json";
import {
  aclRuleProblem,
  emptyProblem,
  foreignIdProblem,
  headerValueProblem,
  hostportProblem,
  idProblem,
  isHeaderName,
  optionalProblem,
  regexProblem,
  urlProblem,
} from "./formats";
import { publicKeyProblem } from "./publicKeys";

export type ValueType =
  | ({ base: "string" /** What every valid value begins with. */; prefix?: string } & Rule<string>)
  | ({ base: "enum"; values: readonly string[] } & Rule<string>)
  | ({ base: "boolean" } & Rule<boolean>)
  | ({ base: "number" } & Rule<number>)
  | ({ base: "list"; items: ValueType } & Rule<(string | undefined)[]>)
  | ({ base: "map"; values: ValueType } & Rule<Record<string, unknown>>)
  | ({ base: "object"; fields: Record<string, Accepting> } & Rule<JsonObject>)
  /** Any value that JSON can carry. */
  | ({ base: "any" } & Rule<unknown>);

/** What is valid beyond the base type. */
interface Rule<T> {
  /**
   * What is wrong with a value, without its name and without quoting it, which only some fields allow; and the index of
   * the item, if it is wrong with one. An unknown item of a list is undefined.
   */
  problem?(value: T): string | undefined | { index: number; message: string };
  /** The rule in the reference. */
  rule?: string;
  /** As much of it as JSON Schema can say. Editors show the message in place of the pattern. */
  schema?: JsonObject & { pattern?: string; patternErrorMessage?: string };
}

/** A property, as far as its values are concerned. */
interface Accepting {
  accepts: ValueType;
  required?: true;
}

export const any: ValueType = { base: "any" };
export const booleans: ValueType = { base: "boolean" };

/** Strings of at most this length, if there is one. */
export const strings = (maxBytes?: number): ValueType =>
  maxBytes === undefined
    ? { base: "string" }
    : {
        base: "string",
        problem(value) {
          const bytes = Buffer.byteLength(value, "utf8");
          return bytes > maxBytes ? `must be at most ${maxBytes} bytes, not ${bytes}` : undefined;
        },
        rule: `at most ${maxBytes} bytes`,
        schema: { maxLength: maxBytes },
      };

/** A pattern of JSON Schema, and what editors show in its place. */
const matching = (pattern: string, patternErrorMessage: string) => ({ pattern, patternErrorMessage });

export const nonEmptyStrings: ValueType = {
  base: "string",
  problem: emptyProblem,
  rule: "not empty",
  schema: matching("\\S", "Must not be empty."),
};

/** Strings that are left out rather than empty. */
export const optionalStrings: ValueType = { ...nonEmptyStrings, problem: optionalProblem };

export const urls: ValueType = {
  base: "string",
  problem: urlProblem,
  rule: "an absolute URL",
  schema: matching("^[Hh][Tt][Tt][Pp][Ss]?://\\S+$", 'Must be a URL such as "https://accounts.example.com".'),
};

export const publicKeys: ValueType = {
  base: "string",
  problem: publicKeyProblem,
  rule: "a public key, in OpenSSH's format or PEM-encoded",
  schema: matching(
    "^\\s*(-----BEGIN (RSA )?PUBLIC KEY-----|[^\\s-]\\S*[ \\t]+AAAA)",
    'Must be a public key: "ssh-ed25519 AAAA…" or "-----BEGIN PUBLIC KEY-----…".',
  ),
};

/** Ids of objects of which the API document has exactly one kind. */
export const ids = (of: string, prefix: string): ValueType => ({
  base: "string",
  prefix,
  problem: idProblem(of, prefix, `"${prefix}…"`),
  rule: `the id of ${of}, \`${prefix}…\``,
  schema: matching(`^${prefix}[^\\s/]+$`, `Must be the id of ${of}, "${prefix}…".`),
});

/** Ids of objects of which the API document has several kinds, or shows no prefix: only other kinds are wrong. */
export const otherIds = (of: string): ValueType => ({ ...nonEmptyStrings, problem: foreignIdProblem(of) });

/** Ids of users and bots. The API document shows the prefix of users, but not that of bots. */
export const ownerIds: ValueType = {
  base: "string",
  problem: (value) =>
    idProblem("a user or bot", "[a-z]+_", 'such as "usr_…"')(value) ??
    (value.startsWith("usr_") ? undefined : foreignIdProblem("a user or bot")(value)),
  rule: "the id of a user or bot, such as `usr_…`",
  schema: matching("^[a-z]+_[^\\s/]+$", 'Must be the id of a user or bot, such as "usr_…".'),
};

export const headerNames: ValueType = {
  base: "string",
  problem: (value) => (isHeaderName(value) ? undefined : "must be a header name (letters, digits and hyphens)"),
  rule: "a valid header name",
  schema: matching("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", "Must be a header name (letters, digits and hyphens)."),
};

export const regexes: ValueType = {
  base: "string",
  problem: regexProblem,
  rule: "a regular expression; rejected only if it is invalid in every dialect",
};

export const enums = (values: readonly string[]): ValueType => ({
  base: "enum",
  values,
  rule: values
    .map((value) => `\`"${value}"\``)
    .join(", ")
    .replace(/, (?=[^,]*$)/, " or "),
});

/** Whole numbers from 0 to 2^32 - 1. */
export const uint32s: ValueType = {
  base: "number",
  problem: (value) =>
    Number.isInteger(value) && value >= 0 && value <= 0xffffffff
      ? undefined
      : "must be a whole number from 0 to 4294967295",
  rule: "a whole number from 0 to 4294967295",
  schema: { type: "integer", minimum: 0, maximum: 0xffffffff },
};

export const lists = (items: ValueType): ValueType => ({
  base: "list",
  items,
  ...(items.rule && { rule: `each ${items.rule}` }),
});

export const nonEmptyLists = (items: ValueType): ValueType => ({
  base: "list",
  items,
  problem: (value) => (value.length > 0 ? undefined : "must contain at least one id"),
  rule: `at least one, each ${items.rule}`,
  schema: { minItems: 1 },
});

const port = "([1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";

export const hostportLists: ValueType = {
  base: "list",
  items: {
    base: "string",
    problem: hostportProblem,
    schema: matching(
      `^(\\[[^\\]\\s]+\\]|[A-Za-z0-9_.*-]+):${port}$`,
      'Must be "<host>:<port>", such as "1.tcp.example.com:20022", with a port from 1 to 65535.',
    ),
  },
  problem(value) {
    const index = indexOfRepeated(value);
    return index < 0 ? undefined : { index, message: "is listed twice" };
  },
  rule: "each `<host>:<port>`, without duplicates",
  schema: { uniqueItems: true },
};

export const acls: ValueType = {
  base: "list",
  items: {
    base: "string",
    problem: aclRuleProblem,
    schema: matching("^(\\*|bind:\\S+)$", 'Must be "bind:<target>", or "*" as the only rule.'),
  },
  problem: (value) => (value.length > 1 && value.includes("*") ? 'must not combine "*" with other rules' : undefined),
  rule: "each `bind:<target>`, or `*` as the only one",
};

export const stringMaps: ValueType = { base: "map", values: strings() };

export const headerMaps: ValueType = {
  base: "map",
  values: {
    base: "string",
    problem: headerValueProblem,
    schema: matching(
      "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f]*$",
      "Must not contain line breaks or other control characters.",
    ),
  },
  problem(value) {
    const names = Object.keys(value);
    if (!names.every(isHeaderName)) return "has an invalid header name; use letters, digits and hyphens";
    return indexOfRepeated(names) < 0 ? undefined : "has the same header twice; header names are case-insensitive";
  },
  rule: "valid header names, without duplicates (ignoring case), with single-line values",
  schema: { propertyNames: { type: "string", ...headerNames.schema } },
};

export const policyRuleLists: ValueType = lists({
  base: "object",
  fields: {
    name: { accepts: optionalStrings },
    expressions: { accepts: lists(nonEmptyStrings) },
    actions: {
      accepts: lists({
        base: "object",
        fields: { type: { accepts: optionalStrings }, config: { accepts: { base: "map", values: any } } },
      }),
    },
  },
});

export const objects = (fields: Record<string, Accepting>): ValueType => ({ base: "object", fields });

/** The index of the first item that occurs before, ignoring case, or -1. */
function indexOfRepeated(items: (string | undefined)[]): number {
  const seen = new Set<string>();
  return items.findIndex((item) => item !== undefined && seen.size === seen.add(item.toLowerCase()).size);
}
