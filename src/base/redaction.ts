/**
 * The secrets that messages must not contain, in plain text or in a usual encoding. They are those of the settings, Pulumi
 * Cloud's token, and the secret and sensitive values of the resources with running operations. Every message that leaves
 * the process goes through here. Outputs do not: they are data.
 */

export class Redaction {
  private readonly inUse = new Set<string[]>();
  private readonly apiKey: string[];

  constructor({ apiKey = "", headers = {} }: { apiKey?: string; headers?: Record<string, string> }) {
    // The CLI gives its token to providers if it is logged in with it.
    const { PULUMI_ACCESS_TOKEN: accessToken = "" } = process.env;
    this.apiKey = [apiKey];
    this.inUse.add([apiKey, accessToken, ...Object.values(headers)]);
  }

  /** Hides these values, too, until the work has ended: any message in the meantime may contain them. */
  async during<T>(values: string[], work: () => Promise<T>): Promise<T> {
    const own = [...values];
    this.inUse.add(own);
    try {
      return await work();
    } finally {
      this.inUse.delete(own);
    }
  }

  /** What somebody else wrote, such as the service's error, on one line. */
  clean = (text: string) => {
    const line = toOneLine(text);
    return replaceRanges(line, this.find(line));
  };

  /**
   * A whole message, fit to leave the process. The names in it stay readable, even if a header's value is a word of the
   * API's paths. Secrets are hidden before a long message is cut, so that no half of one is left.
   */
  format = (message: string) => {
    const printed = printable(message);
    const kept = [...printed.matchAll(names)].map(({ 0: name, index }): Range => [index, index + name.length]);
    const isName = ([start, end]: Range) => kept.some(([from, to]) => from <= start && end <= to);
    const found = this.find(printed).filter((range) => !isName(range));
    const text = replaceRanges(printed, [...found, ...findSecrets(printed, this.apiKey)]);
    return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
  };

  private find = (text: string): Range[] => [...this.inUse].flatMap((secrets) => findSecrets(text, secrets));
}

const maxMessageLength = 2_000;

/** Calls, addresses, resources and ids, none of which is a secret; and what is hidden already. */
const names = new RegExp(
  `(${[
    "\\b[A-Z]+ /[\\w/.~%-]*",
    "https?://[\\w.:[\\]-]+",
    '\\b[A-Z]\\w+ "(?:[^"\\\\\\n]|\\\\.)*"',
    "\\b(?:ak|sshcr|edg[a-z]+|ipp|tn|ts)_\\w+",
    "\\[secret\\]",
  ].join("|")})`,
  "g",
);

/** Replaces line breaks and other control characters by spaces. */
export const toOneLine = (text: string) => text.replace(new RegExp(`[${invisible}]+`, "g"), " ").trim();

/** A string without control characters, whoever wrote parts of it; its lines stay lines. */
export const printable = (text: string) => text.split("\n").map(toOneLine).join("\n");

const invisible = "\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069";

/** Shorter secrets are not worth hiding, and hiding them would make messages unreadable. */
const minSecretLength = 5;

type Range = [start: number, end: number];

/** Where these secrets are in a string. */
function findSecrets(text: string, secrets: string[]): Range[] {
  const { strings, base64 } = formsOf(secrets);
  return [...findAll(text, strings), ...findAll(text, base64).map((range) => withSharedLetters(text, range))];
}

function findAll(text: string, parts: string[]): Range[] {
  const ranges: Range[] = [];
  for (const part of parts) {
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
      ranges.push([at, at + part.length]);
    }
  }
  return ranges;
}

function replaceRanges(text: string, ranges: Range[]): string {
  let result = "";
  let at = 0;
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    if (start >= at) result += `${text.slice(at, start)}[secret]`;
    at = Math.max(at, end);
  }
  return result + text.slice(at);
}

interface Forms {
  strings: string[];
  /** Without the letters at their ends, which other bytes have a part in. */
  base64: string[];
}

/** Of lists that are in use. Most operations say nothing, and need none. */
const formsInUse = new WeakMap<string[], Forms>();

