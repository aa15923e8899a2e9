/**
 * Values that one object alone can have, such as a hostport. When the service refuses one that is taken, the message
 * names who has it; and where the same program moves it from one object to another, the taker waits for the release.
 */

import { isStatus } from "../api/errors";
import { sleep } from "../api/rate";
import { asList, type JsonObject } from "../api/wire";
import type { Context } from "./context";
import type { Definition } from "./definition";
import { type Field, readFields, type Value } from "./fields";
import { holdsAll } from "./lost";
import { Refusal } from "./message";

/** How long a release by another object of the program is waited for. */
const patience = 60_000;
/** How long it may take until the engine shows an object of the program to this process. */
const introduction = 3_000;
const shortestPause = 500;
const longestPause = 5_000;

/** Sends what claims the value; `id` is the object that sends it, where it has one already. */
export async function claiming<T>(
  context: Context,
  definition: Definition,
  stated: JsonObject,
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
      const answer = await send();
      if (own) context.waits.delete(own);
      return answer;
    } catch (error) {
      if (!unique || stated[unique.argument] === undefined || !isStatus(error, 400, 409, 422)) throw error;
      const waitedFor = holder;
      holder ??= await holderOf(context, definition, stated, own).catch((unread: Error) => {
        const whether = `Whether another object has the same ${unique.argument} is not known`;
        throw new Refusal(`${error.message} ${whether}, because the list could not be read: ${unread.message}`);
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
        shared(definition.fields[unique.argument]!, stated[unique.argument], context.claims.get(holder.id));
      const most = context.isKnown(holder.id) ? patience : introduction;
      const mayRelease = unique.awaited && !isSwap && !isKept && waited < most;
      const pause = Math.min(shortestPause + waited / 4, longestPause);
      if (!mayRelease || Date.now() + pause > deadline) {
        // Of several, the one that was waited for may have released its own meanwhile.
        const lookAgain = waitedFor && !isSwap && !isKept;
        const now = lookAgain && (await holderOf(context, definition, stated, own).catch(() => undefined));
        const { noun, id, isTwin } = now || holder;
        const has = `${error.message} ${noun} ${id} has the same ${unique.argument}`;
        if (isSwap) {
          throw new Refusal(
            `${has}, and waits for those that this one has: state \`${unique.argument}: []\` for one of the two in an ` +
              "up of its own, then what each is to have.",
          );
        }
        if (isKept) {
          const force = isTwin ? ", or, to replace it by force, set the option deleteBeforeReplace" : "";
          throw new Refusal(`${has}, and the program states that for it too: leave it to one of the two${force}.`);
        }
        if (isTwin && !context.isKnown(id)) {
          throw new Refusal(
            `${has} and everything else that is stated: if an up that was interrupted made it, take it over with the ` +
              `option import: "${id}"; else ${unique.advice}`,
          );
        }
        throw new Refusal(`${has}: ${unique.advice}`);
      }
      context.waiting(`Waiting for ${holder.noun} ${holder.id} to release its ${unique.argument}…`);
      await sleep(pause);
    }
  }
}

interface Holder {
  noun: string;
  id: string;
  /** Whether it has everything else that is stated, too. */
  isTwin: boolean;
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
  stated: JsonObject,
  own: string | undefined,
): Promise<Holder | undefined> {
  const { fields, list, unique } = definition;
  const { argument, among } = unique!;
  const field = fields[argument]!;
  const holds = (item: JsonObject) =>
    item.id !== own && shared(field, stated[argument], readFields({ [argument]: field }, item)[argument]);
  let unread: { error: unknown } | undefined;
  for (const { noun, route, key } of among) {
    const items = await context.client.list(route, key).catch((error: unknown) => {
      unread = { error };
      return [];
    });
    const item = items.find(holds);
    if (item) return { noun, id: item.id, isTwin: key === list?.key && holdsAll(definition, stated, item) };
  }
  if (unread) throw unread.error;
  return undefined;
}

/** Whether two values, or any items of two lists, are the same to the service. */
const shared = (field: Field, a: Value, b: Value): boolean =>
  Array.isArray(a) ? a.some((one) => asList(b).some((other) => field.holds([one], [other]))) : field.holds(a, b);
