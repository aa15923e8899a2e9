/** The inventory, line by line: what is in the account, and which stack manages it. */

import { asList, isObject, type Json, type JsonObject } from "../../base/json";
import { joinWithAnd, quoteForShell } from "../../base/quote";
import { definitions } from "../../definitions";
import { argumentOf, routeWith } from "../exposure/edges";
import { describeResource, describeWho } from "../exposure/messages";
import { type Edge, edgeDefinitions, hasIds, restrictions, secret, type Who, whoCanConnect } from "../exposure/model";
import type { Account, AccountObject } from "./account";
import type { StateResource } from "./state";

/** What every line about an object has. */
interface ObjectLine {
  id: string;
  /** `TcpEdge`, `Tunnel` or `HttpsEdge`. */
  type: string;
  /** The creation time, or that of a tunnel's start. */
  createdAt?: string;
  description?: string;
  /** Undefined if no state was given. Nothing manages a tunnel. */
  managedBy?: Manager[];
  /** What manages modules of an edge, and not the edge. */
  modulesManagedBy?: Manager[];
}

export interface AddressLine extends ObjectLine {
  kind: "address";
  /** A hostport, a tunnel's URL or, of an HTTPS edge, its id or `edghts_…/edghtsrt_…`. Undefined for an edge without any. */
  address?: string;
  who: Who;
  /** Who can connect, in words. */
  connects: string;
  backend?: Backend;
  /** The tunnels that serve it now; undefined if they are not known. */
  tunnels?: Tunnel[];
}

export interface CredentialLine extends ObjectLine {
  kind: "credential";
  ownerId?: string;
  /** How many sessions were started with it; undefined if that is not known, or if no session can. */
  sessions?: number;
}

/** What is wrong, and what to do about it. */
export interface Finding {
  /** `unused` is an entry of a list that hides no line. */
  kind: "missing" | "shared" | "pending" | "gap" | "unused";
  id: string;
  message: string;
}

export type Line = AddressLine | CredentialLine | Finding;

/** Whether anyone can connect, or might be able to. */
export const isOpen = (line: Line): line is AddressLine =>
  line.kind === "address" && (line.who === "anyone" || line.who === "unknown");

export interface Manager {
  stack: string;
  urn: string;
  /** What manages it, in words. */
  name: string;
  isPendingDelete: boolean;
}

export interface Backend {
  id: string;
  isEnabled: boolean;
}

/** HTTP response backends, which no tunnel serves. */
const isResponseBackend = (id: string) => id.startsWith("bkdhr_");

/** Whether no tunnel serves an edge now, although one could. */
export const hasNoTunnel = ({ tunnels, backend }: AddressLine) =>
  tunnels?.length === 0 && !isResponseBackend(backend?.id ?? "");

export interface Tunnel {
  id: string;
  /** Undefined if the session is not online any more, or not listed. */
  session?: { id: string; os: string; region: string; agentVersion: string };
}

export const describeManager = ({ stack, resource, isPendingDelete }: StateResource) =>
  `${describeResource(resource)} of ${stack}${isPendingDelete ? " (to be deleted)" : ""}`;

export const toManager = (managing: StateResource): Manager => ({
  stack: managing.stack,
  urn: managing.resource.urn,
  name: describeManager(managing),
  isPendingDelete: managing.isPendingDelete,
});

/** What manages an object or module, by its type and id. */
export type Managers = (type: string, id: string) => StateResource[];

const moduleTypes = definitions.filter(({ kind }) => kind === "module").map(({ type }) => type);

const isEdge = ({ definition }: AccountObject) => edgeDefinitions.some((each) => each === definition);

