/** What the dynamic provider host is to throw. */

import { Redaction } from "../../src/base/redaction";
import { ProviderError, redactError } from "../../src/core/errors";
import { toHostError } from "../../src/dynamic/host/hostError";

const redaction = new Redaction({ apiKey: "key-of-the-stack" });
const toError = (error: unknown) => toHostError(redactError(error, redaction));

test("an expected error has its message in place of a stack, for hosts that print both", () => {
  const { message, stack } = toError(new ProviderError("It failed with key-of-the-stack."));
  expect([message, stack]).toEqual(["It failed with [secret].", "It failed with [secret]."]);
});

test("an unexpected error keeps its stack, without secrets", () => {
  const { message, stack } = toError(new TypeError("no key-of-the-stack here"));
  expect(message).toBe("no [secret] here");
  expect(stack).toMatch(/^TypeError: no \[secret\] here\n *at /);
  expect(toError("key-of-the-stack").message).toBe("[secret]");
});
