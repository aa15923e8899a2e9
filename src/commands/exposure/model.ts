/**
 * Who can connect to a public address: a hostport of an edge, or a route of an HTTPS edge. An edge has its modules in the
 * arguments' shape. A value that a preview does not show, because it is unknown or a secret, has no answer.
 */

import { asList, equal, equalAsSets, isObject, type Json, type JsonObject, toCamelCase } from "../../base/json";
import { unknownValue } from "../../core/unknown";
import { definitions } from "../../definitions";
import type { ModuleDefinition, ObjectDefinition } from "../../definitions/definition";
import type { Field } from "../../definitions/fields/field";
import { normalizeRule } from "../../definitions/fields/policyRules";

export type Answer = boolean | "unknown";
export type Who = "nobody" | "restricted" | "anyone" | "unknown";

/** An edge, or a route of an HTTPS edge: what it has, in the arguments' shape. */
export type Edge = JsonObject;

/** What `pulumi preview --json` prints in place of a secret. */
export const secret = "[secret]";

const protects = ({ module }: Field) => module?.protects === true;

/** The kinds of edge that modules can restrict. */
export const edgeDefinitions = definitions.filter(
  (each): each is ObjectDefinition => each.kind === "object" && Object.values<Field>(each.fields).some(protects),
);

/** The modules of a route of an HTTPS edge that decide who can connect, by their names. */
export const routeModules = Object.fromEntries(
  definitions
    .filter((each): each is ModuleDefinition => each.kind === "module" && each.parents.includes("routeId"))
    .filter((each) => each.protects)
    .map((each) => [toCamelCase(each.route.split("/").at(-1)!), each]),
);

/** The modules that decide who can connect. */
export const restrictions = [
  ...new Set(
    edgeDefinitions.flatMap(({ fields }) => Object.keys(fields).filter((name) => protects(fields[name] as Field))),
  ),
  ...Object.keys(routeModules),
];

/** Without the user agent filter: anyone can send any user agent. */
export const strongRestrictions = restrictions.filter((name) => name !== "userAgentFilter");

export const isSecret = (value: Json | undefined) => value === secret;
export const isHidden = (value: Json | undefined) => value === unknownValue || isSecret(value);

/** Whether a value, or a part of it, is not shown. */
export const hasHidden = (value: Json | undefined): boolean =>
  isHidden(value) || (typeof value === "object" && value !== null && Object.values(value).some(hasHidden));

export const allOf = (...answers: Answer[]): Answer =>
  answers.includes(false) ? false : answers.includes("unknown") ? "unknown" : true;
export const not = (answer: Answer): Answer => (answer === "unknown" ? answer : !answer);
export const anyOf = (...answers: Answer[]): Answer => not(allOf(...answers.map(not)));

/** Whether a module applies to traffic. */
export function isOn(module: Json | undefined): Answer {
  if (isHidden(module)) return "unknown";
  if (!isObject(module)) return false;
  return isHidden(module.enabled) ? "unknown" : module.enabled !== false;
}

/** Whether TLS passes through an edge, which then does not see client certificates. */
export function isUpstream({ tlsTermination }: Edge): Answer {
  if (isHidden(tlsTermination)) return "unknown";
  if (!isObject(tlsTermination)) return false;
  return isHidden(tlsTermination.terminateAt) ? "unknown" : tlsTermination.terminateAt === "upstream";
}

/** Whether a list, which may be unknown, has an item with this answer. */
function someIn(list: Json | undefined, answer: (item: JsonObject) => Answer): Answer {
  return anyOf(...asList(list).map((item) => (isHidden(item) ? "unknown" : isObject(item) ? answer(item) : false)));
}

const inboundOf = ({ policy }: Edge) => (isObject(policy) ? policy.inbound : policy);
const isDeny = ({ type }: JsonObject): Answer => (isHidden(type) ? "unknown" : type === "deny");

/** Whether a policy has a rule for incoming traffic with an action of which this holds. */
const hasRule = (edge: Edge, answer: (action: JsonObject, rule: JsonObject) => Answer): Answer =>
  someIn(inboundOf(edge), (rule) => someIn(rule.actions, (action) => answer(action, rule)));

/**
 * Whether a policy restricts incoming traffic. A rule that denies does. Without an action anyone can connect. What any
 * other action does is not in the API document.
 */
function policyRestricts(edge: Edge): Answer {
  if (hasRule(edge, isDeny) === true) return true;
  return hasRule(edge, () => true) === false ? false : "unknown";
}

