import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { handleAdminRequest, isAdminUrl } from "./admin";
import { createErrorBody, EmulatorError } from "./errors";
import { type Fault, hasOwnResponse, isProcessed } from "./faults";
import { isAllowedHost } from "./hosts";
import { newId } from "./ids";
import type { LoggedRequest } from "./requestLog";
import { maxBodyBytes, readBody, type ServerContext } from "./serverContext";
import { parsePath, type ServiceResponse } from "./service";

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string | undefined;
}

export function createServer(context: ServerContext): http.Server {
  const server = http.createServer((request, response) => {
    void (isAdminUrl(request.url ?? "") ? handleAdminRequest : handleRequest)(context, request, response);
  });
  // Longer than clients keep idle connections, so that none is closed while a request is being sent.
  server.keepAliveTimeout = 65_000;
  server.headersTimeout = 70_000;
  return server;
}

async function handleRequest(
  context: ServerContext,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const { service, faults, basePath } = context;
  const started = performance.now();
  const target = url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : "";
  const logged = context.log.add({
    time: new Date(service.clock.now()).toISOString(),
    method,
    path: target || url,
    operation: service.findOperationPath(method, target),
    headers,
    status: "pending",
    operationId: newId("op_"),
    ms: 0,
    processed: false,
  });
  const fault = faults.consume(method, parsePath(target));
  try {
    const body = await readBody(request);
    if (body && body.length > 0) logged.body = parseJsonIfPossible(body);
    if (!fault?.delayAfter) await applyDelay(context, fault);
    const baseUrl = getBaseUrl(headers.host, context);
    const result = await processRequest(context, logged, fault, () => {
      if (!isAllowedHost(context, request))
        throw new EmulatorError("HOST", "The Host header names another server. Allow the name with --allow-host.");
      if (!body) throw new EmulatorError("BODY_TOO_LARGE", `The body is larger than ${maxBodyBytes} bytes.`);
      return service.handle({ method, target, headers, body, baseUrl });
    });
    if (fault?.delayAfter) await applyDelay(context, fault);
    logged.ms = performance.now() - started;
    response.setHeader("Date", new Date(service.clock.now()).toUTCString());
    sendResponse(response, result, logged, fault);
  } catch {
    // The client disconnected during its request, or the emulator is closing.
    logged.status = "aborted";
    logged.ms = performance.now() - started;
    response.destroy();
  }
  context.onChange(logged);
}

async function applyDelay({ closing }: ServerContext, fault: Fault | undefined): Promise<void> {
  if (fault?.delayMs) await sleep(fault.delayMs, undefined, { signal: closing });
}

/** Passes the request to the service, unless a fault prevents that, and applies the fault to the response. */
async function processRequest(
  context: ServerContext,
  logged: LoggedRequest,
  fault: Fault | undefined,
  callService: () => ServiceResponse,
): Promise<HttpResponse> {
  let result: HttpResponse = { status: 200, headers: {}, body: undefined };
  if (!fault || isProcessed(fault)) {
    result = respond(callService, logged.operationId);
    result.headers = { ...context.service.createHeaders(), ...result.headers };
    logged.status = result.status;
    logged.processed = result.status !== 429;
    try {
      if (logged.processed) await context.onRequest(logged);
    } catch (error) {
      result = createErrorResponse(error, logged.operationId);
    }
  }
  return fault ? applyFault(result, fault, logged.operationId) : result;
}

/** The service's response over HTTP, also where it rejects the request. */
export function respond(callService: () => ServiceResponse, operationId: string): HttpResponse {
  try {
    const { status, body } = callService();
    return createJsonResponse(status, body);
  } catch (error) {
    return createErrorResponse(error, operationId);
  }
}

const jsonType = "application/json";

function createJsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse {
  if (body === undefined) return { status, headers: { ...headers }, body: undefined };
  return createResponse(status, jsonType, JSON.stringify(body), headers);
}

function createResponse(
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): HttpResponse {
  return { status, headers: { "Content-Type": type, ...headers }, body };
}

function createErrorResponse(error: unknown, operationId: string): HttpResponse {
  const known = error instanceof EmulatorError ? error : new EmulatorError("INTERNAL", `The emulator failed: ${error}`);
  const { code, status, message, headers } = known;
  return createJsonResponse(status, createErrorBody(code, status, message, operationId), headers);
}

function applyFault(result: HttpResponse, fault: Fault, operationId: string): HttpResponse {
  const { status = 200, body, bytes, headers } = fault;
  if (!hasOwnResponse(fault)) return { ...result, headers: { ...result.headers, ...headers } };
  if (bytes !== undefined) return createResponse(status, jsonType, `"${"x".repeat(Math.max(0, bytes - 2))}"`, headers);
  if (typeof body === "string") {
    const type = body.trimStart().startsWith("<") ? "text/html" : "text/plain";
    return createResponse(status, `${type}; charset=utf-8`, body, headers);
  }
  if (body !== undefined) return createJsonResponse(status, body, headers);
  const error = createErrorBody("ERR_TUNNEL_FAULT", status, "An injected fault.", operationId);
  return createJsonResponse(status, hasNoBody(status) ? undefined : error, headers);
}

const hasNoBody = (status: number) => status === 204 || status === 304;

function sendResponse(
  response: http.ServerResponse,
  result: HttpResponse,
  logged: LoggedRequest,
  fault: Fault | undefined,
): void {
  const { status, headers, body = "" } = result;
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
  response.writeHead(status, hasNoBody(status) ? headers : { ...headers, "Content-Length": length });
  if (fault?.truncate === "complete") response.end(half);
  else if (fault?.truncate) response.write(half, () => response.socket?.destroy());
  else if (fault?.hang) response.write(half);
  else response.end(body);
}

function parseJsonIfPossible(body: Buffer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * URLs in responses have the host of the request. `localhost` and `127.0.0.1` are the same server but not the same
 * origin, and a client follows the next page only on its own origin.
 */
function getBaseUrl(host: string | undefined, { emulator, basePath }: ServerContext): string {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `http://${host}${basePath}` : emulator.url;
}
