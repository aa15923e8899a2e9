/**
 * Who can connect to an edge. An edge has its modules in the arguments' shape. A value that a preview does not show,
 * because it is unknown or a secret, has no answer.
 */

import { unknownValue } from "../core/unknown";
import { definitions } from "../definitions";
import type { ObjectDefinition } from "../definitions/definition";
import type { Field } from "../definitions/fields";
import { isObject, type Json, type JsonObject } from "../json";

export type Answer = boolean | "unknown";
export type Edge = JsonObject;

/** What `pulumi preview --json` prints in place of a secret. */
const secret = "[secret]";

const protects = ({ module }: Field) => module?.protects === true;

/** The kinds of edge that modules can restrict. */
export const edgeDefinitions = definitions.filter(
  (each): each is ObjectDefinition => each.kind === "object" && Object.values<Field>(each.fields).some(protects),
);

/** The modules that decide who can connect. */
export const restrictions = [
  ...new Set(
    edgeDefinitions.flatMap(({ fields }) => Object.keys(fields).filter((name) => protects(fields[name] as Field))),
  ),
];

export const isSecret = (value: Json | undefined) => value === secret;
export const isHidden = (value: Json | undefined) => value === unknownValue || isSecret(value);

const allOf = (...answers: Answer[]): Answer =>
  answers.includes(false) ? false : answers.includes("unknown") ? "unknown" : true;
const not = (answer: Answer): Answer => (answer === "unknown" ? answer : !answer);
const anyOf = (...answers: Answer[]): Answer => not(allOf(...answers.map(not)));

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

/** Whether a policy acts on incoming traffic: without such a rule it lets anyone connect. */
const actsOnIncoming = ({ policy }: Edge): Answer =>
  someIn(isObject(policy) ? policy.inbound : policy, (rule) => someIn(isObject(rule) ? rule.actions : rule));

/** Whether a list, which may be unknown, has an item with this answer. */
function someIn(list: Json | undefined, answer: (item: Json) => Answer = () => true): Answer {
  if (isHidden(list)) return "unknown";
  return anyOf(...(Array.isArray(list) ? list : []).map(answer));
}

/** What else must hold for a module to restrict an edge. */
const conditions: Record<string, (edge: Edge) => Answer> = {
  mutualTls: (edge) => not(isUpstream(edge)),
  policy: actsOnIncoming,
};

export const restricts = (edge: Edge, name: string): Answer =>
  allOf(isOn(edge[name]), conditions[name]?.(edge) ?? true);

const isListening = ({ hostports }: Edge): Answer =>
  isHidden(hostports) ? "unknown" : Array.isArray(hostports) && hostports.length > 0;

export const isReachable = (edge: Edge): Answer => allOf(isListening(edge), isOn(edge.backend));
export const isRestricted = (edge: Edge): Answer => anyOf(...restrictions.map((name) => restricts(edge, name)));

/** Whether a change opens an edge: something decided who can connect, and then anyone can. */
export const opens = (before: Edge, after: Edge): Answer =>
  allOf(isReachable(before), isRestricted(before), isReachable(after), not(isRestricted(after)));
