/** The client of the service's API: authentication, headers, retries, rate limit and pagination. */

import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { Cancelled, type Clock } from "../clock";
import { isObject, isUnset, type Json, type JsonObject } from "../json";
import { Redaction } from "../redaction";
import { isLoopback, type Settings } from "../settings";
import {
  basePathFix,
  baseUrlFix,
  CallError,
  connectionError,
  httpError,
  isNotFound,
  notJsonError,
  type Origin,
} from "./errors";
import { deadlineExceeded, formatSeconds, isNoticeable, RateLimiter, type RateLimitListener } from "./rateLimiter";
import { expand, type Method, type Params, type Route } from "./routes";

export interface ClientListener extends RateLimitListener {
  /** Called with a log line after each request if logRequests is set. */
  onRequest(line: string): void;
}

export interface CallOptions {
  params?: Params;
  body?: JsonObject;
  /** In milliseconds since the epoch. */
  deadline?: number;
}

interface Response {
  status: number;
  text: string;
  retryAfter?: number;
}

const retriedStatuses = new Set([408, 500, 502, 503, 504]);
const defaultTimeoutMs = 10 * 60_000;
const firstBackoffMs = 200;
const maxBackoffMs = 10_000;
/** How long the response to a write is awaited after the deployment was cancelled. */
const maxWriteMsAfterCancel = 10_000;
const maxResponseBytes = 16 * 1024 * 1024;
/** Long lists show their progress every so many pages. */
const pagesPerStatus = 10;
/** A list with more pages has no end: at 100 objects a page, as is usual, this is a million objects. */
export const maxPages = 10_000;

/** An object of a list. */
export interface ListItem extends JsonObject {
  id: string;
}

const isListItem = (item: Json): item is ListItem => isObject(item) && typeof item.id === "string" && item.id !== "";

const listError = (route: Route, problem: string) => new CallError(`${route} returned ${problem}. ${baseUrlFix}`);

export class Client {
  private readonly origin: string;
  /** The path of the base URL. */
  private readonly prefix: string;
  private readonly headers: Record<string, string>;
  private readonly dispatcher: Dispatcher;
  private readonly rateLimiter: RateLimiter;
  /** How many calls other than GET have been started. */
  writes = 0;
  /** How far the service's clock is ahead of ours, from the last response with a date. */
  private clockOffset = 0;
  /** Whether the address has sent a response that only the service can send. */
  private isServiceConfirmed = false;

  constructor(
    private readonly settings: Settings,
    private readonly listener: ClientListener,
    private readonly clock: Clock,
    private readonly redaction = new Redaction(settings),
  ) {
    const { origin, hostname, pathname } = new URL(settings.baseUrl);
    this.origin = origin;
    this.prefix = pathname.replace(/\/$/, "");
    this.headers = {
      "service-version": "2",
      ...lowerCaseNames(settings.headers),
      authorization: `Bearer ${settings.apiKey}`,
      accept: "application/json",
    };
    const timeout = settings.timeoutSeconds * 1000;
    // A proxy cannot reach this machine's loopback address, and would receive the API key unencrypted.
    const AgentClass = isLoopback(hostname) ? Agent : EnvHttpProxyAgent;
    this.dispatcher = new AgentClass({
      connect: { timeout: Math.min(timeout, 10_000) },
      headersTimeout: timeout,
      bodyTimeout: timeout,
      maxResponseSize: maxResponseBytes,
      connections: 32,
    });
    this.rateLimiter = new RateLimiter(listener, clock, settings.requestsPerMinute);
  }

  /** The current time by the service's clock, as far as its responses show it. */
  serviceTime(): number {
    return this.clock.now() + this.clockOffset;
  }

  /** The time that has passed without waiting before requests, in milliseconds since the epoch. */
  activeTime(): number {
    return this.clock.now() - this.rateLimiter.waitedMs;
  }

  /** Calls an operation of the API. Resolves to the response's JSON, or to undefined if it has no body. */
  call(route: Route, { params, body, deadline }: CallOptions = {}): Promise<Json | undefined> {
    const { method, path } = expand(route, params);
    if (method !== "GET") this.writes++;
    return this.send(method, this.prefix + path, body, deadline);
  }

