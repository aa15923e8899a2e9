import { type ErrorName, reject } from "./errors";

/** An object as requests contain it, with ids instead of references: a reference contains the server's address. */
export interface Stored {
  id: string;
}

/** What only one object can have, of all kinds with the same rule. */
export interface UniqueRule<T extends Stored> {
  valuesOf(object: T): readonly string[];
  normalize(value: string): string;
  error: ErrorName;
  formatError(value: string): string;
}

/** What the store has to know about objects of one kind. */
export interface StoredType<T extends Stored> {
  /** What messages call such an object, such as "TCP edge". */
  name: string;
  /** The name of their list in the data file. */
  fileKey: string;
  unique?: UniqueRule<T>;
  /** Rejects an object whose fields do not go together. */
  check?(object: T): void;
}

/** Objects of one kind by id, in order of creation. */
class Collection<T extends { id: string }> {
  readonly #name: string;
  readonly #objects = new Map<string, T>();
  readonly #order: T[] = [];
  /** Includes deleted objects, because a page may start before one of them. */
  readonly #positions = new Map<string, number>();
  #nextPosition = 0;

  constructor(type: string) {
    this.#name = type;
  }

  add(object: T): T {
    if (this.#objects.has(object.id)) reject("ID_TAKEN", `There is already a ${this.#name} "${object.id}".`);
    this.#objects.set(object.id, object);
    this.#positions.set(object.id, this.#nextPosition++);
    this.#order.push(object);
    return object;
  }

  find(id: string): T | undefined {
    return this.#objects.get(id);
  }

  get(id: string): T {
    return this.#objects.get(id) ?? reject("NOT_FOUND", `There is no ${this.#name} "${id}".`);
  }

  delete(id: string): T {
    const object = this.get(id);
    this.#order.splice(this.#indexOf(this.#positions.get(id)!), 1);
    this.#objects.delete(id);
    return object;
  }

  clear(): void {
    this.#objects.clear();
    this.#positions.clear();
    this.#order.length = 0;
  }

  /** Oldest first. */
  all(): readonly T[] {
    return this.#order;
  }

  /** Returns at most `limit` objects that are older than `before`, newest first, and whether there are older ones. */
  getPage(limit: number, before?: string): { objects: T[]; hasMore: boolean } {
    let end = this.#order.length;
    if (before !== undefined) {
      const position =
        this.#positions.get(before) ?? reject("BAD_QUERY", `There is no ${this.#name} "${before}" to list from.`);
      end = this.#indexOf(position);
    }
    const start = Math.max(0, end - limit);
    return { objects: this.#order.slice(start, end).reverse(), hasMore: start > 0 };
  }

  /** Returns the index of the first object at this position or after it. */
  #indexOf(position: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#positions.get(this.#order[middle]!.id)! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

type Dump = Record<string, readonly Stored[]>;

/** The objects of an account, by kind. */
export class Store {
  readonly #collections: ReadonlyMap<StoredType<Stored>, Collection<Stored>>;
  readonly #owners = new Map<UniqueRule<Stored>, Map<string, Stored>>();

  constructor(objectTypes: readonly StoredType<Stored>[]) {
    this.#collections = new Map(objectTypes.map((type) => [type, new Collection(type.name)]));
  }

  #collection<T extends Stored>(type: StoredType<T>): Collection<T> {
    return this.#collections.get(type) as unknown as Collection<T>;
  }

  /** Returns the objects that have the values of a rule, by normalized value. */
  #ownersOf<T extends Stored>(rule: UniqueRule<T>): Map<string, Stored> {
    const owners = this.#owners.get(rule) ?? new Map<string, Stored>();
    this.#owners.set(rule, owners);
    return owners;
  }

  /** Oldest first. */
  all<T extends Stored>(type: StoredType<T>): readonly T[] {
    return this.#collection(type).all();
  }

  find<T extends Stored>(type: StoredType<T>, id: string): T | undefined {
    return this.#collection(type).find(id);
  }

  findUnique<T extends Stored>(rule: UniqueRule<T>, value: string): T | undefined {
    return this.#ownersOf(rule).get(rule.normalize(value)) as T | undefined;
  }

  get<T extends Stored>(type: StoredType<T>, id: string): T {
    return this.#collection(type).get(id);
  }

  getPage<T extends Stored>(type: StoredType<T>, limit: number, before?: string) {
    return this.#collection(type).getPage(limit, before);
  }

  add<T extends Stored>(type: StoredType<T>, object: T): T {
    this.#check(type, object, object);
    this.#collection(type).add(object);
    this.#claim(type, object);
    return object;
  }

  /** Changes the fields that are given and not undefined: all of them, or none if one is rejected. */
  update<T extends Stored>(type: StoredType<T>, object: T, changes: Partial<T>): T {
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    this.#check(type, object, { ...object, ...given });
    this.#release(type, object);
    Object.assign(object, given);
    this.#claim(type, object);
    return object;
  }

  delete<T extends Stored>(type: StoredType<T>, id: string): void {
    this.#release(type, this.#collection(type).delete(id));
  }

  #check<T extends Stored>({ unique, check }: StoredType<T>, object: T, changed: T): void {
    check?.(changed);
    for (const value of unique?.valuesOf(changed) ?? []) {
      const owner = this.findUnique(unique!, value);
      if (owner && owner !== object) reject(unique!.error, unique!.formatError(value));
    }
  }

  #claim<T extends Stored>({ unique }: StoredType<T>, object: T): void {
    for (const value of unique?.valuesOf(object) ?? []) this.#ownersOf(unique!).set(unique!.normalize(value), object);
  }

  #release<T extends Stored>({ unique }: StoredType<T>, object: T): void {
    for (const value of unique?.valuesOf(object) ?? []) this.#ownersOf(unique!).delete(unique!.normalize(value));
  }

  clear(): void {
    for (const collection of this.#collections.values()) collection.clear();
    this.#owners.clear();
  }

  /** Returns all objects, oldest first, for {@link load}. */
  dump(): Dump {
    return Object.fromEntries([...this.#collections].map(([type, objects]) => [type.fileKey, objects.all()]));
  }

  /** Replaces all objects. A kind that the dump does not have, because it is older, has none. */
  load(dump: Record<string, unknown>): void {
    this.clear();
    for (const type of this.#collections.keys()) {
      const objects = dump[type.fileKey] ?? [];
      if (!Array.isArray(objects) || objects.some((each) => typeof each?.id !== "string"))
        throw new Error(`"${type.fileKey}" is not a list of objects`);
      for (const object of objects) this.add(type, object);
    }
  }
}
