/** What the account has, compared with what programs declare and states say. */

import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject, toCamelCase, toSnakeCase } from "../../src/base/json";
import {
  type Edge,
  isReachable,
  isRestricted,
  isUpstream,
  restrictions,
  restricts,
} from "../../src/commands/exposure/model";
import { ignoredNames } from "../../src/core/options";
import { readFields } from "../../src/definitions/fields/field";
import { tlsEdge } from "../../src/definitions/tlsEdge";
import type { Account } from "../../src/emulator/objects";
import { normalize } from "../support/data/samples";
import type { Properties } from "../support/engine/provider";
import { withoutSecrets } from "../support/engine/secrets";
import { type Entry, type Program, referencesOf, urnOf } from "./engine";
import { httpsEdge } from "./model";

export const listObjects = ({
  apiKeys,
  sshCredentials,
  tcpEdges,
  tlsEdges,
}: Account): ({ id: string } & Properties)[] => [...apiKeys, ...sshCredentials, ...tcpEdges, ...tlsEdges];

export const pathOf = (id: string) =>
  `${{ ak: "/api_keys", sshcr: "/ssh_credentials", edgtcp: "/edges/tcp", edgtls: "/edges/tls" }[id.split("_")[0]!]}/${id}`;

export type Edges = Pick<Account, "tcpEdges" | "tlsEdges">;

const listed = new WeakMap<Edges, Map<string, Edge>>();

/** The account's edges by id, in the arguments' shape: once for each account, because every call compares two. */
export function listEdges(account: Edges): Map<string, Edge> {
  const { tcpEdges, tlsEdges } = account;
  const edges =
    listed.get(account) ??
    // A TLS edge has everything that a TCP edge has.
    new Map(
      [...tcpEdges, ...tlsEdges].map((edge) => [edge.id, readFields(tlsEdge.fields, edge as object as JsonObject)]),
    );
  listed.set(account, edges);
  return edges;
}

/** The argument of its edge that a module resource is. */
const moduleArguments: Record<string, string> = {
  TcpEdgeIpRestriction: "ipRestriction",
  TlsEdgeTlsTermination: "tlsTermination",
};

interface DeclaredEdge {
  own: Properties;
  all: Properties;
  ignored: string[];
  separate: {
    argument: string;
    /** Whether it has the edge's id by reference: with a string, the engine knows of no order (docs/failures.md). */
    isOrdered: boolean;
    isInState: boolean;
  }[];
}

/** What a program declares for each edge that is in the state: its own arguments, and those of separate resources. */
export function declaredEdges(program: Program, state: Entry[]): Map<string, DeclaredEdge> {
  const edges = new Map<string, DeclaredEdge>();
  const idOf = (urn: string) => state.find((entry) => entry.urn === urn && !entry.isPendingDelete)?.id;
  for (const { type, args, ...resource } of program) {
    const id = type === "TcpEdge" || type === "TlsEdge" ? idOf(urnOf({ type, ...resource })) : undefined;
    const { ignoreChanges: ignored = [] } = resource;
    if (id === undefined) continue;
    const covered = ignoredNames({ ignoreChanges: ignored }, Object.keys(args));
    const own = Object.fromEntries(Object.entries(args).filter(([name]) => !covered.includes(name)));
    edges.set(id, { own, all: { ...own }, ignored, separate: [] });
  }
  for (const resource of program) {
    const argument = moduleArguments[resource.type];
    const { edgeId, ...module } = resource.args;
    const [reference] = referencesOf(resource);
    const id = reference === undefined ? String(edgeId) : (idOf(reference) ?? "");
    const edge = argument && edges.get(id);
    if (!edge) continue;
    edge.all[argument] = module;
    edge.separate.push({
      argument,
      isOrdered: reference !== undefined,
      // It may still be another edge's.
      isInState: idOf(urnOf(resource)) === id,
    });
  }
  return edges;
}

/** Fields of a declared module that the service may choose. */
const serviceDefaults = [
  "minVersion",
  "terminateAt",
  "cookiePrefix",
  "inactivityTimeout",
  "maximumDuration",
  "clientSecret",
];

/** Whether the service has what a program declares. */
function matchesDeclared(field: string, declared: unknown, actual: unknown): boolean {
  const free = isObject(declared) ? serviceDefaults.filter((name) => !(name in declared)) : [];
  return isDeepStrictEqual(normalizeField(field, declared, []), normalizeField(field, actual, free));
}

function normalizeField(field: string, value: unknown, free: string[]): unknown {
  const [held] = Object.values(normalize({ [field]: value }) as Properties);
  if (!isObject(held)) return sortStrings(held);
  const kept = Object.entries(held).filter(([name]) => !free.includes(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, sortStrings(inner)]));
}

/** Without the order of a list of ids or names. */
const sortStrings = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? [...new Set(value)].sort() : value;

const modules = ["ip_restriction", "mutual_tls", "policy", "tls_termination"];

