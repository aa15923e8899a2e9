/** Taking over an existing object: what the program states must be what the service holds. */

import { isObject, type Json, type JsonObject } from "../api/wire";
import type { Definition } from "./definition";
import { type Field, type Fields, fieldHolds } from "./fields";
import { hasUnknown } from "./unknown";

/** Each stated field that the object does not hold, as a sentence. */
export function mismatches(definition: Definition, id: string, stated: JsonObject, actual: JsonObject): string[] {
  const found = compare(definition.fields, stated, actual, definition.parents !== undefined, "");
  return found.map(({ name, field, states, has }) => {
    const there = `${definition.noun} ${id}`;
    if (field.secret || field.sensitive)
      return `${name} is not what ${there} has: state what it has, or import without it.`;
    if (states === undefined) return `${name} is not stated, and ${there} has ${show(has)}: state that.`;
    return `${name} is ${show(states)} in the program, and ${has === undefined ? "not set" : show(has)} in ${there}: make them the same.`;
  });
}

interface Mismatch {
  name: string;
  field: Field;
  states: Json | undefined;
  has: Json | undefined;
}

function compare(fields: Fields, stated: JsonObject, actual: JsonObject, whole: boolean, prefix: string): Mismatch[] {
  return Object.entries(fields).flatMap(([key, field]): Mismatch[] => {
    const [states, has, name] = [stated[key], actual[key], prefix + key];
    if (field.local || hasUnknown(states) || (states === undefined && !whole)) return [];
    if (field.withheld && has === undefined) return [];
    if (field.module && isObject(states) && isObject(has)) {
      return compare(field.module.fields, states, has, true, `${name}.`);
    }
    return fieldHolds(field, states, has) ? [] : [{ name, field, states, has }];
  });
}

function show(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "not set";
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
