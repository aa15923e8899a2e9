/** Writes the source of a TypeScript program. Strings of the service are literals, so that none of them can become code. */

import { isObject } from "../../base/json";
import { escapeInvisible } from "../../base/quote";
import { wrap } from "../io";

/** A value that the program reads from its stack's configuration. */
export class Placeholder {
  constructor(readonly key: string) {}
}

export type SourceValue =
  | null
  | boolean
  | number
  | string
  | Placeholder
  | SourceValue[]
  | { [name: string]: SourceValue };

/** A resource of the program. */
export interface Declaration {
  variable: string;
  isExported: boolean;
  /** The name of the resource's class. */
  type: string;
  name: string;
  args: { [name: string]: SourceValue };
  /** What the declaration leaves out, and why. */
  notes: string[];
  /** The id of the object to import. */
  id: string;
  /** Whether the resource has the option `protect`. */
  protect: boolean;
}

const lineWidth = 72;
/** What stands before an argument of a resource's class. */
const margin = "  ";

export function formatDeclaration({ variable, isExported, type, name, args, notes, id, protect }: Declaration): string {
  const comments = notes.map((note) => `${formatComment(note)}\n`).join("");
  const parts = [name, args, { import: id, ...(protect && { protect }) }];
  const lines = parts.map((part) => `${margin}${formatValue(part, margin)},\n`).join("");
  return `${comments}${isExported ? "export " : ""}const ${variable} = new tunnel.${type}(\n${lines});`;
}

export const formatComment = (text: string, prefix = "// "): string =>
  wrap(escapeInvisible(text), 80 - prefix.length)
    .map((line) => prefix + line)
    .join("\n");

export const formatString = (text: string): string => escapeInvisible(JSON.stringify(text));

/**
 * Every argument and option has its own line, because arguments are added and options removed later. Inside an argument, a
 * short object or list is one line.
 */
function formatValue(value: SourceValue, indent: string): string {
  if (value instanceof Placeholder) return `config.requireSecret(${formatString(value.key)})`;
  if (typeof value === "string") return formatString(value);
  if (!isObject(value) && !Array.isArray(value)) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => formatValue(item, inner))
    : Object.entries(value).map(([name, each]) => `${formatKey(name)}: ${formatValue(each as SourceValue, inner)}`);
  const [open, space, close] = Array.isArray(value) ? ["[", "", "]"] : ["{", " ", "}"];
  if (parts.length === 0) return open + close;
  const line = `${open}${space}${parts.join(", ")}${space}${close}`;
  if (indent !== margin && indent.length + line.length < lineWidth && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

/** Formats a key of an object. `"__proto__": …` would set the object's prototype. */
function formatKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : formatString(name);
}
