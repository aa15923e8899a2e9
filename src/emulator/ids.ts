import { randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// Drawn in bulk: every request has an identifier of its own.
let pool = Buffer.alloc(0);
let drawn = 0;

export function randomText(length: number): string {
  if (drawn + length > pool.length) {
    pool = randomBytes(8192);
    drawn = 0;
  }
  let text = "";
  for (const end = drawn + length; drawn < end; drawn++) text += alphabet[pool[drawn]! % alphabet.length];
  return text;
}

/** A new identifier, such as `edgtcp_2bXk…`. */
export function newId(prefix: string): string {
  return prefix + randomText(27);
}

/** Where the service keeps each kind of object, by the prefix of its identifier. */
const homes = new Map([
  ["ak_", "/api_keys"],
  ["sshcr_", "/ssh_credentials"],
  ["cr_", "/credentials"],
  ["ts_", "/tunnel_sessions"],
  ["tn_", "/tunnels"],
  ["ep_", "/endpoints"],
  ["edgtcp_", "/edges/tcp"],
  ["edgtls_", "/edges/tls"],
  ["edghts_", "/edges/https"],
  ["ipp_", "/ip_policies"],
  ["bkdhr_", "/backends/http_response"],
]);

export function pathOf(id: string, otherwise = "/objects"): string {
  return `${homes.get(id.slice(0, id.indexOf("_") + 1)) ?? otherwise}/${encodeURIComponent(id)}`;
}
