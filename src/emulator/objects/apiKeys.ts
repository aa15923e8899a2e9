import { nonEmptyString, optional, type Values } from "../fields";
import { randomString } from "../ids";
import { creation, type ObjectType } from "../objectType";
import type { UniqueRule } from "../store";
import { createRef, type ViewContext } from "../views";
import { type Description, described, describedUpdate, owner_id, resolveOwner } from "./shared";

export interface ApiKey {
  id: string;
  uri: string;
  description: string;
  metadata: string;
  created_at: string;
  /** Only in the creation response; null in all others. */
  token: string | null;
  owner_id: string;
}

export interface ApiKeySeed extends Description {
  id?: string;
  token?: string;
  owner_id?: string;
}

interface StoredKey extends Omit<ApiKey, "uri"> {
  token: string;
}

const ApiKeyCreate = { ...described, owner_id };

export const uniqueToken: UniqueRule<StoredKey> = {
  valuesOf: ({ token }) => [token],
  normalize: (token) => token,
  error: "ID_TAKEN",
  formatError: () => "There is already an API key with this token.",
};

const view = (key: StoredKey, context: ViewContext, token: string | null = null): ApiKey => {
  const { id, description, metadata, created_at, owner_id } = key;
  return { ...createRef(context, id, "/api_keys"), description, metadata, created_at, token, owner_id };
};

export const apiKeys: ObjectType<StoredKey, ApiKey> = {
  name: "API key",
  fileKey: "keys",
  path: "/api_keys",
  prefix: "ak_",
  unique: uniqueToken,
  create: creation(
    ApiKeyCreate,
    (id, { owner_id, token, ...fields }: Values<typeof ApiKeyCreate> & { token?: string }, call) => ({
      id,
      created_at: call.clock.timestamp(),
      ...fields,
      owner_id: resolveOwner(call, owner_id),
      token: token ?? `${randomString(27)}_${randomString(20)}`,
    }),
    { token: optional(nonEmptyString) },
  ),
  update: describedUpdate,
  view: (key, context) => view(key, context),
  viewCreated: (key, context) => view(key, context, key.token),
  page: { title: "API keys", fields: ["owner_id", "created_at"], modules: [] },
};
