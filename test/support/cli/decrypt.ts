/** Decrypts the secrets of a state. The CLI takes as long for it as for a small deployment. */
import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import type { Deployment } from "./pulumi";

const keys = new Map<string, Buffer>();

/** The key that Pulumi derives from a passphrase and the salt of a stack. */
function deriveKey(passphrase: string, salt: string): Buffer {
  const found = keys.get(salt) ?? pbkdf2Sync(passphrase, Buffer.from(salt, "base64"), 1_000_000, 32, "sha256");
  keys.set(salt, found);
  return found;
}

/** What `pulumi stack export --show-secrets` shows of a state: each secret has a `plaintext` instead of a `ciphertext`. */
export function decryptState(state: Deployment, passphrase: string): Deployment {
  const [, salt = ""] = (state["secrets_providers"] as { state: { salt: string } }).state.salt.split(":");
  const decrypt = (ciphertext: string) => {
    const [, nonce = "", content = ""] = ciphertext.split(":");
    const sealed = Buffer.from(content, "base64");
    const decipher = createDecipheriv("aes-256-gcm", deriveKey(passphrase, salt), Buffer.from(nonce, "base64"));
    decipher.setAuthTag(sealed.subarray(-16));
    return decipher.update(sealed.subarray(0, -16), undefined, "utf8") + decipher.final("utf8");
  };
  return JSON.parse(JSON.stringify(state), (_, value) => {
    const { ciphertext, ...rest } = (value ?? {}) as { ciphertext?: unknown };
    return typeof ciphertext === "string" ? { ...rest, plaintext: decrypt(ciphertext) } : value;
  }) as Deployment;
}
