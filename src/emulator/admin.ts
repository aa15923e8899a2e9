import { randomBytes } from "node:crypto";
import type http from "node:http";
import { renderDashboard } from "./dashboard";
import { EmulatorError } from "./errors";
import { parseFault } from "./faults";
import { isLoopback, isOwnName, parseHost } from "./hosts";
import type { Seed } from "./objects";
import { maskRequest, maskSecrets, unmaskSecrets } from "./requestLog";
import { Router } from "./router";
import { readBody, type ServerContext, type Watcher } from "./serverContext";
import { isJson, parsePath } from "./service";

interface AdminRequest {
  context: ServerContext;
  request: http.IncomingMessage;
  response: http.ServerResponse;
  params: Record<string, string>;
}

/** The emulator's own paths: the dashboard and the admin API. */
const router = new Router<(request: AdminRequest) => unknown>({
  "GET /": ({ context, response }) => sendDashboard(context, response),
  "GET /_emulator/account": ({ context }) => maskSecrets(context.emulator.account),
  "GET /_emulator/events": sendEvents,
  "GET /_emulator/requests": ({ context }) => context.log.requests.map(maskRequest),
  "DELETE /_emulator/requests": ({ context }) => context.emulator.clearRequests(),
  "GET /_emulator/faults": ({ context }) => context.faults.list().map(formatFault),
  "POST /_emulator/faults": async ({ context, request }) => {
    const { id, fault, hits } = context.emulator.fail(parseFault(await readJson(request)));
    return formatFault({ id, fault, hits });
  },
  "DELETE /_emulator/faults": ({ context }) => context.faults.clear(),
  "DELETE /_emulator/faults/{id}": ({ context, params }) => context.faults.cancel(Number(params["id"])),
  "POST /_emulator/seed": async ({ context, request }) => context.emulator.seed((await readJson(request)) as Seed),
  "POST /_emulator/reset": ({ context }) => context.emulator.reset(),
});

/** The page changes objects with the API's own calls, on the API's paths below this one. */
const objectsPath = "/_emulator/objects";

async function handleObjectRequest({ context, request }: AdminRequest, path: string): Promise<unknown> {
  const { method = "GET" } = request;
  if (method === "GET") return maskSecrets(context.service.readBody(path));
  if (method === "DELETE") return context.emulator.api(method, path);
  const body = unmaskSecrets(await readJson(request), context.service.readBody(path));
  return maskSecrets(context.emulator.api(method, path, body));
}

export function isAdminUrl(url: string): boolean {
  return url === "/" || url.startsWith("/?") || url.startsWith("/_emulator/") || url === "/favicon.ico";
}

export async function handleAdminRequest(
  context: ServerContext,
  request: http.IncomingMessage,
  response: http.ServerResponse,
) {
  const { method = "GET", url = "/" } = request;
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
  const reason = findForbiddenReason(context, request);
  if (reason !== undefined) return sendJson(response, 403, { error: reason });
  // A page of another site cannot send this content type without a preflight request.
  if (hasBody(request) && !isJson(request.headers))
    return sendJson(response, 415, { error: 'The body must have the content type "application/json".' });
  const path = parsePath(url);
  const match = path.startsWith(`${objectsPath}/`)
    ? { value: (each: AdminRequest) => handleObjectRequest(each, path.slice(objectsPath.length)), params: {} }
    : router.find(method, path);
  if (!match) return sendJson(response, 404, { error: "There is no such path." });
  if ("allowed" in match) return sendJson(response, 405, { error: `The method ${method} is not allowed.` });
  try {
    const result = await match.value({ context, request, response, params: match.params });
    if (!response.headersSent) sendJson(response, result === undefined ? 204 : 200, result);
  } catch (error) {
    sendJson(response, error instanceof EmulatorError ? error.status : 400, { error: (error as Error).message });
  }
}

/**
 * These paths need no key, so only this machine may use them. Pages of other sites in its browser may not, neither by
 * DNS rebinding nor by a cross-origin request.
 */
function findForbiddenReason(context: ServerContext, { socket, headers }: http.IncomingMessage): string | undefined {
  const { remoteAddress = "", localAddress = "", localPort } = socket;
  if (!isLoopback(remoteAddress) && remoteAddress !== localAddress)
    return "Only requests from this machine are allowed.";
  const { name, port } = parseHost(headers.host);
  if (!isOwnName(name, context, socket) || port !== localPort) return "The Host header names another server.";
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
    return "Requests from other sites are not allowed.";
  return undefined;
}

function hasBody({ headers }: http.IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function sendJson(response: http.ServerResponse, status: number, body?: unknown): void {
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

async function readJson(request: http.IncomingMessage): Promise<object> {
  const body = await readBody(request);
  if (!body) throw new Error("The body is too large.");
  const value: unknown = JSON.parse(body.toString());
  if (typeof value !== "object" || value === null) throw new Error("The body must be a JSON object.");
  return value;
}

/** Converts what JSON cannot represent: Infinity and regular expressions. */
const formatFault = ({ id, fault, hits }: ReturnType<ServerContext["faults"]["list"]>[number]) => ({
  id,
  hits,
  fault: {
    ...fault,
    ...(fault.path instanceof RegExp && { path: String(fault.path) }),
    ...(fault.times === Number.POSITIVE_INFINITY && { times: "Infinity" }),
  },
});

function sendDashboard({ service }: ServerContext, response: http.ServerResponse): void {
  const nonce = randomBytes(16).toString("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy.join("; "),
    "Referrer-Policy": "no-referrer",
  });
  response.end(renderDashboard(nonce, service.operations));
}

/** A client that does not read its events is disconnected. */
const maxBacklogBytes = 1024 * 1024;

function sendEvents({ context, response }: AdminRequest): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(": watching\n\n");
  const watcher: Watcher = (request) => {
    if (response.writableLength > maxBacklogBytes) response.destroy();
    else if (request) response.write(`event: request\ndata: ${JSON.stringify(maskRequest(request))}\n\n`);
    else response.write("event: account\ndata: {}\n\n");
  };
  context.watchers.add(watcher);
  response.once("close", () => context.watchers.delete(watcher));
}
