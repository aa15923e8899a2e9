/** Reads a folder of YAML files, one an edge, and tells every mistake in them at once, each with its file and line. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type * as tunnel from "pulumi-tunnel-edge";
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

/** An edge as its file states it; the file's name is the resource's. */
export interface Edge {
  name: string;
  kind: "tcp" | "tls";
  args: tunnel.TlsEdgeArgs;
}

/** A value in a file, and what it is called there. */
interface Place {
  node: unknown;
  name: string;
  file: File;
}
type Check = (place: Place) => void;

interface File {
  document: Document;
  /** Notes a mistake on the line where this node begins. */
  mistake(node: unknown, text: string): void;
  /** Notes an address, each of which belongs to one edge. */
  address(node: unknown, hostport: string): void;
}

// What a file may hold: the arguments of TcpEdge and TlsEdge, under their own names.

const enabled = flag;
const shared = {
  kind: oneOf("tcp", "tls"),
  description: text({ most: 255 }),
  metadata: text({ most: 4096 }),
  hostports: list(hostport),
  backend: fields({ enabled, backendId: text({ form: /^\S+$/, example: "bkdhr_2QSB" }) }, ["backendId"]),
  ipRestriction: fields({ enabled, ipPolicyIds: list(text({ form: /^ipp_\S+$/, example: "ipp_2QSC" }), 1) }, [
    "ipPolicyIds",
  ]),
  policy: fields({ enabled, inbound: list(rule), outbound: list(rule) }),
};
const shapes = {
  tcp: shared,
  tls: {
    ...shared,
    mutualTls: fields({ enabled, certificateAuthorityIds: list(text({ form: /^\S+$/, example: "ca_2QSD" }), 1) }, [
      "certificateAuthorityIds",
    ]),
    tlsTermination: fields({
      enabled,
      terminateAt: oneOf("edge", "upstream"),
      minVersion: text({ form: /^1\.[0-3]$/, example: '"1.2"' }),
    }),
  },
};

function rule(place: Place): void {
  const action = fields({ type: text(), config: () => {} });
  fields({ name: text(), expressions: list(text()), actions: list(action) })(place);
}

function hostport(place: Place): void {
  text({ form: /^[^\s:/]+:\d{1,5}$/, example: "1.tcp.example.com:20022" })(place);
  if (isScalar(place.node)) place.file.address(place.node, String(place.node.value).toLowerCase());
}

// The kinds of values.

function text({ form = /^/, example = "", most = Number.POSITIVE_INFINITY } = {}): Check {
  return ({ node, name, file }) => {
    const value = isScalar(node) ? node.value : undefined;
    const such = example && `, such as ${example}`;
    if (isScalar(node) && ["number", "boolean"].includes(typeof value)) {
      file.mistake(
        node,
        `${name} must be a text, and ${node.source} is a ${typeof value} to YAML: write "${node.source}".`,
      );
    } else if (typeof value !== "string") {
      file.mistake(node, `${name} must be a text${such}.`);
    } else if (!form.test(value)) {
      file.mistake(node, `${name} cannot be ${JSON.stringify(value)}: write one${such}.`);
    } else if (Buffer.byteLength(value) > most) {
      file.mistake(node, `${name} has ${Buffer.byteLength(value)} bytes, and ${most} is the most: shorten it.`);
    }
  };
}

function oneOf(...choices: string[]): Check {
  return ({ node, name, file }) => {
    if (isScalar(node) && choices.includes(node.value as string)) return;
    file.mistake(node, `${name} must be ${choices.join(" or ")}.`);
  };
}

function flag({ node, name, file }: Place): void {
  if (!isScalar(node) || typeof node.value !== "boolean") file.mistake(node, `${name} must be true or false.`);
}

function list(check: Check, least = 0): Check {
  return ({ node, name, file }) => {
    if (!isSeq(node)) return file.mistake(node, `${name} must be a list: write each on a line of its own, after "- ".`);
    if (node.items.length < least) file.mistake(node, `${name} is empty: name ${least} at least, or leave it all out.`);
    for (const [index, item] of node.items.entries())
      check({ node: resolved(item, file), name: `${name}[${index}]`, file });
  };
}

