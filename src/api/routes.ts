/** Routes as the API document writes them: `PUT /edges/tcp/{id}/ip_restriction`. */

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
