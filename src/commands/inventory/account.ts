/** What an account has, as far as the API lists it. */

import { CallError } from "../../api/callError";
import type { Client } from "../../api/client";
import type { JsonObject } from "../../base/json";
import { readItem } from "../../core/functions/query";
import { definitions, readOnly } from "../../definitions";
import type { ObjectDefinition, ReadOnlyDefinition } from "../../definitions/definition";
import { listItems } from "../account";

type Listed = ObjectDefinition | ReadOnlyDefinition;

/** An object that the service has, in the arguments' shape. */
export interface AccountObject {
  definition: Listed;
  id: string;
  values: JsonObject;
}

/** A list that could not be read, or only in part. */
export interface Gap {
  definition: Listed;
  message: string;
}

export interface Account {
  objects: AccountObject[];
  gaps: Gap[];
  /** The time by the service's clock. */
  time: number;
}

/** The kinds that the API lists: what resources manage first. */
export const listedKinds: Listed[] = [
  ...definitions.filter((each): each is ObjectDefinition => each.kind === "object"),
  ...readOnly,
];

/** Lists every kind. `onKind` is called before each. A kind that cannot be listed is a gap; if no kind can be listed, this fails. */
export async function readAccount(client: Client, onKind: (displayName: string) => void): Promise<Account> {
  const objects: AccountObject[] = [];
  const gaps: Gap[] = [];
  for (const definition of listedKinds) {
    onKind(definition.displayName);
    try {
      for await (const item of listItems(client, definition))
        objects.push({ definition, id: String(item.id), values: readItem(definition, item) });
    } catch (error) {
      if (!(error instanceof CallError) || error.isUnreachable || error.status === 401) throw error;
      gaps.push({ definition, message: error.message });
    }
  }
  if (gaps.length === listedKinds.length) throw new Error(gaps[0]!.message);
  return { objects, gaps, time: client.serviceTime() };
}

/** How many objects of each kind were listed. */
export const countKinds = ({ objects }: Account): { name: string; count: number }[] =>
  listedKinds.map((definition) => ({
    name: definition.displayName,
    count: objects.filter((object) => object.definition === definition).length,
  }));
