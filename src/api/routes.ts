/** Routes as the API document writes them: `PUT /edges/tcp/{id}/ip_restriction`. */

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Route = `${Method} /${string}`;
export type Params = Record<string, string>;

/** Fills a route's segments in, each encoded, so that no id can leave its segment. */
export function expand(route: Route, params: Params = {}): { method: Method; path: string } {
  const [method, template] = route.split(" ") as [Method, string];
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    // Dots are not encoded by any standard: a segment of dots would climb the path.
    if (value === undefined || value === "" || /^\.+$/.test(value)) {
      throw new TypeError(`"${value ?? ""}" cannot stand for {${name}} in ${route}.`);
    }
    return encodeURIComponent(value);
  });
  return { method, path };
}
