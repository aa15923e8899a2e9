/** Sends single requests over HTTP: headers, timeouts and proxies. */

import { Agent, EnvHttpProxyAgent } from "undici";
import type { Clock } from "../base/clock";
import type { JsonObject } from "../base/json";
import type { Redaction } from "../base/redaction";
import { isLoopback, type Settings } from "../base/settings";
import type { Received } from "./callError";
import { readRateLimitHeaders } from "./rateLimitHeaders";
import { type Method, versionHeader } from "./routes";

export interface HttpRequest {
  method: Method;
  /** With the path of the base URL. */
  path: string;
  body?: JsonObject;
}

const maxResponseBytes = 16 * 1024 * 1024;
/** How long the response to a write is awaited after the deployment was cancelled. */
const maxWriteMsAfterCancel = 10_000;

/** As much of undici's dispatcher as is used: the package's types do not mention undici, which users may lack. */
interface Sender {
  request(options: {
    origin: string;
    path: string;
    method: Method;
    headers: Record<string, string>;
    body: string | null;
    signal: AbortSignal;
  }): Promise<{
    statusCode: number;
    headers: Record<string, string | string[] | undefined>;
    body: { text(): Promise<string> };
  }>;
}

/** What sends the requests to an address. Tests replace it. */
export type Network = (settings: Settings) => Sender;

const systemNetwork: Network = ({ baseUrl, timeoutSeconds }) => {
  const timeout = timeoutSeconds * 1000;
  // A proxy cannot reach this machine's loopback address, and would receive the API key unencrypted.
  const AgentClass = isLoopback(new URL(baseUrl).hostname) ? Agent : EnvHttpProxyAgent;
  return new AgentClass({
    connect: { timeout: Math.min(timeout, 10_000) },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: maxResponseBytes,
    connections: 32,
  });
};

export class Transport {
  readonly origin: string;
  private readonly headers: Record<string, string>;
  private readonly sender: Sender;
  /** How far the service's clock is ahead of ours, from the last response with a date. */
  private clockOffset = 0;

  constructor(
    private readonly settings: Settings,
    private readonly redaction: Redaction,
    /** Called with a log line after each request if logRequests is set. */
    private readonly onRequest: (line: string) => void,
    private readonly clock: Clock,
    network: Network = systemNetwork,
  ) {
    this.origin = new URL(settings.baseUrl).origin;
    this.sender = network(settings);
    this.headers = {
      [versionHeader[0].toLowerCase()]: versionHeader[1],
      ...lowerCaseNames(settings.headers),
      authorization: `Bearer ${settings.apiKey}`,
      accept: "application/json",
      // A gateway may compress what the service returns, and a created key's token would be lost with it.
      "accept-encoding": "identity",
    };
  }

  /** The current time by the service's clock, as far as its responses show it. */
  serviceTime(): number {
    return this.clock.now() + this.clockOffset;
  }

  /** Sends a request, and resolves to its response, whatever that is. */
  send(request: HttpRequest, deadline: number): Promise<Received> {
    // The agent's own timeouts restart with every byte; this one also ends a response that never stops.
    const timeout = Math.max(1, Math.min(this.settings.timeoutSeconds * 1000, deadline - this.clock.now()));
    return this.clock.limit(timeout, request.method === "GET" ? 0 : maxWriteMsAfterCancel, (signal) =>
      this.request(request, signal),
    );
  }

  private async request({ method, path, body }: HttpRequest, signal: AbortSignal): Promise<Received> {
    const started = this.clock.now();
    let status: number | undefined;
    let text = "";
    try {
      const response = await this.sender.request({
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
      const { location, "content-type": contentType } = response.headers;
      return {
        status,
        text,
        contentType: asString(contentType),
        location: this.readLocation(asString(location)),
        rateLimit: readRateLimitHeaders(response.headers, this.serviceTime()),
      };
    } finally {
      if (this.settings.logRequests) {
        const operationId = this.redaction.clean(/"operation_id"\s*:\s*"([\w-]+)"/.exec(text)?.[1] ?? "");
        this.onRequest(requestLine(method, path, status, this.clock.now() - started, operationId));
      }
    }
  }

  /** Where a redirect leads, without its query, which may contain a secret. */
  private readLocation(location: string | undefined): string | undefined {
    if (location === undefined || !URL.canParse(location, this.settings.baseUrl)) return undefined;
    const { origin, pathname } = new URL(location, this.settings.baseUrl);
    return origin + pathname;
  }

  private setClock(date: string | string[] | undefined): void {
    const time = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (!Number.isNaN(time)) this.clockOffset = time - this.clock.now();
  }
}

const asString = (header: string | string[] | undefined) => (typeof header === "string" ? header : undefined);

const lowerCaseNames = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function requestLine(
  method: Method,
  path: string,
  status: number | undefined,
  ms: number,
  operationId: string,
): string {
  return `${method} ${path} → ${status ?? "no response"} in ${ms} ms${operationId ? ` (operation ${operationId})` : ""}`;
}
