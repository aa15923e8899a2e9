/** What can be checked without the schema library, which takes a while to load. */

import { isObject, type JsonObject } from "../../base/json";
import type { Fields } from "../../definitions/fields/field";

/** Whether all required arguments are there, and every argument exists. */
export const hasValidNames = (fields: Fields, args: JsonObject): boolean =>
  Object.keys(args).every((name) => Object.hasOwn(fields, name)) &&
  Object.entries(fields).every(([name, { required, module }]) => {
    const value = args[name];
    return value === undefined ? !required : !module || !isObject(value) || hasValidNames(module.fields, value);
  });
