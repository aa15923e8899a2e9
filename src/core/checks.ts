/** The checks of arguments at preview, and their messages. Only the host loads them. */

import { isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { z } from "zod";
import type { Field, Fields, Schemas } from "../definitions/fields";
import { isObject, type Json, type JsonObject } from "../json";
import { nearest } from "../nearest";
import { alternatives, quote } from "./quote";
import { unknown } from "./unknown";

const bytes = (value: string) => Buffer.byteLength(value, "utf8");

/**
 * A further check: `problem` says what is wrong with a value, without its name and without quoting it. Only the field
 * knows whether it may be quoted; see `describe`.
 */
const refine = <T>(schema: z.ZodType<T>, problem: (value: T) => string | undefined) =>
  schema.superRefine((value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const schemas: Schemas = {
  string: (maxBytes = Number.POSITIVE_INFINITY) =>
    refine(z.string(), (value) =>
      bytes(value) > maxBytes ? `must be at most ${maxBytes} bytes, not ${bytes(value)}` : undefined,
    ),

  nonEmpty: () => refine(z.string(), emptyProblem),

  /** A string that is left out rather than empty. */
  optionalString: () => refine(z.string(), optionalProblem),

  url: () =>
    refine(
      z.string(),
      (value) =>
        optionalProblem(value) ??
        (/^https?:\/\/[^\s\p{C}]+$/iu.test(value) && URL.canParse(value)
          ? undefined
          : 'must be a URL such as "https://accounts.example.com"'),
    ),

  /** A public key, in one of the two ways in which they are written. */
  publicKey: () => refine(z.string(), publicKeyProblem),

  enumOf: (words: [string, ...string[]]) => z.enum(words),

  boolean: () => z.boolean(),

  uint32: () =>
    refine(z.number(), (value) =>
      Number.isInteger(value) && value >= 0 && value <= 0xffffffff
        ? undefined
        : "must be a whole number from 0 to 4294967295",
    ),

  id: (what: string, prefix: string) => refine(z.string(), idProblem(what, prefix, `"${prefix}…"`)),

  /** The id of a user or bot, of which the document shows the prefix of users alone. */
  owner: () => refine(z.string(), idProblem("a user or bot", "[a-z]+_", 'such as "usr_…"')),

  list: (item: z.ZodType) => z.array(item),

  /** Ids of which there must be one at least. */
  ids: (item: z.ZodType) =>
    refine(z.array(item), (value) => (value.length > 0 ? undefined : "must contain at least one id")),

  hostports: () =>
    z.array(refine(z.string(), hostportProblem)).superRefine((value, context) => {
      const at = repeatedAt(value.map((item) => (item === unknown ? undefined : item)));
      if (at >= 0) context.addIssue({ code: "custom", path: [at], message: "is listed twice" });
    }),

  /** `bind:<target>` rules, or `*` alone. */
  acl: () =>
    refine(z.array(refine(z.string(), ruleProblem)), (value) =>
      value.length > 1 && value.includes("*") ? 'must not contain "*" beside other rules' : undefined,
    ),

  anything: () => refine(z.unknown(), dataProblem),

  map: () => z.record(z.string(), z.string()),

  headers: () =>
    refine(z.record(z.string(), refine(z.string(), headerValueProblem)), (value) => {
      const names = Object.keys(value);
      if (!names.every(isHeaderName)) return "has an invalid header name; use letters, digits and dashes";
      return repeatedAt(names) < 0 ? undefined : "has a header name twice, in different case";
    }),

  headerName: () =>
    refine(z.string(), (value) =>
      isHeaderName(value) ? undefined : "must be a header name, of letters, digits and dashes",
    ),

  pattern: () =>
    refine(z.string(), (value) => {
      const flaw = regexError(value);
      return flaw && `is not a valid regular expression: it ${flaw}`;
    }),

  rules: () =>
    z.array(
      z.strictObject({
        name: refine(z.string(), optionalProblem).nullish(),
        expressions: z.array(refine(z.string(), emptyProblem)).nullish(),
        actions: z
          .array(
            z.strictObject({
              type: refine(z.string(), optionalProblem).nullish(),
              config: z.record(z.string(), refine(z.unknown(), dataProblem)).nullish(),
            }),
          )
          .nullish(),
      }),
    ),

  object: (fields) => schemaOf(fields),
};

const emptyProblem = (value: string) => (value.trim() === "" ? "must not be empty" : undefined);

const optionalProblem = (value: string) =>
  emptyProblem(value) ? "must not be empty; leave it out instead" : undefined;

/** One word after a prefix, and not longer than any id is. */
const idProblem = (what: string, prefix: string, example: string) => (value: string) =>
  new RegExp(`^${prefix}[^\\s/\\p{C}]{1,200}$`, "u").test(value) ? undefined : `must be the id of ${what} (${example})`;

function hostportProblem(value: string): string | undefined {
  const [, host, port] = /^(.+):(\d+)$/.exec(value) ?? [];
  if (value.includes("://")) return `has a scheme; use ${quote(value.replace(/^.*?:\/\//, ""))}`;
  if (host === undefined || !isHost(inAscii(host))) return 'must be "<host>:<port>", such as "1.tcp.example.com:20022"';
  if (Number(port) < 1 || Number(port) > 65535) return "has a port that is not from 1 to 65535";
  const normalized = `${inAscii(host)}:${Number(port)}`;
  return normalized === value ? undefined : `is not normalized; use ${quote(normalized.toLowerCase())}`;
}

/** A domain, which may begin with a wildcard, or an address; an IPv6 address in brackets. */
function isHost(host: string): boolean {
  if (host.startsWith("[")) return host.endsWith("]") && isIPv6(host.slice(1, -1));
  const labels = host.replace(/^\*\./, "").split(".");
  return host.length <= 253 && labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label));
}

/** A host name whose letters are not all ASCII has a form in which they are. */
const inAscii = (host: string) => (/[^\0-\x7f]/.test(host) ? domainToASCII(host) : host);

/** A rule of an ACL: a domain, which may begin with a wildcard, an address, or a label with wildcards for key or value. */
function ruleProblem(rule: string): string | undefined {
  if (rule === "*") return undefined;
  const target = /^bind:(\S+)$/.exec(rule)?.[1];
  if (target === undefined) return 'must be "bind:<target>", or "*" as the only rule';
  const equals = target.indexOf("=");
  if (equals < 0) {
    if (isHost(target) || isIPv6(target) || hostportProblem(target) === undefined) return undefined;
    return target.includes("*")
      ? 'has a misplaced wildcard; a domain may begin with "*.", as in "bind:*.example.com"'
      : 'must name a domain, an address or a label, as in "bind:example.com" or "bind:app=web"';
  }
  const whole = (part: string) => part === "*" || (part !== "" && !part.includes("*"));
  return whole(target.slice(0, equals)) && whole(target.slice(equals + 1))
    ? undefined
    : 'must be "bind:<key>=<value>", where "*" can stand for the whole key or the whole value';
}

function publicKeyProblem(value: string): string | undefined {
  const key = value.trim();
  if (key === "") return emptyProblem(key);
  if (/PRIVATE KEY/.test(key)) return "is a private key, which must be kept secret; use the public key (.pub)";
  if (/^-----BEGIN [A-Z0-9 ]*PUBLIC KEY-----/.test(key) || /^(ssh|ecdsa|sk)-\S+ \S/.test(key)) return undefined;
  return 'must be a public key: "ssh-ed25519 AAAA…" or "-----BEGIN PUBLIC KEY-----…"';
}

/** Values of the program's own may be anything that JSON can write. */
const dataProblem = (value: unknown) => (isWritable(value) ? undefined : "must not contain NaN or Infinity");

const isWritable = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isWritable)
    : typeof value !== "number" || Number.isFinite(value);

