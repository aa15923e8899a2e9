import type * as pulumi from "@pulumi/pulumi";
import { apiKey } from "../resources/apiKey";
import { type OutputArgs, output, promised } from "./forms";
import { list, same, single } from "./query";

/** The arguments of {@link getApiKey}. */
export interface GetApiKeyArgs {
  /** The key, `ak_…`. */
  id: string;
}

/** An API key, without its token, which nobody can read after the key's creation. */
export interface GetApiKeyResult {
  /** The key's id, `ak_…`. */
  readonly id: string;
  /** What uses the key. */
  readonly description: string | undefined;
  /** Data of your own. */
  readonly metadata: string | undefined;
  /** The user or bot that owns the key. */
  readonly ownerId: string;
  /** When the key was created, RFC 3339. */
  readonly createdAt: string;
  /** The key's address in the API. */
  readonly uri: string;
}

/** The filters of {@link getApiKeys}: a key must be what all of them say. */
export interface GetApiKeysArgs {
  /** What uses the key; `""` for keys without. */
  description?: string;
  /** Data of your own; `""` for keys without. */
  metadata?: string;
  /** The user or bot that owns the key. */
  ownerId?: string;
}

/** The result of {@link getApiKeys}. */
export interface GetApiKeysResult {
  /** The keys, of all pages. */
  readonly keys: GetApiKeyResult[];
}

const one = single<GetApiKeyArgs, GetApiKeyResult>("getApiKey", apiKey);

const all = list<GetApiKeysArgs, GetApiKeysResult>("getApiKeys", apiKey, {
  description: same("description"),
  metadata: same("metadata"),
  ownerId: same("ownerId"),
});

/**
 * Reads an API key. Its token is not part of the result.
 *
 * @example
 * ```ts
 * const { ownerId } = await tunnel.getApiKey({ id: "ak_2QSA…" });
 * ```
 */
export function getApiKey(args: GetApiKeyArgs, opts?: pulumi.InvokeOptions): Promise<GetApiKeyResult> {
  return promised(one, args, opts);
}

/** As {@link getApiKey}, for arguments that are Outputs. */
export function getApiKeyOutput(
  args: OutputArgs<GetApiKeyArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetApiKeyResult> {
  return output(one, args, opts);
}

/**
 * Reads all API keys, or those that the filters want. Their tokens are not part of the result.
 *
 * @example
 * ```ts
 * const { keys } = await tunnel.getApiKeys({ ownerId: "usr_2QSL…" });
 * ```
 */
export function getApiKeys(args: GetApiKeysArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetApiKeysResult> {
  return promised(all, args, opts);
}

/** As {@link getApiKeys}, for filters that are Outputs. */
export function getApiKeysOutput(
  args: OutputArgs<GetApiKeysArgs> = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetApiKeysResult> {
  return output(all, args, opts);
}
