import type * as pulumi from "@pulumi/pulumi";
import {
  anyValue,
  equalsField,
  objectReference,
  objectReferences,
  readList,
  readOne,
  type Subject,
} from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";

/** A reference to another object of the service. */
export interface Ref {
  /** The object's id. */
  readonly id: string;
  /** The object's address in the API. */
  readonly uri: string;
}

/** The arguments of {@link getTunnel}. */
export interface GetTunnelArgs {
  /** The tunnel, `tn_…`. */
  id: string;
}

/** A tunnel that is online. Which fields it has depends on who started it: an agent, or a backend that matches labels. */
export interface GetTunnelResult {
  /** The tunnel's id, `tn_…`. */
  readonly id: string;
  /** The public URL; of agent-initiated tunnels alone. */
  readonly publicUrl: string | undefined;
  /** When the tunnel was started, RFC 3339. */
  readonly startedAt: string;
  /** The tunnel's metadata, from the agent's configuration file. */
  readonly metadata: string | undefined;
  /** The protocol; of agent-initiated tunnels alone. */
  readonly proto: "http" | "https" | "tcp" | "tls" | undefined;
  /** The region in which the tunnel runs. */
  readonly region: string;
  /** The session on which the tunnel was started. */
  readonly tunnelSession: Ref;
  /** The ephemeral endpoint; of agent-initiated tunnels alone. */
  readonly endpoint: Ref | undefined;
  /** The labels that tunnel group backends match, exactly as written; of backend tunnels alone. */
  readonly labels: { readonly [key: string]: string } | undefined;
  /** The tunnel group backends that the tunnel serves; empty for agent-initiated tunnels. */
  readonly backends: Ref[];
  /** Where traffic is forwarded to: a URL or a network address. */
  readonly forwardsTo: string | undefined;
}

/** The filters of {@link getTunnels}: a tunnel must be what all of them say. */
export interface GetTunnelsArgs {
  /** The public URL. */
  publicUrl?: string;
  /** The tunnel's metadata; `""` for tunnels without. */
  metadata?: string;
  /** The protocol of agent-initiated tunnels. */
  proto?: "http" | "https" | "tcp" | "tls";
  /** The region in which the tunnel runs. */
  region?: string;
  /** The id of the session on which the tunnel was started. */
  tunnelSessionId?: string;
  /** The id of the ephemeral endpoint. */
  endpointId?: string;
  /** Labels that the tunnel must have, among others. */
  labels?: { [key: string]: string };
  /** The id of a tunnel group backend that the tunnel serves, among others. */
  backendId?: string;
  /** Where traffic is forwarded to. */
  forwardsTo?: string;
}

/** The result of {@link getTunnels}. */
export interface GetTunnelsResult {
  /** The tunnels that are online, of all pages. */
  readonly tunnels: GetTunnelResult[];
}

const tunnel: Subject = {
  displayName: "tunnel",
  absent: "only tunnels that are online can be read",
  fields: {
    publicUrl: anyValue,
    startedAt: anyValue,
    metadata: anyValue,
    proto: anyValue,
    region: anyValue,
    tunnelSession: objectReference,
    endpoint: objectReference,
    labels: anyValue,
    backends: objectReferences,
    forwardsTo: anyValue,
  },
  routes: { read: "GET /tunnels/{id}" },
  list: { displayName: "tunnel", route: "GET /tunnels", key: "tunnels" },
};

const one = readOne<GetTunnelArgs, GetTunnelResult>("getTunnel", tunnel);

const all = readList<GetTunnelsArgs, GetTunnelsResult>("getTunnels", tunnel, {
  publicUrl: equalsField("publicUrl"),
  metadata: equalsField("metadata"),
  proto: equalsField("proto"),
  region: equalsField("region"),
  tunnelSessionId: ({ tunnelSession }, id) => tunnelSession?.id === id,
  endpointId: ({ endpoint }, id) => endpoint?.id === id,
  labels: ({ labels }, wanted) => Object.entries(wanted).every(([key, text]) => labels?.[key] === text),
  backendId: ({ backends }, id) => backends.some((backend) => backend.id === id),
  forwardsTo: equalsField("forwardsTo"),
});

/**
 * Reads a tunnel that is online.
 *
 * @example
 * ```ts
 * const { publicUrl } = await tunnel.getTunnel({ id: "tn_2QSH…" });
 * ```
 */
export function getTunnel(args: GetTunnelArgs, opts?: pulumi.InvokeOptions): Promise<GetTunnelResult> {
  return invoke(one, args, opts);
}

/** As {@link getTunnel}, for arguments that are Outputs. */
export function getTunnelOutput(
  args: OutputArgs<GetTunnelArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTunnelResult> {
  return invokeOutput(one, args, opts);
}

/**
 * Reads all tunnels that are online, or those that the filters want.
 *
 * @example
 * ```ts
 * const { tunnels } = await tunnel.getTunnels({ labels: { app: "web" }, region: "eu" });
 * ```
 */
export function getTunnels(args: GetTunnelsArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetTunnelsResult> {
  return invoke(all, args, opts);
}

/** As {@link getTunnels}, for filters that are Outputs. */
export function getTunnelsOutput(
  args: OutputArgs<GetTunnelsArgs> = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetTunnelsResult> {
  return invokeOutput(all, args, opts);
}
