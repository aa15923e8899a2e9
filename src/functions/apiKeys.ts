import type * as pulumi from "@pulumi/pulumi";
import { equalsField, readList, readOne } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { apiKey } from "../resources/apiKey";

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

const one = readOne<GetApiKeyArgs, GetApiKeyResult>("getApiKey", apiKey);

const all = readList<GetApiKeysArgs, GetApiKeysResult>("getApiKeys", apiKey, {
  description: equalsField("description"),
  metadata: equalsField("metadata"),
  ownerId: equalsField("ownerId"),
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
  return invoke(one, args, opts);
}

/** As {@link getApiKey}, for arguments that are Outputs. */
export function getApiKeyOutput(
  args: OutputArgs<GetApiKeyArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetApiKeyResult> {
  return invokeOutput(one, args, opts);
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
  return invoke(all, args, opts);
}

/** As {@link getApiKeys}, for filters that are Outputs. */
export function getApiKeysOutput(
  args: OutputArgs<GetApiKeysArgs> = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetApiKeysResult> {
  return invokeOutput(all, args, opts);
}