function fields(known: Record<string, Check>, required: string[] = []): Check {
  const names = Object.keys(known);
  return ({ node, name, file }) => {
    const within = name && `${name}.`;
    if (!isMap(node)) {
      const what = name || "the file";
      return file.mistake(node, `${what} must have fields: ${names.join(", ")}, each on a line of its own.`);
    }
    const missing = new Set(required);
    for (const { key, value } of node.items) {
      const field = String(isScalar(key) ? key.value : key);
      const meant = names.find((each) => letters(each) === letters(field));
      missing.delete(meant ?? field);
      const inside = resolved(value, file);
      const check = names.includes(field) ? known[field] : undefined;
      if (!check) {
        const way = meant ? `write ${meant}` : `there are ${names.join(", ")}`;
        file.mistake(key, `${within}${field} is not known here: ${way}.`);
      } else if (inside === null || (isScalar(inside) && inside.value === null)) {
        file.mistake(key, `${within}${field} has no value: write one, or leave the line out.`);
      } else {
        check({ node: inside, name: within + field, file });
      }
    }
    for (const field of missing) {
      file.mistake(node, `${within}${field} is missing: add it${name && `, or leave ${name} out`}.`);
    }
  };
}

/** What other spellings of a name have in common: `ip_policy_id` and `ipPolicyIds`. */
const letters = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .replace(/s$/, "");

const resolved = (node: unknown, { document }: File) => (isAlias(node) ? node.resolve(document) : node);

/** What YAML's own mistakes mean here. */
const syntax: Record<string, string> = {
  DUPLICATE_KEY: "the field is stated a second time: leave one out.",
  TAG_RESOLVE_FAILED: "tags that begin with ! mean nothing here: write the value itself.",
  MISSING_CHAR: 'something is missing before this: a field is a name, ": " and a value.',
  MULTILINE_IMPLICIT_KEY: 'this is no field: write a name, ": " and a value.',
  MULTIPLE_DOCS: "a file is one edge: give what follows a file of its own.",
};

/** The edges of a folder; a pulumi.RunError that lists every mistake if there are any. */
export function readEdges(folder: string): Edge[] {
  const mistakes: { path: string; line: number; text: string }[] = [];
  const addresses = new Map<string, string>();

  function readEdge(base: string): Edge[] {
    const path = `${basename(folder)}/${base}`;
    const noted = (line: number, text: string) => mistakes.push({ path, line, text });
    const name = /^([a-z0-9-]+)\.yaml$/.exec(base)?.[1];
    if (!name) {
      noted(1, "a file is named after its edge: small letters, digits and hyphens, and .yaml at the end. Rename it.");
      return [];
    }
    const lines = new LineCounter();
    const source = readFileSync(join(folder, base), "utf8");
    const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
    const flaws = [...document.errors, ...document.warnings];
    for (const { code, message, pos } of flaws) noted(lines.linePos(pos[0]).line, syntax[code] ?? `${message}.`);
    if (flaws.length > 0) return [];

    const lineOf = (node: unknown) => lines.linePos((node as Node | null)?.range?.[0] ?? 0).line || 1;
    const kind = document.get("kind") === "tcp" ? "tcp" : "tls";
    const file: File = {
      document,
      mistake: (node, text) => noted(lineOf(node), text),
      address: (node, hostport) => {
        const other = addresses.get(hostport);
        if (other)
          noted(lineOf(node), `${hostport} is in ${other} too, and belongs to one edge: take it from the other.`);
        else addresses.set(hostport, `${path}:${lineOf(node)}`);
      },
    };
    fields(shapes[kind], ["kind"])({ node: document.contents, name: "", file });
    const { kind: _, ...args } = document.toJS() ?? {};
    return [{ name, kind, args }];
  }

  const files = readdirSync(folder).filter((base) => !base.startsWith("."));
  const edges = files.sort().flatMap(readEdge);
  if (mistakes.length === 0) return edges;
  const inOrder = mistakes.sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const listed = inOrder.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  throw new pulumi.RunError(
    `Nothing was changed, for the files have mistakes (${listed.length}):\n${listed.join("\n")}`,
  );
}
