/**
 * The properties by which the dynamic provider host recognizes an error of a create or update after which the object
 * exists, so that the engine saves its state. If the host stops recognizing them, the engine keeps the state from
 * before the operation.
 */

import type { JsonObject } from "../../base/json";

export const asPartialFailure = (error: Error, id: string, properties: JsonObject): Error =>
  Object.assign(error, { id, properties, reasons: [error.message] });
