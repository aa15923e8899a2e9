import type { Call } from "../call";
import { reject } from "../errors";
import { optional, string, stringUpTo, withDefault } from "../fields";

const description = stringUpTo(255);
const metadata = stringUpTo(4096);

/** The fields of a creation and of an update that most kinds have. */
export const described = { description: withDefault(description, ""), metadata: withDefault(metadata, "") };
export const describedUpdate = { description: optional(description), metadata: optional(metadata) };

export interface Description {
  description?: string;
  metadata?: string;
}

export const owner_id = optional(string);

/** Only admins may name an owner other than themselves. An unknown owner is a user who is not an admin. */
export function resolveOwner({ caller }: Call, ownerId: string | undefined): string {
  if (ownerId === undefined || ownerId === caller.id) return caller.id;
  if (!caller.admin) reject("OWNER_FORBIDDEN", "Only admins may name an owner other than themselves.");
  if (!/^[a-z]+_./.test(ownerId))
    reject("FIELD_VALUE", 'The field "owner_id" must be the identifier of a user or bot.');
  return ownerId;
}
