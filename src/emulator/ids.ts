import { randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// Random bytes are generated in bulk, because every request needs an id.
let pool = Buffer.alloc(0);
let poolIndex = 0;

/** What ids are made of. Tests replace it, to get the same ids again. */
let source: (size: number) => Buffer<ArrayBuffer> = randomBytes;
export function useSource(other: typeof source): void {
  source = other;
  poolIndex = pool.length;
}

export function randomString(length: number): string {
  if (poolIndex + length > pool.length) {
    pool = source(8192);
    poolIndex = 0;
  }
  let result = "";
  for (const end = poolIndex + length; poolIndex < end; poolIndex++)
    result += alphabet[pool[poolIndex]! % alphabet.length];
  return result;
}

/** Returns a new id, such as `edgtcp_2bXk…`. */
export function newId(prefix: string): string {
  return prefix + randomString(27);
}

/** The paths of objects that a field of several kinds refers to. */
const pathByPrefix = new Map([
  ["ak_", "/api_keys"],
  ["sshcr_", "/ssh_credentials"],
  ["cr_", "/credentials"],
  ["bkdhr_", "/backends/http_response"],
]);

export function objectPath(id: string, defaultPath = "/objects"): string {
  return `${pathByPrefix.get(id.slice(0, id.indexOf("_") + 1)) ?? defaultPath}/${encodeURIComponent(id)}`;
}
