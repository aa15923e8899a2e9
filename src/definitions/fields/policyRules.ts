/** The rules of a traffic policy. */

import { asList, isObject, isUnset, type Json, type JsonObject, withoutNull } from "../../base/json";

/** A rule of a traffic policy. */
export interface PolicyRule {
  /** The rule's name within the policy. */
  name?: string;
  /** CEL expressions that select the traffic to which the rule applies. */
  expressions?: string[];
  /** The actions to take, in this order. */
  actions?: PolicyAction[];
}

/** An action of a traffic policy's rule. */
export interface PolicyAction {
  /** The kind of action, such as `deny`. */
  type?: string;
  /** The action's configuration. Keys are sent as written. */
  config?: { [key: string]: unknown };
}

/** A rule without null, except in an action's config, which is the user's. */
export function ruleToRequest(rule: Json): Json {
  if (!isObject(rule)) return rule;
  const request = withoutNull(rule);
  if (request.actions)
    request.actions = asList(request.actions).map((action) => (isObject(action) ? withoutNull(action) : action));
  return request;
}

/** A rule without what is unset in it; an action's config is the user's and is left alone. */
export function normalizeRule(rule: Json): Json {
  if (!isObject(rule)) return rule;
  const normal: JsonObject = {};
  if (!isUnset(rule.name)) normal.name = rule.name!;
  if (!isUnset(rule.expressions)) normal.expressions = asList(rule.expressions);
  if (!isUnset(rule.actions)) normal.actions = asList(rule.actions).map(normalizeAction);
  return normal;
}

function normalizeAction(action: Json): Json {
  if (!isObject(action)) return action;
  const normal: JsonObject = {};
  if (!isUnset(action.type)) normal.type = action.type!;
  if (isObject(action.config) && Object.keys(action.config).length > 0) normal.config = action.config;
  return normal;
}

/** A rule in which lists are never undefined. */
export const ruleToOutput = (rule: Json): Json =>
  isObject(rule) ? { ...rule, expressions: asList(rule.expressions), actions: asList(rule.actions) } : rule;

/** The configurations of a rule's actions. */
export const configsOf = (rule: Json): Json[] =>
  (isObject(rule) ? asList(rule.actions) : []).flatMap((action) => (isObject(action) ? (action.config ?? []) : []));
