/** Turns whatever fails during an operation into one message that names the object. */

import { CallError, isDeleted, uncertainCall } from "../api/callError";
import type { Clock } from "../base/clock";
import type { Definition } from "../definitions/definition";
import { PartialFailure, ProviderError, refreshHint } from "./errors";
import { type Deadline, hasPassed, type Operation } from "./timeouts";

const participles: Record<Operation, string> = {
  create: "created",
  read: "read",
  update: "updated",
  delete: "deleted",
  import: "imported",
};

export interface ErrorContext {
  operation: Operation;
  definition: Definition;
  id: string | undefined;
  deadline?: Deadline;
  clock: Clock;
}

export async function withErrorContext<T>(context: ErrorContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { operation, definition, id } = context;
    const object = id ? `${definition.displayName} ${id}` : definition.displayName;
    const cause = `${messageOf(error)}${hintFor(error, context)}`;
    const message = `${object} could not be ${participles[operation]}: ${cause}`;
    if (error instanceof PartialFailure) throw new PartialFailure(message, error.id, error.properties);
    throw new ProviderError(message, { cause: error });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function hintFor(error: unknown, { operation, id, deadline, clock }: ErrorContext): string {
  const isLate = hasPassed(deadline, clock);
  const hints = [
    id &&
      operation === "update" &&
      isDeleted(error) &&
      "If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it.",
    operation === "delete" &&
      error instanceof CallError &&
      error.isUnreachable &&
      !isLate &&
      "If the service no longer exists, remove the resource from the state with `pulumi state delete`.",
    operation === "delete" && uncertainCall(error) && `It may have been deleted. ${refreshHint}`,
    isLate && deadline.hint,
  ];
  return hints
    .filter(Boolean)
    .map((hint) => ` ${hint}`)
    .join("");
}
