/** The service's API over HTTP: the one place that knows keys, headers, retries, the rate limit and pages. */

import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { isObject, isUnset, type Json, type JsonObject } from "../json";
import { isLoopback, type Settings } from "../settings";
import { CallError, connectionFailure, httpError, type Origin, otherAddressHint, redact } from "./errors";
import { deadlineExceeded, formatSeconds, isNoticeable, Rate, type RateWatcher, sleep } from "./rate";
import { expand, type Method, type Params, type Route } from "./routes";

export interface ClientWatcher extends RateWatcher {
  /** One line for each request, when the settings ask for it. */
  request(line: string): void;
}

export interface CallOptions {
  params?: Params;
  body?: JsonObject;
  /** When to give up, in milliseconds since the epoch. */
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
const longestBackoffMs = 10_000;
const maxResponseBytes = 16 * 1024 * 1024;
/** A list of more pages than this takes a while. */
const pagesPerStatus = 10;
/** A list of more pages than this has no end: with 100 objects a page, as services have them, a million objects. */
export const maxPages = 10_000;

/** An object as a list shows it. */
export interface ListItem extends JsonObject {
  id: string;
}

const isListItem = (item: Json): item is ListItem => isObject(item) && typeof item.id === "string" && item.id !== "";

const listError = (route: Route, flaw: string) =>
  new CallError(`${route} ${flaw}. Check that tunnel-edge:baseUrl is the service's address.`);

export class Client {
  private readonly origin: string;
  /** The base URL's own path, which stands before every route. */
  private readonly prefix: string;
  private readonly headers: Record<string, string>;
  private readonly dispatcher: Dispatcher;
  private readonly rate: Rate;
  /** What the service may repeat, and nobody may see. */
  private readonly secrets: string[];
  /** How many calls that may change something have begun. */
  writes = 0;
  /** How far the service's clock is ahead of ours, from the last answer that told the time. */
  private clockOffset = 0;
  /** Whether the address has sent a response that only the service sends. */
  private isServiceConfirmed = false;

  constructor(
    private readonly settings: Settings,
    private readonly watcher: ClientWatcher,
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
    this.secrets = [settings.apiKey, ...Object.values(settings.headers)];
    const timeout = settings.timeoutSeconds * 1000;
    // A proxy could not reach this machine's loopback, and would be given the key in clear.
    const Agents = isLoopback(hostname) ? Agent : EnvHttpProxyAgent;
    this.dispatcher = new Agents({
      connect: { timeout: Math.min(timeout, 10_000) },
      headersTimeout: timeout,
      bodyTimeout: timeout,
      maxResponseSize: maxResponseBytes,
      connections: 32,
    });
    this.rate = new Rate(watcher, settings.requestsPerMinute);
  }

  /** The service's time now, by its own clock as far as its answers tell it. */
  serviceTime(): number {
    return Date.now() + this.clockOffset;
  }

  /** One operation of the API. Resolves to the answer's JSON, or to undefined where it has no body. */
  call(route: Route, { params, body, deadline }: CallOptions = {}): Promise<Json | undefined> {
    const { method, path } = expand(route, params);
    if (method !== "GET") this.writes++;
    return this.send(method, this.prefix + path, body, deadline);
  }

  /** Every item of a list. */
  async list(route: Route, key: string, deadline?: number): Promise<ListItem[]> {
    const items: ListItem[] = [];
    for await (const page of this.pages(route, key, deadline)) items.push(...page);
    return items;
  }

  /**
   * The pages of a list, each requested when it is needed. What is not a list, or a list without end, is an error: it
   * must not pass for an empty or a complete one.
   */
  async *pages(route: Route, key: string, deadline?: number): AsyncGenerator<ListItem[], void> {
    const seen = new Set<string>();
    let next: string | undefined = this.prefix + expand(route).path;
    while (next !== undefined) {
      if (seen.size > 0 && seen.size % pagesPerStatus === 0) {
        this.watcher.waiting(`${route}: ${seen.size} pages are read, and there are more…`);
      }
      if (seen.has(next)) throw listError(route, "returned the same next_page_uri twice");
      if (seen.size === maxPages) throw listError(route, `returned more than ${maxPages} pages`);
      seen.add(next);
      const page: Json | undefined = await this.send("GET", next, undefined, deadline);
      const items = isObject(page) ? page[key] : undefined;
      if (!isObject(page) || !Array.isArray(items)) throw listError(route, `returned a page without its list "${key}"`);
      if (!items.every(isListItem)) throw listError(route, `returned an item without its id in "${key}"`);
      this.isServiceConfirmed = true;
      yield items;
      next = isUnset(page.next_page_uri) ? undefined : this.nextPage(String(page.next_page_uri));
    }
  }

  /** The service names the next page; the key goes to no other origin than the one it was given for. */
  private nextPage(uri: string): string {
    const url = URL.canParse(uri, `${this.settings.baseUrl}/`) ? new URL(uri, `${this.settings.baseUrl}/`) : undefined;
    if (url?.origin !== this.origin) {
      throw new CallError(
        `The service's list goes on at another address than ${this.origin}, where the API key must not be sent.`,
      );
    }
    return url.pathname + url.search;
  }

