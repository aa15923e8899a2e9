/**
 * Values that one object alone can have, such as a hostport. When the service refuses one that is taken, the message
 * names who has it; and where the same program moves it from one object to another, the taker waits for the release.
 */

import { isStatus } from "../api/errors";
import { sleep } from "../api/rateLimiter";
import type { Definition } from "../definitions/definition";
import { type Field, readFields, type Value } from "../definitions/fields";
import { asList, type JsonObject } from "../json";
import type { Context } from "./deployment";
import { ProviderError } from "./errors";
import { matchesDesired } from "./recovery";

/** How long a release by another object of the program is waited for. */
const releaseTimeoutMs = 60_000;
/** How long it may take until the engine shows an object of the program to this process. */
const discoveryTimeoutMs = 3_000;
const shortestPauseMs = 500;
const longestPauseMs = 5_000;

/** Sends what claims the value; `id` is the object that sends it, where it has one already. */
export async function retryOnConflict<T>(
  context: Context,
  definition: Definition,
  desired: JsonObject,
  send: () => Promise<T>,
  { id: own, deadline = Number.POSITIVE_INFINITY }: { id?: string; deadline?: number },
): Promise<T> {
  const { unique } = definition;
  const began = Date.now();
  let holder: Holder | undefined;
  let triedAgain = false;
  for (;;) {
    const writes = context.client.writes;
    try {
      const response = await send();
      if (own) context.waits.delete(own);
      return response;
    } catch (error) {
      if (!unique || desired[unique.argument] === undefined || !isStatus(error, 400, 409, 422)) throw error;
      const waitedFor = holder;
      holder ??= await holderOf(context, definition, desired, own).catch((unread: Error) => {
        const whether = `Whether another object has the same ${unique.argument} is not known`;
        throw new ProviderError(`${error.message} ${whether}, because the list could not be read: ${unread.message}`);
      });
      if (!holder) {
        // Nobody has it any more: another object of this process may have released it after the refusal. Once, for
        // two that are refused for another reason would else take each other's attempts for that.
        if (triedAgain || context.client.writes === writes + 1) throw error;
        triedAgain = true;
        continue;
      }
      if (own) context.waits.set(own, holder.id);
      const waited = Date.now() - began;
      const isSwap = own !== undefined && waitsFor(context, holder.id, own);
      const isKept =
        unique.awaited &&
        overlaps(definition.fields[unique.argument]!, desired[unique.argument], context.claims.get(holder.id));
      const most = context.isKnown(holder.id) ? releaseTimeoutMs : discoveryTimeoutMs;
      const mayRelease = unique.awaited && !isSwap && !isKept && waited < most;
      const pause = Math.min(shortestPauseMs + waited / 4, longestPauseMs);
      if (!mayRelease || Date.now() + pause > deadline) {
        // Of several, the one that was waited for may have released its own meanwhile.
        const lookAgain = waitedFor && !isSwap && !isKept;
        const now = lookAgain && (await holderOf(context, definition, desired, own).catch(() => undefined));
        const { displayName, id, isIdentical } = now || holder;
        const has = `${error.message} ${displayName} ${id} has the same ${unique.argument}`;
        if (isSwap) {
          throw new ProviderError(
            `${has}, and waits for those that this one has: state \`${unique.argument}: []\` for one of the two in an ` +
              "up of its own, then what each is to have.",
          );
        }
        if (isKept) {
          const force = isIdentical ? ", or, to replace it by force, set the option deleteBeforeReplace" : "";
          throw new ProviderError(
            `${has}, and the program states that for it too: leave it to one of the two${force}.`,
          );
        }
        if (isIdentical && !context.isKnown(id)) {
          throw new ProviderError(
            `${has} and everything else that is stated: if an up that was interrupted made it, take it over with the ` +
              `option import: "${id}"; else ${unique.advice}`,
          );
        }
        throw new ProviderError(`${has}: ${unique.advice}`);
      }
      context.waiting(`Waiting for ${holder.displayName} ${holder.id} to release its ${unique.argument}…`);
      await sleep(pause);
    }
  }
}

interface Holder {
  displayName: string;
  id: string;
  /** Whether it has everything else that is stated, too. */
  isIdentical: boolean;
}

/** Whether an object waits for another, or for one that waits for that. */
function waitsFor(context: Context, id: string, other: string): boolean {
  const seen = new Set<string>();
  for (let next = context.waits.get(id); next && !seen.has(next); next = context.waits.get(next)) {
    if (next === other) return true;
    seen.add(next);
  }
  return false;
}

/** The object that has the value, or undefined if none has; fails if a list that may have it could not be read. */
async function holderOf(
  context: Context,
  definition: Definition,
  desired: JsonObject,
  own: string | undefined,
): Promise<Holder | undefined> {
  const { fields, list, unique } = definition;
  const { argument, among } = unique!;
  const field = fields[argument]!;
  const holds = (item: JsonObject) =>
    item.id !== own && overlaps(field, desired[argument], readFields({ [argument]: field }, item)[argument]);
  let unread: { error: unknown } | undefined;
  for (const { displayName, route, key } of among) {
    const items = await context.client.list(route, key).catch((error: unknown) => {
      unread = { error };
      return [];
    });
    const item = items.find(holds);
    if (item)
      return { displayName, id: item.id, isIdentical: key === list?.key && matchesDesired(definition, desired, item) };
  }
  if (unread) throw unread.error;
  return undefined;
}

/** Whether two values, or any items of two lists, are the same to the service. */
const overlaps = (field: Field, a: Value, b: Value): boolean =>
  Array.isArray(a) ? a.some((one) => asList(b).some((other) => field.equals([one], [other]))) : field.equals(a, b);
