/**
 * The lost answer of a POST: the object may exist now, and sending again would make a second one. It is looked up,
 * and taken over where it can be told for certain; else the user is told what may be it.
 */

import type { CallError } from "../api/errors";
import type { JsonObject } from "../api/wire";
import type { Context } from "./context";
import type { Definition } from "./definition";
import { readFields } from "./fields";
import { Refusal } from "./message";

/** Creation times are told in whole seconds. */
const slack = 2_000;

export async function findLost(
  definition: Definition,
  stated: JsonObject,
  began: number,
  failure: CallError,
  context: Context,
  deadline: number | undefined,
): Promise<JsonObject> {
  const { noun, list, unique } = definition;
  let all: JsonObject[];
  try {
    all = await context.client.list(list!.route, list!.key, deadline);
  } catch (error) {
    throw new Refusal(
      `${failure.message} Whether it was created is not known, as the list could not be read either ` +
        `(${(error as Error).message}) Look for it in the account before the next up, which makes a new one.`,
    );
  }
  const since = context.client.serviceTime() - (Date.now() - began) - slack;
  const candidates = all.filter(
    (item) =>
      typeof item.id === "string" &&
      !context.isKnown(item.id) &&
      !(Date.parse(String(item.created_at)) < since) &&
      holdsAll(definition, stated, item),
  );
  const [only] = candidates;
  if (only && candidates.length === 1 && unique && stated[unique.argument] !== undefined) return only;
  if (!only)
    throw new Refusal(`${failure.message} No new ${noun} is in the account: nothing was created. Run the up again.`);
  const names = candidates.map((item) => `${item.id} (created ${item.created_at})`).join(", ");
  throw new Refusal(
    `${failure.message} It may have been created all the same, as ${names}. Take it over with the option ` +
      `import: "${only.id}", or delete it; the next up without either makes a new one.`,
  );
}

function holdsAll({ fields }: Definition, stated: JsonObject, item: JsonObject): boolean {
  const actual = readFields(fields, item);
  return Object.entries(fields).every(
    ([name, field]) => stated[name] === undefined || field.local || field.holds(stated[name], actual[name]),
  );
}
