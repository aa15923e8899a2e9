/** The modules of an edge, and which of them can also be resources of their own. */

import type { JsonObject } from "../../base/json";
import type { Field } from "../../definitions/fields/field";
import type { Identity } from "./identity";

export interface Module {
  name: string;
  field: Field;
  path: string;
}

/** The modules of an edge. */
export const modulesOf = ({ definition }: Identity): Omit<Module, "path">[] =>
  Object.entries<Field>(definition.fields).flatMap(([name, field]) => (field.module ? [{ name, field }] : []));

/** The modules of an edge that can also be resources of their own: the API has a PUT for them. */
export const modulesWithResources = (identity: Identity): Module[] =>
  modulesOf(identity).flatMap(({ name, field }) =>
    field.module!.put ? [{ name, field, path: identity.path(field.module!.put) }] : [],
  );

/** A module's arguments without its edge's id: the edge's own argument. */
export const asArgument = ({ module }: Field, declared: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(declared).filter(([key]) => key in module!.fields));
