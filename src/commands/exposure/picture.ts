/** A picture of who can connect to which public address, as a Mermaid flowchart. */

/** A public address as it is drawn: from who can connect to where a connection goes. */
export interface Drawn {
  who: string;
  address: string;
  /** What else is said of the address, such as who could connect before. */
  note?: string;
  edge: string;
  backend: string;
  /** Whether anyone can connect, or might be able to. */
  isOpen: boolean;
}

/** GitLab draws no longer ones. */
const maxLength = 2_000;

/** The flowchart, or undefined if it is too long to be drawn everywhere. */
export function drawPicture(addresses: Drawn[]): string | undefined {
  const nodes = new Map<string, string>();
  const open: string[] = [];
  const node = (kind: string, label: string): string => {
    const key = `${kind} ${label}`;
    const known = nodes.get(key);
    if (known) return known;
    const id = `${kind}${nodes.size}`;
    nodes.set(key, id);
    return `${id}["${label}"]`;
  };
  const links = addresses.map(({ who, address, note, edge, backend, isOpen }) => {
    const place = node("a", [address, ...(note ? [note] : [])].map(encode).join("<br/>"));
    if (isOpen) open.push(place.split("[")[0]!);
    return `  ${[node("w", encode(who)), place, node("e", encode(edge)), node("b", encode(backend))].join(" --> ")}`;
  });
  const styles =
    open.length > 0 ? ["  classDef open fill:#ffebe9,stroke:#cf222e,color:#1f2328", `  class ${open} open`] : [];
  const picture = ["flowchart LR", ...links, ...styles].join("\n");
  return addresses.length > 0 && picture.length < maxLength ? picture : undefined;
}

/**
 * A label without anything that Mermaid, or the Markdown in its labels, would read: `1. x` is a list there, and a backtick
 * begins Markdown.
 */
const encode = (text: string): string =>
  (text.length > 60 ? `${text.slice(0, 60)}…` : text).replace(
    /[^\w :/.()-]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[\d-]+[.)]?(?= )|^ +|^-/gu,
    (odd) => [...odd].map((char) => `#${char.codePointAt(0)};`).join(""),
  );
