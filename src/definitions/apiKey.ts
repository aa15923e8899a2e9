import type { Assigned, ObjectDefinition } from "./definition";
import { keepers, ownerId, string } from "./fields/fieldTypes";
import { equals, type PropertyFilters } from "./filters";

/** A key for the management API. */
export interface ApiKeyProps {
  /** What uses the key; at most 255 bytes. */
  description?: string;
  /** Your own data; at most 4096 bytes. */
  metadata?: string;
  /**
   * The user or bot that owns the key. Only admins can set an owner other than themselves.
   * @default the owner of the key that the provider uses
   */
  ownerId?: string;
  /**
   * Arbitrary values that are never sent. Changing any of them replaces the key, which rotates it. If the resource has
   * the `import` option, remove the option first. Otherwise the preview fails.
   */
  keepers?: { [name: string]: string };
}

export interface ApiKeyComputed extends Assigned {
  /** The key's id, `ak_…`. */
  id: string;
  /** The bearer token. The service returns it only on creation, so it is undefined if the key was imported or read. */
  token?: string;
}

export interface ApiKeyFilters extends PropertyFilters<ApiKeyProps, "description" | "metadata" | "ownerId"> {}

export const apiKey: ObjectDefinition<ApiKeyProps, ApiKeyComputed, ApiKeyFilters> = {
  kind: "object",
  type: "ApiKey",
  plural: "ApiKeys",
  displayName: "API key",
  fields: {
    description: string({ maxBytes: 255 }),
    metadata: string({ maxBytes: 4096, sensitive: true }),
    ownerId: ownerId(),
    keepers: keepers(),
  },
  computed: { token: { secret: true, createOnly: true }, createdAt: {}, uri: {} },
  routes: {
    create: "POST /api_keys",
    read: "GET /api_keys/{id}",
    update: "PATCH /api_keys/{id}",
    delete: "DELETE /api_keys/{id}",
  },
  list: { displayName: "API key", route: "GET /api_keys", key: "keys" },
  filters: { description: equals("description"), metadata: equals("metadata"), ownerId: equals("ownerId") },
  deleteWarning: ({ token }, apiKey) =>
    token !== undefined && token === apiKey
      ? "this is the key that the provider itself uses. Once it is deleted, calls fail until you set " +
        "tunnel-edge:apiKey to another key."
      : undefined,
};
