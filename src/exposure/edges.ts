/** The edges of a preview, before and after the change. */

import { managedKey, parseState, topLevelNames } from "../core/state";
import { unknownValue } from "../core/unknown";
import { definitions } from "../definitions";
import { type ObjectDefinition, routesOf } from "../definitions/definition";
import type { Field } from "../definitions/fields";
import { isObject, type Json, withoutNull } from "../json";
import { type Edge, edgeDefinitions, isHidden, isOn, isSecret, restrictions } from "./model";
import type { Step } from "./preview";

export interface EdgeChange {
  /** The edge; or, if the program does not have the edge, the resource that changes it. */
  resource: Resource;
  /** The edge's id before the change. */
  id: string;
  before: Edge;
  after: Edge;
}

export interface Resource {
  urn: string;
  type: string;
  name: string;
}

/** Every edge that exists before the change and is not deleted. */
export function listEdgeChanges(steps: Step[]): EdgeChange[] {
  const edges = steps.flatMap((step) => parseEdge(step) ?? []);
  const modules = steps.flatMap((step) => parseModule(step) ?? []);
  const managed = edges.filter(({ step }) => !isExternal(step));
  const read = edges.filter(({ step, id }) => isExternal(step) && !managed.some((other) => other.id === id));
  return [
    ...[...managed, ...read].flatMap((edge) => changeEdge(edge, modules) ?? []),
    ...listForeignEdges(edges, modules),
  ];
}

/** The types of both providers. */
const typePattern = /^(?:pulumi-nodejs:dynamic\/tunnel-edge|tunnel-edge:index):(\w+)$/;

function parseResource({ urn, newState, oldState }: Step): Resource | undefined {
  const type = typePattern.exec((newState ?? oldState)?.type ?? "")?.[1];
  return type === undefined ? undefined : { urn, type, name: urn.split("::").slice(3).join("::") };
}

/** Whether a resource is only read, by `get`. */
const isExternal = ({ newState, oldState }: Step) => (newState ?? oldState)?.external === true;

interface EdgeStep {
  step: Step;
  resource: Resource;
  definition: ObjectDefinition;
  id: string;
  values: Edge;
  /** The arguments that the last program declared. */
  managed: Set<string>;
  /** The arguments that the last program ignored: the state has their old values. */
  ignored?: string[];
}

function parseEdge(step: Step): EdgeStep | undefined {
  const resource = parseResource(step);
  const definition = edgeDefinitions.find(({ type }) => type === resource?.type);
  if (!resource || !definition) return undefined;
  const edge = { step, resource, definition };
  const { oldState, newState } = step;
  if (oldState?.id) {
    const { id, outputs = {}, inputs = {} } = oldState;
    const { values, managed } = parseState(id, outputs);
    // Without a list in the state, what the old inputs declare is managed.
    return {
      ...edge,
      id,
      values,
      managed: managedKey in outputs ? topLevelNames(managed) : new Set(Object.keys(inputs)),
      ignored: oldState.ignoreChanges,
    };
  }
  const importId = step.op === "import" ? newState?.id : newState?.inputs?.__import;
  if (typeof importId !== "string") return undefined;
  // An import changes nothing: the edge has what the program declares.
  const values = { ...unknownEdge(definition), ...withoutNull(newState?.inputs ?? {}) };
  return { ...edge, id: importId, values, managed: new Set() };
}

const unknownEdge = ({ fields }: ObjectDefinition): Edge =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, unknownValue]));

/** A module of an edge, declared as a resource of its own. */
interface SeparateModule {
  resource: Resource;
  definition: ObjectDefinition;
  /** The edge's argument for the module. */
  argument: string;
  /** The id of the edge that has the module before the change. */
  edgeBefore?: string;
  before?: Json;
  /** The id or URN of the edge that has it afterwards. */
  edgeAfter?: string;
  after?: Json;
}

function parseModule(step: Step): SeparateModule | undefined {
  const resource = parseResource(step);
  const kind = moduleKinds.find(({ type }) => type === resource?.type);
  if (!resource || !kind || isExternal(step)) return undefined;
  const { oldState, newState } = step;
  const module: SeparateModule = { resource, ...kind };
  if (oldState?.id) {
    module.edgeBefore = oldState.id;
    module.before = withoutNull(oldState.outputs ?? {});
  }
  if (newState) {
    const { edgeId = null, ...inputs } = newState.inputs ?? {};
    const [urn, ...others] = newState.propertyDependencies?.edgeId ?? [];
    const isResolved = urn !== undefined && others.length === 0;
    module.edgeAfter = isHidden(edgeId) ? (isResolved ? urn : unknownValue) : String(edgeId);
    module.after = reveal(
      inputs,
      module.before,
      deciding.some((name) => step.diffReasons?.includes(name)),
    );
  } else if (oldState?.retainOnDelete) {
    Object.assign(module, { edgeAfter: module.edgeBefore, after: module.before });
  }
  return module;
}

