import { redact } from "../../src/api/errors";
import { formatMessage } from "../../src/core/errors";

describe("secrets are redacted from messages", () => {
  test("also if the service repeats them on one line", () => {
    const key = "-----BEGIN KEY-----\nhush\u001b[31m\n-----END KEY-----";
    expect(redact("it said -----BEGIN KEY----- hush [31m -----END KEY-----.", [key])).toBe("it said [secret].");
    expect(redact(`it said ${key}.`, [key])).toBe("it said [secret].");
  });

  test("completely, if one is the beginning of another", () => {
    expect(redact("hush-hush-hush and hush-hush", ["hush-hush", "hush-hush-hush"])).toBe("[secret] and [secret]");
  });

  test("before a message is shortened", () => {
    const text = `${"x".repeat(1_990)} hush-hush-hush`;
    expect(formatMessage(text, ["hush-hush-hush"])).not.toContain("hush");
  });

  test("but not from the call that failed, whose path may contain the same word", () => {
    const text = "PUT /edges/https/edghts_a/routes/edghtsrt_a/request_headers returned 400: no https here.";
    expect(formatMessage(text, ["https"])).toBe(text.replace("no https", "no [secret]"));
  });

  test("unless they are too short", () => {
    expect(redact("a word is a word", ["a", "word"])).toBe("a word is a word");
  });
});