/** The lines of what the account has. `managers` is undefined if no state was given. */
export function listLines(account: Account, managers: Managers | undefined): (AddressLine | CredentialLine)[] {
  const isKnown = (type: string) => !account.gaps.some(({ definition }) => definition.type === type);
  const ofType = (type: string) => account.objects.filter(({ definition }) => definition.type === type);
  const sessions = new Map(ofType("TunnelSession").map((each) => [each.id, each.values]));
  const tunnels = ofType("Tunnel");
  const serving = groupByBackend(tunnels, sessions);
  const about = ({ definition, id, values }: AccountObject, secrets: Set<string>): ObjectLine => ({
    id,
    type: definition.type,
    ...text("createdAt", values.createdAt ?? values.startedAt),
    ...text("description", secrets.has("description") ? secret : values.description),
    ...(managers && { managedBy: managers(definition.type, id).map(toManager) }),
  });

  const edges = account.objects.filter(isEdge);
  const edgeLines = edges.flatMap((object): AddressLine[] => {
    const { id, definition, values } = object;
    const managing = managers?.(definition.type, id) ?? [];
    const modules = moduleTypes.flatMap((type) => managers?.(type, id) ?? []);
    const secretModules = modules.flatMap((each) =>
      each.secrets.size > 0 ? (argumentOf(each.resource.type) ?? []) : [],
    );
    const secrets = new Set([...managing.flatMap((each) => [...each.secrets]), ...secretModules]);
    const who = whoCanConnect(values);
    const shown = maskSecrets(values, secrets);
    const backend = toBackend(shown.backend);
    const backendId = isObject(values.backend) ? String(values.backend.backendId) : undefined;
    const line: AddressLine = {
      kind: "address",
      ...about(object, secrets),
      ...(modules.length > 0 && { modulesManagedBy: modules.map(toManager) }),
      who,
      connects: describeWho(who, shown),
      ...(backend && { backend }),
      ...(isKnown("Tunnel") && { tunnels: (backendId && serving.get(backendId)) || [] }),
    };
    const addresses = asList(shown.hostports).map(String);
    return addresses.length > 0 ? addresses.map((address) => ({ ...line, address })) : [line];
  });

  const hostports = new Set(
    edges.flatMap(({ values }) => asList(values.hostports).map((each) => String(each).toLowerCase())),
  );
  const tunnelLines = tunnels.flatMap((object): AddressLine[] => {
    const { publicUrl } = object.values;
    if (typeof publicUrl !== "string" || hostports.has(toHostport(publicUrl))) return [];
    const connects = "not known to the API";
    return [
      {
        kind: "address",
        ...about(object, new Set()),
        address: publicUrl,
        who: "unknown",
        connects,
        tunnels: [toTunnel(object, sessions)],
      },
    ];
  });

  const usedBy = countBy(
    [...sessions.values()].map(({ credential }) => (isObject(credential) ? String(credential.id) : "")),
  );
  const credentials = account.objects
    .filter((object) => object.definition.kind === "object" && !isEdge(object))
    .map((object): CredentialLine => {
      const { id, definition, values } = object;
      const secrets = new Set((managers?.(definition.type, id) ?? []).flatMap((each) => [...each.secrets]));
      // Sessions are started with SSH credentials, and with tunnel credentials, which the API does not list.
      const hasSessions = definition.type === "SshCredential" && isKnown("TunnelSession");
      return {
        kind: "credential",
        ...about(object, secrets),
        ...text("ownerId", values.ownerId),
        ...(hasSessions && { sessions: usedBy.get(id) ?? 0 }),
      };
    });
  return [...edgeLines, ...tunnelLines, ...credentials];
}

/** A module of an HTTPS edge, or of a route: what manages it, and what it has; undefined if it is not set. */
export interface HttpsModule {
  resources: StateResource[];
  values: JsonObject | undefined;
}

