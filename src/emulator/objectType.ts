import type { Call } from "./call";
import type { Shape, Values } from "./fields";
import { newId } from "./ids";
import type { Stored, StoredType } from "./store";
import type { ViewContext } from "./views";

/** What the emulator's page shows of objects of one kind. */
export interface PageEntry {
  title: string;
  fields: readonly string[];
  modules: readonly string[];
}

interface Creation<T extends Stored> {
  /** The fields of the body, also in a seed. */
  fields: Shape;
  /** Further fields of a seed. */
  seedOnly: Shape;
  build(id: string, values: object, call: Call): T;
}

export const creation = <T extends Stored, F extends Shape>(
  fields: F,
  build: (id: string, values: Values<F>, call: Call) => T,
  seedOnly: Shape = {},
): Creation<T> => ({ fields, seedOnly, build: build as Creation<T>["build"] });

/** Everything that objects of one kind have in common: `T` is stored, and responses contain `V`. */
export interface ObjectType<T extends Stored = Stored, V = unknown> extends StoredType<T> {
  /** The path of the list of these objects. */
  path: string;
  /** What their ids start with. */
  prefix: string;
  create: Creation<T>;
  /** The fields of the body of an update. */
  update?: Shape;
  view(object: T, context: ViewContext): V;
  /** Like `view`, for the response to a creation. */
  viewCreated?(object: T, context: ViewContext): V;
  page?: PageEntry;
}

/** Creates an object, and returns the response. */
export function createObject<T extends Stored, V>(call: Call, type: ObjectType<T, V>, values: object): V {
  const { id = newId(type.prefix), ...fields } = values as { id?: string };
  const object = call.store.add(type, type.create.build(id, fields, call));
  return (type.viewCreated ?? type.view)(object, call);
}
