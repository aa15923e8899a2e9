/** Reads a folder with one YAML file per edge. Reports all mistakes in them at once, each with its file and line. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type * as tunnel from "pulumi-tunnel-edge";
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

/** An edge as its file declares it. The file's name is the resource's name. */
export interface Edge {
  name: string;
  kind: "tcp" | "tls";
  args: tunnel.TlsEdgeArgs;
}

/** A value in a file, and its path there. */
interface Place {
  node: unknown;
  name: string;
  file: File;
}
type Check = (place: Place) => void;

interface File {
  document: Document;
  /** Reports a mistake on the line where this node begins. */
  report(node: unknown, message: string): void;
  /** Records a hostport, which can belong to only one edge. */
  addHostport(node: unknown, hostport: string): void;
}

// The fields of a file: `kind`, and the arguments of TcpEdge or TlsEdge.

const enabled = boolean;
const shared = {
  kind: enumOf("tcp", "tls"),
  description: string({ maxBytes: 255 }),
  metadata: string({ maxBytes: 4096 }),
  hostports: list(hostport),
  backend: object({ enabled, backendId: string({ pattern: /^\S+$/, example: "bkdhr_2QSB" }) }, ["backendId"]),
  ipRestriction: object({ enabled, ipPolicyIds: list(string({ pattern: /^ipp_\S+$/, example: "ipp_2QSC" }), 1) }, [
    "ipPolicyIds",
  ]),
  policy: object({ enabled, inbound: list(rule), outbound: list(rule) }),
};
const fieldsByKind = {
  tcp: shared,
  tls: {
    ...shared,
    mutualTls: object({ enabled, certificateAuthorityIds: list(string({ pattern: /^\S+$/, example: "ca_2QSD" }), 1) }, [
      "certificateAuthorityIds",
    ]),
    tlsTermination: object({
      enabled,
      terminateAt: enumOf("edge", "upstream"),
      minVersion: string({ pattern: /^1\.[0-3]$/, example: '"1.2"' }),
    }),
  },
};

function rule(place: Place): void {
  const action = object({ type: string(), config: () => {} });
  object({ name: string(), expressions: list(string()), actions: list(action) })(place);
}

function hostport(place: Place): void {
  string({ pattern: /^[^\s:/]+:\d{1,5}$/, example: "1.tcp.example.com:20022" })(place);
  if (isScalar(place.node)) place.file.addHostport(place.node, String(place.node.value).toLowerCase());
}

// The kinds of fields.

function string({ pattern = /^/, example = "", maxBytes = Number.POSITIVE_INFINITY } = {}): Check {
  return ({ node, name, file }) => {
    const value = isScalar(node) ? node.value : undefined;
    const suchAs = example && `, such as ${example}`;
    if (isScalar(node) && ["number", "boolean"].includes(typeof value)) {
      file.report(node, `${name} must be a string, not a ${typeof value}. Write "${node.source}", with the quotes.`);
    } else if (typeof value !== "string") {
      file.report(node, `${name} must be a string${suchAs}.`);
    } else if (!pattern.test(value)) {
      file.report(node, `${name}: ${JSON.stringify(value)} is not valid. Use a value such as ${example}.`);
    } else if (Buffer.byteLength(value) > maxBytes) {
      file.report(node, `${name} has ${Buffer.byteLength(value)} bytes, but the maximum is ${maxBytes}. Shorten it.`);
    }
  };
}

function enumOf(...values: string[]): Check {
  return ({ node, name, file }) => {
    if (isScalar(node) && values.includes(node.value as string)) return;
    file.report(node, `${name} must be ${values.join(" or ")}.`);
  };
}

function boolean({ node, name, file }: Place): void {
  if (!isScalar(node) || typeof node.value !== "boolean") file.report(node, `${name} must be true or false.`);
}

function list(check: Check, minItems = 0): Check {
  return ({ node, name, file }) => {
    if (!isSeq(node)) return file.report(node, `${name} must be a list. Write each item on its own line, after "- ".`);
    if (node.items.length < minItems) file.report(node, `${name} must have at least ${minItems} item.`);
    for (const [index, item] of node.items.entries())
      check({ node: resolveAlias(item, file), name: `${name}[${index}]`, file });
  };
}

