/** Errors meant for the user. */

import { redact, toOneLine } from "../api/errors";

/** An error that the user reads as its message, without a stack. */
export class ProviderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(printable(message), options);
    this.name = "ProviderError";
  }
}

/** A failure after which the object exists: the state records what is known of it, and the next update continues. */
export class PartialFailure<S extends { id: string } = { id: string }> extends ProviderError {
  constructor(
    message: string,
    readonly state: S,
  ) {
    super(message);
  }
}

/** A string without control characters, whoever wrote parts of it; its lines stay lines. */
export const printable = (text: string) => text.split("\n").map(toOneLine).join("\n");

const maxMessageLength = 2_000;

/**
 * A message without secrets, and not too long. Secrets are removed before it is cut, so that no half of one is left.
 * The call at its beginning stays readable, even if a secret occurs in its path, such as a header's value "https".
 */
export function formatMessage(text: string, secrets: string[]): string {
  const [call] = /^(?:[A-Z]+ \/[\w/]*)?/.exec(text)!;
  const clean = call + redact(text.slice(call.length), secrets);
  return clean.length > maxMessageLength ? `${clean.slice(0, maxMessageLength)}…` : clean;
}

/** All strings within a value. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
