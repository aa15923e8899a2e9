/** Unique names for the program's resources and variables, the same in every run. */

const maxLength = 40;

export class UniqueNames {
  private readonly taken: Set<string>;
  /** By name, the number from which on one may be free. */
  private readonly next = new Map<string, number>();

  constructor(reserved: Iterable<string> = []) {
    this.taken = new Set(reserved);
  }

  /** Returns the first candidate that is not taken, or else the last one with a number. */
  claim(candidates: string[], addNumber = (name: string, number: number) => `${name}${number}`): string {
    const last = candidates.at(-1)!;
    let name = candidates.find((candidate) => !this.taken.has(candidate));
    for (let number = this.next.get(last) ?? 2; name === undefined; number++) {
      const next = addNumber(last, number);
      if (!this.taken.has(next)) name = next;
      this.next.set(last, number + 1);
    }
    this.taken.add(name);
    return name;
  }
}

/** `SSH to Zürich #2` → `ssh-to-zürich-2`. */
export function toSlug(text: string): string {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/(?:[^\p{ID_Continue}]|_)+/gu, "-")
    .replace(/^-/, "");
  return [...words].slice(0, maxLength).join("").replace(/-$/, "");
}

/** `HttpsEdgeRouteOidc` and `sshCredentials` → `https-edge-route-oidc` and `ssh-credentials`. */
export const toKebabCase = (name: string) => name.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase();

/** `ssh-to-zürich-2` → `sshToZürich2`. */
export const toCamelCase = (words: string) => words.replace(/-(.)/gu, (_, first: string) => first.toUpperCase());

export const toPascalCase = (words: string) => toCamelCase(`-${words}`);

/** The last characters of an id, which usually distinguish it. */
export const idSuffix = (id: string) => id.split("_").at(-1)!.slice(-6);

/** Names that a variable of the program cannot have: reserved words, and names that the program uses. */
export const reservedNames = (
  "arguments await break case catch class config const continue debugger default delete do else enum eval export " +
  "exports extends false finally for function globalThis if implements import in instanceof interface let module new " +
  "null package private protected public pulumi require return static super switch this throw true try tunnel typeof " +
  "undefined var void while with yield"
).split(" ");

/** Returns names of a variable for a resource of this type and name, the best first. */
export function suggestVariables(type: string, name: string): string[] {
  const typeName = type.charAt(0).toLowerCase() + type.slice(1);
  return [toCamelCase(name), typeName + toPascalCase(name), typeName].filter((word) =>
    /^\p{ID_Start}\p{ID_Continue}*$/u.test(word),
  );
}

/** The name of a YAML program's own variable. */
export const yamlReservedName = "pulumi";

/** Returns keys of a resource in a YAML program, the best first. */
export const suggestKeys = (type: string, name: string): string[] => [name, `${toKebabCase(type)}-${name}`];
