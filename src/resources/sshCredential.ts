import type * as pulumi from "@pulumi/pulumi";
import type { Definition, List } from "../definitions/definition";
import { acl, ownerId, publicKey, string } from "../definitions/fields";
import { engineType, TunnelResource } from "../dynamic/baseResource";

/** The arguments of an {@link SshCredential}. */
export interface SshCredentialArgs {
  /**
   * The public key, in OpenSSH's format (`ssh-ed25519 AAAA…`, the content of a `.pub` file) or PEM-encoded
   * (`-----BEGIN PUBLIC KEY-----…`). Changing it replaces the credential; line breaks at its end do not count.
   */
  publicKey: pulumi.Input<string>;
  /**
   * The rules for what the credential may bind, in their order: `bind:example.com`, `bind:*.example.com`,
   * `bind:app=web`, `bind:app=*`, `bind:*=web`; or `*` alone, which is the same as none.
   * @default no restriction
   */
  acl?: pulumi.Input<pulumi.Input<string>[]>;
  /** Who or what uses the credential; 255 bytes at most. */
  description?: pulumi.Input<string>;
  /** Data of your own; 4096 bytes at most. */
  metadata?: pulumi.Input<string>;
  /**
   * The user or bot that owns the credential. Changing it replaces the credential. Only admins may name another
   * than themselves.
   * @default the owner of the key that the provider uses
   */
  ownerId?: pulumi.Input<string>;
}

const list: List = { displayName: "SSH credential", route: "GET /ssh_credentials", key: "ssh_credentials" };

export const sshCredential: Definition = {
  type: "SshCredential",
  displayName: "SSH credential",
  fields: {
    publicKey: publicKey(),
    acl: acl(),
    description: string({ maxBytes: 255 }),
    metadata: string({ maxBytes: 4096, sensitive: true }),
    ownerId: ownerId(),
  },
  outputs: { createdAt: {}, uri: {} },
  routes: {
    create: "POST /ssh_credentials",
    read: "GET /ssh_credentials/{id}",
    update: "PATCH /ssh_credentials/{id}",
    delete: "DELETE /ssh_credentials/{id}",
  },
  list,
  unique: {
    argument: "publicKey",
    among: [list],
    advice: "delete or import that one, or, to replace it by force, set the option deleteBeforeReplace.",
  },
  // The service refuses the same public key twice, under whichever owner.
  deleteBeforeReplacing: (replaces) => !replaces.includes("publicKey"),
};

/**
 * A public key that may start tunnels through the SSH gateway.
 *
 * @id `sshcr_…`
 *
 * @example
 * ```ts
 * new tunnel.SshCredential("build-agents", {
 *   publicKey: fs.readFileSync("build-agents.pub", "utf8"),
 *   acl: ["bind:*.builds.example.com"],
 * });
 * ```
 *
 * @example Let a credential bind one label alone.
 * ```ts
 * new tunnel.SshCredential("web", { publicKey: config.require("webKey"), acl: ["bind:app=web"] });
 * ```
 */
export class SshCredential extends TunnelResource {
  /** @internal */
  static readonly __pulumiType = engineType("SshCredential");

  /** The public key, in OpenSSH's format or PEM-encoded. */
  declare readonly publicKey: pulumi.Output<string>;
  /** The rules for what the credential may bind. */
  declare readonly acl: pulumi.Output<string[]>;
  /** Who or what uses the credential. */
  declare readonly description: pulumi.Output<string | undefined>;
  /** Data of your own. */
  declare readonly metadata: pulumi.Output<string | undefined>;
  /** The user or bot that owns the credential. */
  declare readonly ownerId: pulumi.Output<string>;
  /** When the credential was created, RFC 3339. */
  declare readonly createdAt: pulumi.Output<string>;
  /** The credential's address in the API. */
  declare readonly uri: pulumi.Output<string>;

  constructor(name: string, args: SshCredentialArgs, opts?: pulumi.CustomResourceOptions) {
    super(sshCredential, name, args, opts);
  }
}
