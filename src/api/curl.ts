/** Calls that the user sends. */

import { quoteForShell } from "../base/quote";
import type { Settings } from "../base/settings";
import { expand, type Params, type Route, versionHeader } from "./routes";

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