  /** Reads all pages of a list. */
  async list(route: Route, key: string, deadline?: number): Promise<ListItem[]> {
    const items: ListItem[] = [];
    for await (const page of this.pages(route, key, deadline)) items.push(...page);
    return items;
  }

  /**
   * The pages of a list, each requested when it is needed. A response that is not a list, or a list without end, is an
   * error: it must not be mistaken for an empty or a complete list.
   */
  async *pages(route: Route, key: string, deadline?: number): AsyncGenerator<ListItem[], void> {
    const seen = new Set<string>();
    let next: string | undefined = this.prefix + expand(route).path;
    while (next !== undefined) {
      if (seen.size > 0 && seen.size % pagesPerStatus === 0) {
        this.listener.onWait(`${route}: ${seen.size} pages read so far…`);
      }
      if (seen.has(next)) throw listError(route, "the same next_page_uri twice");
      if (seen.size === maxPages) throw listError(route, `more than ${maxPages} pages`);
      seen.add(next);
      const page: Json | undefined = await this.send("GET", next, undefined, deadline).catch((error: unknown) => {
        // Every service has this path, so the base URL's is wrong.
        if (isNotFound(error)) error.message += ` ${basePathFix}`;
        throw error;
      });
      const items = isObject(page) ? page[key] : undefined;
      if (!isObject(page) || !Array.isArray(items)) throw listError(route, `a page without the list "${key}"`);
      if (!items.every(isListItem)) throw listError(route, `an item without an id in "${key}"`);
      this.isServiceConfirmed = true;
      yield items;
      next = isUnset(page.next_page_uri) ? undefined : this.nextPage(route, String(page.next_page_uri));
    }
  }

  /** The path of the next page. The API key is never sent to another origin than the base URL's. */
  private nextPage(route: Route, uri: string): string {
    const url = URL.canParse(uri, `${this.settings.baseUrl}/`) ? new URL(uri, `${this.settings.baseUrl}/`) : undefined;
    if (url?.origin !== this.origin) {
      throw listError(route, `a next_page_uri that is not on ${this.origin}; the API key is never sent elsewhere`);
    }
    return url.pathname + url.search;
  }

  private async send(
    method: Method,
    path: string,
    body: JsonObject | undefined,
    deadline = this.clock.now() + defaultTimeoutMs,
  ): Promise<Json | undefined> {
    const maxAttempts = this.settings.maxRetries + 1;
    let mayHaveSucceeded = false;
    for (let attempt = 1; ; ) {
      const outcome = await this.attempt(method, path, body, deadline);
      if ("value" in outcome) return outcome.value;
      const { failure, canRetry } = outcome;
      // However this attempt ended, an earlier one may have been executed.
      mayHaveSucceeded = failure.mayHaveSucceeded ||= mayHaveSucceeded;
      const pause = this.clock.random() * Math.min(firstBackoffMs * 2 ** attempt, maxBackoffMs);
      const willRetry = canRetry && attempt < maxAttempts && this.clock.now() + pause < deadline;
      // A POST that may have been executed is never repeated: it would create a second object.
      if (!willRetry || (method === "POST" && mayHaveSucceeded)) {
        if (failure.status === 404 && failure.origin === "unclear") failure.setOrigin(await this.originOf404(deadline));
        throw failure;
      }
      if (isNoticeable(pause)) {
        this.listener.onWait(
          `Retrying in ${formatSeconds(pause)} (attempt ${attempt + 1} of ${maxAttempts}): ${failure.message}`,
        );
      }
      await this.rateLimiter.wait(pause).catch(() => {
        throw failure;
      });
      attempt++;
    }
  }

  /** Who sent a 404: a gateway in front of the service, or a server at a wrong address, also returns 404. */
  private async originOf404(deadline: number): Promise<Origin> {
    if (this.isServiceConfirmed) return "service";
    const outcome = await this.attempt("GET", `${this.prefix}/api_keys`, undefined, deadline);
    if ("value" in outcome) {
      this.isServiceConfirmed = isObject(outcome.value) && Array.isArray(outcome.value.keys);
      return this.isServiceConfirmed ? "service" : "proxy";
    }
    const { status, origin } = outcome.failure;
    if (status === undefined || (status >= 500 && origin !== "service")) return "unclear";
    return origin === "service" ? "service" : "proxy";
  }

