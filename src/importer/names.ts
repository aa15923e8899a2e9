/** What things are called in the program: from the account's own words, each name once, the same in every run. */

const longest = 40;

/** Names that are still free. */
export class Names {
  private readonly taken: Set<string>;

  constructor(reserved: Iterable<string> = []) {
    this.taken = new Set(reserved);
  }

  /** The first of the wishes that is free; failing that, the last of them with a number. */
  take(wishes: string[], numbered = (wish: string, number: number) => `${wish}${number}`): string {
    const last = wishes.at(-1)!;
    let name = wishes.find((wish) => !this.taken.has(wish));
    for (let number = 2; name === undefined; number++) {
      const next = numbered(last, number);
      if (!this.taken.has(next)) name = next;
    }
    this.taken.add(name);
    return name;
  }
}

/** A string as words with dashes between them: `SSH to Zürich #2` → `ssh-to-zürich-2`. */
export function slug(text: string): string {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/(?:[^\p{ID_Continue}]|_)+/gu, "-")
    .replace(/^-/, "");
  return [...words].slice(0, longest).join("").replace(/-$/, "");
}

/** `HttpsEdgeRouteOidc` and `sshCredentials` → `https-edge-route-oidc` and `ssh-credentials`. */
export const kebab = (name: string) => name.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase();

/** `ssh-to-zürich-2` → `sshToZürich2`. */
export const camel = (words: string) => words.replace(/-(.)/gu, (_, first: string) => first.toUpperCase());

export const pascal = (words: string) => camel(`-${words}`);

/** The last characters of an id, which usually distinguish it. */
export const idSuffix = (id: string) => id.split("_").at(-1)!.slice(-6);

/** Words that cannot name a variable at the top of a module, or that the program needs for itself. */
export const reserved = (
  "arguments await break case catch class config const continue debugger default delete do else enum eval export " +
  "exports extends false finally for function globalThis if implements import in instanceof interface let module new " +
  "null package private protected public pulumi require return static super switch this throw true try tunnel typeof " +
  "undefined var void while with yield"
).split(" ");

/** Variables for a resource of this type and name, the best first. */
export function variables(type: string, name: string): string[] {
  const kind = type.charAt(0).toLowerCase() + type.slice(1);
  return [camel(name), kind + pascal(name), kind].filter((word) => /^\p{ID_Start}\p{ID_Continue}*$/u.test(word));
}
