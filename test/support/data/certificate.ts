/** A self-signed certificate, generated when needed and never saved. */
import { generateKeyPairSync, sign } from "node:crypto";

/** DER: a tag, a length, and the content. */
function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const integer = (value: number) => der(0x02, Buffer.from([value]));
const time = (text: string) => der(0x17, Buffer.from(text));
const isTrue = der(0x01, Buffer.from([0xff]));
const octets = (content: Uint8Array) => der(0x04, content);

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const commonName = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from("127.0.0.1")))));
const isAuthority = sequence(oid("551d13"), isTrue, octets(sequence(isTrue)));
/** Not a name of this machine: requests to those bypass a proxy. */
export const serviceName = "service.example";
const names = [der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from(serviceName))];
const alternativeName = sequence(oid("551d11"), octets(sequence(...names)));

export function createCertificate({ isExpired = false } = {}): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const content = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    commonName,
    sequence(time("200101000000Z"), time(isExpired ? "200102000000Z" : "491231235959Z")),
    commonName,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(isAuthority, alternativeName)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
  const base64 = sequence(content, ecdsaWithSha256, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)!.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
}
