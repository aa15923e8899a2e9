import { isUtf8 } from "node:buffer";
import type { Clock } from "./agents";
import { refuse } from "./errors";
import { type RateLimit, RollingWindow } from "./limits";
import { type Behaviour, type Call, nothing, type Operation, operations, undocumented } from "./operations";
import { Router } from "./router";
import type { Store } from "./store";
import type { User } from "./types";
import { type OidcSecrets, Views } from "./views";

export interface ServiceOptions extends Behaviour {
  documentedOnly: boolean;
  oidcSecrets: OidcSecrets;
}

/** An HTTP request as it came. */
export interface RawRequest {
  method: string;
  /** Path and query, under the base URL. */
  target: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** What addresses in the answer start with. */
  base: string;
}

export interface Answer {
  status: number;
  /** The JSON body; absent when there is none. */
  body?: unknown;
}

/** The service: what answers a request, but for the wire. */
export class Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly #options: ServiceOptions;
  readonly #router: Router<Operation>;
  #window: RollingWindow | undefined;

  constructor(store: Store, clock: Clock, options: ServiceOptions) {
    this.store = store;
    this.clock = clock;
    this.#options = options;
    // In documented-only mode the paths stay known, so that their deletes are refused as methods.
    const further = Object.keys(undocumented).map((route) => [route, undefined]);
    const extra = options.documentedOnly ? Object.fromEntries(further) : undocumented;
    this.#router = new Router<Operation>({ ...operations, ...extra });
  }

  get rateLimit(): RateLimit | undefined {
    return this.#window?.limit;
  }

  set rateLimit(limit: RateLimit | undefined) {
    this.#window = limit && new RollingWindow(limit, this.clock.now);
  }

  views(base: string, oidcSecrets = this.#options.oidcSecrets): Views {
    return new Views(base, oidcSecrets);
  }

  /** The path of the document that a request is for. */
  operationOf(method: string, target: string): string | null {
    const found = this.#router.find(method, pathOf(target));
    return found && "template" in found ? found.template : null;
  }

  /** Checks what every request must carry, then performs it. */
  answer(request: RawRequest): Answer {
    const caller = this.#authenticate(request.headers["authorization"]);
    this.#admit();
    if (request.headers["service-version"] !== "2")
      refuse("VERSION", 'The header "Service-Version" is required and must be "2".');
    return this.perform(caller, request.method, request.target, () => bodyOf(request), request.base);
  }

  #authenticate(authorization: string | string[] | undefined): User {
    const token = typeof authorization === "string" ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
    const key = token === undefined ? undefined : this.store.keyOf(token);
    if (!key) refuse("UNAUTHENTICATED", 'The header "Authorization" carries no valid API key.');
    return this.store.users.find(key.owner_id) ?? { id: key.owner_id, admin: false };
  }

  #admit(): void {
    const waitMs = this.#window?.admit() ?? 0;
    if (waitMs === 0) return;
    const headers = { "Retry-After": String(Math.ceil(waitMs / 1000)) };
    refuse("RATE_LIMIT", "Too many requests.", this.rateLimit?.retryAfter === false ? {} : headers);
  }

  /** Performs one operation, whole or not at all. */
  perform(caller: User, method: string, target: string, body: () => unknown, base: string): Answer {
    const found = this.#router.find(method, pathOf(target));
    if (!found) refuse("PATH_NOT_FOUND", `There is no "${pathOf(target)}".`);
    if ("allowed" in found) {
      const allow = { Allow: found.allowed.join(", ") };
      refuse("METHOD_NOT_ALLOWED", `The method ${method} is not allowed on this path.`, allow);
    }
    const operation = found.value;
    const query = queryOf(target);
    for (const name of query.keys()) {
      if (!operation.query.includes(name)) refuse("UNKNOWN_QUERY", `The query parameter "${name}" is not known.`);
    }
    const sent = body();
    const given = sent === undefined ? operation.noBody : sent;
    if (!operation.body && given !== undefined) refuse("BODY_NOT_ALLOWED", "This request takes no body.");
    if (operation.body && (typeof given !== "object" || given === null || Array.isArray(given)))
      refuse("BODY_NOT_OBJECT", "The body must be a JSON object.");
    const result = operation.run({
      ...this.call(caller, base),
      path: found.path,
      query,
      body: operation.body?.(given, "", this.#options),
    });
    return operation.status === 204 || result === nothing
      ? { status: operation.status }
      : { status: operation.status, body: result };
  }

  call(caller: User, base: string): Call {
    return {
      store: this.store,
      clock: this.clock,
      behaviour: this.#options,
      caller,
      path: {},
      query: noQuery,
      body: undefined,
      show: this.views(base),
    };
  }
}

const noQuery = new URLSearchParams();

export function pathOf(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}

function queryOf(target: string): URLSearchParams {
  const mark = target.indexOf("?");
  return mark < 0 ? noQuery : new URLSearchParams(target.slice(mark + 1));
}

function bodyOf({ headers, body }: RawRequest): unknown {
  if (body.length === 0) return undefined;
  const type = headers["content-type"];
  if (typeof type !== "string" || !/^application\/json\s*(?:;|$)/i.test(type))
    refuse("CONTENT_TYPE", 'A body must have the content type "application/json".');
  try {
    if (!isUtf8(body)) throw new Error("not UTF-8");
    return JSON.parse(body.toString());
  } catch {
    return refuse("BODY_NOT_JSON", "The body is not valid JSON.");
  }
}
