/**
 * Formats TypeScript source as Prettier and Biome do by default. Strings of the service are written as literals, so that
 * none of them can become code.
 */

import { isObject } from "../../base/json";
import { escapeInvisible } from "../../base/quote";

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

const lineWidth = 80;
const indentStep = 2;

export function formatDeclaration({ variable, isExported, type, name, args, notes, id, protect }: Declaration): string {
  const left = `${isExported ? "export " : ""}const ${variable} =`;
  const right = `new tunnel.${type}(`;
  const indent = measureWidth(`${left} ${right}`) <= lineWidth ? 0 : indentStep;
  const start = indent === 0 ? `${left} ` : `${left}\n${" ".repeat(indent)}`;
  const inner = indent + indentStep;
  // Every argument and option has its own line, because arguments are added and options removed later.
  const options = formatObject({ import: id, ...(protect && { protect }) }, inner);
  const parts = [formatValue(name, inner, 1), formatObject(args, inner), options];
  const end = " ".repeat(indent);
  const comments = notes.map((note) => `${formatComment(note)}\n`).join("");
  return `${comments}${start}${right}\n${parts.map((part) => `${" ".repeat(inner)}${part},\n`).join("")}${end});`;
}

/** Breaks text into lines of at most this width, or of one word. */
export function wrap(text: string, maxWidth = lineWidth): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && measureWidth(`${last} ${word}`) <= maxWidth) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function formatComment(text: string, prefix = "// "): string {
  return wrap(escapeInvisible(text), lineWidth - prefix.length)
    .map((line) => prefix + line)
    .join("\n");
}

/** Formats a string literal of one line, with the quotes that need fewer escapes. */
export function formatString(text: string): string {
  const double = escapeInvisible(JSON.stringify(text));
  const count = (quote: string) => text.split(quote).length - 1;
  if (count('"') <= count("'")) return double;
  return `'${double.slice(1, -1).replace(/\\"|'/g, (quote) => (quote === "'" ? "\\'" : '"'))}'`;
}

/** Returns the number of columns of a string on a screen. */
export function measureWidth(text: string): number {
  let columns = 0;
  for (const char of text) columns += narrow.test(char) ? 1 : wide.test(char) ? 2 : /\p{M}/u.test(char) ? 0 : 1;
  return columns;
}
const narrow = /^[\x20-\x7e]$/;
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Formats a key of an object. `"__proto__": …` would set the object's prototype. */
function formatKey(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : formatString(name);
}

function formatInline(value: SourceValue): string {
  if (value instanceof Placeholder) return `config.requireSecret(${formatString(value.key)})`;
  if (typeof value === "string") return formatString(value);
  if (typeof value === "number") return JSON.stringify(value).replace("+", "");
  if (Array.isArray(value)) return `[${value.map(formatInline).join(", ")}]`;
  if (!isPlainObject(value)) return String(value);
  const entries = Object.entries(value).map(([name, inner]) => `${formatKey(name)}: ${formatInline(inner)}`);
  return entries.length > 0 ? `{ ${entries.join(", ")} }` : "{}";
}

/** Formats a value that starts at `column` of a line indented by `indent`, with `after` more characters on its last line. */
function formatValue(value: SourceValue, indent: number, after: number, column = indent): string {
  const line = formatInline(value);
  if (!mustBreak(value) && column + measureWidth(line) + after <= lineWidth) return line;
  const inner = indent + indentStep;
  const [open, close] = ["\n".padEnd(inner + 1), "\n".padEnd(indent + 1)];
  if (value instanceof Placeholder) return `config.requireSecret(${open}${formatString(value.key)},${close})`;
  if (Array.isArray(value)) {
    if (value.length > 1 && value.every((item) => typeof item === "number")) {
      return `[${open}${formatNumbers(value, inner)},${close}]`;
    }
    return `[${value.map((item) => `${open}${formatValue(item, inner, 1)},`).join("")}${close}]`;
  }
  return isPlainObject(value) ? formatObject(value, indent) : line;
}

/** Formats an object with one line per field. */
function formatObject(object: { [name: string]: SourceValue }, indent: number): string {
  const inner = indent + indentStep;
  const fields = Object.entries(object).map(
    ([name, value]) => `${" ".repeat(inner)}${formatField(formatKey(name), value, inner)},\n`,
  );
  return fields.length > 0 ? `{\n${fields.join("")}${" ".repeat(indent)}}` : "{}";
}

/** Puts a value that does not fit on the line after its name, unless the value can be broken or the name is short. */
function formatField(name: string, value: SourceValue, indent: number): string {
  const column = indent + measureWidth(name) + 2;
  const isBreakable =
    value instanceof Placeholder ? measureWidth(formatString(value.key)) > lineWidth / 4 : typeof value !== "string";
  const isShort = measureWidth(name) < indentStep + 3;
  if (isBreakable || isShort || column + measureWidth(formatInline(value)) + 1 <= lineWidth) {
    return `${name}: ${formatValue(value, indent, 1, column)}`;
  }
  return `${name}:\n${" ".repeat(indent + indentStep)}${formatInline(value)}`;
}

/** Whether a value must have several lines: lists of objects or of lists. */
function mustBreak(value: SourceValue): boolean {
  if (Array.isArray(value)) {
    const isLong = (item: SourceValue) =>
      Array.isArray(item) ? item.length > 1 : isPlainObject(item) && Object.keys(item).length > 1;
    const isUniform = value.every((item) => isLong(item) && Array.isArray(item) === Array.isArray(value[0]));
    return (value.length > 1 && isUniform) || value.some(mustBreak);
  }
  return isPlainObject(value) && Object.values(value).some(mustBreak);
}

/** Formats numbers, as many per line as fit. */
function formatNumbers(numbers: number[], indent: number): string {
  const lines: string[] = [];
  for (const number of numbers.map((each) => formatInline(each))) {
    const last = lines.at(-1);
    if (last !== undefined && indent + measureWidth(`${last}, ${number},`) <= lineWidth)
      lines[lines.length - 1] = `${last}, ${number}`;
    else lines.push(number);
  }
  return lines.join(`,\n${" ".repeat(indent)}`);
}

const isPlainObject = (value: SourceValue): value is { [name: string]: SourceValue } =>
  isObject(value) && !(value instanceof Placeholder);
