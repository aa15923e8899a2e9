import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { administer, isAdministration } from "./admin";
import { EmulatorError, errorBody } from "./errors";
import { type Fault, replaces, takesEffect } from "./faults";
import { newId } from "./ids";
import type { LoggedRequest } from "./log";
import { type Answer, pathOf } from "./service";
import { bodyOf, largestBody, type Site } from "./site";

/** An answer as it goes over the wire. */
interface Wire {
  status: number;
  headers: Record<string, string>;
  body: string | undefined;
}

export function createServer(site: Site): http.Server {
  const server = http.createServer((request, response) => {
    void (isAdministration(request.url ?? "") ? administer : serve)(site, request, response);
  });
  // Longer than clients keep idle connections, so that none is closed under a request on its way.
  server.keepAliveTimeout = 65_000;
  server.headersTimeout = 70_000;
  return server;
}

async function serve(site: Site, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const { service, faults, basePath } = site;
  const started = performance.now();
  const target = url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : "";
  const logged = site.log.open({
    time: new Date(service.clock.now()).toISOString(),
    method,
    path: target || url,
    operation: service.operationOf(method, target),
    headers,
    status: "pending",
    operationId: newId("op_"),
    ms: 0,
    processed: false,
  });
  const fault = faults.take(method, pathOf(target));
  try {
    const body = await bodyOf(request);
    if (body && body.length > 0) logged.body = parsed(body);
    if (!fault?.delayAfter) await delay(site, fault);
    const base = baseOf(headers.host, site);
    const wire = await answered(site, logged, fault, () => {
      if (!body) throw new EmulatorError("BODY_TOO_LARGE", `The body is larger than ${largestBody} bytes.`);
      return service.answer({ method, target, headers, body, base });
    });
    if (fault?.delayAfter) await delay(site, fault);
    logged.ms = performance.now() - started;
    send(response, wire, logged, fault);
  } catch {
    // The client went away in the middle of its request, or the emulator is closing.
    logged.status = "aborted";
    logged.ms = performance.now() - started;
    response.destroy();
  }
  site.changed(logged);
}

async function delay({ closing }: Site, fault: Fault | undefined): Promise<void> {
  if (fault?.delayMs) await sleep(fault.delayMs, undefined, { signal: closing });
}

/** Lets the service work on the request, unless a fault says it does not, and makes the answer. */
async function answered(
  site: Site,
  logged: LoggedRequest,
  fault: Fault | undefined,
  answer: () => Answer,
): Promise<Wire> {
  let wire: Wire = { status: 200, headers: {}, body: undefined };
  if (!fault || takesEffect(fault)) {
    try {
      const { status, body } = answer();
      wire = json(status, body);
    } catch (error) {
      wire = refusal(error, logged.operationId);
    }
    logged.status = wire.status;
    logged.processed = wire.status !== 429;
    try {
      const told = logged.processed ? site.onRequest(logged) : undefined;
      if (told) await told;
    } catch (error) {
      wire = refusal(error, logged.operationId);
    }
  }
  return fault ? spoiled(wire, fault, logged.operationId) : wire;
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Wire {
  if (body === undefined) return { status, headers: { ...headers }, body: undefined };
  const type = { "Content-Type": "application/json" };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) };
}

function refusal(error: unknown, operationId: string): Wire {
  const known = error instanceof EmulatorError ? error : new EmulatorError("INTERNAL", `The emulator failed: ${error}`);
  const { code, status, message, headers } = known;
  return json(status, errorBody(code, status, message, operationId), headers);
}

/** The answer a fault makes of the service's own. */
function spoiled(wire: Wire, fault: Fault, operationId: string): Wire {
  const { status = 200, body, bytes, headers } = fault;
  if (!replaces(fault)) return { ...wire, headers: { ...wire.headers, ...headers } };
  if (bytes !== undefined) return json(status, "x".repeat(Math.max(0, bytes - 2)), headers);
  if (typeof body === "string") {
    const type = body.trimStart().startsWith("<") ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
    return { status, headers: { "Content-Type": type, ...headers }, body };
  }
  if (body !== undefined) return json(status, body, headers);
  const error = errorBody("ERR_TUNNEL_FAULT", status, "A fault asked for.", operationId);
  return json(status, bodiless(status) ? undefined : error, headers);
}

const bodiless = (status: number) => status === 204 || status === 304;

function send(response: http.ServerResponse, wire: Wire, logged: LoggedRequest, fault: Fault | undefined): void {
  const { status, headers, body = "" } = wire;
  if (fault?.resetBefore || fault?.resetAfter || (fault?.truncate === true && body.length === 0)) {
    logged.status = "reset";
    response.socket?.resetAndDestroy();
    return;
  }
  if (fault?.hang === "headers" || (fault?.hang && body.length === 0)) {
    logged.status = "hang";
    return;
  }
  const half = body.slice(0, body.length / 2);
  logged.status = fault?.hang ? "hang" : status;
  const length = Buffer.byteLength(fault?.truncate === "complete" ? half : body);
  response.writeHead(status, bodiless(status) ? headers : { ...headers, "Content-Length": length });
  if (fault?.truncate === "complete") response.end(half);
  else if (fault?.truncate) response.write(half, () => response.socket?.destroy());
  else if (fault?.hang) response.write(half);
  else response.end(body);
}

function parsed(body: Buffer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Addresses in answers start as the caller's did: `localhost` and `127.0.0.1` are one server but
 * two origins, and a client follows the next page on its own origin only.
 */
function baseOf(host: string | undefined, { emulator, basePath }: Site): string {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `http://${host}${basePath}` : emulator.url;
}
