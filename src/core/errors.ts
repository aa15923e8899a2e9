/** Errors and texts meant for the user. */

import { RunError } from "@pulumi/pulumi";
import { redact, toOneLine } from "../api/errors";

/** What the dynamic host prints before the message of an error that is meant for the user. */
export const errorPrefix = "tunnel-edge";

/** An error that the user reads as its message alone: the dynamic host prints errors with their stacks. */
export class ProviderError extends Error {
  constructor(formatMessage: string) {
    super(printable(formatMessage));
    this.name = errorPrefix;
    this.stack = this.message;
  }

  /** The host prints `${error}: ${error.stack}`. */
  override toString(): string {
    return this.name;
  }
}

/**
 * An error that ends the program, read as its message alone. Without its stack, because Pulumi prints the stack of
 * whatever is thrown after the program's last line, and because Node 20 takes a minute to format a stack that names
 * a file right under a scope (`node_modules/@pulumi/output.ts`, as the SDK's source maps do).
 */
export function programError(message: string): RunError {
  const text = printable(message);
  const error = new RunError(text);
  error.stack = text;
  // The SDK would write `error serializing property "…"` before the message of an error in a resource's input.
  Object.defineProperty(error, "message", { get: () => text, set: () => {} });
  return error;
}

/** A failure after which the engine keeps the object, with what is known of it, and goes on from there next time. */
export class PartialFailure extends ProviderError {
  readonly reasons: string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Record<string, unknown>,
  ) {
    super(message);
    this.reasons = [this.message];
  }
}

/** A text that a terminal shows and does not obey, whoever wrote parts of it; its lines stay lines. */
export const printable = (text: string) => text.split("\n").map(toOneLine).join("\n");

const maxMessageLength = 2_000;

/**
 * A message that a user can read. Secrets are taken out before it is cut, lest half of one be left; the call that it
 * begins with stays readable, though a secret may be a word of its path, such as a header's value "https".
 */
export function message(text: string, secrets: string[]): string {
  const [call] = /^(?:[A-Z]+ \/[\w/]*)?/.exec(text)!;
  const clean = call + redact(text.slice(call.length), secrets);
  return clean.length > maxMessageLength ? `${clean.slice(0, maxMessageLength)}…` : clean;
}

/** All texts within a value. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
