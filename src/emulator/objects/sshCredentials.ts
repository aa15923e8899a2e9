import { nullIfEmpty, optional, orNull, required } from "../fields";
import { acl } from "../formats";
import { creation, type ObjectType } from "../objectType";
import { normalizePublicKey, publicKey } from "../publicKeys";
import { createRef } from "../views";
import { type Description, described, describedUpdate, owner_id, resolveOwner } from "./shared";

export interface SshCredential {
  id: string;
  uri: string;
  created_at: string;
  description: string;
  metadata: string;
  public_key: string;
  acl: string[] | null;
  owner_id: string;
}

export interface SshCredentialSeed extends Description {
  id?: string;
  public_key: string;
  acl?: string[];
  owner_id?: string;
}

type StoredCredential = Omit<SshCredential, "uri">;

export const sshCredentials: ObjectType<StoredCredential, SshCredential> = {
  name: "SSH credential",
  fileKey: "credentials",
  path: "/ssh_credentials",
  prefix: "sshcr_",
  unique: {
    valuesOf: ({ public_key }) => [public_key],
    normalize: normalizePublicKey,
    error: "PUBLIC_KEY_TAKEN",
    formatError: () => "The public key is already that of an SSH credential.",
  },
  create: creation(
    { ...described, acl: orNull(nullIfEmpty(acl)), public_key: required(publicKey), owner_id },
    (id, { owner_id, ...fields }, call) => ({
      id,
      created_at: call.clock.timestamp(),
      ...fields,
      owner_id: resolveOwner(call, owner_id),
    }),
  ),
  update: { ...describedUpdate, acl: optional(nullIfEmpty(acl)) },
  view(credential, context) {
    const { id, created_at, description, metadata, public_key, acl, owner_id } = credential;
    const ref = createRef(context, id, "/ssh_credentials");
    return { ...ref, created_at, description, metadata, public_key, acl, owner_id };
  },
  page: { title: "SSH credentials", fields: ["acl", "owner_id", "created_at"], modules: [] },
};