const isHeaderName = (name: string) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name);

const headerValueProblem = (value: string) =>
  /(?!\t)\p{Cc}/u.test(value) ? "must not contain line breaks or other control characters" : undefined;

/** What makes a pattern broken in every dialect of regular expressions. */
function regexError(pattern: string): string | undefined {
  let open = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") {
      if (at === pattern.length - 1) return "ends in a backslash";
      const quoted = pattern[at + 1] === "Q" ? pattern.indexOf("\\E", at) : at;
      at = quoted < 0 ? pattern.length : quoted + 1;
    } else if (char === "[") {
      at = endOfClass(pattern, at);
      if (at < 0) return 'has a "[" without its "]"';
    } else if (char === "(") {
      open++;
    } else if (char === ")" && --open < 0) {
      return 'has a ")" without its "("';
    }
  }
  return open > 0 ? 'has a "(" without its ")"' : undefined;
}

/** Where a character class ends, or -1. A bracket that comes first in it is an ordinary character. */
function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === "^") at++;
  if (pattern[at] === "]") at++;
  for (; at < pattern.length; at++) {
    if (pattern[at] === "]") return at;
    if (pattern[at] === "\\") at++;
    else if (pattern.startsWith("[:", at) && pattern.includes(":]", at)) at = pattern.indexOf(":]", at) + 1;
  }
  return -1;
}

