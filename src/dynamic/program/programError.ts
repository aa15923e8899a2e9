/**
 * An error that ends the program and is read as its message only. It has no stack, because Pulumi prints the stack of an
 * error after the program's last line. Also, Node 20 takes a minute to format a stack that names a file directly under a
 * scope (`node_modules/@pulumi/output.ts`, as the SDK's source maps do).
 */

import { RunError } from "@pulumi/pulumi";
import { printable } from "../../base/redaction";

export function programError(message: string): RunError {
  const text = printable(message);
  const error = new RunError(text);
  error.stack = text;
  // The SDK would write `error serializing property "…"` before the message of an error in a resource's input.
  Object.defineProperty(error, "message", { get: () => text, set: () => {} });
  return error;
}