/** Where state or service are not as the program declares. */
export function* findDifferences(
  program: Program,
  state: Entry[],
  account: Account,
  /** Objects whose undeclared modules are left alone. */
  unmanaged: Set<string>,
): Generator<string> {
  const objects = new Map(listObjects(account).map((object) => [object.id, object]));
  for (const entry of state) {
    if (entry.isPendingDelete) yield `${entry.urn} ${entry.id} is still to be deleted`;
    if (entry.hasInitErrors) yield `${entry.urn} is still unfinished`;
    // An id that the program has as a string may be that of an edge which was replaced in this run.
    const isObjectId = /^(ak|sshcr|edgtcp|edgtls)_/.test(entry.id) && !(entry.outputs.edgeId && !entry.dependencies[0]);
    if (isObjectId && !objects.has(entry.id)) yield `${entry.urn} is ${entry.id}, which does not exist`;
    if (!program.some((resource) => urnOf(resource) === entry.urn)) yield `${entry.urn} is not in the program`;
  }
  for (const { type, args, ...resource } of program) {
    const entry = state.find(({ urn, isPendingDelete }) => urn === urnOf({ type, ...resource }) && !isPendingDelete);
    if (!entry) yield `${urnOf({ type, ...resource })} is not in the state`;
    const object = entry && objects.get(entry.id);
    if (!object || moduleArguments[type]) continue;
    for (const [name, value] of Object.entries(args)) {
      if (name === "keepers") continue;
      const field = toSnakeCase(name);
      if (!matchesDeclared(field, value, object[field]))
        yield `${entry.id} has ${field} ${JSON.stringify(object[field])}`;
    }
  }
  for (const [id, { all }] of declaredEdges(program, state)) {
    const edge = objects.get(id);
    if (!edge) continue;
    for (const field of modules) {
      const declared = all[toCamelCase(field)];
      if (declared === undefined && edge[field] && !unmanaged.has(id))
        yield `${id} has a ${field}, which the program does not declare`;
      if (declared !== undefined && !matchesDeclared(field, declared, edge[field])) {
        yield `${id} has ${field} ${JSON.stringify(edge[field])}, but the program declares ${JSON.stringify(declared)}`;
      }
    }
  }
  yield* findRouteDifferences(program, account);
}

/** The module resources of a state that are set otherwise, or not at all. */
export function* findOverwritten(entries: Entry[], account: Account): Generator<string> {
  const objects = new Map(listObjects(account).map((object) => [object.id, object]));
  for (const { urn, id, type, inputs } of entries) {
    const field = toSnakeCase(moduleArguments[type] ?? "");
    const edge = objects.get(id);
    const declared = Object.fromEntries(
      Object.entries(withoutSecrets(inputs)).filter(([name]) => name !== "edgeId" && !name.startsWith("__")),
    );
    if (field !== "" && edge && !matchesDeclared(field, declared, edge[field]))
      yield `${urn} has ${JSON.stringify(declared)} in the state, but ${id} has ${JSON.stringify(edge[field])}`;
  }
}

/** The modules of the HTTPS edge's route, which only this program declares. */
function* findRouteDifferences(program: Program, account: Account): Generator<string> {
  const { routes } = account.httpsEdges.find(({ id }) => id === httpsEdge)!;
  for (const { type, args } of program) {
    const field = { HttpsEdgeRouteOidc: "oidc", HttpsEdgeRouteRequestHeaders: "request_headers" }[type];
    if (!field) continue;
    const { edgeId: _, routeId, ...module } = args;
    const actual = (routes.find(({ id }) => id === routeId) as unknown as Properties)[field];
    if (!matchesDeclared(field, module, actual)) yield `${routeId} has ${field} ${JSON.stringify(actual)}`;
  }
}

/** The edges that can be reached without a restriction that the program declares. */
export function* findOpen(program: Program, state: Entry[], account: Edges): Generator<string> {
  const edges = listEdges(account);
  for (const [id, { all }] of declaredEdges(program, state)) {
    const edge = edges.get(id);
    for (const name of edge ? restrictions : []) {
      if (restricts(all, name) === true && isReachable(edge!) === true && restricts(edge!, name) !== true) {
        yield `${id} is open without ${name}`;
      }
    }
  }
}

/** Who terminates TLS counts: an application that does so may check certificates itself. */
const reachOf = (edge: Edge, { separate }: DeclaredEdge) => {
  const isUnordered = separate.some(({ argument, isOrdered }) => argument === "tlsTermination" && !isOrdered);
  return JSON.stringify([edge.hostports, edge.backend, !isUnordered && isUpstream(edge)]);
};
const isUnprotected = (edge: Edge) => isReachable(edge) === true && isRestricted(edge) !== true;

/**
 * The edges that a run has opened: they have lost a restriction that the program keeps, can be reached before they have
 * one, or have none while one replaces another. An edge may stay as it was until its restriction is added.
 */
export function* findOpened(program: Program, state: Entry[], before: Edges, now: Edges): Generator<string> {
  const [edgesBefore, edges] = [listEdges(before), listEdges(now)];
  for (const [id, declared] of declaredEdges(program, state)) {
    const { own, all, ignored } = declared;
    const [was, edge] = [edgesBefore.get(id), edges.get(id)];
    if (!edge || isReachable(edge) !== true) continue;
    for (const name of restrictions) {
      if (restricts(edge, name) === true || restricts(was ? all : own, name) !== true) continue;
      if (was && restricts(was, name) !== true && reachOf(was, declared) === reachOf(edge, declared)) continue;
      // A separate resource is set after its edge.
      if (was && restricts(was, name) !== true && restricts(own, name) !== true) continue;
      // Without ignoreChanges, the edge removes what moves to a separate resource (docs/rule.md).
      if (restricts(own, name) !== true && !ignored.includes(name)) continue;
      yield `${id} was open without ${name}`;
    }
    if (isRestricted(own) === true && was && isReachable(was) === true && !isUnprotected(was) && isUnprotected(edge))
      yield `${id} was open to all between two protections`;
  }
}
