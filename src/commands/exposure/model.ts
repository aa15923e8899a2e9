/**
 * Who can connect to a public address: a hostport of an edge, or a route of an HTTPS edge. An edge has its modules in the
 * arguments' shape. A value that a preview does not show, because it is unknown or a secret, has no answer.
 */

import { asList, isObject, type Json, type JsonObject, toCamelCase } from "../../base/json";
import { unknownStrings } from "../../core/unknown";
import { definitions } from "../../definitions";
import type { ModuleDefinition, ObjectDefinition } from "../../definitions/definition";
import type { Field, Fields } from "../../definitions/fields/field";
import { normalizeRule } from "../../definitions/fields/policyRules";

export type Answer = boolean | "unknown";
export type Who = "nobody" | "restricted" | "anyone" | "unknown";

/** An edge, or a route of an HTTPS edge: what it has, in the arguments' shape. */
export type Edge = JsonObject;

/**
 * What `pulumi preview --json` prints in place of a secret. After a change it stands for the same value as before. A value
 * that may be another one is unknown instead.
 */
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

const edgeFields: [string, Field][] = edgeDefinitions.flatMap(({ fields }) => Object.entries<Field>(fields));

/** The modules that decide who can connect. */
export const restrictions = [
  ...new Set([
    ...edgeFields.filter(([, field]) => protects(field)).map(([name]) => name),
    ...Object.keys(routeModules),
  ]),
];

/** The fields of each module that decide who can connect, beside `enabled`. */
const decidingFields: Record<string, [string, Field][]> = Object.fromEntries(
  [
    ...edgeFields.flatMap(([name, { module }]): [string, Fields][] => (module ? [[name, module.fields]] : [])),
    ...Object.entries(routeModules).map(([name, { fields }]): [string, Fields] => [name, fields]),
  ].map(([name, fields]) => [name, Object.entries(fields).filter(([, { decides }]) => decides)]),
);

/** Whether anyone can pass a module: any user agent can be sent. */
export const isPassable = (name: string) => decidingFields[name]!.length === 0;

export const isSecret = (value: Json | undefined) => value === secret;
export const isUnknown = (value: Json | undefined) => typeof value === "string" && unknownStrings.has(value);
export const isHidden = (value: Json | undefined) => isUnknown(value) || isSecret(value);

/** Whether a value, or a part of it, is one of these. */
export const includes = (value: Json | undefined, isMatch: (value: Json | undefined) => boolean): boolean =>
  isMatch(value) ||
  (typeof value === "object" && value !== null && Object.values(value).some((each) => includes(each, isMatch)));

/** Whether a value, or a part of it, is not shown. */
export const hasHidden = (value: Json | undefined): boolean => includes(value, isHidden);

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
  if (isHidden(tlsTermination.terminateAt)) return "unknown";
  return tlsTermination.terminateAt === "upstream" && (isOn(tlsTermination) === true || "unknown");
}

/** What may restrict an edge: a module or, of a policy that only denies, one of its rules. */
export interface Restriction {
  name: string;
  /** Never false. */
  on: true | "unknown";
  /** What decides whether it is on. */
  state: Json;
  /** What decides whom it lets in. */
  what: Json;
  /** Each lets in more; undefined if they are not known, or if it has none. */
  ids?: string[];
}

/** Everything that may restrict an edge. */
export function listRestrictions(edge: Edge): Restriction[] {
  return restrictions.flatMap((name): Restriction[] => {
    const module = edge[name];
    const isTls = name === "mutualTls";
    const on = allOf(isOn(module), isTls ? not(isUpstream(edge)) : true);
    if (on === false) return [];
    const state = [
      stateOf(module),
      ...(isTls ? [stateOf(edge.tlsTermination), whatOf("tlsTermination", edge.tlsTermination)] : []),
    ];
    const what = whatOf(name, module);
    if (name === "policy")
      return listRules(what).map((rule) => ({ name, on: allOf(on, rule.on) as "unknown", state, what: rule.what }));
    const ids = isObject(what) ? toIds(name, what) : undefined;
    // The API document does not say whom an empty list lets in.
    const isWeak = isPassable(name) || ids?.length === 0;
    return [{ name, on: isWeak ? "unknown" : on, state, what, ...(ids && !isWeak && { ids }) }];
  });
}

