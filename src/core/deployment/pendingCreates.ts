/** The creates that are under way: what a lost create looks for must not be mistaken for the object of another. */

import type { ListItem } from "../../api/client";
import type { ObjectDefinition } from "../../definitions/definition";
import type { JsonObject } from "../../json";
import { hasDesired } from "../plan/compare";

interface PendingCreate {
  type: string;
  desired: JsonObject;
  ended: Promise<unknown>;
}

export class PendingCreates {
  private readonly pending = new Set<PendingCreate>();

  constructor(private readonly takeId: (id: string) => void) {}

  /** Knows of a create until it ends; its object then belongs to its resource. */
  async track({ type }: ObjectDefinition, desired: JsonObject, create: Promise<ListItem>): Promise<ListItem> {
    const ended = create.then(
      ({ id }) => this.takeId(id),
      () => undefined,
    );
    const pending = { type, desired, ended };
    this.pending.add(pending);
    await ended;
    this.pending.delete(pending);
    return create;
  }

  /** Waits for the other creates whose objects will have everything that is desired. */
  async settle({ type, fields }: ObjectDefinition, desired: JsonObject): Promise<void> {
    const alike = [...this.pending].filter((each) => each.type === type && hasDesired(fields, desired, each.desired));
    await Promise.all(alike.map(({ ended }) => ended));
  }
}
