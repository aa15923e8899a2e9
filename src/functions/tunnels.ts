import { type TunnelFilters, type TunnelProps, tunnel } from "../definitions/tunnel";
import { invoke, invokeOutput, readList, readOne } from "../dynamic/invoke";
import type { Result } from "../dynamic/types";

/** The arguments of {@link getTunnel}. */
export interface GetTunnelArgs extends Pick<TunnelProps, "id"> {}

/** A tunnel that is online. Which properties it has depends on who started it: an agent, or a backend that matches labels. */
export interface GetTunnelResult extends Result<TunnelProps> {}

/** The filters of {@link getTunnels}. A tunnel must match all of them; `""` matches what is not set. */
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

/** As {@link getTunnel}, for arguments that are Outputs. */
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

/** As {@link getTunnels}, for filters that are Outputs. */
export const getTunnelsOutput = invokeOutput(list);
