import type * as pulumi from "@pulumi/pulumi";
import type { Definition } from "../definitions/definition";
import { keepers, ownerId, string } from "../definitions/fields";
import { engineType, TunnelResource } from "../dynamic/baseResource";

/** The arguments of an {@link ApiKey}. */
export interface ApiKeyArgs {
  /** What uses the key; 255 bytes at most. */
  description?: pulumi.Input<string>;
  /** Data of your own; 4096 bytes at most. */
  metadata?: pulumi.Input<string>;
  /**
   * The user or bot that owns the key. Changing it replaces the key. Only admins may name another than themselves.
   * @default the owner of the key that the provider uses
   */
  ownerId?: pulumi.Input<string>;
  /**
   * Values of your own that are never sent. Changing any of them replaces the key: the way to rotate it. Take the
   * `import` option out first: while it is stated, the key stays the one it names.
   */
  keepers?: pulumi.Input<{ [name: string]: pulumi.Input<string> }>;
}

export const apiKey: Definition = {
  type: "ApiKey",
  displayName: "API key",
  fields: {
    description: string({ maxBytes: 255 }),
    metadata: string({ maxBytes: 4096, sensitive: true }),
    ownerId: ownerId(),
    keepers: keepers(),
  },
  outputs: { token: { secret: true, once: true }, createdAt: {}, uri: {} },
  routes: {
    create: "POST /api_keys",
    read: "GET /api_keys/{id}",
    update: "PATCH /api_keys/{id}",
    delete: "DELETE /api_keys/{id}",
  },
  list: { displayName: "API key", route: "GET /api_keys", key: "keys" },
  deleteWarning: ({ token }, secrets) =>
    typeof token === "string" && secrets.includes(token)
      ? "this is the key that the provider itself uses; calls after its deletion will be refused until tunnel-edge:apiKey is another."
      : undefined,
};

/**
 * A key for the management API. The service returns its token only on creation; it is kept, encrypted, in the state.
 *
 * @id `ak_…`
 *
 * @example
 * ```ts
 * const ci = new tunnel.ApiKey("ci", { description: "deployments" });
 * export const token = ci.token;
 * ```
 *
 * @example Rotate the key every quarter: the new key exists before the old one goes.
 * ```ts
 * new tunnel.ApiKey("ci", { keepers: { quarter: "2027-Q1" } });
 * ```
 */
export class ApiKey extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("ApiKey");

  /** What uses the key. */
  declare readonly description: pulumi.Output<string | undefined>;
  /** Data of your own. */
  declare readonly metadata: pulumi.Output<string | undefined>;
  /** The user or bot that owns the key. */
  declare readonly ownerId: pulumi.Output<string>;
  /** Values whose change replaces the key. */
  declare readonly keepers: pulumi.Output<{ [name: string]: string } | undefined>;
  /** The bearer token, a secret. The service returns it only on creation: undefined if the key was imported or read. */
  declare readonly token: pulumi.Output<string | undefined>;
  /** When the key was created, RFC 3339. */
  declare readonly createdAt: pulumi.Output<string>;
  /** The key's address in the API. */
  declare readonly uri: pulumi.Output<string>;

  constructor(name: string, args?: ApiKeyArgs, opts?: pulumi.CustomResourceOptions) {
    super(apiKey, name, args, opts);
  }
}
