/** Routes as the API document writes them: `PUT /edges/tcp/{id}/ip_restriction`. */

import { quoteForShell } from "../base/quote";
import type { Settings } from "../base/settings";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Route = `${Method} /${string}`;
export type Params = Record<string, string>;

/** The header that every request has, unless the settings have another value for it. */
export const versionHeader = ["Service-Version", "2"] as const;

/** Fills in a route's parameters, each encoded, so that no id can leave its path segment. */
export function expand(route: Route, params: Params = {}): { method: Method; path: string } {
  const [method, template] = route.split(" ") as [Method, string];
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    // Encoding leaves dots as they are, and a segment of dots would go up the path.
    if (value === undefined || value === "" || /^\.+$/.test(value)) {
      throw new TypeError(`"${value ?? ""}" is not a valid {${name}} for ${route}.`);
    }
    return encodeURIComponent(value);
  });
  return { method, path };
}

/** `PUT /edges/tcp/edgtcp_…/ip_restriction`, as messages name a call. */
export function describeCall(route: Route, params: Params = {}): string {
  const { method, path } = expand(route, params);
  return `${method} ${path}`;
}

/** Where calls go, and what they have besides the API key. */
export type ServiceAddress = Pick<Settings, "baseUrl" | "headers">;

/**
 * A call as a command to paste into a shell, with the address in use. The API key comes from the environment, and of
 * other headers only the names are shown: their values may be secrets.
 */
export function formatCurl({ baseUrl, headers }: ServiceAddress, route: Route, params: Params): string {
  const { method, path } = expand(route, params);
  const own = Object.keys(headers).map((name) => `${name}: …`);
  const hasVersion = own.some((header) => header.toLowerCase().startsWith("service-version:"));
  const others = [...(hasVersion ? [] : [versionHeader.join(": ")]), ...own];
  return [
    `curl -X ${method} ${quoteForShell(baseUrl + path)}`,
    '-H "Authorization: Bearer $TUNNEL_EDGE_API_KEY"',
    ...others.map((header) => `-H ${quoteForShell(header)}`),
  ].join(" ");
}
