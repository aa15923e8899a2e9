import { mask } from "./views";

/** A request the emulator received. */
export interface LoggedRequest {
  seq: number;
  /** When it arrived, RFC 3339. */
  time: string;
  method: string;
  /** With its query. */
  path: string;
  /** The operation's path as the document writes it, such as `/edges/tcp/{id}`; null when there is none. */
  operation: string | null;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed, with its secrets; the text itself when it is not JSON; absent when there was none. */
  body?: unknown;
  /** The status sent; what happened instead of one; `pending` until then. */
  status: number | "pending" | "reset" | "hang" | "aborted";
  operationId: string;
  ms: number;
  /** Whether the service itself has worked on it, instead of a fault or the rate limit. */
  processed: boolean;
}

/** Requests in order of arrival. */
export class RequestLog {
  readonly #keep: number;
  #seq = 0;
  requests: LoggedRequest[] = [];

  constructor(keep: number) {
    this.#keep = keep;
  }

  open(request: Omit<LoggedRequest, "seq">): LoggedRequest {
    const logged = { seq: ++this.#seq, ...request };
    this.requests.push(logged);
    // Dropping a tenth at a time keeps this cheap.
    if (this.requests.length > this.#keep * 1.1) this.requests.splice(0, this.requests.length - this.#keep);
    return logged;
  }

  clear(): void {
    this.requests = [];
  }
}

const secret = /^(?:authorization|token|client_secret|metadata)$/i;
/** Maps of headers, whose values are often credentials, whatever their names. */
const headers = /^(?:add|headers)$/i;

/** A copy without secrets, for people to look at. */
export function masked(value: unknown, hidden = false): unknown {
  if (typeof value === "string") return hidden && value !== "" ? mask : value;
  if (Array.isArray(value)) return value.map((each) => masked(each, hidden));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, held]) => [name, masked(held, hidden || secret.test(name) || headers.test(name))]),
  );
}

/** A request as people see it: without its headers, which may carry secrets under any name. */
export function maskedRequest({ headers: _, ...request }: LoggedRequest): object {
  const { body } = request;
  return { ...request, body: typeof body === "string" ? `${body.length} characters that are not JSON` : masked(body) };
}
