import type { User } from "../call";
import { boolean, optional, string, withDefault } from "../fields";
import { creation, type ObjectType } from "../objectType";

export interface UserSeed {
  id?: string;
  admin?: boolean;
}

/** No operation concerns them. */
export const users: ObjectType<User, User> = {
  name: "user",
  fileKey: "users",
  path: "/users",
  prefix: "usr_",
  create: creation({ admin: withDefault(boolean, false) }, (id, { admin }) => ({ id, admin }), {
    id: optional(string),
  }),
  view: (user) => user,
};
