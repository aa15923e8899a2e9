import type { Call } from "./call";
import { reject } from "./errors";
import { idWithPrefix, list, object, optional, readFields, withDefault } from "./fields";
import objectTypes, { type Account, type Seed, type Seeded } from "./objects";
import { createObject, type ObjectType } from "./objectType";
import type { ViewContext } from "./views";

/** Returns an object with a value for each kind. */
const mapTypes = <T>(convert: (type: ObjectType, name: keyof Account) => T) =>
  Object.fromEntries(Object.entries(objectTypes).map(([name, type]) => [name, convert(type, name as keyof Account)]));

export const readAccount = (context: ViewContext) =>
  mapTypes((type) => context.store.all(type).map((each) => type.view(each, context))) as unknown as Account;

const seedShape = mapTypes(({ prefix, create }) =>
  withDefault(list(object({ id: optional(idWithPrefix(prefix)), ...create.fields, ...create.seedOnly })), []),
);

/** Adds objects to the account: all of them, or none if one is rejected. */
export function applySeed(call: Call, { $schema: _, ...seed }: Seed): Seeded {
  for (const name of Object.keys(seed)) if (!Object.hasOwn(objectTypes, name)) rejectName(name);
  const values = readFields(seedShape, seed, call.behaviour);
  const { store } = call;
  const before = JSON.stringify(store.dump());
  try {
    return mapTypes((type, name) => values[name]!.map((each) => createObject(call, type, each))) as unknown as Seeded;
  } catch (error) {
    store.load(JSON.parse(before));
    throw error;
  }
}

/** A kind is often called by the API's name for it: `tunnelSessions`, `tcp_edges`, `keys`. */
function rejectName(name: string): never {
  const names = Object.keys(objectTypes);
  const [unknown, ...known] = [name, ...names].map((each) => each.replaceAll("_", "").toLowerCase());
  const meant = names[known.findIndex((each) => each.endsWith(unknown!) || unknown!.endsWith(each))];
  const hint = meant === undefined ? `use ${names.join(", ")}.` : `did you mean "${meant}"?`;
  reject("UNKNOWN_FIELD", `The field "${name}" is not known: ${hint}`);
}
