/** The edges of a preview, and the routes of HTTPS edges, before and after the change. */

import { equal, type Json, type JsonObject, withoutNull } from "../../base/json";
import { topLevelNames, withoutNames } from "../../core/arguments";
import { ignoredNames } from "../../core/options";
import { isImported, managedKey, parseState } from "../../core/state";
import { unknownValue } from "../../core/unknown";
import { definitions } from "../../definitions";
import { type ObjectDefinition, routesOf } from "../../definitions/definition";
import type { Field } from "../../definitions/fields/field";
import { type Edge, edgeDefinitions, hasHidden, isHidden, isOn, routeModules, secret, stateOf, whatOf } from "./model";
import type { ResourceState, Step } from "./preview";
import { proveUnchanged, reveal, type Unchanged } from "./unchanged";

export interface EdgeChange {
  /** The edge; or, if the program does not have the edge, the resource that changes it. */
  resource: Resource;
  /** The id before the change, which a new edge does not have. */
  id?: string;
  /** Undefined if it does not exist yet. */
  before?: Edge;
  /** Undefined if it is deleted. */
  after?: Edge;
}

export interface Resource {
  urn: string;
  type: string;
  name: string;
}

/** Every edge and route that the preview says something about. */
export function listEdgeChanges(steps: Step[]): EdgeChange[] {
  const edges = steps.flatMap((step) => parseEdge(step) ?? []);
  const created = new Set(edges.filter(({ isNew }) => isNew).map(({ resource }) => resource.urn));
  const modules = steps.flatMap((step) => parseModule(step, created) ?? []);
  const managed = edges.filter(({ isExternal }) => !isExternal);
  const read = edges.filter(({ isExternal, id }) => isExternal && !managed.some((other) => other.id === id));
  return [...managed, ...read, ...listForeign(edges, modules)].map((edge) => changeEdge(edge, edges, modules));
}

/** The types of both providers. */
const typePattern = /^(?:pulumi-nodejs:dynamic\/tunnel-edge|tunnel-edge:index):(\w+)$/;

const parseResource = ({ urn, newState, oldState }: Step) => toResource(urn, (newState ?? oldState)?.type ?? "");

/** A resource of this package, by its URN and the engine's type. */
export function toResource(urn: string, engineType: string): Resource | undefined {
  const type = typePattern.exec(engineType)?.[1];
  return type === undefined ? undefined : { urn, type, name: urn.split("::").slice(3).join("::") };
}

/** Whether a resource of this package, by the engine's type, is one of the classes'. */
export const isDynamic = ({ type }: { type: string }) => type.startsWith("pulumi-nodejs:");

/** Whether a resource is only read, by `get`. */
const isOnlyRead = ({ newState, oldState }: Step) => (newState ?? oldState)?.external === true;

/** An edge whose id is not known has the URN of a resource in its place. */
const isUrn = (id: string) => id.startsWith("urn:");

/** What an edge consists of, or a route of an HTTPS edge. */
interface AddressKind {
  /** Its arguments. */
  names: string[];
  /** Of a route, its values that are known without a request. */
  assumed?: (id: string) => Edge;
}

const edgeKinds = new Map<ObjectDefinition, AddressKind>(
  edgeDefinitions.map((definition) => [definition, { names: Object.keys(definition.fields) }]),
);
/** Beside its modules, only one thing is known of a route: it can be reached. */
const httpsRoute: AddressKind = {
  names: Object.keys(routeModules),
  assumed: (id) => ({ hostports: isUrn(id) ? secret : [id], backend: {} }),
};

/** The resources that are modules. */
const moduleKinds: { type: string; kind: AddressKind; argument: string; parents: string[] }[] = [
  ...[...edgeKinds].flatMap(([definition, kind]) =>
    Object.entries<Field>(definition.fields).flatMap(([argument, { module }]) =>
      definitions
        .filter((each) => routesOf(each).update === module?.put)
        .map(({ type }) => ({ type, kind, argument, parents: ["edgeId"] })),
    ),
  ),
  ...Object.entries(routeModules).map(([argument, { type, parents }]) => ({
    type,
    kind: httpsRoute,
    argument,
    parents,
  })),
];

/** The edge's argument for a module that is a resource of this type. */
export const argumentOf = (type: string) => moduleKinds.find((each) => each.type === type)?.argument;

interface KnownEdge {
  resource: Resource;
  kind: AddressKind;
  id?: string;
  /** What the service has; undefined if it does not exist yet. */
  values?: Edge;
  /** The arguments that the last program declared. */
  managed: Set<string>;
  /** The arguments that the last program ignored: the state has their old values. */
  ignoredBefore: string[];
  /** What the program declares now; undefined if it does not have the edge. */
  inputs?: JsonObject;
  ignoredAfter: string[];
  isUnchanged: Unchanged;
  /** The object is created by this change: its id is not known yet. */
  isNew: boolean;
  isDeleted: boolean;
  isExternal: boolean;
}

