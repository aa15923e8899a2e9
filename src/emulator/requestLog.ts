import { mask } from "./views";

/** A request the emulator received. */
export interface LoggedRequest {
  seq: number;
  /** When it arrived, RFC 3339. */
  time: string;
  method: string;
  /** Includes the query. */
  path: string;
  /** The operation's path in the API document, such as `/edges/tcp/{id}`; null if there is no such operation. */
  operation: string | null;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed JSON, including secrets; a string if it is not JSON; absent if the request had no body. */
  body?: unknown;
  /** The response's status, or why none was sent; `pending` until then. */
  status: number | "pending" | "reset" | "hang" | "aborted";
  operationId: string;
  ms: number;
  /** Whether the request reached the service, which a fault or the rate limit may prevent. */
  processed: boolean;
}

export class RequestLog {
  readonly #capacity: number;
  #seq = 0;
  requests: LoggedRequest[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(request: Omit<LoggedRequest, "seq">): LoggedRequest {
    const logged = { seq: ++this.#seq, ...request };
    this.requests.push(logged);
    // Drops a tenth at a time: dropping one per request would be slow.
    if (this.requests.length > this.#capacity * 1.1) this.requests.splice(0, this.requests.length - this.#capacity);
    return logged;
  }

  clear(): void {
    this.requests = [];
  }
}

const secretName = /^(?:authorization|token|client_secret|metadata)$/i;
/** Maps of headers, whose values are often credentials. */
const headerMapName = /^(?:add|headers)$/i;

/** Copies a value with its secrets masked, for display. */
export function maskSecrets(value: unknown, isSecret = false): unknown {
  if (typeof value === "string") return isSecret && value !== "" ? mask : value;
  if (Array.isArray(value)) return value.map((each) => maskSecrets(each, isSecret));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name,
      maskSecrets(inner, isSecret || secretName.test(name) || headerMapName.test(name)),
    ]),
  );
}

/** Copies a value in which the masks of {@link maskSecrets} are replaced by what they hide. */
export function unmaskSecrets(value: unknown, original: unknown): unknown {
  if (value === mask) return typeof original === "string" ? original : value;
  if (typeof value !== "object" || value === null) return value;
  const originals = (original ?? {}) as Record<string, unknown>;
  const entries = Object.entries(value).map(([name, inner]) => [name, unmaskSecrets(inner, originals[name])] as const);
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Copies a request for display, without its headers, which may hold secrets under any name. */
export function maskRequest({ headers: _, ...request }: LoggedRequest): object {
  const { body } = request;
  return {
    ...request,
    body: typeof body === "string" ? `${body.length} characters that are not JSON` : maskSecrets(body),
  };
}