function formsOf(secrets: string[]): Forms {
  const known = formsInUse.get(secrets);
  if (known) return known;
  const isLongEnough = ({ length }: string) => length >= minSecretLength;
  const plain = secrets.map((secret) => secret.trim()).filter(isLongEnough);
  // A request has them in JSON, and may come back encoded in turn.
  const encoded = unique(plain.flatMap((secret) => [secret, ...jsonForms(secret)]));
  const encoders = [lineForms, jsonForms, urlForms, htmlForms, hexForms];
  const strings = unique([...encoded, ...encoded.flatMap((text) => encoders.flatMap((encode) => encode(text)))]);
  const result = { strings: strings.filter(isLongEnough), base64: unique(encoded.flatMap(base64Forms)) };
  formsInUse.set(secrets, result);
  return result;
}

const unique = (strings: string[]) => [...new Set(strings)];

/** As messages have it. */
const lineForms = (text: string) => [toOneLine(text), printable(text)];

/** As Node, Go, Python, PHP, Java and .NET write it in JSON. */
function jsonForms(text: string): string[] {
  const toUnicode = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[\u0080-\uffff]/g, toUnicode);
  const strict = ascii.replaceAll('\\"', toUnicode('"')).replace(/[<>&'+`\u007f]/g, toUnicode);
  const forms = [json, json.replace(/[<>&\u2028\u2029]/g, toUnicode), ascii, ascii.replaceAll("/", "\\/"), strict];
  const inCapitals = (form: string) => form.replace(/(?<=\\u)[\da-f]{4}/g, (digits) => digits.toUpperCase());
  return forms.flatMap((form) => [form, inCapitals(form)]);
}

/** As a URL has it, where some escape more characters than others, and as a form does. */
function urlForms(text: string): string[] {
  // Half a surrogate pair cannot be encoded.
  const wellFormed = Buffer.from(text).toString();
  const component = encodeURIComponent(wellFormed);
  const strict = component.replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([["", wellFormed]]).toString().slice(1);
  // Python does not encode slashes. Go, in a path, does not encode the separators of a query.
  const path = strict.replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent);
  const all = [component, encodeURI(wellFormed), strict, strict.replaceAll("%20", "+"), form, path];
  return [...all, ...all.map((each) => each.replaceAll("%2F", "/"))].flatMap((each) => [
    each,
    each.replace(/%../g, (escaped) => escaped.toLowerCase()),
  ]);
}

function htmlForms(text: string): string[] {
  const tags = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quotes = ['"', "&quot;", "&#34;"].flatMap((quote) =>
    ["'", "&apos;", "&#39;", "&#039;", "&#x27;"].map((apostrophe) => [quote, apostrophe] as const),
  );
  const forms = quotes.map(([quote, apostrophe]) => tags.replaceAll('"', quote).replaceAll("'", apostrophe));
  // Some templates escape more, for attributes.
  const more: Record<string, string> = { "/": "&#x2F;", "=": "&#x3D;", "`": "&#x60;" };
  return forms.flatMap((form) => [form, form.replaceAll("+", "&#43;"), form.replace(/[/=`]/g, (char) => more[char]!)]);
}

function hexForms(text: string): string[] {
  const hex = Buffer.from(text).toString("hex");
  return [hex, hex.toUpperCase()];
}

/** Three bytes are four letters, so each place of the first byte among three has its own. */
const base64Forms = (text: string): string[] =>
  [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(" ".repeat(before) + text);
    const [first, end] = [Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3)];
    const [base64, base64url] = (["base64", "base64url"] as const).map((name) =>
      bytes.toString(name).slice(first, end),
    );
    return [base64!, base64url!, encodeURIComponent(base64!)];
  });

/** With the letter on each side that also encodes bits of a secret in base64. */
function withSharedLetters(text: string, [start, end]: Range): Range {
  const [after] = /^[\w+/-]?={0,2}/.exec(text.slice(end, end + 3))!;
  return [/[\w+/-]/.test(text.charAt(start - 1)) ? start - 1 : start, end + after.length];
}
