/** Checked by the compiler: a definition must have a field for every property, of its type and optionality. */
import * as pulumi from "@pulumi/pulumi";
import type { ModuleDefinition, ObjectDefinition } from "../../src/definitions/definition";
import type { FieldsOf } from "../../src/definitions/fields/field";
import {
  boolean,
  headers,
  objectId,
  required as requiredField,
  string,
  stringSet,
} from "../../src/definitions/fields/fieldTypes";
import type { Filters } from "../../src/definitions/filters";
import { tcpEdge } from "../../src/definitions/tcpEdge";
import type { Inputs, Outputs, Result } from "../../src/dynamic/program/types";

interface Props {
  edgeId: string;
  enabled?: boolean;
  labels?: { [name: string]: string };
  names?: string[];
}

const edgeId = requiredField(objectId("an edge", "edg_"));
const complete: FieldsOf<Props> = { edgeId, enabled: boolean(), labels: headers(), names: stringSet() };

// @ts-expect-error: a property without a field
export const missing: FieldsOf<Props> = { edgeId, enabled: boolean(), labels: headers() };

// @ts-expect-error: a field without a property
export const unexpected: FieldsOf<Props> = { ...complete, other: string() };

// @ts-expect-error: a field of another type
export const otherType: FieldsOf<Props> = { ...complete, enabled: string() };

// @ts-expect-error: a list where a single value is expected
export const otherDepth: FieldsOf<Props> = { ...complete, names: string() };

// @ts-expect-error: a required field of an optional property
export const required: FieldsOf<Props> = { ...complete, names: requiredField(stringSet()) };

// @ts-expect-error: an optional field of a required property
export const optional: FieldsOf<Props> = { ...complete, edgeId: string() };

export const otherParent: ModuleDefinition<Props> = {
  kind: "module",
  type: "Example",
  displayName: "example",
  // @ts-expect-error: a parent that is not an argument
  parents: ["routeId"],
  route: "/examples/{id}",
  fields: complete,
  computed: {},
};

// @ts-expect-error: an output that is not in the table
export const computed: ObjectDefinition<Props, { id: string; uri: string }>["computed"] = {};

// @ts-expect-error: a filter without its implementation
export const filters: Filters<{ name?: string }, Props> = {};

// Arguments: every value, at any depth, can be an Output.
export const args: Inputs<Props> = {
  edgeId: pulumi.output("edg_1"),
  names: pulumi.output([pulumi.output("a")]),
};
// @ts-expect-error: a required argument
export const noId: Inputs<Props> = { enabled: true };
// @ts-expect-error: an Output that may be undefined
export const maybe: Inputs<Props> = { edgeId: "edg_1", enabled: pulumi.output<boolean | undefined>(undefined) };

// Outputs and results: lists and switches are always set, all else may be undefined.
declare const outputs: Outputs<Props>;
export const names: pulumi.Output<string[]> = outputs.names;
export const enabled: pulumi.Output<boolean> = outputs.enabled;
export const labels: pulumi.Output<{ [name: string]: string } | undefined> = outputs.labels;
// @ts-expect-error: may be undefined
export const surelySet: pulumi.Output<{ [name: string]: string }> = outputs.labels;
// @ts-expect-error: read-only
outputs.names = pulumi.output([]);

declare const result: Result<Props, "labels">;
export const [first]: string[] = result.names;
export const secret: pulumi.Output<{ [name: string]: string } | undefined> = result.labels;

// What is read in a filter is typed by the properties.
export const matches: boolean = tcpEdge.filters.hostport(
  { hostports: ["a.example:1"], id: "edgtcp_1", createdAt: "", uri: "" },
  "a.example:1",
);
