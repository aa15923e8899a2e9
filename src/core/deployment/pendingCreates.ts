/** The creates that are under way: the search for the object of a lost one must not find the object of another. */

import { uncertainCall } from "../../api/callError";
import type { ListItem } from "../../api/client";
import type { JsonObject } from "../../base/json";
import type { ObjectDefinition } from "../../definitions/definition";
import { hasDesired } from "../plan/compare";

interface Create {
  type: string;
  desired: JsonObject;
}

interface PendingCreate extends Create {
  ended: Promise<unknown>;
}

export class PendingCreates {
  private readonly pending = new Set<PendingCreate>();
  private readonly lost: Create[] = [];

  constructor(private readonly onCreated: (id: string) => void) {}

  /** Knows of a create until it ends; its object then belongs to its resource. */
  async track({ type }: ObjectDefinition, desired: JsonObject, create: Promise<ListItem>): Promise<ListItem> {
    const ended = create.then(
      ({ id }) => this.onCreated(id),
      (error) => void (uncertainCall(error) && this.lost.push({ type, desired })),
    );
    const pending = { type, desired, ended };
    this.pending.add(pending);
    await ended;
    this.pending.delete(pending);
    return create;
  }

  /** Waits for the other creates whose objects will have everything that is desired. */
  async settle(definition: ObjectDefinition, desired: JsonObject): Promise<void> {
    const alike = [...this.pending].filter(isLike(definition, desired));
    await Promise.all(alike.map(({ ended }) => ended));
  }

  /** How many lost creates may have created an object with everything that is desired. */
  countLost = (definition: ObjectDefinition, desired: JsonObject): number =>
    this.lost.filter(isLike(definition, desired)).length;
}

const isLike =
  ({ type, fields }: ObjectDefinition, desired: JsonObject) =>
  (create: Create): boolean =>
    create.type === type && hasDesired(fields, desired, create.desired);