function parseEdge(step: Step): KnownEdge | undefined {
  const resource = parseResource(step);
  const definition = edgeDefinitions.find(({ type }) => type === resource?.type);
  if (!resource || !definition) return undefined;
  const { oldState, newState, op } = step;
  const kind = edgeKinds.get(definition)!;
  if (isOnlyRead(step)) {
    const { id, outputs = {} } = (newState?.outputs ? newState : oldState) ?? {};
    return id ? readEdge(resource, kind, id, parseState(id, outputs).values) : undefined;
  }
  const edge: KnownEdge = {
    resource,
    kind,
    managed: new Set(),
    ignoredBefore: ignoredNames(oldState ?? {}, kind.names),
    inputs: newState?.inputs ?? (newState && {}),
    ignoredAfter: ignoredNames(newState ?? {}, kind.names),
    isUnchanged: proveUnchanged(step),
    isNew: op === "replace",
    isDeleted: !newState && !oldState?.retainOnDelete,
    isExternal: false,
  };
  if (oldState?.id) {
    const { id, outputs = {}, inputs = {} } = oldState;
    const { values: recorded, managed, ignored, unconfirmed } = parseState(id, outputs);
    // If the state has no list, the arguments of the old inputs are managed.
    const declared = withoutNames(Object.keys(isImported(inputs) ? {} : inputs), topLevelNames(ignored));
    const names = topLevelNames(managedKey in outputs ? managed : declared);
    // Another resource may have changed or removed a module of its own since the edge's state was written.
    const isSeparate = (name: string) => definition.fields[name]?.module?.put && !names.has(name);
    const hidden = Object.keys(recorded).filter(isSeparate);
    const values = {
      ...recorded,
      ...Object.fromEntries(hidden.map((name) => [name, secret])),
      ...Object.fromEntries([...topLevelNames(unconfirmed)].map((name) => [name, unknownValue])),
    };
    return { ...edge, id, values, managed: names };
  }
  const { id, inputs = {} } = newState ?? {};
  const importId = op === "import" ? id : inputs.__import;
  if (typeof importId !== "string") return { ...edge, isNew: true };
  // An import changes nothing: the edge has what the program declares.
  const declared = withoutNull(inputs);
  const values = { ...hiddenEdge(kind, importId), ...declared };
  return { ...edge, id: importId, values, managed: new Set(Object.keys(declared)), isUnchanged: () => true };
}

/** An edge that the program does not manage. */
const readEdge = (resource: Resource, kind: AddressKind, id: string, values: Edge): KnownEdge => ({
  resource,
  kind,
  id,
  values,
  managed: new Set(),
  ignoredBefore: [],
  ignoredAfter: [],
  isUnchanged: () => true,
  isNew: false,
  isDeleted: false,
  isExternal: true,
});

const hiddenEdge = ({ names, assumed }: AddressKind, id: string): Edge => ({
  ...Object.fromEntries(names.map((name) => [name, secret])),
  ...assumed?.(id),
});

/** A route of an HTTPS edge, of which these modules are known. */
export const routeWith = (id: string, modules: JsonObject): Edge => ({ ...hiddenEdge(httpsRoute, id), ...modules });

/** A module, declared as a resource of its own. */
interface SeparateModule {
  resource: Resource;
  kind: AddressKind;
  /** The edge's argument for the module. */
  argument: string;
  /** The id of the edge that has the module before the change. */
  edgeBefore?: string;
  before?: Json;
  /** The id or URN of the edge that has it afterwards. */
  edgeAfter?: string;
  /** If that is not known, the URNs that it depends on. */
  sources: string[];
  after?: Json;
}

function parseModule(step: Step, created: Set<string>): SeparateModule | undefined {
  const resource = parseResource(step);
  const found = moduleKinds.find(({ type }) => type === resource?.type);
  if (!resource || !found || isOnlyRead(step)) return undefined;
  const { parents, ...kind } = found;
  const { oldState, newState } = step;
  const sources = newState?.propertyDependencies?.edgeId ?? [];
  const module: SeparateModule = { resource, ...kind, sources };
  if (oldState?.id) {
    module.edgeBefore = oldState.id;
    const { values, unconfirmed } = parseState(oldState.id, oldState.outputs ?? {});
    module.before = unconfirmed.length > 0 ? unknownValue : values;
  }
  if (newState) {
    module.edgeAfter = findEdge(newState, parents, sources, created);
    const was = module.edgeAfter === module.edgeBefore ? module.before : undefined;
    module.after = reveal(withoutNull(newState.inputs ?? {}), was, proveUnchanged(step));
  } else if (oldState?.retainOnDelete) {
    Object.assign(module, { edgeAfter: module.edgeBefore, after: module.before });
  }
  return module;
}

