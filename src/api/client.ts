/**
 * The client of the service's API: authentication, headers, retries, rate limit and pagination. If an attempt may have
 * been executed, it repeats a PUT, PATCH or DELETE but no POST, and reports the outcome as unknown even if the last
 * attempt is rejected. A list that may be incomplete is an error.
 */

import { Cancelled, type Clock } from "../base/clock";
import { isObject, isUnset, type Json, type JsonObject } from "../base/json";
import { Redaction } from "../base/redaction";
import type { Settings } from "../base/settings";
import {
  basePathFix,
  baseUrlFix,
  CallError,
  connectionError,
  foreignFix,
  isErrorBody,
  keyFix,
  parseJson,
  type Received,
  responseError,
  withoutResponse,
} from "./callError";
import { type Body, dependsOnProof, isTemporary, judge, proofOfNothing } from "./evidence";
import { deadlineExceeded, formatSeconds, isNoticeable, RateLimiter, type RateLimitListener } from "./rateLimiter";
import { expand, type Method, type Params, type Route } from "./routes";
import { type HttpRequest, type Network, Transport } from "./transport";

export interface ClientListener extends RateLimitListener {
  /** Called with a log line after each request if logRequests is set. */
  onRequest(line: string): void;
}

/** What a response of the service contains, as the API document promises it. */
export interface Expected {
  /** What a response returned instead, such as `something other than …`; undefined if it has what is promised. */
  findProblem(value: Json | undefined): string | undefined;
  /** Whether a response without a body is allowed, which says that nothing is there. */
  isOptional?: true;
}

export interface CallOptions {
  expects: Expected;
  params?: Params;
  body?: JsonObject;
  /** In milliseconds since the epoch. */
  deadline?: number;
  /** Called for every attempt that may have been executed, or may still be. */
  onLost?: () => void;
}

interface Request extends HttpRequest {
  expects: Expected;
}

/** What the service returned, or why there is nothing. */
type Outcome = { value: Json | undefined } | { failure: CallError; canRetry: boolean };

/** Whether the address is the service's; if that is not proven, why. */
type Proof = "proven" | "foreign" | "wrong path" | "rejected key" | "unclear";

const unproven: Record<Exclude<Proof, "proven">, string> = {
  foreign: foreignFix,
  "wrong path": `The service does not have GET /api_keys at this address either. ${basePathFix}`,
  "rejected key": `It is not known whether this is the service's own response, because GET /api_keys returned 401. ${keyFix}`,
  unclear:
    "It is not known whether this is the service's own response, because GET /api_keys failed too. Run the command again.",
};

const defaultTimeoutMs = 10 * 60_000;
const firstBackoffMs = 200;
const maxBackoffMs = 10_000;
/** Long lists show their progress every so many pages. */
const pagesPerStatus = 10;
/** A list with more pages has no end: at 100 objects a page, as is usual, this is a million objects. */
export const maxPages = 10_000;

/** An object of a list. */
export interface ListItem extends JsonObject {
  id: string;
}

const isListItem = (item: Json): item is ListItem => isObject(item) && typeof item.id === "string" && item.id !== "";

const listError = (route: Route, problem: string) =>
  new CallError(`${route} returned ${problem}. ${baseUrlFix}`, { evidence: proofOfNothing, isUnreachable: true });

/** A page of a list. */
const expectPage = (key: string): Expected => ({
  findProblem: (value) => {
    const items = isObject(value) ? value[key] : undefined;
    if (!Array.isArray(items)) return `a page without the list "${key}"`;
    return items.every(isListItem) ? undefined : `an item without an id in "${key}"`;
  },
});

/** An object that cannot exist. */
const expectMissing: Expected = { findProblem: () => "an object that cannot exist" };

export class Client {
  private readonly transport: Transport;
  /** The path of the base URL. */
  private readonly prefix: string;
  private readonly rateLimiter: RateLimiter;
  /** The present moment: how many requests have ended so far, and how many writes have begun. */
  moment = 0;
  /** When a call other than GET last began or ended. A list that was read before may not show what it did. */
  lastWrite = 0;
  /** When a POST did. */
  lastCreate = 0;
  /** Whether the address has sent a response that only the service can send. */
  private isProven = false;
  private proving: Promise<Proof> | undefined;
  /** The form of the service's 404 for an object that does not exist. */
  private missingForm: string | undefined;

