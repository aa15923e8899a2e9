interface Node<T> {
  /** By segment. `{}` is a parameter of any name: the same segment is `{id}` in one path and `{edge_id}` in another. */
  children: Map<string, Node<T>>;
  methods: Map<string, { template: string; paramNames: string[]; value: T | undefined }>;
}

export interface Match<T> {
  /** The path in the API document, such as `/edges/tcp/{id}/ip_restriction`. */
  template: string;
  value: T;
  params: Record<string, string>;
}

const createNode = <T>(): Node<T> => ({ children: new Map(), methods: new Map() });

/**
 * Finds the value of a route, such as `PUT /edges/tcp/{id}/ip_restriction`, by a request's method and path.
 * A route whose value is undefined declares a path on which the method is not allowed.
 */
export class Router<T> {
  readonly #root = createNode<T>();

  constructor(routes: Record<string, T | undefined>) {
    for (const [route, value] of Object.entries(routes)) {
      const [method = "", template = ""] = route.split(" ");
      let node = this.#root;
      for (const segment of template.split("/").slice(1)) {
        const key = segment.startsWith("{") ? "{}" : segment;
        const next = node.children.get(key) ?? createNode<T>();
        node.children.set(key, next);
        node = next;
      }
      node.methods.set(method, { template, paramNames: template.match(/(?<=\{)\w+(?=\})/g) ?? [], value });
    }
  }

  /** Returns the route; the allowed methods if the path has others; or undefined if the path is unknown. */
  find(method: string, path: string): Match<T> | { allowed: string[] } | undefined {
    let node = this.#root;
    const paramValues: string[] = [];
    for (const segment of path.split("/").slice(1)) {
      let next = segment === "{}" ? undefined : node.children.get(segment);
      if (!next && segment !== "") {
        next = node.children.get("{}");
        paramValues.push(decode(segment));
      }
      if (!next) return undefined;
      node = next;
    }
    if (node.methods.size === 0) return undefined;
    const { template = "", paramNames = [], value } = node.methods.get(method) ?? {};
    if (value === undefined)
      return { allowed: [...node.methods].filter(([, each]) => each.value).map(([name]) => name) };
    return {
      template,
      value,
      params: Object.fromEntries(paramNames.map((name, index) => [name, paramValues[index]!])),
    };
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
