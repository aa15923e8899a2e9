/**
 * Reads an object or module. If the service does not return it, finds out whether it was deleted. A 404 proves that
 * only if it comes from the service itself, or if the service's list or edge does not have the object or module.
 */

import { CallError, isDeleted } from "../../api/callError";
import type { Client } from "../../api/client";
import type { Route } from "../../api/routes";
import { Clock } from "../../base/clock";
import { isUnset, type JsonObject, toSnakeCase } from "../../base/json";
import { definitions } from "../../definitions";
import {
  type ModuleDefinition,
  type ObjectDefinition,
  paramsOf,
  type Readable,
  routesOf,
} from "../../definitions/definition";
import type { Field } from "../../definitions/fields/field";
import { Lists } from "./lists";
import { expectFrom } from "./responses";

export class Lookup {
  constructor(
    private readonly client: () => Client,
    private readonly lists = new Lists(client, new Clock()),
  ) {}

  /** As `find`, for an id that no state has: somebody else may have created the object a moment ago. */
  findNew = (definition: Readable, id: string, deadline?: number): Promise<JsonObject | undefined> =>
    this.find(definition, id, deadline, this.client().moment);

  /** The object or module; undefined if it was deleted, or is not set. It existed at the moment `since`, if ever. */
  async find(definition: Readable, id: string, deadline?: number, since?: number): Promise<JsonObject | undefined> {
    const options = { params: paramsOf(definition, id), expects: expectFrom(definition, id), deadline };
    try {
      return (await this.client().call(readRoute(definition), options)) as JsonObject | undefined;
    } catch (error) {
      if (await this.provesDeletion(definition, id, error, deadline, since)) return undefined;
      throw error;
    }
  }

  /** Whether an object or module was deleted, after a call that failed. The error says why that is not known. */
  async provesDeletion(
    definition: Readable,
    id: string,
    error: unknown,
    deadline?: number,
    since?: number,
  ): Promise<boolean> {
    if (isDeleted(error)) return true;
    // The client has found out what an error of the service proves.
    if (!(error instanceof CallError) || error.status !== 404 || error.body === "error") return false;
    try {
      if (!(await this.existsElsewhere(definition, id, error, deadline, since))) return true;
      error.append(`The ${definition.displayName} still exists.`);
    } catch {
      error.append(`It is not known whether the ${definition.displayName} was deleted.`);
    }
    return false;
  }

  /** Whether an object is in its list, or a module in its edge. */
  private async existsElsewhere(
    definition: Readable,
    id: string,
    error: CallError,
    deadline?: number,
    since?: number,
  ): Promise<boolean> {
    if (definition.kind !== "module") return this.lists.has(definition.list, id, deadline, since);
    const edge = edgeOf(definition);
    if (edge) {
      const found = await this.find(edge.definition, id, deadline, since);
      return !isUnset(found?.[toSnakeCase(edge.module)]);
    }
    // No other call shows the module.
    if (await this.client().looksMissing(error, deadline)) return false;
    throw error;
  }
}

const readRoute = (definition: Readable): Route =>
  definition.kind === "readOnly" ? definition.route : routesOf(definition).read;

/** The edge that has the module as an argument, too, and the argument's name. */
export function edgeOf({ route }: ModuleDefinition): { definition: ObjectDefinition; module: string } | undefined {
  for (const definition of definitions) {
    if (definition.kind !== "object") continue;
    const [module] =
      Object.entries<Field>(definition.fields).find(([, field]) => field.module?.put === `PUT ${route}`) ?? [];
    if (module !== undefined) return { definition, module };
  }
  return undefined;
}
