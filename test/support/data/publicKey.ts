import { createHash } from "node:crypto";

/** The wire format of an SSH key: its parts, each after its length. */
export function encodeKey(...parts: (string | Uint8Array)[]): string {
  const withLength = (part: string | Uint8Array) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(part));
    return [length, Buffer.from(part as string)];
  };
  return Buffer.concat(parts.flatMap(withLength)).toString("base64");
}

/** A valid public key of its own for each name, which is also its comment. */
export function publicKey(name: string): string {
  return `ssh-ed25519 ${encodeKey("ssh-ed25519", createHash("sha256").update(name).digest())} ${name}`;
}
