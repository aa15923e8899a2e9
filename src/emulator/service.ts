import { isUtf8 } from "node:buffer";
import type { Behaviour, Call, Clock, User } from "./call";
import { reject } from "./errors";
import { uniqueToken } from "./objects/apiKeys";
import { users } from "./objects/users";
import { emptyBody, type Operation, operations, undocumented } from "./operations";
import { type RateLimit, RequestCounter, toSeconds } from "./rateLimit";
import { Router } from "./router";
import type { Store } from "./store";
import type { OidcSecrets } from "./views";

export interface ServiceOptions extends Behaviour {
  documentedOnly: boolean;
  oidcSecrets: OidcSecrets;
}

export interface RawRequest {
  method: string;
  /** The path and query below the base URL. */
  target: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The base of URLs in the response. */
  baseUrl: string;
}

export interface ServiceResponse {
  status: number;
  /** The body, before it is written as JSON; absent if there is none. */
  body?: unknown;
}

/** The service without HTTP: it authenticates, routes and executes requests. */
export class Service {
  readonly store: Store;
  readonly clock: Clock;
  /** Such as `PATCH /edges/tcp/{id}`. */
  readonly operations: readonly string[];
  readonly #options: ServiceOptions;
  readonly #router: Router<Operation>;
  #counter: RequestCounter | undefined;

  constructor(store: Store, clock: Clock, options: ServiceOptions) {
    this.store = store;
    this.clock = clock;
    this.#options = options;
    // Routes without an operation, so that these deletes fail with 405 instead of 404.
    const disabled = Object.fromEntries(Object.keys(undocumented).map((route) => [route, undefined]));
    const extra = options.documentedOnly ? disabled : undocumented;
    this.#router = new Router<Operation>({ ...operations, ...extra });
    this.operations = Object.keys(options.documentedOnly ? operations : { ...operations, ...undocumented });
  }

  get rateLimit(): RateLimit | undefined {
    return this.#counter?.limit;
  }

  set rateLimit(limit: RateLimit | undefined) {
    this.#counter = limit && new RequestCounter(limit, this.clock.now);
  }

  /** Returns the operation's path in the API document. */
  findOperationPath(method: string, target: string): string | null {
    const match = this.#router.find(method, parsePath(target));
    return match && "template" in match ? match.template : null;
  }

  /** Reads the body of the PATCH of an object, or of the PUT of a module, that would change nothing. */
  readBody(path: string): object | null {
    for (const method of ["PATCH", "PUT"]) {
      const match = this.#router.find(method, path);
      if (match && "value" in match) return match.value.readBody!({ store: this.store, params: match.params });
    }
    return reject("PATH_NOT_FOUND", `There is nothing to change on "${path}".`);
  }

  /** The headers that every response has. */
  createHeaders(): Record<string, string> {
    return this.#counter?.createHeaders() ?? {};
  }

  /** Checks the headers that every request must have, then executes the operation. */
  handle(request: RawRequest): ServiceResponse {
    const caller = this.#authenticate(request.headers["authorization"]);
    this.#checkRateLimit();
    if (request.headers["service-version"] !== "2")
      reject("VERSION", 'The header "Service-Version" is required and must be "2".');
    return this.execute(caller, request.method, request.target, () => parseBody(request), request.baseUrl);
  }

  #authenticate(authorization: string | string[] | undefined): User {
    const token = typeof authorization === "string" ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
    const key = token === undefined ? undefined : this.store.findUnique(uniqueToken, token);
    if (!key) reject("UNAUTHENTICATED", 'The header "Authorization" carries no valid API key.');
    return this.store.find(users, key.owner_id) ?? { id: key.owner_id, admin: false };
  }

  #checkRateLimit(): void {
    const waitMs = this.#counter?.admit() ?? 0;
    const headers = this.rateLimit?.retryAfter === false ? undefined : { "Retry-After": toSeconds(waitMs) };
    if (waitMs > 0) reject("RATE_LIMIT", "Too many requests.", headers);
  }

  /** Executes an operation completely or, if it throws, not at all. */
  execute(caller: User, method: string, target: string, readBody: () => unknown, baseUrl: string): ServiceResponse {
    const match = this.#router.find(method, parsePath(target));
    if (!match) reject("PATH_NOT_FOUND", `There is no "${parsePath(target)}".`);
    if ("allowed" in match) {
      const allow = { Allow: match.allowed.join(", ") };
      reject("METHOD_NOT_ALLOWED", `The method ${method} is not allowed on this path.`, allow);
    }
    const operation = match.value;
    const query = parseQuery(target);
    for (const name of query.keys()) {
      if (!operation.query.includes(name)) reject("UNKNOWN_QUERY", `The query parameter "${name}" is not known.`);
    }
    const sent = readBody();
    const json = sent === undefined ? operation.defaultBody : sent;
    if (!operation.body && json !== undefined) reject("BODY_NOT_ALLOWED", "This request takes no body.");
    if (operation.body && (typeof json !== "object" || json === null || Array.isArray(json)))
      reject("BODY_NOT_OBJECT", "The body must be a JSON object.");
    const result = operation.run({
      ...this.createCall(caller, baseUrl),
      params: match.params,
      query,
      body: operation.body?.(json, "", this.#options),
    });
    return operation.status === 204 || result === emptyBody
      ? { status: operation.status }
      : { status: operation.status, body: result };
  }

  createCall(caller: User, baseUrl: string): Call {
    return {
      store: this.store,
      clock: this.clock,
      baseUrl,
      oidcSecrets: this.#options.oidcSecrets,
      behaviour: this.#options,
      caller,
      params: {},
      query: emptyQuery,
      body: undefined,
    };
  }
}

const emptyQuery = new URLSearchParams();

export function parsePath(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}

function parseQuery(target: string): URLSearchParams {
  const mark = target.indexOf("?");
  return mark < 0 ? emptyQuery : new URLSearchParams(target.slice(mark + 1));
}

export const isJson = ({ "content-type": type }: RawRequest["headers"]): boolean =>
  typeof type === "string" && /^application\/json\s*(?:;|$)/i.test(type);

function parseBody({ headers, body }: RawRequest): unknown {
  if (body.length === 0) return undefined;
  if (!isJson(headers)) reject("CONTENT_TYPE", 'A body must have the content type "application/json".');
  try {
    if (!isUtf8(body)) throw new Error("not UTF-8");
    return JSON.parse(body.toString());
  } catch {
    return reject("BODY_NOT_JSON", "The body is not valid JSON.");
  }
}
