import { createPublicKey } from "node:crypto";
import { type Field, rejectValue, string } from "./fields";

/** Reads the wire format of RFC 4253: strings that follow their length. */
class WireReader {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  read(): Buffer {
    if (this.#rest.length < 4) throw new Error("the key ends early");
    const length = this.#rest.readUInt32BE();
    if (this.#rest.length < 4 + length) throw new Error("the key ends early");
    const bytes = this.#rest.subarray(4, 4 + length);
    this.#rest = this.#rest.subarray(4 + length);
    return bytes;
  }

  readLength(length: number): void {
    if (this.read().length !== length) throw new Error("the key has another length");
  }

  readCurve(name: string): void {
    if (this.read().toString("latin1") !== name) throw new Error("the key is on another curve");
  }

  /** A positive number. */
  readNumber(): void {
    const bytes = this.read();
    if (bytes.length === 0 || bytes[0]! > 127) throw new Error("the key contains no positive number");
  }

  end(): void {
    if (this.#rest.length > 0) throw new Error("the key is followed by something else");
  }
}

const readEcdsa = (curve: string, pointLength: number) => (key: WireReader) => {
  key.readCurve(curve);
  key.readLength(pointLength);
};

function readRepeatedly(key: WireReader, numbers: number): void {
  for (let count = 0; count < numbers; count++) key.readNumber();
}

const algorithms: Record<string, (key: WireReader) => void> = {
  "ssh-rsa": (key) => readRepeatedly(key, 2),
  "ssh-dss": (key) => readRepeatedly(key, 4),
  "ssh-ed25519": (key) => key.readLength(32),
  "ecdsa-sha2-nistp256": readEcdsa("nistp256", 65),
  "ecdsa-sha2-nistp384": readEcdsa("nistp384", 97),
  "ecdsa-sha2-nistp521": readEcdsa("nistp521", 133),
  "sk-ssh-ed25519@openssh.com": (key) => {
    key.readLength(32);
    key.read();
  },
  "sk-ecdsa-sha2-nistp256@openssh.com": (key) => {
    readEcdsa("nistp256", 65)(key);
    key.read();
  },
};

/** Returns the key without its comment, or throws. Algorithms that are not known here are accepted. */
function parseOpenSsh(line: string): string {
  const [algorithm = "", base64 = ""] = line.split(/[ \t]+/, 2);
  const bytes = Buffer.from(base64, "base64");
  if (/[\r\n]/.test(line) || bytes.toString("base64") !== base64) throw new Error("it is not one line with base64");
  if (algorithm.includes("-cert-")) throw new Error("it is a certificate");
  const key = new WireReader(bytes);
  if (key.read().toString("latin1") !== algorithm) throw new Error("its algorithm is another one");
  if (Object.hasOwn(algorithms, algorithm)) {
    algorithms[algorithm]!(key);
    key.end();
  }
  return `${algorithm} ${base64}`;
}

function parsePublicKey(text: string): string {
  const key = text.trim();
  if (!key.startsWith("-----")) return parseOpenSsh(key);
  if (!/^-----BEGIN (?:RSA )?PUBLIC KEY-----[^-]+-----END (?:RSA )?PUBLIC KEY-----$/.test(key))
    throw new Error("it is not one public key");
  try {
    return createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
  } catch {
    throw new Error("its PEM encoding is broken");
  }
}

export const publicKey: Field<string> = (value, name) => {
  const text = string(value, name);
  try {
    parsePublicKey(text);
    return text;
  } catch (error) {
    return rejectValue(name, `must be an encoded public key: ${(error as Error).message}`);
  }
};

/** The same for every form of a key: comments and line breaks may differ. */
export function normalizePublicKey(text: string): string {
  try {
    return parsePublicKey(text);
  } catch {
    return text.trimEnd(); // in a file of an earlier version
  }
}
