/** The hints in messages of failed calls. */
import { connectionError, responseError } from "../../src/api/callError";
import { Redaction } from "../../src/base/redaction";

const emulator = "Is the emulator running?";
const savedSettings = "add --run-program";

const listHints = (message: string) => [emulator, savedSettings].filter((hint) => message.includes(hint));

// Without a program, the engine only reads and deletes.
test.each([
  ["GET", "http://127.0.0.1:20443", "ECONNREFUSED", [emulator, savedSettings]],
  ["POST", "http://localhost:20443", "ECONNREFUSED", [emulator]],
  ["PUT", "http://[::1]:20443", "ECONNREFUSED", [emulator]],
  ["PATCH", "https://127.0.0.1:20443", "ECONNREFUSED", []],
  ["DELETE", "https://api.example.com", "ECONNREFUSED", [savedSettings]],
  ["POST", "http://localhost:20443", "ENOTFOUND", []],
])("%s without a connection to %s (%s) has the hints %j", (method, address, code, hints) => {
  const { failure } = connectionError(`${method} /edges/tcp`, address, { code });
  expect(listHints(failure.message)).toEqual(hints);
});

test.each(["EHOSTUNREACH", "ENETUNREACH"])("%s proves that nothing was sent only if connecting failed", (code) => {
  const callAfter = (syscall: string) =>
    connectionError("PUT /x", "https://api.example.com", { code, syscall }).failure.evidence.call;
  expect(callAfter("connect")).toBe("not executed");
  expect(callAfter("read")).toBe("unknown");
  expect(callAfter("write")).toBe("unknown");
});

test.each([
  ["GET", [savedSettings]],
  ["DELETE", [savedSettings]],
  ["POST", []],
  ["PATCH", []],
])("%s with an unknown key has the hints %j", (method, hints) => {
  const evidence = { call: "not executed", object: "unknown" } as const;
  const received = { status: 401, text: '{ "error_code": "ERR_1" }' };
  const { message } = responseError(
    `${method} /edges/tcp`,
    received,
    { body: "error", evidence, problem: "" },
    new Redaction({}),
  );
  expect(message).toContain("Check the API key");
  expect(listHints(message)).toEqual(hints);
});
