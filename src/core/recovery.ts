/**
 * The lost answer of a POST: the object may exist now, and sending again would make a second one. It is looked up,
 * and taken over where it can be told for certain; else the user is told what may be it.
 */

import type { CallError } from "../api/errors";
import { sleep } from "../api/rateLimiter";
import type { Definition } from "../definitions/definition";
import { readFields } from "../definitions/fields";
import { isUnset, type JsonObject } from "../json";
import type { Context } from "./deployment";
import { ProviderError } from "./errors";

/** Creation times are told in whole seconds. */
const clockToleranceMs = 2_000;
const pollIntervalMs = 500;

/**
 * Looks for what a call without an answer may have made. Where nobody said that the call was over, the service may
 * still be at work on it: then it is given as long again as a request may take.
 */
export async function poll<T>(
  look: () => Promise<T | undefined>,
  { status }: CallError,
  context: Context,
  deadline = Number.POSITIVE_INFINITY,
): Promise<T | undefined> {
  const unended = status === undefined || status === 502 || status === 504;
  const end = Math.min(Date.now() + (unended ? context.patience : 0), deadline);
  for (;;) {
    const found = await look();
    if (found !== undefined || Date.now() + pollIntervalMs >= end) return found;
    context.waiting("An answer was lost: looking for a few seconds at what became of the call…");
    await sleep(pollIntervalMs);
  }
}

export async function recoverCreate(
  definition: Definition,
  desired: JsonObject,
  began: number,
  failure: CallError,
  context: Context,
  deadline: number | undefined,
): Promise<JsonObject> {
  const { displayName, unique } = definition;
  const look = async () => undefinedIfEmpty(await candidatesFor(definition, desired, began, context, deadline));
  const candidates = await poll(look, failure, context, deadline).catch((error: Error) => {
    throw new ProviderError(
      `${failure.message} Whether it was created is not known, as the list could not be read either ` +
        `(${error.message}) Look for it in the account before the next up, which makes a new one.`,
    );
  });
  if (!candidates)
    throw new ProviderError(
      `${failure.message} No new ${displayName} is in the account: nothing was created. Run the up again.`,
    );
  const [first, ...others] = candidates as [JsonObject, ...JsonObject[]];
  if (others.length === 0 && unique && !isUnset(desired[unique.argument])) return first;
  const names = candidates.map((item) => `${item.id} (created ${item.created_at})`).join(", ");
  throw new ProviderError(
    `${failure.message} It may have been created all the same, as ${names}. ${hint(definition, String(first.id))}`,
  );
}

/** The objects that the lost POST may have made. */
async function candidatesFor(
  definition: Definition,
  desired: JsonObject,
  began: number,
  context: Context,
  deadline: number | undefined,
): Promise<JsonObject[]> {
  const { route, key } = definition.list!;
  const all = await context.client.list(route, key, deadline);
  const since = context.client.serviceTime() - (Date.now() - began) - clockToleranceMs;
  return all.filter(
    (item) =>
      !context.isKnown(item.id) &&
      !(Date.parse(String(item.created_at)) < since) &&
      matchesDesired(definition, desired, item),
  );
}

/** What was told at creation alone went with the answer: such an object is of no use any more. */
function hint({ outputs }: Definition, id: string): string {
  const gone = Object.keys(outputs).find((name) => outputs[name]!.once);
  return gone === undefined
    ? `Take it over with the option import: "${id}", or delete it; the next up without either makes a new one.`
    : `Its ${gone} was in the lost answer and cannot be read again: delete it, and the next up makes a new one; ` +
        `or take it over without its ${gone}, with the option import: "${id}".`;
}

const undefinedIfEmpty = <T>(items: T[]): T[] | undefined => (items.length > 0 ? items : undefined);

/** Whether an object of the service has everything that is stated. */
export function matchesDesired({ fields }: Definition, desired: JsonObject, item: JsonObject): boolean {
  const actual = readFields(fields, item);
  return Object.entries(fields).every(
    ([name, field]) => desired[name] === undefined || field.clientOnly || field.equals(desired[name], actual[name]),
  );
}
