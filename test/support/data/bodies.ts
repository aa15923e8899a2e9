/** Requests that create and update a resource with the arguments of a program, such as those of a sample. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { toSnakeCase } from "../../../src/base/json";
import { type Definition, parentsOf, routesOf } from "../../../src/definitions/definition";
import type { Field, Fields } from "../../../src/definitions/fields/field";
import type { Properties } from "../engine/provider";
import { definitionOf, type Sample } from "./samples";

/** Renames the arguments that are sent as requests name them. */
const rename = (fields: Fields, args: Properties, isSent: (name: string, field: Field) => boolean): Properties =>
  Object.fromEntries(
    Object.entries(args)
      .filter(([name]) => isSent(name, fields[name]!))
      .map(([name, value]) => {
        const { module } = fields[name]!;
        return [toSnakeCase(name), module ? rename(module.fields, value, () => true) : value];
      }),
  );

/** The body of a request that creates or updates a resource with these arguments. */
export const createBody = (definition: Definition, operation: "create" | "update", args: Properties): Properties =>
  rename(
    definition.fields,
    args,
    (name, { clientOnly, replaces }) =>
      !parentsOf(definition).includes(name) && !clientOnly && !(operation === "update" && replaces),
  );

/** An operation's path with these ids. */
export function fillPath(operation: string, ids: readonly string[]): string {
  const rest = [...ids];
  return operation.split(" ")[1]!.replace(/\{\w+\}/g, () => rest.shift()!);
}

/** Creates the object that a sample's first program declares, outside of Pulumi; returns the arguments that find it. */
export function createSampleObject(emulator: Emulator, sample: Sample, tag: string): Record<string, string> {
  const definition = definitionOf(sample);
  const parents = sample.parents?.(emulator) ?? {};
  const { create } = routesOf(definition);
  const path = fillPath(create, Object.values(parents));
  const [args] = sample.programs(tag);
  const { id } = emulator.api<{ id: string }>(create.split(" ")[0]!, path, createBody(definition, "create", args));
  return definition.kind === "module" ? parents : { id };
}
