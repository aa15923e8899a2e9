/** What `pulumi stack export` prints: what a stack manages, and which creates were interrupted. */

import { isObject, type Json, type JsonObject } from "../../base/json";
import { configKey } from "../../base/settings";
import { parseArgs } from "../../core/arguments";
import { isSecretEnvelope } from "../../core/secrets";
import { agentCommands, definitions } from "../../definitions";
import type { Definition, ObjectDefinition } from "../../definitions/definition";
import { isDynamic, type Resource, toResource } from "../exposure/edges";

export interface StackState {
  /** What it manages, without what it only reads. */
  resources: StateResource[];
  pendingCreates: PendingCreate[];
  /** Whether the stack's settings are those of the command. */
  isConfigured?: boolean;
}

/** A resource of a stack. */
interface StackResource {
  /** `project/stack`. */
  stack: string;
  resource: Resource;
  isDynamic: boolean;
  /** Its provider. All resources of one are in one account. A stack's default providers, which have its settings, count as one. */
  provider: string;
  hasStackSettings: boolean;
  /** The address of its service; undefined if the state does not have it. */
  address?: string;
}

export interface StateResource extends StackResource {
  definition: Definition;
  id: string;
  /** Whether it was replaced, and Pulumi deletes it in the next deployment. */
  isPendingDelete: boolean;
  /** Whether Pulumi refuses to delete it, from the state too. */
  isProtected: boolean;
  /** The names of arguments and outputs that are secret, as a whole or in part. */
  secrets: Set<string>;
}

/** A create that has begun and, as far as the state knows, not ended. */
export interface PendingCreate extends StackResource {
  /** What was to be created; undefined if the next `pulumi up` repeats it without harm: a module, a command, an import. */
  definition: ObjectDefinition | undefined;
  /** What the program declared, without secrets. */
  desired: JsonObject;
  /** When it can have begun at the earliest, by the clock of the machine that ran it: after what it depends on. */
  since: number;
}

/** Reads what `pulumi stack export` printed; undefined if it is something else. */
export function parseExport(content: unknown): StackState | undefined {
  const deployment = isObject(content) ? content.deployment : undefined;
  if (!isObject(deployment)) return undefined;
  const { resources, pending_operations: pending } = deployment;
  if (!isList(resources) || !isList(pending)) return undefined;
  const all = (resources ?? []).filter(isObject);
  const times = new Map(all.map(({ urn, created }) => [String(urn), Date.parse(String(created))]));
  const addresses: Addresses = new Map(all.flatMap(parseAddress));
  return {
    resources: all.flatMap((each) => parseResource(each, addresses) ?? []),
    pendingCreates: (pending ?? []).flatMap((each) => parsePending(each, times, addresses) ?? []),
  };
}

/** The addresses of providers, by what their resources refer to: the URN and the id. */
type Addresses = Map<string, string>;

function parseAddress({ urn, id, type, inputs }: JsonObject): [string, string][] {
  if (!isObject(inputs) || !String(type).startsWith("pulumi:providers:")) return [];
  const address = inputs[configKey("baseUrl")] ?? inputs.baseUrl;
  return typeof address === "string" ? [[`${urn}::${id}`, address]] : [];
}

const isList = (value: Json | undefined): value is Json[] | null | undefined =>
  value === undefined || value === null || Array.isArray(value);

function parseStackResource(state: JsonObject, addresses: Addresses): StackResource | undefined {
  const urn = String(state.urn);
  const type = String(state.type);
  const resource = toResource(urn, type);
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(urn) ?? [];
  const provider = String(state.provider ?? "::default::");
  const hasStackSettings = /::default(_\w+)?::[^:]*$/.test(provider);
  const address = addresses.get(provider);
  return (
    resource && {
      stack: `${project}/${stack}`,
      resource,
      isDynamic: isDynamic({ type }),
      provider: hasStackSettings ? `${project}/${stack}` : provider,
      hasStackSettings,
      ...(address !== undefined && { address }),
    }
  );
}

function parseResource(state: JsonObject, addresses: Addresses): StateResource | undefined {
  // This object was deleted, and its replacement does not exist yet.
  if (state.external === true || state.pendingReplacement === true) return undefined;
  const found = parseStackResource(state, addresses);
  const definition = definitions.find(({ type }) => type === found?.resource.type);
  if (!found || !definition || typeof state.id !== "string" || state.id === "") return undefined;
  const properties = [state.inputs, state.outputs].filter(isObject).flatMap(Object.entries<Json>);
  const secrets = new Set(properties.filter(([, value]) => hasSecret(value)).map(([name]) => name));
  const [isPendingDelete, isProtected] = [state.delete === true, state.protect === true];
  return { ...found, definition, id: state.id, isPendingDelete, isProtected, secrets };
}

function parsePending(operation: Json, times: Map<string, number>, addresses: Addresses): PendingCreate | undefined {
  const { resource: state, type } = isObject(operation) ? operation : {};
  const found = type === "creating" && isObject(state) ? parseStackResource(state, addresses) : undefined;
  if (!found || !isObject(state)) return undefined;
  const known = [...definitions, ...agentCommands].find((each) => each.type === found.resource.type);
  if (!known) return undefined;
  const inputs = isObject(state.inputs) ? state.inputs : {};
  const plain = Object.fromEntries(Object.entries(inputs).filter(([, value]) => !hasSecret(value)));
  const definition = known.kind === "object" && inputs.__import === undefined ? known : undefined;
  // A provider is referred to by its URN and its id.
  const references = [state.parent, String(state.provider).split("::").slice(0, -1).join("::")].map(String);
  const since = Math.max(0, ...references.map((urn) => times.get(urn) || 0));
  return { ...found, definition, desired: parseArgs(known.fields, plain), since };
}

const hasSecret = (value: Json): boolean =>
  isSecretEnvelope(value) || (typeof value === "object" && value !== null && Object.values(value).some(hasSecret));
