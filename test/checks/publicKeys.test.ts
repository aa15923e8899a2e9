/** Which public keys are complete, and which are the same key. */
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { isSameKey, publicKeyProblem } from "../../src/definitions/fields/publicKeys";
import { encodeKey, publicKey } from "../support/data/publicKey";

const generated: [type: string, key: KeyObject, parts: (jwk: Record<string, Buffer>) => (string | Buffer)[]][] = [
  ["ssh-ed25519", generateKeyPairSync("ed25519").publicKey, ({ x }) => [x!]],
  [
    "ssh-rsa",
    generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey,
    ({ e, n }) => [e!, Buffer.concat([Buffer.from([0]), n!])],
  ],
  ...(["nistp256", "nistp384", "nistp521"] as const).map((curve): (typeof generated)[number] => [
    `ecdsa-sha2-${curve}`,
    generateKeyPairSync("ec", { namedCurve: curve.replace("nistp", "P-") }).publicKey,
    ({ x, y }) => [curve, Buffer.concat([Buffer.from([4]), x!, y!])],
  ]),
];

const incomplete = (type: string) => `is not a complete ${type} key; copy the whole .pub file`;
const noKey = 'must be a public key, such as "ssh-ed25519 AAAA…" or "-----BEGIN PUBLIC KEY-----…"';

describe.each(generated)("%s", (type, key, partsOf) => {
  const jwk = Object.entries(key.export({ format: "jwk" })).map(([name, value]) => [
    name,
    Buffer.from(String(value), "base64url"),
  ]);
  const blob = encodeKey(type, ...partsOf(Object.fromEntries(jwk)));
  const line = `${type} ${blob}`;
  const pem = key.export({ format: "pem", type: "spki" }) as string;

  test("is complete as a line, with a comment and line breaks, and PEM-encoded", () => {
    const lines = [line, ` ${line}\r\n`, `${type}\t${blob}\tsome one\n`, `${type}  ${blob}`];
    for (const form of [...lines, pem, pem.replaceAll("\n", "\r\n"), pem.trim()]) {
      expect([form, publicKeyProblem(form)]).toEqual([form, undefined]);
      expect([form, isSameKey(form, line)]).toEqual([form, true]);
    }
  });

  test("is not complete if anything is missing or added", () => {
    const bytes = Buffer.from(blob, "base64");
    const cut = [1, 3, 20].map((length) => bytes.subarray(0, -length));
    const longer = [Buffer.concat([bytes, Buffer.from([0])]), Buffer.concat([bytes, Buffer.alloc(8)])];
    const others = [...cut, ...longer].map((other) => other.toString("base64"));
    const parts = [
      blob.slice(0, -1),
      `${blob}=`,
      `${blob.slice(0, 20)}…`,
      "hello",
      "AAAA",
      blob.slice(40),
      `!!!!${blob}`,
    ];
    for (const part of [...others, ...parts]) expect(publicKeyProblem(`${type} ${part}`)).toBe(incomplete(type));
    const lines = pem.trim().split("\n");
    const der = key.export({ format: "der", type: "spki" });
    const broken = [
      lines.slice(0, -1),
      [...lines, ...lines],
      lines.toSpliced(1, 1, lines[1]!.slice(4)),
      [lines[0]!, Buffer.concat([der, Buffer.from([0])]).toString("base64"), lines.at(-1)!],
      [lines[0]!, Buffer.concat([der, der]).toString("base64"), lines.at(-1)!],
    ];
    for (const text of broken) {
      expect(publicKeyProblem(text.join("\n"))).toBe(
        'is not one complete PEM-encoded key; copy all lines from "BEGIN" to "END"',
      );
    }
  });

  test("is not another key", () => {
    expect(isSameKey(line, publicKey("other"))).toBe(false);
    expect(isSameKey(pem, publicKey("other"))).toBe(false);
  });
});

test("a line is not complete if anything follows the key", () => {
  const [type, blob] = publicKey("a").split(" ");
  expect(publicKeyProblem(`${type} ${blob}!!!!`)).toBe(incomplete(type!));
});

test("an RSA key is the same in PEM if its number begins with the highest bit", () => {
  const n = Buffer.alloc(128, 1).fill(0x80, 0, 1);
  const jwk = { kty: "RSA", n: n.toString("base64url"), e: "AQAB" };
  const pem = createPublicKey({ key: jwk, format: "jwk" }).export({ format: "pem", type: "spki" }) as string;
  const blob = encodeKey("ssh-rsa", Buffer.from("AQAB", "base64"), Buffer.concat([Buffer.from([0]), n]));
  expect(isSameKey(pem, `ssh-rsa ${blob}`)).toBe(true);
});