  constructor(
    readonly settings: Settings,
    private readonly listener: ClientListener,
    private readonly clock: Clock,
    private readonly redaction = new Redaction(settings),
    network?: Network,
  ) {
    this.transport = new Transport(settings, redaction, (line) => listener.onRequest(line), clock, network);
    this.prefix = new URL(settings.baseUrl).pathname.replace(/\/$/, "");
    this.rateLimiter = new RateLimiter(listener, clock, settings.requestsPerMinute);
  }

  /** The current time by the service's clock, as far as its responses show it. */
  serviceTime = () => this.transport.serviceTime();

  /**
   * Calls an operation of the API. Resolves to what the service returned, or to undefined if the response proves that
   * the call was executed and has no body.
   */
  call(route: Route, { params, body, expects, deadline, onLost }: CallOptions): Promise<Json | undefined> {
    const { method, path } = expand(route, params);
    const sent = this.send({ method, path: this.prefix + path, body, expects }, deadline, onLost);
    if (method === "GET") return sent;
    const markWrite = () => {
      this.lastWrite = ++this.moment;
      if (method === "POST") this.lastCreate = this.moment;
    };
    markWrite();
    return sent.finally(markWrite);
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
      const request: Request = { method: "GET", path: next, expects: expectPage(key) };
      const page = (await this.send(request, deadline)) as JsonObject;
      yield page[key] as ListItem[];
      next = isUnset(page.next_page_uri) ? undefined : this.nextPage(route, String(page.next_page_uri));
    }
  }

  /** The path of the next page. The API key is never sent to another origin than the base URL's. */
  private nextPage(route: Route, uri: string): string {
    const url = URL.canParse(uri, `${this.settings.baseUrl}/`) ? new URL(uri, `${this.settings.baseUrl}/`) : undefined;
    if (url?.origin !== this.transport.origin) {
      throw listError(
        route,
        `a next_page_uri that is not on ${this.transport.origin}; the API key is never sent elsewhere`,
      );
    }
    return url.pathname + url.search;
  }

  private async send(
    request: Request,
    deadline = this.clock.now() + defaultTimeoutMs,
    onLost?: () => void,
  ): Promise<Json | undefined> {
    const { method } = request;
    const maxAttempts = this.settings.maxRetries + 1;
    let isUncertain = false;
    for (let attempt = 1; ; ) {
      const outcome = await this.attempt(request, deadline);
      if ("value" in outcome) return outcome.value;
      const { failure, canRetry } = outcome;
      // However this attempt ended, an earlier one may have been executed.
      const isLost = failure.evidence.call !== "not executed";
      if (isLost) onLost?.();
      isUncertain ||= isLost;
      if (isUncertain) failure.evidence = { ...failure.evidence, call: "unknown" };
      const pause = this.clock.random() * Math.min(firstBackoffMs * 2 ** attempt, maxBackoffMs);
      const isRepeated = canRetry && attempt < maxAttempts && this.clock.now() + pause < deadline;
      // A POST that may have been executed is never repeated: it would create a second object.
      if (!isRepeated || (method === "POST" && isUncertain)) throw failure;
      if (isNoticeable(pause)) {
        this.listener.onWait(
          `Retrying in ${formatSeconds(pause)} (attempt ${attempt + 1} of ${maxAttempts}): ${failure.message}`,
        );
      }
      await this.clock.sleep(pause).catch(() => {
        throw failure;
      });
      attempt++;
    }
  }

  /** Whether a 404 without the service's error body looks like the service's 404 for an object that does not exist. */
  async looksMissing({ form }: CallError, deadline?: number): Promise<boolean> {
    const ask = async () => {
      const path = `${this.prefix}/api_keys/ak_none`;
      const outcome = await this.attempt({ method: "GET", path, expects: expectMissing }, deadline);
      return "failure" in outcome && outcome.failure.status === 404 ? outcome.failure.form : undefined;
    };
    this.missingForm ??= await ask();
    return form === this.missingForm && (await this.prove(deadline)) === "proven";
  }

  /** Finds out whether the address is the service's. Gateways, and servers at a wrong address, respond too. */
  private prove(deadline?: number): Promise<Proof> {
    if (this.isProven) return Promise.resolve("proven");
    const ask = async (): Promise<Proof> => {
      const request = { method: "GET", path: `${this.prefix}/api_keys`, expects: expectPage("keys") } as const;
      const outcome = await this.attempt(request, deadline, { isProof: true });
      if ("value" in outcome) return "proven";
      const { status, body } = outcome.failure;
      // Authentication often comes before routing, so the service's own 401 says nothing about the path.
      if (body === "error" && status === 401) return "rejected key";
      if (body === "error" && status === 403) this.isProven = true;
      if (this.isProven) return "proven";
      if (status === undefined || status === 429 || isTemporary(status)) return "unclear";
      return status === 404 && body === "error" ? "wrong path" : "foreign";
    };
    this.proving ??= ask().finally(() => {
      this.proving = undefined;
    });
    return this.proving;
  }

  private async attempt(
    request: Request,
    deadline = Number.POSITIVE_INFINITY,
    { isProof = false } = {},
  ): Promise<Outcome> {
    const call = `${request.method} ${request.path.slice(this.prefix.length).replace(/\?.*/s, "")}`;
    let rateLimited: Received | undefined;
    try {
      const send = () => this.transport.send(request, deadline);
      const readNotice = (response: Received) => {
        rateLimited = response.status === 429 ? response : undefined;
        return { ...response.rateLimit, isRejected: rateLimited !== undefined };
      };
      const response = await this.rateLimiter.run(send, readNotice, deadline);
      return await this.interpret(call, request, response, isProof ? undefined : () => this.prove(deadline));
    } catch (error) {
      if (error instanceof Cancelled)
        return { failure: withoutResponse(`${call} was cancelled.`, "unsent"), canRetry: false };
      if (error !== deadlineExceeded) return connectionError(call, this.transport.origin, error);
      if (rateLimited) return this.interpret(call, request, rateLimited);
      return { failure: withoutResponse(`${call} was not sent before the timeout.`, "unsent"), canRetry: false };
    } finally {
      this.moment++;
    }
  }

  /** What a response means. If that depends on a proof of the address, the proof is sought first. */
  private async interpret(
    call: string,
    request: Request,
    received: Received,
    prove?: () => Promise<Proof>,
  ): Promise<Outcome> {
    const response = classify(received, request);
    this.isProven ||= response.body === "documented";
    const needsProof = dependsOnProof({ ...response, isProven: this.isProven });
    const proof = needsProof ? await prove?.() : undefined;
    return this.settle(call, received, response, proof);
  }

  /** What a response means after the address was looked at, if it had to be. */
  private settle(call: string, received: Received, response: Classified, proof: Proof | undefined): Outcome {
    const { status, text } = received;
    const { body, value, problem, isJson } = response;
    const evidence = judge({ ...response, isProven: this.isProven });
    if (evidence.call === "executed") return { value };
    const failure = responseError(call, received, { body, evidence, problem }, this.redaction);
    if (proof !== undefined && proof !== "proven") {
      failure.append(unproven[proof]);
      failure.isUnreachable = proof === "foreign" || proof === "wrong path";
    }
    return { failure, canRetry: isTemporary(status) || (isSuccess(status) && !isJson && text !== "") };
  }
}

/** What a response says by itself. */
interface Classified {
  method: Method;
  status: number;
  /** Whose body it has. */
  body: Body;
  value: Json | undefined;
  isJson: boolean;
  /** What it has instead of what was expected. */
  problem: string | undefined;
}

function classify(received: Received, { method, expects }: Request): Classified {
  const json = parseJson(received.text);
  const value = json ?? undefined;
  const body = bodyOf(received, value, method, expects);
  return {
    method,
    status: received.status,
    body,
    value,
    isJson: json !== undefined,
    problem: expects.findProblem(value),
  };
}

const isSuccess = (status: number) => status >= 200 && status < 300;

/** Whose body a response has. Where there must be an object, a response without a body is not the service's. */
function bodyOf({ status, text }: Received, value: Json | undefined, method: Method, expects: Expected): Body {
  if (isSuccess(status) && expects.findProblem(value) === undefined) return "documented";
  if (isErrorBody(value)) return "error";
  const isEmpty = value === undefined && (text.trim() === "" || text.trim() === "null");
  const isRequired = isSuccess(status) && (method === "GET" || method === "POST") && !expects.isOptional;
  return isEmpty && !isRequired ? "none" : "foreign";
}
