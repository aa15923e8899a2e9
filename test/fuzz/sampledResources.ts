/** Objects that scenarios vary only as their samples do, by the names of their types. */
import fc from "fast-check";
import { clearedValue, type Fields } from "../../src/definitions/fields";
import { toSnakeCase } from "../../src/json";
import { createBody } from "../support/bodies";
import type { Properties } from "../support/provider";
import { type ObjectSample, objectSamples } from "../support/samples";

export interface SampledResource {
  type: string;
  /** The required arguments. */
  minimal: Properties;
  /** The values of each argument. */
  values: Record<string, fc.Arbitrary<unknown>>;
  /** The fields that keep their value when the program stops declaring them. */
  unclearable: string[];
  /** Changes outside of Pulumi: the method, the path and the body. */
  edits: [method: string, path: string, body?: fc.Arbitrary<Properties>][];
}

function createResource({ type, definition, programs }: ObjectSample): SampledResource {
  const declared = programs(type);
  const fields: Fields = definition.fields;
  const names = new Set(declared.flatMap(Object.keys));
  const valuesOf = (name: string) => declared.flatMap((args) => (name in args ? [args[name]] : []));
  const pathOf = (operation: string) => operation.split(" ")[1]!.replace("{id}", `{${type}}`);
  return {
    type,
    minimal: Object.fromEntries(Object.entries(declared[0]).filter(([name]) => fields[name]!.required)),
    values: Object.fromEntries([...names].map((name) => [name, fc.constantFrom(...valuesOf(name))])),
    unclearable: [...names].filter((name) => clearedValue(fields[name]!) === undefined).map(toSnakeCase),
    edits: [
      [
        "PATCH",
        pathOf(definition.routes.update),
        fc.constantFrom(...declared.map((args) => createBody(definition, "update", args))),
      ],
      ["DELETE", pathOf(definition.routes.delete)],
    ],
  };
}

/** Creates those whose types are not among these. */
export const createSampledResources = (types: string[]): Record<string, SampledResource> =>
  Object.fromEntries(
    objectSamples.filter(({ type }) => !types.includes(type)).map((sample) => [sample.type, createResource(sample)]),
  );