test("a key for another purpose is no SSH key", () => {
  const key = generateKeyPairSync("x25519").publicKey;
  const x = Buffer.from(key.export({ format: "jwk" }).x!, "base64url");
  const pem = key.export({ format: "pem", type: "spki" }) as string;
  expect(isSameKey(pem, `ssh-ed25519 ${encodeKey("ssh-ed25519", x)}`)).toBe(false);
});

test("the type must be that of the key", () => {
  const [, blob] = publicKey("a").split(" ");
  expect(publicKeyProblem(`ssh-rsa ${blob}`)).toBe(incomplete("ssh-rsa"));
});

test("RSA keys may be in PKCS #1", () => {
  const { publicKey: key } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const [pkcs1, spki] = (["pkcs1", "spki"] as const).map((type) => key.export({ format: "pem", type }) as string);
  expect(publicKeyProblem(pkcs1!)).toBeUndefined();
  expect(isSameKey(pkcs1!, spki!)).toBe(true);
});

test.each([
  ["sk-ssh-ed25519@openssh.com", [Buffer.alloc(32), "ssh:"]],
  ["sk-ecdsa-sha2-nistp256@openssh.com", ["nistp256", Buffer.alloc(65, 4), "ssh:"]],
  ["ssh-dss", ["p", "q", "g", "y"]],
  ["ssh-dss", ["p", "q", "g", ""]],
])("%s consists of all its parts", (type, parts) => {
  expect(publicKeyProblem(`${type} ${encodeKey(type, ...parts)}`)).toBeUndefined();
  expect(publicKeyProblem(`${type} ${encodeKey(type, ...parts.slice(0, -1))}`)).toContain("is not a complete");
});

test("a key of a type that is not known begins with its type", () => {
  const type = "ssh-mldsa-65@example.com";
  expect(publicKeyProblem(`${type} ${encodeKey(type, "anything")} comment`)).toBeUndefined();
  expect(publicKeyProblem(`${type} ${encodeKey("ssh-other", "anything")}`)).toContain("must be a public key");
  expect(publicKeyProblem(`${type} anything`)).toContain("must be a public key");
});

test.each([
  [
    "a certificate",
    `ssh-ed25519-cert-v01@openssh.com ${encodeKey("x")}`,
    "is a certificate; use the public key that it certifies",
  ],
  ["nothing", " \n", "must not be empty"],
  [
    "a private key",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA",
    "is a private key, which must be kept secret; use the public key (.pub)",
  ],
  ["one word", "hello", noKey],
  ["a key after a hyphen", `-${publicKey("a")}`, noKey],
  ["a certificate's type with something after it", "x-cert-v01@openssh.com.example AAAA", noKey],
  ["PEM after something else", "key -----BEGIN PUBLIC KEY-----", noKey],
  [
    "another curve",
    `ecdsa-sha2-nistp256 ${encodeKey("ecdsa-sha2-nistp256", "nistp384", Buffer.alloc(65))}`,
    incomplete("ecdsa-sha2-nistp256"),
  ],
  ["too few bytes", `ssh-ed25519 ${encodeKey("ssh-ed25519", Buffer.alloc(31))}`, incomplete("ssh-ed25519")],
  [
    "options before two spaces",
    `restrict ${publicKey("a").replace(" ", "  ")}`,
    "has authorized_keys options; use only the key",
  ],
  ["options", `restrict,command="a b" ${publicKey("a")}`, "has authorized_keys options; use only the key"],
  ["two keys", `${publicKey("a")}\n${publicKey("b")}`, "must be one key, on one line"],
  ["RFC 4716", "---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----", "must be one key, on one line"],
  ["a word", "constructor AAAA", noKey],
])("rejects %s", (_, text, problem) => {
  expect(publicKeyProblem(text)).toBe(problem);
});

test("strings that are no keys are compared without spaces and line breaks", () => {
  expect(isSameKey("no\r\nkey", "no\nkey\n")).toBe(true);
  expect(isSameKey("ssh-ed25519 AAAA one", "ssh-ed25519 AAAA")).toBe(true);
  expect(isSameKey("", publicKey("a"))).toBe(false);
  expect(isSameKey("ssh-ed25519 AAAA\nssh-rsa BBBB", "ssh-ed25519 AAAA")).toBe(false);
});
