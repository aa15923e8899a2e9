import { type TunnelFilters, type TunnelProps, tunnel } from "../../definitions/tunnel";
import { invoke, invokeOutput, readList, readOne } from "../program/invoke";
import type { Result } from "../program/types";

/** The arguments of {@link getTunnel}. */
export interface GetTunnelArgs extends Pick<TunnelProps, "id"> {}

/** A tunnel that is online. Agent-initiated tunnels have a public URL; backend tunnels have labels. */
export interface GetTunnelResult extends Result<TunnelProps> {}

/** The filters of {@link getTunnels}. A tunnel must match all of them; `""` matches a field that is not set. */
export interface GetTunnelsArgs extends TunnelFilters {}

/** The result of {@link getTunnels}. */
export interface GetTunnelsResult {
  /** The tunnels that are online, from all pages. */
  readonly tunnels: GetTunnelResult[];
}

const one = readOne<GetTunnelArgs, GetTunnelResult>(tunnel);
const list = readList<GetTunnelsArgs, GetTunnelsResult>(tunnel);

/**
 * Reads a tunnel that is online.
 *
 * @example
 * ```ts
 * const { publicUrl } = await tunnel.getTunnel({ id: "tn_2QSH…" });
 * ```
 */
export const getTunnel = invoke(one);

/** Like {@link getTunnel}, but accepts Outputs and returns an Output. */
export const getTunnelOutput = invokeOutput(one);

/**
 * Reads all tunnels that are online, optionally filtered.
 *
 * @example
 * ```ts
 * const { tunnels } = await tunnel.getTunnels({ labels: { app: "web" }, region: "eu" });
 * ```
 */
export const getTunnels = invoke(list);

/** Like {@link getTunnels}, but accepts Outputs and returns an Output. */
export const getTunnelsOutput = invokeOutput(list);
