interface Node<T> {
  /** By segment; `{}` stands for a parameter, whatever its name: one path says `{id}`, another `{edge_id}`. */
  next: Map<string, Node<T>>;
  methods: Map<string, { template: string; names: string[]; value: T | undefined }>;
}

export interface Match<T> {
  /** The path as the document writes it, such as `/edges/tcp/{id}/ip_restriction`. */
  template: string;
  value: T;
  path: Record<string, string>;
}

const newNode = <T>(): Node<T> => ({ next: new Map(), methods: new Map() });

/**
 * Finds what a method and a path stand for in a table of routes, such as `PUT /edges/tcp/{id}/ip_restriction`.
 * A route without a value is a path that is known with a method that is not allowed.
 */
export class Router<T> {
  readonly #root = newNode<T>();

  constructor(routes: Record<string, T | undefined>) {
    for (const [route, value] of Object.entries(routes)) {
      const [method = "", template = ""] = route.split(" ");
      let node = this.#root;
      for (const segment of template.split("/").slice(1)) {
        const key = segment.startsWith("{") ? "{}" : segment;
        const next = node.next.get(key) ?? newNode<T>();
        node.next.set(key, next);
        node = next;
      }
      node.methods.set(method, { template, names: template.match(/(?<=\{)\w+(?=\})/g) ?? [], value });
    }
  }

  /** The route, or the methods that the path does have, or nothing. */
  find(method: string, path: string): Match<T> | { allowed: string[] } | undefined {
    let node = this.#root;
    const given: string[] = [];
    for (const segment of path.split("/").slice(1)) {
      let next = segment === "{}" ? undefined : node.next.get(segment);
      if (!next && segment !== "") {
        next = node.next.get("{}");
        given.push(decode(segment));
      }
      if (!next) return undefined;
      node = next;
    }
    if (node.methods.size === 0) return undefined;
    const { template = "", names = [], value } = node.methods.get(method) ?? {};
    if (value === undefined)
      return { allowed: [...node.methods].filter(([, each]) => each.value).map(([name]) => name) };
    return { template, value, path: Object.fromEntries(names.map((name, index) => [name, given[index]!])) };
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
