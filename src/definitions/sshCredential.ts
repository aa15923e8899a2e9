import type { Assigned, List, ObjectDefinition } from "./definition";
import { acl, ownerId, publicKey, string } from "./fields/fieldTypes";
import { identityOf, isSameKey } from "./fields/publicKeys";
import { equals, type PropertyFilters } from "./filters";

/** A public key that can start tunnels through the SSH gateway. */
export interface SshCredentialProps {
  /**
   * The public key, in OpenSSH's format (`ssh-ed25519 AAAA…`, the content of a `.pub` file) or PEM-encoded
   * (`-----BEGIN PUBLIC KEY-----…`). Only the key itself counts: another comment, line break or format is no change.
   */
  publicKey: string;
  /**
   * The rules for what the credential can bind, in order: `bind:example.com`, `bind:*.example.com`, `bind:app=web`,
   * `bind:app=*`, `bind:*=web`; or `*` as the only rule, which is the same as none.
   * @default no restriction
   */
  acl?: string[];
  /** Who or what uses the credential; at most 255 bytes. */
  description?: string;
  /** Your own data; at most 4096 bytes. */
  metadata?: string;
  /**
   * The user or bot that owns the credential. Only admins can set an owner other than themselves.
   * @default the owner of the key that the provider uses
   */
  ownerId?: string;
}

export interface SshCredentialComputed extends Assigned {
  /** The credential's id, `sshcr_…`. */
  id: string;
}

export interface SshCredentialFilters
  extends PropertyFilters<SshCredentialProps, "publicKey" | "description" | "metadata" | "ownerId"> {
  /** A rule that the credential has, such as `bind:*.example.com`. */
  aclRule?: string;
}

const list: List = { displayName: "SSH credential", route: "GET /ssh_credentials", key: "ssh_credentials" };

export const sshCredential: ObjectDefinition<SshCredentialProps, SshCredentialComputed, SshCredentialFilters> = {
  kind: "object",
  type: "SshCredential",
  plural: "SshCredentials",
  displayName: "SSH credential",
  fields: {
    publicKey: publicKey(),
    acl: acl(),
    description: string({ maxBytes: 255 }),
    metadata: string({ maxBytes: 4096, sensitive: true }),
    ownerId: ownerId(),
  },
  computed: { createdAt: {}, uri: {} },
  routes: {
    create: "POST /ssh_credentials",
    read: "GET /ssh_credentials/{id}",
    update: "PATCH /ssh_credentials/{id}",
    delete: "DELETE /ssh_credentials/{id}",
  },
  list,
  filters: {
    publicKey: ({ publicKey }, wanted) => isSameKey(publicKey ?? "", wanted),
    aclRule: ({ acl }, rule) => acl.includes(rule),
    description: equals("description"),
    metadata: equals("metadata"),
    ownerId: equals("ownerId"),
  },
  unique: {
    argument: "publicKey",
    among: [list],
    normalize: identityOf,
    fix: "If this is a forced replacement, set the option deleteBeforeReplace. Otherwise delete or import that credential.",
  },
  // The service rejects the same public key twice, whoever owns it.
  deleteBeforeReplaceWhen: (replaces) => !replaces.includes("publicKey"),
};