/** Whether a policy lets nobody connect: it denies all traffic, and no other action comes before. */
export function deniesEveryone(edge: Edge): Answer {
  const hasNoExpressions = ({ expressions }: JsonObject): Answer =>
    isHidden(expressions) ? "unknown" : asList(expressions).length === 0;
  return allOf(
    isOn(edge.policy),
    hasRule(edge, (action, rule) => allOf(isDeny(action), hasNoExpressions(rule))),
    hasRule(edge, (action) => not(isDeny(action))) === false || "unknown",
  );
}

/** What must hold for a module that is on to restrict who can connect. */
interface Condition {
  holds(edge: Edge): Answer;
  /** What is the case if it does not hold; unset if that is never known. */
  failed?: string;
  /** The argument that decides it; unset if none does. */
  path?: string;
  /** Why it may not hold although everything is known. */
  doubt?: string;
}

/** A module without an entry restricts whenever it is on. */
export const conditions: Record<string, Condition> = {
  mutualTls: {
    holds: (edge) => not(isUpstream(edge)),
    failed: "TLS is terminated upstream, which ends mutualTls",
    path: "tlsTermination",
  },
  policy: {
    holds: policyRestricts,
    failed: "policy has no action for incoming traffic",
    path: "policy.inbound",
    doubt: "policy has other actions than deny",
  },
  userAgentFilter: {
    holds: () => "unknown",
    doubt: "anyone can send any user agent",
  },
};

export const restricts = (edge: Edge, name: string): Answer =>
  allOf(isOn(edge[name]), conditions[name]?.holds(edge) ?? true);

const isListening = ({ hostports }: Edge): Answer =>
  isHidden(hostports) ? "unknown" : Array.isArray(hostports) && hostports.length > 0;

export const isReachable = (edge: Edge): Answer => allOf(isListening(edge), isOn(edge.backend));
export const isRestricted = (edge: Edge): Answer => anyOf(...restrictions.map((name) => restricts(edge, name)));

/** Whether anybody at all can connect. */
export const letsIn = (edge: Edge): Answer => allOf(isReachable(edge), not(deniesEveryone(edge)));

/** Who can connect to an edge. `isClosed` is whether something restricts it. */
export function whoCanConnect(edge: Edge, isClosed = isRestricted(edge)): Who {
  if (letsIn(edge) === false) return "nobody";
  if (isClosed === true) return "restricted";
  return allOf(letsIn(edge), not(isClosed)) === true ? "anyone" : "unknown";
}

/** The argument of each module that has the ids of what decides. The API does not show what these contain. */
const idArguments: Record<string, string> = Object.fromEntries(
  edgeDefinitions.flatMap(({ fields }) =>
    Object.entries<Field>(fields).flatMap(([name, field]) =>
      Object.entries<Field>(protects(field) ? field.module!.fields : {})
        .filter(([, { responseName }]) => responseName !== undefined)
        .map(([argument]) => [name, argument]),
    ),
  ),
);

export const hasIds = (name: string) => name in idArguments;

/** The IP policies or certificate authorities of a module: undefined if they are not known, or if it has none. */
export function idsOf(edge: Edge, name: string): string[] | undefined {
  const module = edge[name];
  const ids = idArguments[name] && isObject(module) ? module[idArguments[name]!] : undefined;
  return Array.isArray(ids) && !ids.some(isHidden) ? ids.map(String) : undefined;
}

/** Whether two edges have the same module, as far as that decides who can connect. */
export function isSameModule(a: Edge, b: Edge, name: string): boolean {
  if (restricts(a, name) !== restricts(b, name)) return false;
  if (!isObject(a[name]) || !isObject(b[name])) return equal(a[name] ?? null, b[name] ?? null);
  if (idArguments[name]) return isSameList(a[name][idArguments[name]], b[name][idArguments[name]]);
  if (name === "policy") return equal(rulesOf(a), rulesOf(b));
  return true;
}

/** Whether two lists have the same ids. A secret list that changes is hidden in another form than one that does not. */
const isSameList = (a: Json | undefined, b: Json | undefined): boolean =>
  hasHidden(a) ? equal(a ?? null, b ?? null) : equalAsSets(asList(a), asList(b));

const rulesOf = (edge: Edge): Json => {
  const inbound = inboundOf(edge);
  return isHidden(inbound) ? inbound! : asList(inbound).map(normalizeRule);
};
