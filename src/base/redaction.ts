/**
 * What messages must not contain: the settings' secrets, Pulumi Cloud's token, and the secret and sensitive values of
 * the resources whose operations are under way. Every text that leaves the process goes through here; outputs are data, and do not.
 */

export class Redaction {
  private readonly inUse = new Set<string[]>();

  constructor(private readonly settings: { apiKey?: string; headers?: Record<string, string> }) {}

  /** Hides these values, too, until the work has ended: whatever the process says meanwhile may contain them. */
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
  clean = (text: string) => hide(toOneLine(text), this.secrets);

  /**
   * A whole message, fit to leave the process. The names in it stay readable, even if a header's value is a word of the
   * API's paths. Secrets are hidden before a long message is cut, so that no half of one is left.
   */
  format = (message: string) => {
    const { apiKey = "" } = this.settings;
    const printed = printable(message);
    const kept = [...printed.matchAll(names)].map(({ 0: name, index }): Range => [index, index + name.length]);
    const isName = ([start, end]: Range) => kept.some(([from, to]) => from <= start && end <= to);
    const found = findSecrets(printed, this.secrets).filter((range) => !isName(range));
    const text = replaceRanges(printed, [...found, ...findSecrets(printed, [apiKey])]);
    return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
  };

  private get secrets(): string[] {
    const { apiKey = "", headers = {} } = this.settings;
    // The CLI gives it to providers if it is logged in with it.
    const { PULUMI_ACCESS_TOKEN: accessToken = "" } = process.env;
    return [apiKey, accessToken, ...Object.values(headers), ...[...this.inUse].flat()];
  }
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

/** Replaces secrets in a string, also where they are escaped for JSON, a URL or HTML, on one line, in base64 or in hex. */
export const hide = (text: string, secrets: string[]): string => replaceRanges(text, findSecrets(text, secrets));

/** Where these secrets are in a string. */
function findSecrets(text: string, secrets: string[]): Range[] {
  const literal = [...new Set(secrets)].filter((secret) => secret.length >= minSecretLength);
  if (literal.length === 0) return [];
  const plain = literal.map(plainForm).filter((secret) => secret.length >= minSecretLength);
  const find = (decoded: Decoded) =>
    [...findAll(decoded.text, plain), ...findEncoded(decoded.text, plain)].map(
      ([start, end]): Range => [decoded.starts[start]!, decoded.starts[end]!],
    );
  // A form's data has "+" for a space.
  const asForm = text.replaceAll("+", " ");
  return [...findAll(text, literal), ...find(decode(text)), ...(asForm === text ? [] : find(decode(asForm)))];
}

type Range = [start: number, end: number];

function findAll(text: string, secrets: string[]): Range[] {
  const ranges: Range[] = [];
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) {
      ranges.push([at, at + secret.length]);
    }
  }
  return ranges;
}

/** How bytes are written in letters: which ones, how many of them are a group, and how many a byte needs. */
const encodings = [
  { name: "base64", letters: "[\\w+/-]", group: 4, lettersPerByte: 4 / 3 },
  { name: "hex", letters: "[\\da-f]", group: 2, lettersPerByte: 2 },
] as const;

/**
 * The words of base64 and of hex that contain a secret, which may begin anywhere in one and go on in others: lines may be
 * broken, and bytes apart. If a secret occurs several times in a row of words, everything between is hidden, too.
 */