/** What decides whether a module is on. */
export const stateOf = (module: Json | undefined): Json =>
  isObject(module) ? (module.enabled ?? true) : (module ?? null);

/** What decides whom a module lets in, in one form for everything that means the same. */
export function whatOf(name: string, module: Json | undefined): Json {
  if (!isObject(module)) return module ?? null;
  return Object.fromEntries(
    decidingFields[name]!.map(([field, { decides, default: assumed }]) => {
      const value = module[field] ?? assumed ?? null;
      if (isHidden(value)) return [field, value];
      if (decides === "items") return [field, [...new Set(asList(value).map(String))].sort()];
      return [field, decides === "rules" ? asList(value).map(withoutName) : value];
    }),
  );
}

function withoutName(rule: Json): Json {
  const normal = normalizeRule(rule);
  if (!isObject(normal)) return normal;
  const { name: _, ...rest } = normal;
  return rest;
}

/**
 * The rules of a policy. In one that only denies, each rule restricts. The API document does not describe other
 * actions. A rule without an action does nothing.
 */
function listRules(policy: Json): { on: true | "unknown"; what: Json }[] {
  const inbound = isObject(policy) ? policy.inbound! : policy;
  const rules = asList(inbound).filter((rule) => isHidden(rule) || (isObject(rule) && asList(rule.actions).length > 0));
  if (
    rules.every(
      (rule) => isObject(rule) && asList(rule.actions).every((action) => isObject(action) && action.type === "deny"),
    )
  )
    return rules.map((what) => ({ on: true, what }));
  return [{ on: "unknown", what: rules }];
}

/** The ids of what decides: IP policies, certificate authorities, an application to log in to. */
function toIds(name: string, what: JsonObject): string[] | undefined {
  const fields = decidingFields[name]!;
  if (fields.some(([field]) => hasHidden(what[field]))) return undefined;
  const values = fields.filter(([, { decides }]) => decides === "value").map(([field]) => what[field]);
  return [
    ...fields.flatMap(([field, { decides }]) => {
      if (decides === "items") return asList(what[field]) as string[];
      return decides === "begins" && what[field] === true ? [field] : [];
    }),
    ...(values.length > 0 ? [values.join(" ")] : []),
  ];
}

/** Whether a module, or a rule of it, restricts who can connect. */
export const restricts = (edge: Edge, name: string): Answer =>
  anyOf(...listRestrictions(edge).flatMap((each) => (each.name === name ? [each.on] : [])));

const isListening = ({ hostports }: Edge): Answer =>
  isHidden(hostports) ? "unknown" : Array.isArray(hostports) && hostports.length > 0;

export const isReachable = (edge: Edge): Answer => allOf(isListening(edge), isOn(edge.backend));
export const isRestricted = (edge: Edge): Answer => anyOf(...listRestrictions(edge).map(({ on }) => on));

/** Whether a policy lets nobody connect: it denies all traffic. */
export const deniesEveryone = (edge: Edge): boolean =>
  listRestrictions(edge).some(
    ({ name, on, what }) => name === "policy" && on === true && isObject(what) && asList(what.expressions).length === 0,
  );

/** Who can connect to an edge. */
export function whoCanConnect(edge: Edge): Who {
  if (isReachable(edge) === false || deniesEveryone(edge)) return "nobody";
  if (isRestricted(edge) === true) return "restricted";
  return allOf(isReachable(edge), not(isRestricted(edge))) === true ? "anyone" : "unknown";
}

const itemsOf = (name: string) => decidingFields[name]?.find(([, { decides }]) => decides === "items")?.[0];

/** Whether a module has IP policies or certificate authorities. The API does not show what these contain. */
export const hasIds = (name: string) => itemsOf(name) !== undefined;

/** The IP policies or certificate authorities of a module: undefined if they are not known, or if it has none. */
export function idsOf(edge: Edge, name: string): string[] | undefined {
  const module = edge[name];
  const ids = hasIds(name) && isObject(module) ? module[itemsOf(name)!] : undefined;
  return Array.isArray(ids) && !ids.some(isHidden) ? ids.map(String) : undefined;
}
