/** Something that goes wrong with a request, instead of or on top of the service's own answer. */
export interface Fault {
  /** Only requests of this method. */
  method?: string;
  /**
   * Only requests of this path (without its query): a regular expression, or a text in which `*` and
   * `{id}` stand for one segment and `**` for any number of them.
   */
  path?: string | RegExp;

  /** Answer with this status. Without a body of its own the answer has the service's error body. */
  status?: number;
  /** Answer with this body: an object as JSON, a text as it is (HTML when it starts with `<`). */
  body?: string | object;
  /** Answer with a JSON body of this many bytes. */
  bytes?: number;
  /** Headers of the answer, on top of its own. */
  headers?: Record<string, string>;

  /** Wait so many milliseconds before the request takes effect. */
  delayMs?: number;
  /** Wait after the request took effect instead. */
  delayAfter?: boolean;

  /** Close the connection; the request takes no effect. */
  resetBefore?: boolean;
  /** Close the connection instead of answering; the request took effect. */
  resetAfter?: boolean;
  /** Send half the answer: then close the connection (`true`), or call that the whole (`"complete"`). */
  truncate?: boolean | "complete";
  /** Send half the answer and no more (`true`), or nothing at all (`"headers"`), and keep the connection. */
  hang?: boolean | "headers";

  /** Whether the request takes effect. By default it does, unless `status`, `body`, `bytes` or `resetBefore` is given. */
  processed?: boolean;

  /** How many requests meet the fault. Default 1; `Infinity` for all. */
  times?: number;
  /** How many matching requests pass before the first that meets the fault. Default 0. */
  skip?: number;
}

/** A fault that was asked for. */
export interface FaultHandle {
  readonly id: number;
  readonly fault: Readonly<Fault>;
  /** How many requests have met it. */
  readonly hits: number;
  cancel(): void;
}

export const replaces = (fault: Fault): boolean =>
  fault.status !== undefined || fault.body !== undefined || fault.bytes !== undefined;

export const takesEffect = (fault: Fault): boolean => fault.processed ?? !(replaces(fault) || fault.resetBefore);

interface Planned {
  id: number;
  fault: Fault;
  matches: (method: string, path: string) => boolean;
  hits: number;
  left: number;
  skip: number;
}

/** The faults asked for, in the order they were asked for. */
export class Faults {
  #planned: Planned[] = [];
  #count = 0;

  add(fault: Fault): FaultHandle {
    const planned: Planned = {
      id: ++this.#count,
      fault,
      matches: matcher(fault),
      hits: 0,
      left: fault.times ?? 1,
      skip: fault.skip ?? 0,
    };
    this.#planned.push(planned);
    return {
      id: planned.id,
      fault,
      get hits() {
        return planned.hits;
      },
      cancel: () => this.cancel(planned.id),
    };
  }

  cancel(id: number): void {
    this.#planned = this.#planned.filter((each) => each.id !== id);
  }

  clear(): void {
    this.#planned = [];
  }

  list(): { id: number; fault: Fault; hits: number }[] {
    return this.#planned.map(({ id, fault, hits }) => ({ id, fault, hits }));
  }

  /** The fault this request meets. */
  take(method: string, path: string): Fault | undefined {
    for (const each of this.#planned) {
      if (each.left <= 0 || !each.matches(method, path)) continue;
      if (each.skip > 0) {
        each.skip--;
        continue;
      }
      each.hits++;
      each.left--;
      if (each.left <= 0) this.cancel(each.id);
      return each.fault;
    }
    return undefined;
  }
}

function matcher({ method, path }: Fault): Planned["matches"] {
  // A pattern with the g or y flag would remember where it stopped.
  const pattern =
    path instanceof RegExp ? new RegExp(path.source, path.flags.replace(/[gy]/g, "")) : path && glob(path);
  return (givenMethod, givenPath) =>
    (method === undefined || method.toUpperCase() === givenMethod) && (!pattern || pattern.test(givenPath));
}

function glob(path: string): RegExp {
  const source = path.replace(/\*\*|\*|\{\w+\}|[\\^$.+?()[\]{}|]/g, (part) => {
    if (part === "**") return ".*";
    return part === "*" || part.length > 1 ? "[^/]+" : `\\${part}`;
  });
  return new RegExp(`^${source}$`);
}

const texts = ["method", "path"] as const;
const numbers = ["status", "bytes", "delayMs", "times", "skip"] as const;
const flags = ["delayAfter", "resetBefore", "resetAfter", "processed"] as const;

/** A fault that came as JSON, where `times` may be `"Infinity"`; throws on what a fault has not. */
export function faultFromJson(given: unknown): Fault {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new Error("a fault is a JSON object");
  const fault: Record<string, unknown> = { ...given };
  if (fault["times"] === "Infinity") fault["times"] = Number.POSITIVE_INFINITY;
  const bad = (name: string, type: string) => new Error(`"${name}" of a fault must be ${type}`);
  for (const [name, value] of Object.entries(fault)) {
    if (texts.some((each) => each === name)) {
      if (typeof value !== "string") throw bad(name, "a string");
    } else if (numbers.some((each) => each === name)) {
      if (typeof value !== "number" || !(value >= 0)) throw bad(name, "a number");
    } else if (flags.some((each) => each === name)) {
      if (typeof value !== "boolean") throw bad(name, "true or false");
    } else if (name === "truncate") {
      if (typeof value !== "boolean" && value !== "complete") throw bad(name, 'true, false or "complete"');
    } else if (name === "hang") {
      if (typeof value !== "boolean" && value !== "headers") throw bad(name, 'true, false or "headers"');
    } else if (name === "body") {
      if (typeof value !== "string" && (typeof value !== "object" || value === null))
        throw bad(name, "text or an object");
    } else if (name === "headers") {
      const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
      if (!isMap || Object.values(value).some((each) => typeof each !== "string")) throw bad(name, "a map of strings");
    } else throw new Error(`a fault has no "${name}"`);
  }
  const status = fault["status"] as number | undefined;
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    throw bad("status", "from 200 to 599");
  return fault as Fault;
}