  private async send(
    method: Method,
    path: string,
    body: JsonObject | undefined,
    deadline = Date.now() + defaultTimeoutMs,
  ): Promise<Json | undefined> {
    const most = this.settings.maxRetries + 1;
    let maybeDone = false;
    for (let attempt = 1; ; ) {
      const outcome = await this.attempt(method, path, body, deadline);
      if ("value" in outcome) return outcome.value;
      const { failure, retry } = outcome;
      // However this attempt ended, an earlier one may have been carried out.
      maybeDone = failure.mayHaveSucceeded ||= maybeDone;
      const pause = Math.random() * Math.min(firstBackoffMs * 2 ** attempt, longestBackoffMs);
      const again = retry && attempt < most && Date.now() + pause < deadline;
      // A POST that may have been carried out is never sent twice: it would make a second object.
      if (!again || (method === "POST" && failure.mayHaveSucceeded)) {
        if (failure.status === 404 && failure.origin === "unclear") failure.setOrigin(await this.originOf404(deadline));
        throw failure;
      }
      if (isNoticeable(pause)) {
        this.watcher.waiting(
          `Waiting ${formatSeconds(pause)} to try again, ${attempt + 1} of ${most}: ${failure.message}`,
        );
      }
      await sleep(pause);
      attempt++;
    }
  }

  /** Who sent a 404: a gateway in front of the service, or at a wrong address, has 404s of its own. */
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
  ): Promise<{ value: Json | undefined } | { failure: CallError; retry: boolean }> {
    const call = `${method} ${path.slice(this.prefix.length)}`;
    let refused: Response | undefined;
    try {
      const send = () => this.sendOnce(method, path, body, deadline);
      const judge = (response: Response) => {
        refused = response.status === 429 ? response : undefined;
        return refused;
      };
      const { status, text } = await this.rate.run(send, judge, deadline);
      if (status < 200 || status >= 300) {
        const retry = retriedStatuses.has(status);
        return { failure: httpError(call, status, text, retry, this.secrets), retry };
      }
      if (text.trim() === "") return { value: undefined };
      try {
        const value = JSON.parse(text) as Json;
        this.isServiceConfirmed ||= isObject(value) && isObjectAt(method, path, value.id);
        return { value };
      } catch {
        return {
          failure: new CallError(`${call} answered ${status} with a text that is not JSON.`, {
            status,
            mayHaveSucceeded: true,
            origin: "proxy",
          }),
          retry: true,
        };
      }
    } catch (error) {
      if (error === deadlineExceeded) {
        const unsent = new CallError(`${call} was not sent: its time had run out.`);
        const rejected = refused && httpError(call, refused.status, refused.text, false, this.secrets);
        return { failure: rejected ?? unsent, retry: false };
      }
      const { retry, maybeDone, words } = connectionFailure(error);
      // Whoever was not reached may not be who was meant.
      const [from, hint] = maybeDone ? ["", ""] : [` from ${this.origin}`, ` ${otherAddressHint}`];
      const message = `${call} got no answer${from}: ${words}.${hint}`;
      return { failure: new CallError(message, { mayHaveSucceeded: maybeDone }), retry };
    }
  }

  private async sendOnce(
    method: Method,
    path: string,
    body: JsonObject | undefined,
    deadline: number,
  ): Promise<Response> {
    const began = Date.now();
    // The agent's own timeouts restart with every byte; this one ends an answer that trickles for ever.
    const limit = Math.max(1, Math.min(this.settings.timeoutSeconds * 1000, deadline - began));
    let status: number | undefined;
    let text = "";
    try {
      const response = await this.dispatcher.request({
        origin: this.origin,
        path,
        method,
        headers: body === undefined ? this.headers : { ...this.headers, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(limit),
      });
      status = response.statusCode;
      this.setClock(response.headers.date);
      text = await response.body.text();
      return { status, text, retryAfter: readRetryAfter(response.headers["retry-after"], this.serviceTime()) };
    } finally {
      if (this.settings.logRequests) {
        const operationId = redact(/"operation_id"\s*:\s*"([\w-]+)"/.exec(text)?.[1] ?? "", this.secrets);
        this.watcher.request(requestLine(method, path, status, Date.now() - began, operationId));
      }
    }
  }

  private setClock(date: string | string[] | undefined): void {
    const time = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (!Number.isNaN(time)) this.clockOffset = time - Date.now();
  }
}

/** Whether a response has the id of what was requested, or of what was created. */
const isObjectAt = (method: Method, path: string, id: Json | undefined) =>
  typeof id === "string" && (method === "POST" || path.endsWith(`/${encodeURIComponent(id)}`));

const lowerCaseNames = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The pause that a service asks for: in seconds, or until a date by its own clock. */
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
