/** The schemas behind the check at preview, and the words in which they refuse. Loaded in the host alone. */

import { isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { z } from "zod";
import { isObject, type Json, type JsonObject } from "../api/wire";
import { nearest } from "../nearest";
import type { Field, Fields, Schemas } from "./fields";
import { unknown } from "./unknown";

const bytes = (value: string) => Buffer.byteLength(value, "utf8");

/** A refinement that says what is wrong, or nothing. */
const judged = <T>(schema: z.ZodType<T>, judge: (value: T) => string | undefined) =>
  schema.superRefine((value, context) => {
    const message = judge(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const schemas: Schemas = {
  text: (maxBytes?: number) =>
    maxBytes === undefined
      ? z.string()
      : judged(z.string(), (value) =>
          bytes(value) > maxBytes
            ? `has ${bytes(value)} bytes, and the service takes ${maxBytes} at most: shorten it by ${counted(bytes(value) - maxBytes, "byte")}.`
            : undefined,
        ),

  /** A text that must say something. */
  filled: (what: string) =>
    judged(z.string(), (value) => (value.trim() === "" ? `is empty: state ${what}.` : undefined)),

  url: () =>
    judged(z.string(), (value) =>
      value === "" || (/^https?:\/\/[^\s\p{C}]+$/iu.test(value) && URL.canParse(value))
        ? undefined
        : 'is not a URL: write it in full, as in "https://accounts.example.com".',
    ),

  /** A public key, in one of the two ways in which they are written. */
  publicKey: () => judged(z.string(), judgePublicKey),

  /** A version of TLS: the service knows which there are. */
  version: () =>
    judged(z.string(), (value) =>
      /^[^\s\p{C}]*$/u.test(value) ? undefined : `must be a version alone, such as "1.2"; this is ${shown(value)}.`,
    ),

  choice: (words: [string, ...string[]]) => z.enum(words),

  flag: () => z.boolean(),

  uint32: () =>
    judged(z.number(), (value) =>
      Number.isInteger(value) && value >= 0 && value <= 0xffffffff
        ? undefined
        : "must be a whole number from 0 to 4294967295.",
    ),

  id: (what: string, prefix: string) => judged(z.string(), judgeId(what, prefix, `"${prefix}…"`)),

  /** The id of a user or bot, of which the document shows the prefix of users alone. */
  owner: () => judged(z.string(), judgeId("a user or bot", "[a-z]+_", 'such as "usr_…"')),

  list: (item: z.ZodType) => z.array(item),

  /** Ids of which there must be one at least. */
  ids: (item: z.ZodType, one: string, instead: string) =>
    judged(z.array(item), (value) =>
      value.length > 0 ? undefined : `is an empty list, which the service refuses: name ${one}, or ${instead}.`,
    ),

  hostports: () =>
    judged(z.array(judged(z.string(), judgeHostport)), (value) => {
      const twice = repeated(value.filter((item) => item !== unknown));
      return twice === undefined ? undefined : `lists ${quote(twice)} twice: leave one out.`;
    }),

  /** `bind:<target>` rules, or `*` alone. */
  acl: () =>
    judged(z.array(judged(z.string(), judgeRule)), (value) =>
      value.length > 1 && value.includes("*")
        ? 'has "*" beside other rules, which it would make void: leave out the one or the others.'
        : undefined,
    ),

  anything: () => judged(z.unknown(), judgeData),

  map: () => z.record(z.string(), z.string()),

  headers: () =>
    judged(z.record(z.string(), judged(z.string(), judgeHeaderValue)), (value) => {
      const names = Object.keys(value);
      const odd = names.find((name) => !isHeaderName(name));
      if (odd !== undefined)
        return `has a name that HTTP does not allow, ${quote(odd)}: use letters, digits and dashes.`;
      const twice = repeated(names);
      return twice === undefined ? undefined : `has ${quote(twice)} twice, in two ways of writing it: leave one out.`;
    }),

  headerName: () =>
    judged(z.string(), (value) =>
      isHeaderName(value)
        ? undefined
        : `is not a name that HTTP allows, ${quote(value)}: use letters, digits and dashes.`,
    ),

  pattern: () =>
    judged(z.string(), (value) => {
      const flaw = flawOf(value);
      return flaw && `is not a regular expression in any dialect: it ${flaw}.`;
    }),

  rules: () =>
    z.array(
      z.strictObject({
        name: z.string().nullish(),
        expressions: z.array(z.string()).nullish(),
        actions: z
          .array(
            z.strictObject({
              type: z.string().nullish(),
              config: z.record(z.string(), judged(z.unknown(), judgeData)).nullish(),
            }),
          )
          .nullish(),
      }),
    ),

  object: (fields) => schemaOf(fields),
};

/** One word after a prefix, and not longer than any id is. */
const judgeId = (what: string, prefix: string, example: string) => (value: string) =>
  new RegExp(`^${prefix}[^\\s/\\p{C}]{1,200}$`, "u").test(value)
    ? undefined
    : `must be the id of ${what}, ${example}; this is ${shown(value)}.`;

function judgeHostport(value: string): string | undefined {
  const [, host, port] = /^(.+):(\d+)$/.exec(value) ?? [];
  if (value.includes("://"))
    return `has a scheme: write ${quote(value.replace(/^.*?:\/\//, ""))}, host and port alone.`;
  if (host === undefined || !isHost(inAscii(host)))
    return `must be "<host>:<port>", such as "1.tcp.example.com:20022"; this is ${quote(value)}.`;
  if (Number(port) < 1 || Number(port) > 65535) return `has the port ${port}: a port is from 1 to 65535.`;
  const usual = `${inAscii(host)}:${Number(port)}`;
  return usual === value ? undefined : `is not how hosts and ports are written: write ${quote(usual)}.`;
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
function judgeRule(rule: string): string | undefined {
  if (rule === "*") return undefined;
  const target = /^bind:(\S+)$/.exec(rule)?.[1];
  if (target === undefined) return 'must be "bind:<target>", or "*" as the only rule.';
  const equals = target.indexOf("=");
  if (equals < 0) {
    if (isHost(target) || isIPv6(target) || judgeHostport(target) === undefined) return undefined;
    return target.includes("*")
      ? 'has a wildcard where none can be: a domain may begin with "*.", as in "bind:*.example.com".'
      : `names neither a domain, an address nor a label; this is ${quote(rule)}.`;
  }
  const whole = (part: string) => part === "*" || (part !== "" && !part.includes("*"));
  return whole(target.slice(0, equals)) && whole(target.slice(equals + 1))
    ? undefined
    : 'is not a label: write "bind:<key>=<value>", where "*" can stand for the whole key or the whole value.';
}

function judgePublicKey(value: string): string | undefined {
  const key = value.trim();
  if (key === "") return "is empty: state a public key.";
  if (/PRIVATE KEY/.test(key))
    return "is a private key, which must not leave its machine: state the public one, of the file that ends in .pub.";
  if (/^-----BEGIN [A-Z0-9 ]*PUBLIC KEY-----/.test(key) || /^(ssh|ecdsa|sk)-\S+ \S/.test(key)) return undefined;
  return `must be a public key, "ssh-ed25519 AAAA…" or "-----BEGIN PUBLIC KEY-----…"; this is ${shape(value)}.`;
}

/** Values of the program's own may be anything that JSON can write. */
const judgeData = (value: unknown) =>
  isWritable(value) ? undefined : "has a number that is NaN or infinite, which JSON cannot write: take it out.";

const isWritable = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isWritable)
    : typeof value !== "number" || Number.isFinite(value);

const isHeaderName = (name: string) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name);

const judgeHeaderValue = (value: string) =>
  /(?!\t)\p{Cc}/u.test(value)
    ? "has a line break or another control character in it, which no header can have: take it out."
    : undefined;

/** What makes a pattern broken in every dialect of regular expressions. */
function flawOf(pattern: string): string | undefined {
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

/** What comes a second time, in whatever case of letters. */
function repeated(items: string[]): string | undefined {
  const seen = new Set<string>();
  return items.find((item) => seen.size === seen.add(item.toLowerCase()).size);
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A value of the program's, fit for a terminal. */
const quote = (value: string) =>
  JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value).replace(
    /\p{C}/gu,
    (odd) => `\\u{${odd.codePointAt(0)!.toString(16)}}`,
  );

/** An id as it is, unless it is as long as a key or a token, and may be one. */
const shown = (id: string) => (id === "" ? "empty" : id.length <= 40 ? quote(id) : shape(id));

/** Making a schema takes longer than checking with it. */
const made = new WeakMap<Fields, z.ZodType>();

function schemaOf(fields: Fields): z.ZodType {
  const schema =
    made.get(fields) ??
    z.strictObject(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])));
  made.set(fields, schema);
  return schema;
}

function fieldSchema(field: Field): z.ZodType {
  const schema = field.schema(schemas) as z.ZodType;
  return field.required ? schema : schema.optional();
}

/** Checks arguments, and says what is wrong with each in one sentence that names it. Unknown values are not judged. */
export function problemsOf(fields: Fields, args: JsonObject, ignored: string[] = []): string[] {
  const schema = schemaOf(fields);
  const issues = schema.safeParse(args).error?.issues ?? [];
  const sentences = issues.map((issue) => ({ issue, said: explain(issue, args, schema, ignored) }));
  // An argument that is missing only because it is misspelt is one mistake, not two.
  const meant = new Set(issues.flatMap((issue) => suggestions(issue, schema)));
  return sentences.flatMap(({ issue, said }) => (meant.has(nameOf(issue.path)) ? [] : said));
}

/** The arguments that unknown names were probably meant to be. */
function suggestions(issue: z.core.$ZodIssue, schema: z.ZodType): string[] {
  if (issue.code !== "unrecognized_keys") return [];
  return issue.keys.flatMap((key) => {
    const name = nearest(key, argumentsAt(schema, issue.path));
    return name === undefined ? [] : nameOf([...issue.path, name]);
  });
}

function explain(issue: z.core.$ZodIssue, args: JsonObject, schema: z.ZodType, ignored: string[]): string[] {
  const value = valueAt(args, issue.path);
  if (value === unknown) return [];
  const name = nameOf(issue.path);
  switch (issue.code) {
    case "custom":
      return [`${name} ${issue.message}`];
    case "unrecognized_keys":
      return issue.keys.map((key) =>
        unknownArgument(nameOf([...issue.path, key]), key, argumentsAt(schema, issue.path)),
      );
    case "invalid_type":
      return [
        value === undefined
          ? missing(name, ignored)
          : `${name} must be ${kinds[issue.expected] ?? issue.expected}; this is ${shape(value)}.`,
      ];
    case "invalid_value":
      return [
        `${name} must be ${issue.values.map((word) => JSON.stringify(word)).join(" or ")}; this is ${shape(value)}.`,
      ];
    default:
      return [`${name} is not valid (${issue.message}); this is ${shape(value)}.`];
  }
}

/** What `ignoreChanges` names, the engine takes from the state: where that has nothing, what the program states is lost. */
const missing = (name: string, ignored: string[]) =>
  ignored.includes(name)
    ? `${name} is required, and ignoreChanges keeps it as the state has it, which is not at all: take it out of ignoreChanges until it is set.`
    : `${name} is required: state it.`;

const kinds: Record<string, string> = {
  string: "a text",
  boolean: "true or false",
  number: "a number",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** What a value is, without showing it: it may be a secret. */
export function shape(value: Json | undefined): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return value === "" ? "an empty text" : `a text of ${counted(bytes(value), "byte")}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object") return "an object";
  return Number.isFinite(value) ? "a number" : String(value);
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
  let here: unknown = schema;
  for (const key of [...path, undefined]) {
    while (here instanceof z.ZodOptional || here instanceof z.ZodNullable) here = here.unwrap();
    if (key === undefined) break;
    here =
      here instanceof z.ZodArray ? here.element : here instanceof z.ZodObject ? here.shape[String(key)] : undefined;
  }
  return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
}

function unknownArgument(name: string, key: string, known: string[]): string {
  const meant = nearest(key, known);
  const hint = meant ? `did you mean ${quote(meant)}?` : `the arguments here are ${known.join(", ")}.`;
  return `${name} is not an argument: ${hint}`;
}