/** Where something comes a second time, ignoring case, or -1. What is undefined is not compared. */
function repeatedAt(items: (string | undefined)[]): number {
  const seen = new Set<string>();
  return items.findIndex((item) => item !== undefined && seen.size === seen.add(item.toLowerCase()).size);
}

/** Making a schema takes longer than checking with it. */
const schemaCache = new WeakMap<Fields, z.ZodType>();

function schemaOf(fields: Fields): z.ZodType {
  const schema =
    schemaCache.get(fields) ??
    z.strictObject(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])));
  schemaCache.set(fields, schema);
  return schema;
}

function fieldSchema(field: Field): z.ZodType {
  const schema = field.schema(schemas) as z.ZodType;
  return field.required ? schema : schema.optional();
}

/** Checks arguments, and says what is wrong with each in one sentence that names it. Unknown values are not checked. */
export function problemsOf(fields: Fields, args: JsonObject, ignored: string[] = []): string[] {
  const schema = schemaOf(fields);
  const issues = schema.safeParse(args).error?.issues ?? [];
  // An argument that is missing only because it is misspelt is one mistake, not two.
  const meant = new Set(issues.flatMap((issue) => suggestions(issue, schema)));
  return issues.flatMap((issue) =>
    meant.has(nameOf(issue.path)) ? [] : describe(issue, args, { fields, schema, ignored }),
  );
}

/** The arguments that unknown names were probably meant to be. */
function suggestions(issue: z.core.$ZodIssue, schema: z.ZodType): string[] {
  if (issue.code !== "unrecognized_keys") return [];
  return issue.keys.flatMap((key) => {
    const name = nearest(key, argumentsAt(schema, issue.path));
    return name === undefined ? [] : nameOf([...issue.path, name]);
  });
}

interface Known {
  fields: Fields;
  schema: z.ZodType;
  ignored: string[];
}

function describe(issue: z.core.$ZodIssue, args: JsonObject, { fields, schema, ignored }: Known): string[] {
  const value = valueAt(args, issue.path);
  if (value === unknown) return [];
  // The keys of a map are the user's data, like its values: a message names the map.
  const depth = mapDepth(schema, issue.path);
  const name = nameOf(issue.path.slice(0, depth)) + (depth < issue.path.length ? ": a value" : "");
  const quoted = fieldAt(fields, issue.path)?.quotable ? value : undefined;
  switch (issue.code) {
    case "custom":
      return [customMessage(name, issue.message, quoted)];
    case "unrecognized_keys":
      return issue.keys.map((key) =>
        unknownArgument(nameOf([...issue.path, key]), key, argumentsAt(schema, issue.path)),
      );
    case "invalid_type":
      return [
        value === undefined
          ? missing(name, ignored)
          : `${name} must be ${kinds[issue.expected] ?? issue.expected}, not ${typeName(value)}`,
      ];
    case "invalid_value":
      return [customMessage(name, `must be ${alternatives(issue.values as string[])}`, quoted)];
    default:
      return [`${name} is not valid`];
  }
}