/** The resources that are modules of edges. */
const moduleKinds = edgeDefinitions.flatMap((definition) =>
  Object.entries<Field>(definition.fields).flatMap(([argument, { module }]) =>
    definitions
      .filter((each) => each.kind === "module" && routesOf(each).update === module?.put)
      .map(({ type }) => ({ type, definition, argument })),
  ),
);

/** The edge before and after, with the modules that other resources declare; undefined if it is deleted. */
function changeEdge(edge: EdgeStep, modules: SeparateModule[]): EdgeChange | undefined {
  const { step, resource, definition, id, values, managed, ignored = [] } = edge;
  const { newState, oldState, op, urn } = step;
  if (!newState && !oldState?.retainOnDelete && !isExternal(step)) return undefined;
  const before: Edge = { ...values };
  const after: Edge = {};
  const isReplaced = op === "replace";
  for (const name of Object.keys(definition.fields)) {
    const separate = modules.filter((module) => module.definition === definition && module.argument === name);
    const moduleBefore = separate.find(({ edgeBefore }) => edgeBefore === id)?.before;
    if (moduleBefore && (!managed.has(name) || ignored.includes(name))) before[name] = moduleBefore;

    const isIgnored = !isReplaced && newState?.ignoreChanges?.includes(name) === true;
    const own = isIgnored ? undefined : newState?.inputs?.[name];
    const declared = [
      ...(own === undefined || own === null ? [] : [reveal(own, before[name], step.diffReasons?.includes(name))]),
      ...separate.flatMap(({ edgeAfter, after }) =>
        edgeAfter === urn || (edgeAfter === id && !isReplaced) ? [after!] : [],
      ),
    ];
    const isDropped = newState !== undefined && managed.has(name) && !isIgnored;
    const isRemoved = isReplaced || isDropped || moduleBefore !== undefined;
    const isUncertain = separate.some(({ edgeAfter }) => edgeAfter === unknownValue);
    const rest = isRemoved ? (isUncertain ? unknownValue : undefined) : before[name];
    const value = declared.length > 0 ? combine(declared) : rest;
    if (value !== undefined) after[name] = value;
  }
  return { resource, id, before, after };
}

/** Edges that are not in the program: of their modules, only those that the program declares are known. */
function listForeignEdges(edges: EdgeStep[], modules: SeparateModule[]): EdgeChange[] {
  const restricting = modules.filter(({ argument }) => restrictions.includes(argument));
  const ids = restricting.flatMap(({ edgeBefore, edgeAfter }) => [edgeBefore ?? [], edgeAfter ?? []].flat());
  const isForeign = (id: string) =>
    id !== unknownValue && !id.startsWith("urn:") && !edges.some((edge) => edge.id === id);
  return [...new Set(ids.filter(isForeign))].map((id) => {
    const old = restricting.find(({ edgeBefore }) => edgeBefore === id);
    const now = restricting.find(({ edgeAfter }) => edgeAfter === id);
    const { resource, definition, argument } = (old ?? now)!;
    const edge = unknownEdge(definition);
    const before = { ...edge, [argument]: old?.before ?? unknownValue };
    return { resource, id, before, after: { ...edge, [argument]: now?.after ?? null } };
  });
}

/** Two resources that declare a module differently overwrite each other. */
const combine = (declared: Json[]): Json =>
  declared.every((each) => isOn(each) === isOn(declared[0])) ? declared[0]! : unknownValue;

/** The properties of a module that the model asks for. */
const deciding = ["enabled", "terminateAt", "inbound"];

/** A secret that does not change is what it was; one that changes is unknown. */
function reveal(declared: Json, before: Json | undefined, isChanged = false): Json {
  const isDecidedBySecret = isObject(declared) && deciding.some((name) => isSecret(declared[name]));
  if (!isSecret(declared) && !isDecidedBySecret) return declared;
  return isChanged || before === undefined ? unknownValue : before;
}
