/**
 * TypeScript source for values that others have written, formatted as Prettier and Biome do by default. Every string
 * of the service becomes a literal here, so that it can be nothing but a string in the program.
 */

import { isObject } from "../json";

/** A value that the program takes from its stack's configuration. */
export class Placeholder {
  constructor(readonly key: string) {}
}

export type Source = null | boolean | number | string | Placeholder | Source[] | { [name: string]: Source };

/** A resource of the program. */
export interface Declaration {
  variable: string;
  exported: boolean;
  /** The class's name. */
  type: string;
  name: string;
  args: { [name: string]: Source };
  /** The id of the object that it imports. */
  id: string;
  /** Whether Pulumi must not delete it. */
  protect: boolean;
}

const lineWidth = 80;
const step = 2;

/** The statement that declares a resource. */
export function declare({ variable, exported, type, name, args, id, protect }: Declaration): string {
  const left = `${exported ? "export " : ""}const ${variable} =`;
  const right = `new tunnel.${type}(`;
  const indent = width(`${left} ${right}`) <= lineWidth ? 0 : step;
  const start = indent === 0 ? `${left} ` : `${left}\n${" ".repeat(indent)}`;
  const inner = indent + step;
  // Arguments and options have a line each, even where they would fit on one: arguments grow, options are removed.
  const options = expanded({ import: id, ...(protect && { protect }) }, inner);
  const parts = [print(name, inner, 1), expanded(args, inner), options];
  const end = " ".repeat(indent);
  return `${start}${right}\n${parts.map((part) => `${" ".repeat(inner)}${part},\n`).join("")}${end});`;
}

/**
 * A sed script that removes the `import` options, of one line or of two. They follow a `{` on a line of its own, which
 * no map within the arguments does at this indentation.
 */
export const withoutImport = String.raw`/^( {2}){1,2}\{$/{n;/^ +import:$/N;/^ +import:/d;}`;

/** A sed script that removes the `protect` options; arguments that could have this name are indented further. */
export const withoutProtect = "/^ {4}( {2})?protect: true,$/d";

/** A comment of as many lines as it needs. */
export function comment(text: string): string {
  const lines: string[] = [];
  for (const word of visible(text).split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && width(`${last} ${word}`) <= lineWidth) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`// ${word}`);
  }
  return lines.join("\n");
}

/** A string as a literal of one line, in the quotes that need fewer escapes. */
export function literal(text: string): string {
  const double = visible(JSON.stringify(text));
  const count = (quote: string) => text.split(quote).length - 1;
  if (count('"') <= count("'")) return double;
  return `'${double.slice(1, -1).replace(/\\"|'/g, (quote) => (quote === "'" ? "\\'" : '"'))}'`;
}

/** Characters that end a line, change the direction of what follows or cannot be seen, written as escapes. */
export const visible = (text: string) =>
  text.replace(
    /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu,
    (odd) =>
      [...Array(odd.length).keys()].map((at) => `\\u${odd.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );

/** The columns that a string takes on a screen. */
function width(text: string): number {
  let columns = 0;
  for (const char of text) columns += narrow.test(char) ? 1 : wide.test(char) ? 2 : /\p{M}/u.test(char) ? 0 : 1;
  return columns;
}
const narrow = /^[\x20-\x7e]$/;
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** A name in an object; `"__proto__": …` would set the object's prototype. */
function key(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function flat(value: Source): string {
  if (value instanceof Placeholder) return `config.requireSecret(${literal(value.key)})`;
  if (typeof value === "string") return literal(value);
  if (typeof value === "number") return JSON.stringify(value).replace("+", "");
  if (Array.isArray(value)) return `[${value.map(flat).join(", ")}]`;
  if (!isBag(value)) return String(value);
  const entries = Object.entries(value).map(([name, inner]) => `${key(name)}: ${flat(inner)}`);
  return entries.length > 0 ? `{ ${entries.join(", ")} }` : "{}";
}

/** A value at a column of a line that is indented by `indent`, with `after` more characters on its last line. */
function print(value: Source, indent: number, after: number, column = indent): string {
  const line = flat(value);
  if (!mustBreak(value) && column + width(line) + after <= lineWidth) return line;
  const inner = indent + step;
  const [open, close] = ["\n".padEnd(inner + 1), "\n".padEnd(indent + 1)];
  if (value instanceof Placeholder) return `config.requireSecret(${open}${literal(value.key)},${close})`;
  if (Array.isArray(value)) {
    if (value.length > 1 && value.every((item) => typeof item === "number")) {
      return `[${open}${filled(value, inner)},${close}]`;
    }
    return `[${value.map((item) => `${open}${print(item, inner, 1)},`).join("")}${close}]`;
  }
  return isBag(value) ? expanded(value, indent) : line;
}

/** An object with a line for each of its fields. */
function expanded(bag: { [name: string]: Source }, indent: number): string {
  const inner = indent + step;
  const fields = Object.entries(bag).map(([name, value]) => `${" ".repeat(inner)}${field(key(name), value, inner)},\n`);
  return fields.length > 0 ? `{\n${fields.join("")}${" ".repeat(indent)}}` : "{}";
}

/** What does not fit beside its name stands below it, unless it can be broken itself or the name is short. */
function field(name: string, value: Source, indent: number): string {
  const column = indent + width(name) + 2;
  const breakable =
    value instanceof Placeholder ? width(literal(value.key)) > lineWidth / 4 : typeof value !== "string";
  const short = width(name) < step + 3;
  if (breakable || short || column + width(flat(value)) + 1 <= lineWidth) {
    return `${name}: ${print(value, indent, 1, column)}`;
  }
  return `${name}:\n${" ".repeat(indent + step)}${flat(value)}`;
}

/** Lists of objects, or of lists, are never on one line. */
function mustBreak(value: Source): boolean {
  if (Array.isArray(value)) {
    const isLong = (item: Source) =>
      Array.isArray(item) ? item.length > 1 : isBag(item) && Object.keys(item).length > 1;
    const alike = value.every((item) => isLong(item) && Array.isArray(item) === Array.isArray(value[0]));
    return (value.length > 1 && alike) || value.some(mustBreak);
  }
  return isBag(value) && Object.values(value).some(mustBreak);
}

/** Numbers, as many to a line as fit. */
function filled(numbers: number[], indent: number): string {
  const lines: string[] = [];
  for (const text of numbers.map((number) => flat(number))) {
    const last = lines.at(-1);
    if (last !== undefined && indent + width(`${last}, ${text},`) <= lineWidth)
      lines[lines.length - 1] = `${last}, ${text}`;
    else lines.push(text);
  }
  return lines.join(`,\n${" ".repeat(indent)}`);
}

const isBag = (value: Source): value is { [name: string]: Source } =>
  isObject(value) && !(value instanceof Placeholder);
