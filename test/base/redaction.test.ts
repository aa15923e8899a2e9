/** Secrets are hidden in every form in which they can come back, and names stay readable. */

import { Redaction } from "../../src/base/redaction";
import { sensitiveStrings } from "../../src/core/secrets";
import { definitionOf } from "../support/data/samples";

/** What somebody else wrote, without these secrets. */
const hide = (text: string, secrets: string[]) =>
  new Redaction({ headers: Object.fromEntries(secrets.map((secret, index) => [index, secret])) }).clean(text);

const secret = '{"password": "ho/ho+ho & ä€😀 %41\\n"}\n';
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const ascii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const base64 = (text: string) => Buffer.from(text).toString("base64");

const hex = (text: string) => Buffer.from(text).toString("hex");
const percentLower = (text: string) => text.replace(/%../g, (escaped) => escaped.toLowerCase());

const forms: Record<string, string> = {
  "as it is": secret,
  "on one line": secret.replaceAll("\n", " ").trim(),
  "escaped for JSON": json(secret),
  "escaped for JSON twice": json(json(secret)),
  "escaped for JSON, in ASCII": ascii(json(secret)),
  "escaped for JSON, with slashes": ascii(json(secret)).replaceAll("/", "\\/"),
  "escaped for JSON, as Go does": json(secret).replaceAll("&", "\\u0026"),
  "escaped for JSON, as Java does": ascii(json(secret)).replace(/(?<=\\u)\w{4}/g, (hex) => hex.toUpperCase()),
  "escaped for JSON, as .NET does": ascii(json(secret))
    .replaceAll('\\"', "\\u0022")
    .replaceAll("+", "\\u002B")
    .replaceAll("&", "\\u0026")
    .replace(/(?<=\\u)\w{4}/g, (hex) => hex.toUpperCase()),
  "encoded for a URL": encodeURIComponent(secret),
  "encoded for a URL, with slashes": encodeURIComponent(secret).replaceAll("%2F", "/"),
  "encoded for a part of a URL's path": encodeURIComponent(secret).replace(/%(2B|26|3A|40)/g, decodeURIComponent),
  "encoded for a URL, in small letters": percentLower(encodeURIComponent(secret)),
  "encoded for a URL, whose path has more characters as they are": encodeURI(secret),
  "encoded for a URL as JSON": encodeURIComponent(json(secret)),
  "encoded for a form": new URLSearchParams({ secret }).toString().replace("secret=", ""),
  "escaped for HTML": secret.replaceAll("&", "&amp;").replaceAll('"', "&#34;"),
  "escaped for HTML, with names": secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
  "escaped for an attribute in HTML": secret
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("/", "&#x2F;"),
  "escaped for an attribute in HTML, as Go does": secret
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&#34;")
    .replaceAll("+", "&#43;"),
  "in base64": base64(secret),
  "in base64 for URLs": Buffer.from(secret).toString("base64url"),
  "in base64, after one letter": base64(`x${secret}`),
  "in base64, between others": base64(`xy${secret}xy`),
  "in base64, as JSON": base64(JSON.stringify({ metadata: secret })),
  "in hex": hex(secret),
  "in hex, in capitals": hex(secret).toUpperCase(),
  "in base64, encoded for a URL": encodeURIComponent(base64(`x${secret}`)),
};

test.each(Object.keys(forms))("a secret %s is hidden", (form) => {
  const [, before, after] = /^It said "(.*)\[secret\](.*)"\.$/.exec(hide(`It said "${forms[form]}".`, [secret]))!;
  // What is around a secret in base64, and what stands for the line break at its end.
  expect([before!.length, after!.length].every((length) => length < 20)).toBe(true);
});

test("hides every letter of base64 that has a bit of a secret", () => {
  const hidden = ["", "x", "xy"].map((before) => hide(base64(`${before}hush-hush${before}`), ["hush-hush"]));
  expect(hidden).toEqual(["[secret]", "e[secret]g=", "eH[secret]4eQ=="]);
});

test.each([base64, hex])("the shortest secret is hidden when it is encoded", (encode) => {
  expect(hide(`It said "${encode("hush!")}".`, ["hush!"])).toBe('It said "[secret]".');
});

test("a secret in base64 is hidden, whatever stands directly before it", () => {
  const key = "key-of-the-stack-with-ä€😀";
  const message = new Redaction({ apiKey: key });
  // Each prefix shifts the groups of four letters by another number, and some begin what looks like a name.
  for (const prefix of ["x", "id", "id-", "key_", "/auth", "token_", "GET /auth/", "ak_", "https://"]) {
    for (const encoded of [base64(key), base64(`x${key}`), Buffer.from(key).toString("base64url")]) {
      expect(hide(`It said ${prefix}${encoded}.`, [key])).not.toContain(encoded.slice(4, -4));
      expect(message.format(`It said ${prefix}${encoded}.`)).not.toContain(encoded.slice(4, -4));
    }
  }
});