  private async attempt(
    method: Method,
    path: string,
    body: JsonObject | undefined,
    deadline: number,
  ): Promise<{ value: Json | undefined } | { failure: CallError; canRetry: boolean }> {
    const call = `${method} ${path.slice(this.prefix.length)}`;
    let rateLimited: Response | undefined;
    try {
      const send = () => this.sendOnce(method, path, body, deadline);
      const readRateLimit = (response: Response) => {
        rateLimited = response.status === 429 ? response : undefined;
        return rateLimited;
      };
      const response = await this.rateLimiter.run(send, readRateLimit, deadline);
      const { status, text } = response;
      if (status < 200 || status >= 300) {
        const canRetry = retriedStatuses.has(status);
        return { failure: httpError(call, response, this.redaction, { mayHaveSucceeded: canRetry }), canRetry };
      }
      if (text.trim() === "") return { value: undefined };
      try {
        const value = JSON.parse(text) as Json;
        this.isServiceConfirmed ||= isObject(value) && isObjectAt(method, path, value.id);
        return { value };
      } catch {
        return { failure: notJsonError(call, status), canRetry: true };
      }
    } catch (error) {
      if (error instanceof Cancelled) return { failure: new CallError(`${call} was cancelled.`), canRetry: false };
      if (error !== deadlineExceeded) return connectionError(call, this.origin, error);
      const failure = rateLimited
        ? httpError(call, rateLimited, this.redaction)
        : new CallError(`${call} was not sent before the timeout.`);
      return { failure, canRetry: false };
    }
  }

  private sendOnce(method: Method, path: string, body: JsonObject | undefined, deadline: number): Promise<Response> {
    // The agent's own timeouts restart with every byte; this one also ends a response that never stops.
    const timeout = Math.max(1, Math.min(this.settings.timeoutSeconds * 1000, deadline - this.clock.now()));
    return this.clock.limit(timeout, method === "GET" ? 0 : maxWriteMsAfterCancel, (signal) =>
      this.request(method, path, body, signal),
    );
  }

  private async request(
    method: Method,
    path: string,
    body: JsonObject | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const started = this.clock.now();
    let status: number | undefined;
    let text = "";
    try {
      const response = await this.dispatcher.request({
        origin: this.origin,
        path,
        method,
        headers: body === undefined ? this.headers : { ...this.headers, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      });
      status = response.statusCode;
      this.setClock(response.headers.date);
      text = await response.body.text();
      return { status, text, retryAfter: readRetryAfter(response.headers["retry-after"], this.serviceTime()) };
    } finally {
      if (this.settings.logRequests) {
        const operationId = this.redaction.clean(/"operation_id"\s*:\s*"([\w-]+)"/.exec(text)?.[1] ?? "");
        this.listener.onRequest(requestLine(method, path, status, this.clock.now() - started, operationId));
      }
    }
  }

  private setClock(date: string | string[] | undefined): void {
    const time = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (!Number.isNaN(time)) this.clockOffset = time - this.clock.now();
  }
}

/** Whether a response has the id of the requested object, or any id after a POST. */
const isObjectAt = (method: Method, path: string, id: Json | undefined) =>
  typeof id === "string" && (method === "POST" || path.endsWith(`/${encodeURIComponent(id)}`));

const lowerCaseNames = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Reads the pause that the service requests: in seconds, or until a date by its own clock. */
function readRetryAfter(header: string | string[] | undefined, serviceTime: number): number | undefined {
  if (typeof header !== "string") return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - serviceTime;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function requestLine(
  method: Method,
  path: string,
  status: number | undefined,
  ms: number,
  operationId: string,
): string {
  return `${method} ${path} → ${status ?? "no response"} in ${ms} ms${operationId ? ` (operation ${operationId})` : ""}`;
}
