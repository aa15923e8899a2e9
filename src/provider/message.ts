/** Errors and texts meant for the user. */

/** What the dynamic host prints before the message of an error that is meant for the user. */
export const refused = "tunnel-edge";

/** An error that the user reads as its message alone: the dynamic host prints errors with their stacks. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = refused;
    this.stack = message;
  }

  /** The host prints `${error}: ${error.stack}`. */
  override toString(): string {
    return this.name;
  }
}

/** A failure after which the engine keeps the object, with what is known of it, and goes on from there next time. */
export class Unfinished extends Refusal {
  readonly reasons: string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Record<string, unknown>,
  ) {
    super(message);
    this.reasons = [message];
  }
}

/** Takes secrets out of a text. Shorter texts than this are not worth hiding and would make words unreadable. */
export function redacted(text: string, secrets: string[]): string {
  return secrets
    .filter((secret) => secret.length >= 5)
    .sort((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.split(secret).join("[secret]"), text);
}

/** All texts within a value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