function object(fields: Record<string, Check>, required: string[] = []): Check {
  const names = Object.keys(fields);
  return ({ node, name, file }) => {
    const prefix = name && `${name}.`;
    if (!isMap(node)) {
      return file.report(node, `${name || "the file"} must be an object with these fields: ${names.join(", ")}.`);
    }
    const missing = new Set(required);
    for (const { key, value } of node.items) {
      const field = String(isScalar(key) ? key.value : key);
      const similar = names.find((each) => normalize(each) === normalize(field));
      missing.delete(similar ?? field);
      const child = resolveAlias(value, file);
      const check = names.includes(field) ? fields[field] : undefined;
      if (!check) {
        const hint = similar ? `Did you mean ${similar}?` : `The fields are ${names.join(", ")}.`;
        file.report(key, `${prefix}${field} is not a field here. ${hint}`);
      } else if (child === null || (isScalar(child) && child.value === null)) {
        file.report(key, `${prefix}${field} has no value. Add one, or remove the line.`);
      } else {
        check({ node: child, name: prefix + field, file });
      }
    }
    for (const field of missing) {
      file.report(node, `${prefix}${field} is required.${name && ` Add it, or remove ${name}.`}`);
    }
  };
}

/** The same for all spellings of a name, such as `ip_policy_id` and `ipPolicyIds`. */
const normalize = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .replace(/s$/, "");

const resolveAlias = (node: unknown, { document }: File) => (isAlias(node) ? node.resolve(document) : node);

/** Messages for the YAML parser's errors, by their codes. */
const syntaxErrors: Record<string, string> = {
  DUPLICATE_KEY: "the field is declared twice. Remove one of the two.",
  TAG_RESOLVE_FAILED: "tags, which begin with !, are not supported. Write the value itself.",
  MISSING_CHAR: 'something is missing before this. A field is a name, ": " and a value.',
  MULTILINE_IMPLICIT_KEY: 'this is not a field. Write a name, ": " and a value.',
  MULTIPLE_DOCS: "a file declares one edge. Move what follows to another file.",
};

/** The edges in a folder. Throws a pulumi.RunError that lists all mistakes, if there are any. */
export function readEdges(folder: string): Edge[] {
  const mistakes: { path: string; line: number; message: string }[] = [];
  const hostports = new Map<string, string>();

  function readEdge(base: string): Edge[] {
    const path = `${basename(folder)}/${base}`;
    const report = (line: number, message: string) => mistakes.push({ path, line, message });
    const name = /^([a-z0-9-]+)\.yaml$/.exec(base)?.[1];
    if (!name) {
      report(1, "a file name must be lowercase letters, digits and hyphens, then .yaml. Rename the file.");
      return [];
    }
    const lines = new LineCounter();
    const source = readFileSync(join(folder, base), "utf8");
    const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
    const errors = [...document.errors, ...document.warnings];
    for (const { code, message, pos } of errors)
      report(lines.linePos(pos[0]).line, syntaxErrors[code] ?? `${message}.`);
    if (errors.length > 0) return [];

    const lineOf = (node: unknown) => lines.linePos((node as Node | null)?.range?.[0] ?? 0).line || 1;
    const kind = document.get("kind") === "tcp" ? "tcp" : "tls";
    const file: File = {
      document,
      report: (node, message) => report(lineOf(node), message),
      addHostport: (node, hostport) => {
        const other = hostports.get(hostport);
        if (other) report(lineOf(node), `${hostport} is already used in ${other}. Remove one of the two.`);
        else hostports.set(hostport, `${path}:${lineOf(node)}`);
      },
    };
    object(fieldsByKind[kind], ["kind"])({ node: document.contents, name: "", file });
    const { kind: _, ...args } = document.toJS() ?? {};
    return [{ name, kind, args }];
  }

  const files = readdirSync(folder).filter((base) => !base.startsWith("."));
  const edges = files.sort().flatMap(readEdge);
  if (mistakes.length === 0) return edges;
  const sorted = mistakes.sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const lines = sorted.map(({ path, line, message }) => `${path}:${line}: ${message}`);
  throw new pulumi.RunError(`The files have mistakes (${lines.length}), so nothing was changed:\n${lines.join("\n")}`);
}