test("leaves everything around a secret as it is", () => {
  const text = (value: string) => `a%20b\\n"${value}" c&amp;d=${value}`;
  for (const value of ["hush-hush", hex("hush-hush"), base64("hush-hush")]) {
    expect(hide(text(value), ["hush-hush"])).toBe(text("[secret]"));
  }
});

test("a secret on several lines is hidden where the service repeats it on one", () => {
  const key = "-----BEGIN KEY-----\nhush\u001b[31m\n-----END KEY-----";
  expect(hide("it said -----BEGIN KEY----- hush [31m -----END KEY-----.", [key])).toBe("it said [secret].");
  expect(hide(`it said ${key}.`, [key])).toBe("it said [secret].");
});

test("a secret is hidden completely if another one is its beginning, or overlaps it", () => {
  expect(hide("hush-hush-hush and hush-hush", ["hush-hush", "hush-hush-hush"])).toBe("[secret] and [secret]");
  expect(hide("abcdefghij", ["abcdefg", "defghij"])).toBe("[secret]");
});

test("secrets that are too short are not hidden", () => {
  expect(hide("a word is a word", ["", "a", "word"])).toBe("a word is a word");
});

/** With a time that grows with the square of the text's length, each of these would take many minutes. */
test("hiding takes time in proportion to the text", () => {
  for (const text of ["\\", "%25", "&amp;", "\\u005c", "a", "YWFh", "YWFh\n", "61 ", " \n"])
    expect(hide(text.repeat(50_000), ["a".repeat(4096), "\\".repeat(4096), secret])).not.toContain("a".repeat(4096));
});

describe("a message", () => {
  const redaction = new Redaction({ apiKey: "key-of-the-stack", headers: { "X-Proto": "https", "X-Team": "edges" } });

  test("keeps its calls, addresses, resources and ids, but no API key", () => {
    const line =
      'TcpEdge "edges": POST /edges/https returned 400: no https at https://edges.example.com, edgtcp_edges.';
    expect(redaction.format(line)).toBe(line.replace("no https", "no [secret]"));
    expect(redaction.format('GET /edges/key-of-the-stack, TcpEdge "key-of-the-stack"')).toBe(
      'GET /edges/[secret], TcpEdge "[secret]"',
    );
  });

  test("is formatted once and again with the same result", () => {
    const hiding = new Redaction({ headers: { "X-Team": "secret" } });
    expect(hiding.format(hiding.format("a secret."))).toBe("a [secret].");
  });

  test("is cut after secrets are hidden", () => {
    const text = redaction.format(`${"x".repeat(1_995)} key-of-the-stack`);
    expect(text).not.toContain("key-");
    expect(text).toHaveLength(2_001);
    expect(redaction.format("x".repeat(2_000))).toHaveLength(2_000);
  });

  test("hides the secrets of all operations, as long as they run", async () => {
    const seen: string[] = [];
    const say = async () => void seen.push(redaction.format("hush-one hush-two"));
    await Promise.all([
      redaction.during(["hush-one"], say),
      redaction.during(["hush-two"], async () => {
        await say();
        await Promise.resolve().then(say);
      }),
    ]);
    await say();
    expect(seen).toContain("[secret] [secret]");
    expect(seen.at(-1)).toBe("hush-one hush-two");
  });
});

test("the service's words keep no names, which may be secrets in another form", () => {
  expect(new Redaction({ headers: { "X-Team": "edges" } }).clean('GET /edges, TcpEdge "edges"')).toBe(
    'GET /[secret], TcpEdge "[secret]"',
  );
});

test("the service's words are on one line, without control characters", () => {
  expect(new Redaction({}).clean("\u0000 a\r\nb\u001b[0m \n")).toBe("a b [0m");
});

test("the values of a policy's configurations are sensitive, and its expressions are not", () => {
  const action = { type: "custom", config: { headers: { authorization: ["config-hush"] }, port: 22 } };
  const policy = { inbound: [{ name: "one", expressions: ["true"], actions: [action] }], outbound: [{}] };
  for (const type of ["TcpEdge", "TlsEdge"]) {
    expect(
      sensitiveStrings(definitionOf({ type }), {
        values: { policy, metadata: "metadata-hush", description: "mine" },
      }),
    ).toEqual(["metadata-hush", "config-hush"]);
  }
});

test("a resource's own secrets and values that are marked as secret are sensitive", () => {
  expect(
    sensitiveStrings(definitionOf({ type: "ApiKey" }), {
      values: { token: "token-hush", keepers: { on: "2026-11" }, description: "described-hush" },
      marks: { description: true },
    }),
  ).toEqual(["2026-11", "token-hush", "described-hush"]);
});

test("the token of Pulumi Cloud, which the CLI gives to providers, is hidden", () => {
  const before = process.env["PULUMI_ACCESS_TOKEN"];
  process.env["PULUMI_ACCESS_TOKEN"] = "pul-hush-hush";
  try {
    expect(new Redaction({}).format("It said pul-hush-hush.")).toBe("It said [secret].");
  } finally {
    if (before === undefined) delete process.env["PULUMI_ACCESS_TOKEN"];
    else process.env["PULUMI_ACCESS_TOKEN"] = before;
  }
});
