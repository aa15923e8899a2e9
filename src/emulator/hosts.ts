/** Which names the emulator answers to. A page of another site can bind a name of its own to this machine. */

import type http from "node:http";
import type { ServerContext } from "./serverContext";

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address);
}

/** The name and port in a Host header. */
export function parseHost(host: string | undefined): { name: string; port: number } {
  const url = `http://${host}`;
  if (!URL.canParse(url)) return { name: "", port: 0 };
  const { hostname, port } = new URL(url);
  return { name: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) };
}

/** Whether a name is this machine's, or the one that the server listens on. */
export function isOwnName(name: string, { host }: Pick<ServerContext, "host">, socket: http.IncomingMessage["socket"]) {
  return isLoopback(name) || name === host.toLowerCase() || name === socket.localAddress?.replace("::ffff:", "");
}

/** Whether the API answers a request. If other machines can reach the emulator, it answers to every name. */
export function isAllowedHost(
  context: Pick<ServerContext, "host" | "allowedHosts">,
  { headers, socket }: http.IncomingMessage,
): boolean {
  const { name } = parseHost(headers.host);
  return !isLoopback(context.host) || isOwnName(name, context, socket) || context.allowedHosts.includes(name);
}
