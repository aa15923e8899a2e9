/** A fault to inject: an error response, a delay or a broken connection. */
export interface Fault {
  /** Matches only requests with this method. */
  method?: string;
  /**
   * Matches only requests with this path, without its query: a regular expression, or a pattern in which `*` and
   * `{id}` match one segment and `**` matches any number of them.
   */
  path?: string | RegExp;

  /** Respond with this status. If no body is given, the response has the service's error body. */
  status?: number;
  /** Respond with this body: an object as JSON, a string as it is (as HTML if it starts with `<`). */
  body?: string | object;
  /** Respond with a JSON body of this many bytes. */
  bytes?: number;
  /** Additional headers of the response. */
  headers?: Record<string, string>;

  /** Wait this many milliseconds before the service processes the request. */
  delayMs?: number;
  /** Wait after the service has processed the request instead. */
  delayAfter?: boolean;

  /** Close the connection before the service processes the request. */
  resetBefore?: boolean;
  /** Close the connection after the service has processed the request, without a response. */
  resetAfter?: boolean;
  /** Send half the response, then close the connection (`true`), or send it as if it were complete (`"complete"`). */
  truncate?: boolean | "complete";
  /** Send half the response (`true`) or nothing at all (`"headers"`), and keep the connection open. */
  hang?: boolean | "headers";

  /** Whether the service processes the request. Default: yes, unless `status`, `body`, `bytes` or `resetBefore` is given. */
  processed?: boolean;

  /** How many requests get the fault. Default 1; `Infinity` for all. */
  times?: number;
  /** How many matching requests to skip before the first that gets the fault. Default 0. */
  skip?: number;
}

/** An injected fault. */
export interface FaultHandle {
  readonly id: number;
  readonly fault: Readonly<Fault>;
  /** How many requests have got the fault. */
  readonly hits: number;
  cancel(): void;
}

export const hasOwnResponse = (fault: Fault): boolean =>
  fault.status !== undefined || fault.body !== undefined || fault.bytes !== undefined;

export const isProcessed = (fault: Fault): boolean => fault.processed ?? !(hasOwnResponse(fault) || fault.resetBefore);

interface ActiveFault {
  id: number;
  fault: Fault;
  matches: (method: string, path: string) => boolean;
  hits: number;
  remaining: number;
  skip: number;
}

export class Faults {
  #active: ActiveFault[] = [];
  #count = 0;

  add(fault: Fault): FaultHandle {
    const active: ActiveFault = {
      id: ++this.#count,
      fault,
      matches: createMatcher(fault),
      hits: 0,
      remaining: fault.times ?? 1,
      skip: fault.skip ?? 0,
    };
    this.#active.push(active);
    return {
      id: active.id,
      fault,
      get hits() {
        return active.hits;
      },
      cancel: () => this.cancel(active.id),
    };
  }

  cancel(id: number): void {
    this.#active = this.#active.filter((each) => each.id !== id);
  }

  clear(): void {
    this.#active = [];
  }

  list(): { id: number; fault: Fault; hits: number }[] {
    return this.#active.map(({ id, fault, hits }) => ({ id, fault, hits }));
  }

  /** Returns the first fault that matches the request, and counts it. */
  consume(method: string, path: string): Fault | undefined {
    for (const each of this.#active) {
      if (each.remaining <= 0 || !each.matches(method, path)) continue;
      if (each.skip > 0) {
        each.skip--;
        continue;
      }
      each.hits++;
      each.remaining--;
      if (each.remaining <= 0) this.cancel(each.id);
      return each.fault;
    }
    return undefined;
  }
}

function createMatcher({ method, path }: Fault): ActiveFault["matches"] {
  // With the flag g or y, `test` would continue where the last match ended.
  const pattern =
    path instanceof RegExp ? new RegExp(path.source, path.flags.replace(/[gy]/g, "")) : path && globToRegExp(path);
  return (requestMethod, requestPath) =>
    (method === undefined || method.toUpperCase() === requestMethod) && (!pattern || pattern.test(requestPath));
}

function globToRegExp(path: string): RegExp {
  const source = path.replace(/\*\*|\*|\{\w+\}|[\\^$.+?()[\]{}|]/g, (part) => {
    if (part === "**") return ".*";
    return part === "*" || part.length > 1 ? "[^/]+" : `\\${part}`;
  });
  return new RegExp(`^${source}$`);
}

const stringFields = ["method", "path"] as const;
const numberFields = ["status", "bytes", "delayMs", "times", "skip"] as const;
const booleanFields = ["delayAfter", "resetBefore", "resetAfter", "processed"] as const;

/** Checks a fault from JSON, where `times` may be `"Infinity"`. */
export function parseFault(json: unknown): Fault {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new Error("a fault must be a JSON object");
  const fault: Record<string, unknown> = { ...json };
  if (fault["times"] === "Infinity") fault["times"] = Number.POSITIVE_INFINITY;
  const invalidField = (name: string, type: string) => new Error(`"${name}" of a fault must be ${type}`);
  for (const [name, value] of Object.entries(fault)) {
    if (stringFields.some((each) => each === name)) {
      if (typeof value !== "string") throw invalidField(name, "a string");
    } else if (numberFields.some((each) => each === name)) {
      if (typeof value !== "number" || !(value >= 0)) throw invalidField(name, "a number");
    } else if (booleanFields.some((each) => each === name)) {
      if (typeof value !== "boolean") throw invalidField(name, "true or false");
    } else if (name === "truncate") {
      if (typeof value !== "boolean" && value !== "complete") throw invalidField(name, 'true, false or "complete"');
    } else if (name === "hang") {
      if (typeof value !== "boolean" && value !== "headers") throw invalidField(name, 'true, false or "headers"');
    } else if (name === "body") {
      if (typeof value !== "string" && (typeof value !== "object" || value === null))
        throw invalidField(name, "a string or an object");
    } else if (name === "headers") {
      const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
      if (!isMap || Object.values(value).some((each) => typeof each !== "string"))
        throw invalidField(name, "a map of strings");
    } else throw new Error(`a fault has no field "${name}"`);
  }
  const status = fault["status"] as number | undefined;
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    throw invalidField("status", "from 200 to 599");
  return fault as Fault;
}