/** `x must be y, not "z"`, or `x: "z" is not y`, where the value may be quoted. */
function customMessage(name: string, problem: string, value: Json | undefined): string {
  if (value !== undefined && /^(is|has) /.test(problem)) return `${name}: ${quote(value)} ${problem}`;
  const isQuoted = value !== undefined && !isLong(value) && problem.startsWith("must be ");
  return `${name} ${problem}${isQuoted ? `, not ${typeof value === "object" ? typeName(value) : quote(value)}` : ""}`;
}

/** As long as a key or a token, and maybe one that went to the wrong place. */
const isLong = (value: Json) => typeof value === "string" && value.length > 40;

/** The field that a path leads to, or that what it leads to is a part of. */
function fieldAt(fields: Fields, [name, ...rest]: PropertyKey[]): Field | undefined {
  const field = fields[String(name)];
  return field?.module && rest.length > 0 ? fieldAt(field.module.fields, rest) : field;
}

/** What `ignoreChanges` names, the engine takes from the state: where that has nothing, what the program declares is lost. */
const missing = (name: string, ignored: string[]) =>
  ignored.includes(name)
    ? `${name} is required, but ignoreChanges keeps the value in the state, which has none; remove it from ignoreChanges until it is set`
    : `${name} is required`;

const kinds: Record<string, string> = {
  string: "a string",
  boolean: "a boolean",
  number: "a number",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** What a value is, without quoting it: it may be a secret. */
function typeName(value: Json): string {
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return kinds[Array.isArray(value) ? "array" : typeof value]!;
}

function valueAt(args: Json | undefined, path: PropertyKey[]): Json | undefined {
  let value = args;
  for (const key of path) {
    if (value === unknown) return unknown;
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[String(key)];
    else return undefined;
  }
  return value;
}

/** `policy.inbound[0].name`, as a program would write it. */
const nameOf = (path: PropertyKey[]) =>
  path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      return /^[\w$-]{1,80}$/.test(String(key)) ? `${index ? "." : ""}${String(key)}` : `[${quote(String(key))}]`;
    })
    .join("");

/** The names that a schema knows at a path. */
function argumentsAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  const here = schemasAlong(schema, path)[path.length];
  return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
}

/** How much of a path leads to no key of a map. */
function mapDepth(schema: z.ZodType, path: PropertyKey[]): number {
  const depth = schemasAlong(schema, path).findIndex((here) => here instanceof z.ZodRecord);
  return depth < 0 ? path.length : depth;
}

/** The schemas of what a path leads through, from the first to where it ends. */
function schemasAlong(schema: z.ZodType, path: PropertyKey[]): unknown[] {
  const along: unknown[] = [];
  let here: unknown = schema;
  for (const key of [...path, undefined]) {
    while (here instanceof z.ZodOptional || here instanceof z.ZodNullable) here = here.unwrap();
    along.push(here);
    here =
      here instanceof z.ZodArray ? here.element : here instanceof z.ZodObject ? here.shape[String(key)] : undefined;
  }
  return along;
}

function unknownArgument(name: string, key: string, known: string[]): string {
  const meant = nearest(key, known);
  const hint = meant ? `did you mean ${quote(meant)}?` : `the arguments are ${known.join(", ")}`;
  return `${name} is not an argument: ${hint}`;
}

/** What may not work, though it is no mistake: values that are not among the known ones. */
export function warningsOf(fields: Fields, args: JsonObject, prefix = ""): string[] {
  return Object.entries(fields).flatMap(([name, { knownValues, module }]) => {
    const value = args[name];
    if (module && isObject(value)) return warningsOf(module.fields, value, `${prefix}${name}.`);
    if (!knownValues || typeof value !== "string" || value === unknown || knownValues.includes(value)) return [];
    return `${prefix}${name} ${quote(value)} is not one of ${alternatives(knownValues)}; the service may reject it`;
  });
}