/** The lines of HTTPS edges and routes, of which only those modules are known that a state names. */
export function listHttpsLines(modules: HttpsModule[]): AddressLine[] {
  const routes = new Map<string, HttpsModule[]>();
  for (const module of modules) {
    const { id } = module.resources[0]!;
    routes.set(id, [...(routes.get(id) ?? []), module]);
  }
  // A route of which nothing is set may not exist.
  const existing = [...routes].filter(([, own]) => own.some(({ values }) => values));
  return existing.map(([id, own]) => {
    const known = own.flatMap(({ resources, values }) => {
      const argument = argumentOf(resources[0]!.resource.type);
      return argument ? [[argument, values ?? null] as const] : [];
    });
    const isRoute = id.includes("/");
    const edge: Edge = isRoute ? routeWith(id, Object.fromEntries(known)) : {};
    const who = isRoute ? whoCanConnect(edge) : "unknown";
    return {
      kind: "address",
      id,
      type: isRoute ? "HttpsEdgeRoute" : "HttpsEdge",
      address: id,
      who,
      connects: describeWho(who, edge),
      managedBy: own.flatMap(({ resources }) => resources.map(toManager)),
    };
  });
}

/** An object or module that several resources manage. */
export function describeShared(resources: StateResource[]): Finding {
  const { id } = resources[0]!;
  const names = joinWithAnd(resources.map(describeManager));
  const commands = resources.map((each) => `\`${formatStateDelete(each)}\``).join(" or ");
  const fix = `Keep one of them. For each other one, run ${commands} in its project's folder, and remove it from its program before the next \`pulumi up\`.`;
  return { kind: "shared", id, message: `${id} is ${names}, which overwrite each other. ${fix}` };
}

/** The command that removes a resource from its state, and nothing in the service. */
const formatStateDelete = ({ stack, resource, isProtected }: StateResource) =>
  ["pulumi", "state", "delete", "--stack", stack.split("/").at(-1)!, ...(isProtected ? ["--force"] : []), resource.urn]
    .map(quoteForShell)
    .join(" ");

/** What may be shown of an edge: strings of arguments that a stack keeps secret are not. */
const maskSecrets = (values: JsonObject, secrets: Set<string>): Edge =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      secrets.has(name) && shownNames.has(name) ? mask(value) : value,
    ]),
  );

/** The arguments of which a line shows strings. */
const shownNames = new Set(["hostports", "backend", ...restrictions.filter(hasIds)]);

function mask(value: Json): Json {
  if (typeof value === "string") return secret;
  if (Array.isArray(value)) return value.map(mask);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mask(inner)]))
    : value;
}

const text = <Name extends string>(name: Name, value: Json | undefined): { [Key in Name]?: string } =>
  (typeof value === "string" && value !== "" ? { [name]: value } : {}) as { [Key in Name]?: string };

const toBackend = (backend: Json | undefined): Backend | undefined =>
  isObject(backend) && typeof backend.backendId === "string"
    ? { id: backend.backendId, isEnabled: backend.enabled !== false }
    : undefined;

function groupByBackend(tunnels: AccountObject[], sessions: Map<string, JsonObject>): Map<string, Tunnel[]> {
  const serving = new Map<string, Tunnel[]>();
  for (const tunnel of tunnels) {
    for (const backend of asList(tunnel.values.backends).filter(isObject)) {
      const id = String(backend.id);
      if (!serving.has(id)) serving.set(id, []);
      serving.get(id)!.push(toTunnel(tunnel, sessions));
    }
  }
  return serving;
}

function toTunnel({ id, values }: AccountObject, sessions: Map<string, JsonObject>): Tunnel {
  const sessionId = isObject(values.tunnelSession) ? String(values.tunnelSession.id) : "";
  const session = sessions.get(sessionId);
  if (!session) return { id };
  const [os, region, agentVersion] = [session.os, session.region, session.agentVersion].map((each) =>
    String(each ?? ""),
  );
  return { id, session: { id: sessionId, os: os!, region: region!, agentVersion: agentVersion! } };
}

function countBy(keys: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const defaultPorts: Record<string, string> = { "http:": "80", "https:": "443", "tls:": "443" };

/** The hostport of a tunnel's URL. */
function toHostport(url: string): string {
  if (!URL.canParse(url)) return url.toLowerCase();
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port || defaultPorts[protocol] || ""}`.toLowerCase();
}
