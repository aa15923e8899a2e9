import { randomBytes } from "node:crypto";
import type http from "node:http";
import { EmulatorError } from "./errors";
import { faultFromJson } from "./faults";
import { masked, maskedRequest } from "./log";
import { page } from "./page";
import { Router } from "./router";
import type { Seed } from "./seed";
import { pathOf } from "./service";
import { bodyOf, type Site, type Watcher } from "./site";

interface Visit {
  site: Site;
  request: http.IncomingMessage;
  response: http.ServerResponse;
  path: Record<string, string>;
}

/** What the emulator offers beside the API: a page to watch it, and paths to steer it. */
const router = new Router<(visit: Visit) => unknown>({
  "GET /": ({ response }) => showPage(response),
  "GET /_emulator/account": ({ site }) => masked(site.emulator.account),
  "GET /_emulator/events": (visit) => sendEvents(visit),
  "GET /_emulator/requests": ({ site }) => site.log.requests.map(maskedRequest),
  "DELETE /_emulator/requests": ({ site }) => site.emulator.clearRequests(),
  "GET /_emulator/faults": ({ site }) => site.faults.list().map(shown),
  "POST /_emulator/faults": async ({ site, request }) => {
    const { id, fault, hits } = site.emulator.fail(faultFromJson(await jsonOf(request)));
    return shown({ id, fault, hits });
  },
  "DELETE /_emulator/faults": ({ site }) => site.faults.clear(),
  "DELETE /_emulator/faults/{id}": ({ site, path }) => site.faults.cancel(Number(path["id"])),
  "POST /_emulator/seed": async ({ site, request }) => site.emulator.seed((await jsonOf(request)) as Seed),
  "POST /_emulator/reset": ({ site }) => site.emulator.reset(),
});

export function isAdministration(url: string): boolean {
  return url === "/" || url.startsWith("/?") || url.startsWith("/_emulator/") || url === "/favicon.ico";
}

export async function administer(site: Site, request: http.IncomingMessage, response: http.ServerResponse) {
  const { method = "GET", url = "/" } = request;
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("X-Content-Type-Options", "nosniff");
  const reason = strangerReason(site, request);
  if (reason !== undefined) return reply(response, 403, { error: reason });
  const found = router.find(method, pathOf(url));
  if (!found) return reply(response, 404, { error: "There is no such path." });
  if ("allowed" in found) return reply(response, 405, { error: `The method ${method} is not allowed.` });
  try {
    const result = await found.value({ site, request, response, path: found.path });
    if (!response.headersSent) reply(response, result === undefined ? 204 : 200, result);
  } catch (error) {
    reply(response, error instanceof EmulatorError ? error.status : 400, { error: (error as Error).message });
  }
}

/**
 * There is no key to these paths, so they are for this machine only; and not for pages of other
 * sites in its browser, neither by another name for its address nor by a request of their own.
 */
function strangerReason({ host }: Site, { socket, headers }: http.IncomingMessage): string | undefined {
  if (!isLoopback(socket.remoteAddress ?? "")) return "Only this machine may ask.";
  const name = hostnameOf(`http://${headers.host}`);
  if (!isLoopback(name) && name !== host) return "The Host header names another server.";
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
    return "The request is another site's.";
  return undefined;
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
}

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address);
}

function reply(response: http.ServerResponse, status: number, body?: unknown): void {
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

async function jsonOf(request: http.IncomingMessage): Promise<object> {
  // A page of another site cannot send this type without asking first.
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? ""))
    throw new Error('The body must have the content type "application/json".');
  const body = await bodyOf(request);
  if (!body) throw new Error("The body is too large.");
  const value: unknown = JSON.parse(body.toString());
  if (typeof value !== "object" || value === null) throw new Error("The body must be a JSON object.");
  return value;
}

/** JSON has neither Infinity nor regular expressions. */
const shown = ({ id, fault, hits }: ReturnType<Site["faults"]["list"]>[number]) => ({
  id,
  hits,
  fault: {
    ...fault,
    ...(fault.path instanceof RegExp && { path: String(fault.path) }),
    ...(fault.times === Number.POSITIVE_INFINITY && { times: "Infinity" }),
  },
});

function showPage(response: http.ServerResponse): void {
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
  response.end(page(nonce));
}

/** A watcher that does not read is dropped rather than buffered for. */
const largestBacklog = 1024 * 1024;

function sendEvents({ site, response }: Visit): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(": watching\n\n");
  const watcher: Watcher = (request) => {
    if (response.writableLength > largestBacklog) response.destroy();
    else if (request) response.write(`event: request\ndata: ${JSON.stringify(maskedRequest(request))}\n\n`);
    else response.write("event: account\ndata: {}\n\n");
  };
  site.watchers.add(watcher);
  response.once("close", () => site.watchers.delete(watcher));
}
