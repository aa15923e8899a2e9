import type * as pulumi from "@pulumi/pulumi";
import { type ApiKeyComputed, type ApiKeyFilters, type ApiKeyProps, apiKey } from "../../definitions/apiKey";
import { invoke, invokeOutput, readList, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result, Without } from "../program/types";

/** The arguments of an {@link ApiKey}. */
export interface ApiKeyArgs extends Inputs<ApiKeyProps>, Named {}

/**
 * A key for the management API. The service returns its token only on creation, and the state keeps it encrypted.
 * Changing `ownerId` or `keepers` replaces the key.
 *
 * > [!WARNING]
 * > A replacement deletes the old key at the end of the same `pulumi up`. Whatever still uses its token then fails with
 * > 401. To keep the old key for a while, declare a second `ApiKey` instead, and remove the first one later.
 *
 * @example
 * ```ts
 * const ci = new tunnel.ApiKey("ci", { description: "deployments" });
 * export const token = ci.token;
 * ```
 *
 * @example
 * Rotate the key every quarter. The new key is created before the old one is deleted.
 * ```ts
 * new tunnel.ApiKey("ci", { keepers: { quarter: "2027-Q1" } });
 * ```
 */
export class ApiKey extends resource(apiKey) {
  constructor(name: string, args?: ApiKeyArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getApiKey}. */
export interface GetApiKeyArgs extends Pick<ApiKeyComputed, "id"> {}

/** An API key, without its token, which the service returns only on creation. */
export interface GetApiKeyResult extends Result<Without<ApiKeyProps & ApiKeyComputed, "keepers" | "token">> {}

/** The filters of {@link getApiKeys}. A key must match all of them; `""` matches a field that is not set. */
export interface GetApiKeysArgs extends ApiKeyFilters {}

/** The result of {@link getApiKeys}. */
export interface GetApiKeysResult {
  /** The keys, from all pages. */
  readonly keys: GetApiKeyResult[];
}

const one = readOne<GetApiKeyArgs, GetApiKeyResult>(apiKey);
const list = readList<GetApiKeysArgs, GetApiKeysResult>(apiKey);

/**
 * Reads an API key. Its token is not part of the result.
 *
 * @example
 * ```ts
 * const { ownerId } = await tunnel.getApiKey({ id: "ak_2QSA…" });
 * ```
 */
export const getApiKey = invoke(one);

/** Like {@link getApiKey}, but accepts Outputs and returns an Output. */
export const getApiKeyOutput = invokeOutput(one);

/**
 * Reads all API keys, optionally filtered. Their tokens are not part of the result.
 *
 * @example
 * ```ts
 * const { keys } = await tunnel.getApiKeys({ ownerId: "usr_2QSL…" });
 * ```
 */
export const getApiKeys = invoke(list);

/** Like {@link getApiKeys}, but accepts Outputs and returns an Output. */
export const getApiKeysOutput = invokeOutput(list);
