/**
 * The creates of this deployment that are under way, or that failed and may have left something. The search for the
 * object of a lost one must not find the object of another; and none of them is sent again.
 */

import { uncertainCall } from "../../api/callError";
import type { ListItem } from "../../api/client";
import type { JsonObject } from "../../base/json";
import type { ObjectDefinition } from "../../definitions/definition";
import { PartialFailure, type ProviderError, withMessage } from "../errors";
import { hasDesired } from "../plan/compare";

/** A POST. */
export interface Create {
  /** Of the resource that it is for. */
  key: string;
  definition: ObjectDefinition;
  desired: JsonObject;
  sentAt: number;
}

export class PendingCreates {
  private readonly pending = new Map<Create, Promise<void>>();
  private readonly lost: Create[] = [];
  /** The errors of those that failed and may have left something, by the key of their resource. */
  private readonly failed = new Map<string, ProviderError>();
  /** The ids of the objects that the program or the state has, each with its resource's key where that is known. */
  private readonly managed = new Map<string, string | undefined>();

  /** An object belongs to a resource. */
  markManaged(id: string, key?: string): void {
    this.managed.set(id, key ?? this.managed.get(id));
  }

  isManaged = (id: string): boolean => this.managed.has(id);

  isManagedBy = (key: string, id: string): boolean => this.managed.get(id) === key;

  /**
   * Runs a resource's create. If it has failed before and may have left an object, it fails again with the same error.
   * An `onError` hook has then requested a retry, and the engine has lost the id and the state of that error.
   */
  async runOnce<T>(key: string, name: string, create: () => Promise<T>): Promise<T> {
    const earlier = this.failed.get(key);
    if (earlier) {
      throw withMessage(earlier, `${name} was not created again, because it may exist. ${earlier.message}`);
    }
    try {
      return await create();
    } catch (error) {
      const mayExist = error instanceof PartialFailure || this.lost.some((each) => each.key === key);
      if (mayExist) this.failed.set(key, error as ProviderError);
      throw error;
    }
  }

  /** Knows of a POST until it ends; its object then belongs to its resource. */
  async track(create: Create, sent: Promise<ListItem>): Promise<ListItem> {
    const ended = sent.then(
      ({ id }) => this.markManaged(id),
      (error) => {
        if (uncertainCall(error)) this.lost.push(create);
      },
    );
    this.pending.set(create, ended);
    await ended;
    this.pending.delete(create);
    return sent;
  }

  /** Waits for the other creates whose objects will have everything that is desired. */
  async settle(wanted: Create): Promise<void> {
    await Promise.all([...this.pending].flatMap(([create, ended]) => (isLike(wanted, create) ? [ended] : [])));
  }

  /** How many lost creates may have created an object with everything that is desired. */
  countLost = (wanted: Create): number => this.lost.filter((create) => isLike(wanted, create)).length;
}

const isLike = ({ definition, desired }: Create, create: Create): boolean =>
  create.definition.type === definition.type && hasDesired(definition.fields, desired, create.desired);
