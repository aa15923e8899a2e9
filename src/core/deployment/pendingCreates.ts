/**
 * The creates of this deployment that are under way, or that failed and may have left an object. The search for the
 * object of a lost one must not find the object of another; and a retry of a create that failed goes on with its object.
 */

import { type CallError, uncertainCall } from "../../api/callError";
import type { ListItem } from "../../api/client";
import type { JsonObject } from "../../base/json";
import type { ObjectDefinition } from "../../definitions/definition";
import type { PartialFailure } from "../errors";
import type { Subject } from "../log";
import { hasDesired } from "../plan/compare";

/** A POST. */
export interface Create {
  definition: ObjectDefinition;
  desired: JsonObject;
  /** The resource that it is for. */
  about: Subject;
  sentAt: number;
}

/** A POST that may have created an object. */
export interface LostCreate extends Create {
  failure: CallError;
}

export class PendingCreates {
  /** By the key of their resource: the creates that failed with their object in hand. */
  readonly unfinished = new Map<string, PartialFailure>();
  private readonly pending = new Map<Create, Promise<void>>();
  private readonly lost: LostCreate[] = [];
  /** The ids of the objects that the program or the state has, each with its resource's key where that is known. */
  private readonly managed = new Map<string, string | undefined>();

  /** An object belongs to a resource. */
  markManaged(id: string, key?: string): void {
    this.managed.set(id, key ?? this.managed.get(id));
  }

  isManaged = (id: string): boolean => this.managed.has(id);

  isManagedBy = (key: string, id: string): boolean => this.managed.get(id) === key;

  /** Knows of a create until it ends; its object then belongs to its resource. */
  async track(create: Create, sent: Promise<ListItem>): Promise<ListItem> {
    const ended = sent.then(
      ({ id }) => this.markManaged(id),
      (error) => {
        const failure = uncertainCall(error);
        if (failure) this.lost.push({ ...create, failure });
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

  /** The first attempt of a resource whose response was lost. */
  firstLost = ({ key }: Subject): LostCreate | undefined => this.lost.find(({ about }) => about.key === key);
}

const isLike = ({ definition, desired }: Create, create: Create): boolean =>
  create.definition.type === definition.type && hasDesired(definition.fields, desired, create.desired);
