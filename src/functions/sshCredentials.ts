import type * as pulumi from "@pulumi/pulumi";
import { equalsField, readList, readOne } from "../core/query";
import { invoke, invokeOutput, type OutputArgs } from "../dynamic/invoke";
import { sshCredential } from "../resources/sshCredential";

/** The arguments of {@link getSshCredential}. */
export interface GetSshCredentialArgs {
  /** The credential, `sshcr_…`. */
  id: string;
}

/** An SSH credential. */
export interface GetSshCredentialResult {
  /** The credential's id, `sshcr_…`. */
  readonly id: string;
  /** The public key, in OpenSSH's format or PEM-encoded. */
  readonly publicKey: string;
  /** The rules for what the credential may bind; empty where it may bind anything. */
  readonly acl: string[];
  /** Who or what uses the credential. */
  readonly description: string | undefined;
  /** Data of your own. */
  readonly metadata: string | undefined;
  /** The user or bot that owns the credential. */
  readonly ownerId: string;
  /** When the credential was created, RFC 3339. */
  readonly createdAt: string;
  /** The credential's address in the API. */
  readonly uri: string;
}

/** The filters of {@link getSshCredentials}: a credential must be what all of them say. */
export interface GetSshCredentialsArgs {
  /** The public key; line breaks at its end do not count. */
  publicKey?: string;
  /** A rule that the credential has, among others, such as `bind:*.example.com`. */
  aclRule?: string;
  /** Who or what uses the credential; `""` for credentials without. */
  description?: string;
  /** Data of your own; `""` for credentials without. */
  metadata?: string;
  /** The user or bot that owns the credential. */
  ownerId?: string;
}

/** The result of {@link getSshCredentials}. */
export interface GetSshCredentialsResult {
  /** The credentials, of all pages. */
  readonly sshCredentials: GetSshCredentialResult[];
}

const one = readOne<GetSshCredentialArgs, GetSshCredentialResult>("getSshCredential", sshCredential);

const all = readList<GetSshCredentialsArgs, GetSshCredentialsResult>("getSshCredentials", sshCredential, {
  publicKey: ({ publicKey }, wanted) => publicKey?.trimEnd() === wanted.trimEnd(),
  aclRule: ({ acl }, rule) => acl.includes(rule),
  description: equalsField("description"),
  metadata: equalsField("metadata"),
  ownerId: equalsField("ownerId"),
});

/**
 * Reads an SSH credential.
 *
 * @example
 * ```ts
 * const { acl } = await tunnel.getSshCredential({ id: "sshcr_2QSM…" });
 * ```
 */
export function getSshCredential(
  args: GetSshCredentialArgs,
  opts?: pulumi.InvokeOptions,
): Promise<GetSshCredentialResult> {
  return invoke(one, args, opts);
}

/** As {@link getSshCredential}, for arguments that are Outputs. */
export function getSshCredentialOutput(
  args: OutputArgs<GetSshCredentialArgs>,
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetSshCredentialResult> {
  return invokeOutput(one, args, opts);
}

/**
 * Reads all SSH credentials, or those that the filters want.
 *
 * @example
 * ```ts
 * const { sshCredentials } = await tunnel.getSshCredentials({ publicKey: fs.readFileSync("build.pub", "utf8") });
 * ```
 */
export function getSshCredentials(
  args: GetSshCredentialsArgs = {},
  opts?: pulumi.InvokeOptions,
): Promise<GetSshCredentialsResult> {
  return invoke(all, args, opts);
}

/** As {@link getSshCredentials}, for filters that are Outputs. */
export function getSshCredentialsOutput(
  args: OutputArgs<GetSshCredentialsArgs> = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetSshCredentialsResult> {
  return invokeOutput(all, args, opts);
}
