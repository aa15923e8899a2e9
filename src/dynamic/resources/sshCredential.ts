import type * as pulumi from "@pulumi/pulumi";
import {
  type SshCredentialComputed,
  type SshCredentialFilters,
  type SshCredentialProps,
  sshCredential,
} from "../../definitions/sshCredential";
import { invoke, invokeOutput, readList, readOne } from "../program/invoke";
import { resource } from "../program/resource";
import type { Inputs, Named, Result } from "../program/types";

/** The arguments of an {@link SshCredential}. */
export interface SshCredentialArgs extends Inputs<SshCredentialProps>, Named {}

/**
 * A public key that can start tunnels through the SSH gateway. Changing `publicKey` or `ownerId` replaces the
 * credential.
 *
 * @example
 * ```ts
 * new tunnel.SshCredential("build-agents", {
 *   publicKey: fs.readFileSync("build-agents.pub", "utf8"),
 *   acl: ["bind:*.builds.example.com"],
 * });
 * ```
 *
 * @example
 * Let a credential bind only one label.
 * ```ts
 * new tunnel.SshCredential("web", { publicKey: config.require("webKey"), acl: ["bind:app=web"] });
 * ```
 */
export class SshCredential extends resource(sshCredential) {
  constructor(name: string, args: SshCredentialArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, args, opts);
  }
}

/** The arguments of {@link getSshCredential}. */
export interface GetSshCredentialArgs extends Pick<SshCredentialComputed, "id"> {}

/** An SSH credential. */
export interface GetSshCredentialResult extends Result<SshCredentialProps & SshCredentialComputed> {}

/** The filters of {@link getSshCredentials}. A credential must match all of them; `""` matches a field that is not set. */
export interface GetSshCredentialsArgs extends SshCredentialFilters {}

/** The result of {@link getSshCredentials}. */
export interface GetSshCredentialsResult {
  /** The credentials, from all pages. */
  readonly sshCredentials: GetSshCredentialResult[];
}

const one = readOne<GetSshCredentialArgs, GetSshCredentialResult>(sshCredential);
const list = readList<GetSshCredentialsArgs, GetSshCredentialsResult>(sshCredential);

/**
 * Reads an SSH credential.
 *
 * @example
 * ```ts
 * const { acl } = await tunnel.getSshCredential({ id: "sshcr_2QSM…" });
 * ```
 */
export const getSshCredential = invoke(one);

/** Like {@link getSshCredential}, but accepts Outputs and returns an Output. */
export const getSshCredentialOutput = invokeOutput(one);

/**
 * Reads all SSH credentials, optionally filtered.
 *
 * @example
 * ```ts
 * const { sshCredentials } = await tunnel.getSshCredentials({ publicKey: fs.readFileSync("build.pub", "utf8") });
 * ```
 */
export const getSshCredentials = invoke(list);

/** Like {@link getSshCredentials}, but accepts Outputs and returns an Output. */
export const getSshCredentialsOutput = invokeOutput(list);
