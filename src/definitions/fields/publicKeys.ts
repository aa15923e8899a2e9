/** Public keys of SSH: in which forms they are written, what is wrong with one, and when two are the same key. */

import { createPublicKey, type KeyObject } from "node:crypto";

/** What a key of each type consists of after its type: so many bytes, this text, or any bytes. */
const keyParts = new Map<string, (number | string | undefined)[]>([
  ["ssh-ed25519", [32]],
  ["ssh-rsa", [undefined, undefined]],
  ["ssh-dss", [undefined, undefined, undefined, undefined]],
  ["ecdsa-sha2-nistp256", ["nistp256", 65]],
  ["ecdsa-sha2-nistp384", ["nistp384", 97]],
  ["ecdsa-sha2-nistp521", ["nistp521", 133]],
  ["sk-ssh-ed25519@openssh.com", [32, undefined]],
  ["sk-ecdsa-sha2-nistp256@openssh.com", ["nistp256", 65, undefined]],
]);

/** What is wrong with a public key, without quoting it. A key of another type only has to begin with its type. */
export function publicKeyProblem(value: string): string | undefined {
  const text = value.trim();
  if (text === "") return "must not be empty";
  if (text.includes("PRIVATE KEY")) return "is a private key, which must be kept secret; use the public key (.pub)";
  if (/^-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(text)) {
    return parsePem(text) ? undefined : 'is not one complete PEM-encoded key; copy all lines from "BEGIN" to "END"';
  }
  if (text.includes("\n")) return "must be one key, on one line";
  const { type, blob } = parseLine(text) ?? { type: "", blob: "" };
  if (/-cert-v\d\d@openssh\.com$/.test(type)) return "is a certificate; use the public key that it certifies";
  if (isComplete(type, blob)) return undefined;
  if (keyParts.has(type)) return `is not a complete ${type} key; copy the whole .pub file`;
  if (/[ \t](?:ssh|ecdsa|sk)-\S+[ \t]+AAAA/.test(text)) return "has authorized_keys options; use only the key";
  return 'must be a public key, such as "ssh-ed25519 AAAA…" or "-----BEGIN PUBLIC KEY-----…"';
}

/** Whether two strings are the same key. Comments and line breaks do not count, nor whether it is PEM-encoded. */
export const isSameKey = (one: string, other: string) => one === other || identityOf(one) === identityOf(other);

/** The same string for the same key. */
export function identityOf(value: string): string {
  const text = value.trim();
  const key = fromPem(text) ?? parseLine(text);
  return key ? `${key.type} ${key.blob}` : text.replace(/\s+/g, "");
}

interface Key {
  type: string;
  /** The type and the parts after it, base64-encoded. */
  blob: string;
}

/** `ssh-ed25519 AAAA… comment`, as a .pub file has it. */
function parseLine(text: string): Key | undefined {
  const match = /^([^\s-]\S*)[ \t]+(\S+)(?:[ \t][^\n]*)?$/.exec(text);
  return match ? { type: match[1]!, blob: match[2]! } : undefined;
}

function isComplete(type: string, blob: string): boolean {
  const [first, ...parts] = isBase64(blob) ? readParts(Buffer.from(blob, "base64")) : [];
  if (first?.toString() !== type) return false;
  const expected = keyParts.get(type);
  return !expected || (parts.length === expected.length && parts.every((part, index) => isPart(part, expected[index])));
}

function isPart(part: Buffer | undefined, expected: number | string | undefined): boolean {
  if (typeof expected === "string") return part?.toString() === expected;
  return part !== undefined && part.length === (expected ?? part.length);
}

/** The parts of a key, each after its length; undefined for what is left if the last one is incomplete. */
function readParts(bytes: Buffer): (Buffer | undefined)[] {
  const parts: (Buffer | undefined)[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 > bytes.length ? Number.POSITIVE_INFINITY : at + 4 + bytes.readUInt32BE(at);
    parts.push(end > bytes.length ? undefined : bytes.subarray(at + 4, end));
    at = end;
  }
  return parts;
}

const writeParts = (...parts: (string | Buffer)[]): string =>
  Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part as Buffer);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  ).toString("base64");

const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

function parsePem(text: string): KeyObject | undefined {
  const match = /^-----BEGIN ((?:RSA )?PUBLIC KEY)-----([A-Za-z0-9+/=\s]*)-----END \1-----$/.exec(text);
  if (!match) return undefined;
  const base64 = match[2]!.replace(/\s+/g, "");
  const bytes = Buffer.from(isBase64(base64) ? base64 : "", "base64");
  const encoding = { format: "der", type: match[1] === "PUBLIC KEY" ? "spki" : "pkcs1" } as const;
  try {
    const key = createPublicKey({ key: bytes, ...encoding });
    // Otherwise bytes after a complete key would be ignored.
    return key.export(encoding).length < bytes.length ? undefined : key;
  } catch {
    return undefined;
  }
}

/** A PEM-encoded key as OpenSSH writes it. */
function fromPem(text: string): Key | undefined {
  const key = parsePem(text);
  if (!key) return undefined;
  try {
    const { crv = "", x, y, n, e } = key.export({ format: "jwk" });
    const bytes = (part: string | undefined) => Buffer.from(part ?? "", "base64url");
    const number = (part: string | undefined) =>
      bytes(part)[0]! < 0x80 ? bytes(part) : Buffer.concat([Buffer.alloc(1), bytes(part)]);
    const written = (name: string, ...parts: (string | Buffer)[]) => ({ type: name, blob: writeParts(name, ...parts) });
    if (n !== undefined) return written("ssh-rsa", number(e), number(n));
    if (y === undefined) return crv === "Ed25519" ? written("ssh-ed25519", bytes(x)) : undefined;
    const curve = crv.replace("P-", "nistp");
    return written(`ecdsa-sha2-${curve}`, curve, Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]));
  } catch {
    return undefined; // of a type that has no such form
  }
}
