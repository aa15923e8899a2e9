import type { Call } from "./call";
import { reject } from "./errors";
import { idWithPrefix, list, object, optional, readFields, withDefault } from "./fields";
import { createObject, type Kind } from "./kind";
import kinds, { type Account, type Seed, type Seeded } from "./kinds";
import type { ViewContext } from "./views";

/** Returns an object with a value for each kind. */
const mapKinds = <T>(convert: (kind: Kind, name: keyof Account) => T) =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, convert(kind, name as keyof Account)]));

export const readAccount = (context: ViewContext) =>
  mapKinds((kind) => context.store.all(kind).map((each) => kind.view(each, context))) as unknown as Account;

const seedShape = mapKinds(({ prefix, create }) =>
  withDefault(list(object({ id: optional(idWithPrefix(prefix)), ...create.fields, ...create.seedOnly })), []),
);

/** Adds objects to the account: all of them, or none if one is rejected. */
export function applySeed(call: Call, { $schema: _, ...seed }: Seed): Seeded {
  for (const name of Object.keys(seed)) if (!Object.hasOwn(kinds, name)) rejectKind(name);
  const values = readFields(seedShape, seed, call.behaviour);
  const { store } = call;
  const before = JSON.stringify(store.dump());
  try {
    return mapKinds((kind, name) => values[name]!.map((each) => createObject(call, kind, each))) as unknown as Seeded;
  } catch (error) {
    store.load(JSON.parse(before));
    throw error;
  }
}

/** A kind is often called by the API's name for it: `tunnelSessions`, `tcp_edges`, `keys`. */
function rejectKind(name: string): never {
  const names = Object.keys(kinds);
  const [unknown, ...known] = [name, ...names].map((each) => each.replaceAll("_", "").toLowerCase());
  const meant = names[known.findIndex((each) => each.endsWith(unknown!) || unknown!.endsWith(each))];
  const hint = meant === undefined ? `use ${names.join(", ")}.` : `did you mean "${meant}"?`;
  reject("UNKNOWN_FIELD", `The field "${name}" is not known: ${hint}`);
}