/**
 * The edge of a module: its id, the URN of an edge that this change creates, or unknown. The id of an edge that exists is
 * known in a preview, so one that is not known comes from elsewhere, whatever it depends on. Of a new edge only the
 * dependency is known, and in the classes that its id is used as it is: they set `deletedWith` then.
 */
function findEdge(state: ResourceState, parents: string[], sources: string[], created: Set<string>): string {
  const ids = parents.map((name) => state.inputs?.[name] ?? null);
  if (!ids.some(isHidden)) return ids.join("/");
  const urn = sources[0]!;
  if (sources.length !== 1 || !created.has(urn)) return unknownValue;
  return isDynamic(state) && state.deletedWith !== urn ? unknownValue : urn;
}

/**
 * Edges and routes that are not in the program: only those modules are known that the program declares. Each is named
 * after one of them, if possible one that it loses. A module whose edge is not known may have one of its own.
 */
function listForeign(edges: KnownEdge[], modules: SeparateModule[]): KnownEdge[] {
  const isForeign = (id: string | undefined): id is string =>
    id !== undefined && id !== unknownValue && !isUrn(id) && !edges.some((edge) => edge.id === id);
  const ids = new Set(modules.flatMap(({ edgeBefore, edgeAfter }) => [edgeBefore, edgeAfter].filter(isForeign)));
  const foreign = [...ids].map((id) => {
    const own = modules.filter(({ edgeBefore, edgeAfter }) => edgeBefore === id || edgeAfter === id);
    const isLost = ({ edgeBefore, edgeAfter, after }: SeparateModule) =>
      edgeBefore === id && (edgeAfter !== id || isOn(after) !== true);
    return [id, own.find(isLost) ?? own[0]!] as const;
  });
  const unplaced = modules
    .filter(({ edgeAfter, sources }) => edgeAfter === unknownValue && !hasSource(edges, sources))
    .map(({ resource, kind }) => readEdge(resource, kind, resource.urn, hiddenEdge(kind, resource.urn)));
  return [
    ...foreign.map(([id, { resource, kind }]) => readEdge(resource, kind, id, hiddenEdge(kind, id))),
    ...unplaced,
  ];
}

/** The edge before and after, with the modules that other resources declare. */
function changeEdge(edge: KnownEdge, edges: KnownEdge[], modules: SeparateModule[]): EdgeChange {
  const { resource, kind, id, values, managed, inputs, isNew } = edge;
  const before: Edge = { ...values };
  const after: Edge = { ...(!inputs && kind.assumed?.(id!)) };
  for (const name of kind.names) {
    const separate = modules.filter((module) => module.kind === kind && module.argument === name);
    const had = separate.flatMap(({ edgeBefore, before }) => (edgeBefore === id && before ? [before] : []));
    const isSeparate = had.length > 0 && (!managed.has(name) || edge.ignoredBefore.includes(name));
    if (isSeparate) before[name] = combine(name, had);

    const isKept = !isNew && edge.ignoredAfter.includes(name);
    const own = isKept ? undefined : inputs?.[name];
    const was = managed.has(name) && !isSeparate ? before[name] : undefined;
    const declared = [
      ...(own === undefined || own === null ? [] : [reveal(own, was, edge.isUnchanged, [name])]),
      ...separate.flatMap(({ edgeAfter, after }) =>
        edgeAfter === resource.urn || (edgeAfter === id && !isNew) ? [after!] : [],
      ),
    ];
    const isDropped = inputs !== undefined && managed.has(name) && !isKept;
    const rest = isNew || isDropped || had.length > 0 ? null : (before[name] ?? null);
    const possible = separate.filter((module) => mayBelongTo(module, edge, edges)).map(({ after }) => after!);
    const value = combine(name, [...(declared.length > 0 ? declared : [rest]), ...possible]);
    if (value !== null) after[name] = value;
  }
  return {
    resource,
    ...(id !== undefined && !isUrn(id) && { id }),
    ...(values && { before }),
    ...(!edge.isDeleted && { after }),
  };
}

/** Whether a module whose edge is not known may be this edge's: one of those that it depends on or, without any, any. */
function mayBelongTo({ edgeAfter, sources }: SeparateModule, { resource }: KnownEdge, edges: KnownEdge[]): boolean {
  if (edgeAfter !== unknownValue) return false;
  return sources.includes(resource.urn) || !hasSource(edges, sources);
}

const hasSource = (edges: KnownEdge[], sources: string[]) =>
  edges.some(({ resource }) => sources.includes(resource.urn));

/** Two resources that declare a module differently overwrite each other. Whether two secrets differ is not known. */
const combine = (name: string, [first, ...others]: Json[]): Json =>
  others.every((other) => !hasHidden(first) && equal(decisionOf(name, other), decisionOf(name, first)))
    ? first!
    : unknownValue;

const decisionOf = (name: string, module: Json | undefined) => [stateOf(module), whatOf(name, module)];