const findEncoded = (text: string, secrets: string[]): Range[] =>
  encodings.flatMap(({ name, letters, group, lettersPerByte }) => {
    /** What the letters are, wherever a group of them begins. */
    const decodings = (encoded: string) =>
      Array.from({ length: group }, (_, offset) => plainForm(Buffer.from(encoded.slice(offset), name).toString()));
    const rows = new RegExp(`${letters}+(?:[=:, -]{1,3}${letters}+)*={0,2}`, "gi");
    return [...text.matchAll(rows)].flatMap(({ 0: row, index }) => {
      const words = [...row.matchAll(new RegExp(`(${letters}+)={0,2}`, "gi"))];
      const encoded = words.map(([, word]) => word).join("");
      // Most rows are words of a message, and shorter than what encodes a secret.
      if (encoded.length < minSecretLength * lettersPerByte) return [];
      const decoded = decodings(encoded);
      return secrets
        .filter((secret) => decoded.some((each) => each.includes(secret)))
        .map((secret): Range => {
          const has = (start: number, end: number) =>
            decodings(encoded.slice(start, end)).some((each) => each.includes(secret));
          const firstEnd = findFirst(0, encoded.length, (end) => has(0, end));
          const start = findFirst(0, firstEnd, (at) => !has(at + 1, firstEnd));
          const lastStart = findFirst(start, encoded.length, (at) => !has(at + 1, encoded.length));
          const end = findFirst(firstEnd, encoded.length, (at) => has(lastStart, at));
          const [first, last] = [findWord(words, start), findWord(words, end - 1)];
          return [index + first.index, index + last.index + last[0].length];
        });
    });
  });

/** The word with a letter, which is counted without what is between words. */
function findWord(words: RegExpExecArray[], at: number): RegExpExecArray {
  let rest = at;
  return words.find(([, word]) => {
    rest -= word!.length;
    return rest < 0;
  })!;
}

/** The first number for which something holds that then holds for all up to the last. */
function findFirst(first: number, last: number, holds: (number: number) => boolean): number {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
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

/** A string without escapes, and where each of its characters begins in the original. */
interface Decoded {
  text: string;
  starts: number[];
}

/** How often a string may be escaped: more is not recognized. */
const maxEscapes = 6;

const plainForm = (text: string) => (text.search(escapes) < 0 ? text : decode(text).text).trim();

function decode(text: string): Decoded {
  let decoded: Decoded = { text, starts: Array.from({ length: text.length + 1 }, (_, index) => index) };
  for (let pass = 1; pass <= maxEscapes; pass++) {
    const next = decodeOnce(decoded);
    if (next.text === decoded.text) break;
    decoded = next;
  }
  return decoded;
}

function decodeOnce({ text, starts }: Decoded): Decoded {
  const parts: string[] = [];
  const from: number[] = [];
  let at = 0;
  const copyUntil = (end: number) => {
    parts.push(text.slice(at, end));
    for (; at < end; at++) from.push(starts[at]!);
  };
  for (const { 0: escaped, index } of text.matchAll(escapes)) {
    copyUntil(index);
    const plain = decodeEscape(escaped);
    parts.push(plain);
    for (const _ of plain.split("")) from.push(starts[index]!);
    at = index + escaped.length;
  }
  copyUntil(text.length);
  return { text: parts.join(""), starts: [...from, starts[text.length]!] };
}

const continued = "%[89ab][\\da-f]";

/** One escaped character of JSON, a URL or HTML; or spaces, which count as one. */
const escapes = new RegExp(
  [
    "\\\\(?:u[\\da-f]{4}|[\"\\\\/'bfnrt])",
    `%(?:[0-7][\\da-f]|[cd][\\da-f]${continued}|e[\\da-f](?:${continued}){2}|f[0-7](?:${continued}){3})`,
    "&(?:amp|lt|gt|quot|apos|#\\d{1,6}|#x[\\da-f]{1,5});",
    `[\\s${invisible}]+`,
  ].join("|"),
  "gi",
);

const namedEscapes: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'" };

function decodeEscape(escaped: string): string {
  const lower = escaped.toLowerCase();
  if (lower.startsWith("\\u")) return String.fromCharCode(Number.parseInt(escaped.slice(2), 16));
  if (escaped.startsWith("\\")) return /["\\/']/.test(escaped[1]!) ? escaped[1]! : " ";
  if (lower.startsWith("&#x")) return String.fromCodePoint(Number.parseInt(escaped.slice(3), 16));
  if (escaped.startsWith("&#")) return String.fromCodePoint(Number.parseInt(escaped.slice(2), 10));
  if (escaped.startsWith("&")) return namedEscapes[lower]!;
  return escaped.startsWith("%") ? decodeUtf8(escaped) : " ";
}

function decodeUtf8(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
