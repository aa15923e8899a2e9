/** The checks of arguments in the preview, and what they say. Unknown values are not checked. */

import { equal, isObject, type Json, type JsonObject } from "../../base/json";
import { alternatives, nameOf, nearest, quote } from "../../base/quote";
import type { Problem } from "../../definitions/definition";
import type { Field, Fields } from "../../definitions/fields/field";
import { unknownValue, withoutUnknown } from "../unknown";
import { describeNonJson, isNonJson } from "./nonJson";
import { argumentsAt, findIssues, type Issue, mapDepth } from "./schemas";

interface Checked {
  fields: Fields;
}

interface Context {
  ignoreChanges?: string[];
  /** The arguments that the service has accepted. Their values are not checked again: a new version may be stricter. */
  accepted?: JsonObject;
}

/** What is wrong with these arguments, as one sentence for each problem. */
export const findProblems = (checked: Checked, args: JsonObject, context: Context = {}): string[] =>
  checkArguments(checked, args, context).map(({ message }) => message);

/**
 * What is wrong with these arguments, and where. Conflicts between arguments are found once each argument is valid.
 * Messages are sentences that name the argument.
 */
export function checkArguments({ fields }: Checked, args: JsonObject, context: Context = {}): Problem[] {
  const { ignoreChanges = [], accepted = {} } = context;
  const isAccepted = ({ code, path: [name = ""] }: Issue) => code === "custom" && equal(args[name], accepted[name]);
  const issues = findIssues(fields, args).filter((issue) => !isAccepted(issue));
  // An argument that is missing only because it is misspelled is one mistake, not two.
  const misspelled = new Set(issues.flatMap((issue) => suggestions(issue, fields)));
  const problems = issues.flatMap((issue) =>
    misspelled.has(nameOf(issue.path)) ? [] : describe(issue, args, fields, ignoreChanges),
  );
  return problems.length > 0 ? problems : findConflicts(fields, args);
}

/** The conflicts between arguments, those within modules first. */
function findConflicts(fields: Fields, args: JsonObject, path: string[] = []): Problem[] {
  const known = withoutUnknown(args);
  const within = Object.entries(fields).flatMap(([name, { module }]) => {
    const value = args[name];
    return module && isObject(value) ? findConflicts(module.fields, value, [...path, name]) : [];
  });
  const own = Object.entries(fields).flatMap(([name, { conflict }]) => {
    const message = conflict?.(known, (other) => nameOf([...path, other]));
    return message ? [{ path: [...path, name], message: toSentence([...path, name], message) }] : [];
  });
  return [...within, ...own];
}

/** `x must be y`; `x: "z" is not y`. */
const toSentence = (path: PropertyKey[], message: string) =>
  `${nameOf(path)}${/^(must|is|has|cannot) /.test(message) ? "" : ":"} ${message}`;

/** What is valid, but may not work: values that are not among the known ones. */
export function findWarnings(fields: Fields, args: JsonObject, prefix = ""): string[] {
  return Object.entries(fields).flatMap(([name, { knownValues, module }]) => {
    const value = args[name];
    if (module && isObject(value)) return findWarnings(module.fields, value, `${prefix}${name}.`);
    if (!knownValues || typeof value !== "string" || value === unknownValue || knownValues.includes(value)) return [];
    return `${prefix}${name} ${quote(value)} is not one of ${alternatives(knownValues)}; the service may reject it`;
  });
}

/** The arguments that unknown names were probably meant to be. */
function suggestions(issue: Issue, fields: Fields): string[] {
  if (issue.code !== "unrecognized_keys") return [];
  return issue.keys.flatMap((key) => {
    const name = nearest(key, argumentsAt(fields, issue.path));
    return name === undefined ? [] : nameOf([...issue.path, name]);
  });
}

function describe(issue: Issue, args: JsonObject, fields: Fields, ignoreChanges: string[]): Problem[] {
  const value = valueAt(args, issue.path);
  if (value === unknownValue) return [];
  // The keys of a map are the user's data, like its values: a message names only the map.
  const named = issue.path.slice(0, mapDepth(fields, issue.path));
  const problem = (message: string) => {
    const ofValue = named.length < issue.path.length ? `a value ${message}` : message;
    return [{ path: issue.path, message: toSentence(named, ofValue) }];
  };
  const quotable = fieldAt(fields, issue.path)?.quotable ? value : undefined;
  switch (issue.code) {
    case "custom":
      return problem(withValue(issue.message, quotable));
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const path = [...issue.path, key];
        return { path, message: toSentence(path, unknownArgument(key, argumentsAt(fields, issue.path))) };
      });
    case "invalid_type":
      return problem(
        value === undefined
          ? missing(nameOf(named), ignoreChanges)
          : `must be ${typeNames[issue.expected] ?? issue.expected}, not ${typeName(value)}`,
      );
    case "invalid_value":
      return problem(withValue(`must be ${alternatives(issue.values)}`, quotable));
    default:
      return problem("is not valid");
  }
}

/** `must be y, not "z"`, or `"z" is not y`, where the value may be quoted. */
function withValue(message: string, value: Json | undefined): string {
  if (value === undefined) return message;
  if (/^(is|has) /.test(message)) return `${quote(value)} ${message}`;
  if (!message.startsWith("must be ") || isLong(value)) return message;
  return `${message}, not ${isJsonScalar(value) ? quote(value) : typeName(value)}`;
}

/** Whether a value is as long as a key or token, which may have been put into the wrong argument. */
const isLong = (value: Json) => typeof value === "string" && value.length > 40;

/** The field at a path, or the field whose value contains what is there. */
function fieldAt(fields: Fields, [name, ...rest]: PropertyKey[]): Field | undefined {
  const field = fields[String(name)];
  return field?.module && rest.length > 0 ? fieldAt(field.module.fields, rest) : field;
}

/** For arguments that `ignoreChanges` names, the engine sends the values in the state, not those of the program. */
const missing = (name: string, ignoreChanges: string[]) =>
  ignoreChanges.includes(name)
    ? "is required, but it is in ignoreChanges and the state has no value; remove it from ignoreChanges until it is set"
    : "is required";

function unknownArgument(key: string, known: string[]): string {
  const suggestion = nearest(key, known);
  const hint = suggestion ? `did you mean ${quote(suggestion)}?` : `the arguments are ${known.join(", ")}`;
  return `is not an argument: ${hint}`;
}

const typeNames: Record<string, string> = {
  string: "a string",
  boolean: "a boolean",
  number: "a number",
  array: "a list",
  object: "an object",
  record: "an object",
};

const isJsonScalar = (value: Json) => typeof value !== "object" && !isNonJson(value);

/** The type of a value, which may be a secret. */
export function typeName(value: Json): string {
  if (isNonJson(value)) return describeNonJson(value);
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return typeNames[Array.isArray(value) ? "array" : typeof value]!;
}

function valueAt(args: Json | undefined, path: PropertyKey[]): Json | undefined {
  let value = args;
  for (const key of path) {
    if (value === unknownValue) return unknownValue;
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[String(key)];
    else return undefined;
  }
  return value;
}
