/**
 * A value that only one object can have, such as a hostport, is already used by another. The error names that object.
 * Where the program moves the value from one object to the other, the call is retried until it is released. An object
 * that waits first releases what it gives up itself, so that objects can pass values on in a chain or a circle.
 */

import { type CallError, isStatus, uncertainCall } from "../../api/callError";
import { expand } from "../../api/routes";
import { asList, type Json, type JsonObject } from "../../base/json";
import { quote } from "../../base/quote";
import type { Definition, ObjectDefinition } from "../../definitions/definition";
import { type Field, readFields, type Value } from "../../definitions/fields/field";
import type { Deployment } from "../deployment/deployment";
import { ProviderError } from "../errors";
import { matchesDesired } from "../plan/compare";
import { uniquePlacesOf } from "../register/places";
import type { View } from "../register/view";

/** How long to wait until another object of the program releases the value. */
const releaseTimeoutMs = 60_000;
/** How long to wait until the program is known to take the value from the object that has it. */
const discoveryTimeoutMs = 3_000;
const shortestPauseMs = 500;
const longestPauseMs = 5_000;
/** How long a call may need: one that is sent later would be lost at the deadline. */
const callMs = 1_000;

/** The object that has the value. */
interface Holder {
  name: string;
  id: string;
  /** Its place in the register. */
  place: string;
  /** The value, or the first item of the list, that both have. */
  shared: Json;
  /** Whether it has everything else that is desired, too. */
  isIdentical: boolean;
}

interface Sender {
  /** The id of the object that the call is for, unless the call creates it. */
  id?: string;
  /** The key of the resource whose object the call creates. */
  key?: string;
  deadline?: number;
  /** Releases what the object gives up. */
  release?: () => Promise<void>;
}

/** Sends a call, and retries it while another object of the program still holds the value. */
export async function retryOnConflict<T>(
  deployment: Deployment,
  definition: Definition,
  desired: JsonObject,
  send: () => Promise<T>,
  sender: Sender,
): Promise<T> {
  if (definition.kind !== "object" || !definition.unique) return send();
  const conflict = new UniqueValueConflict(deployment, definition, definition.unique, desired, sender);
  for (;;) {
    const { client } = deployment;
    const wasAlone = client.pendingWrites === 0;
    // This call begins and ends, too.
    const writesIfAlone = client.writes + 2;
    try {
      const response = await send();
      if (sender.id) deployment.register.markChanged(sender.id);
      return response;
    } catch (error) {
      const isConflict = isStatus(error, 400, 409, 422) && desired[definition.unique.argument] !== undefined;
      // What has the value may be the object that a create made, if it may have been executed.
      const mayHaveCreated = sender.id === undefined && uncertainCall(error) !== undefined;
      if (!isConflict || mayHaveCreated) throw error;
      await conflict.pauseOrFail(error, () => !wasAlone || client.writes > writesIfAlone);
    }
  }
}

/** One call that is rejected, until it succeeds or there is nothing to wait for. */
class UniqueValueConflict {
  private readonly started: number;
  private holder: Holder | undefined;
  private hasRetriedWithoutHolder = false;
  private hasReleased = false;
  /** What the register knows when it is decided what to do about the rejection. */
  private view: View;

  constructor(
    private readonly deployment: Deployment,
    private readonly definition: ObjectDefinition,
    private readonly unique: NonNullable<ObjectDefinition["unique"]>,
    private readonly desired: JsonObject,
    private readonly sender: Sender,
  ) {
    this.started = deployment.clock.now();
    this.view = deployment.register.view();
  }

  /** Returns when the call should be sent again; throws if that cannot help. */
  async pauseOrFail(error: CallError, hasOtherWrites: () => boolean): Promise<void> {
    const isFirst = this.holder === undefined;
    this.holder ??= await this.findHolderOrFail(error);
    if (!this.holder) return this.retryOnce(error, hasOtherWrites());
    this.hasRetriedWithoutHolder = false;
    const { clock, register } = this.deployment;
    this.view = register.view();
    const waited = clock.now() - this.started;
    const release = this.willRelease && !this.hasReleased ? this.sender.release : undefined;
    const pause = release ? 0 : Math.min(shortestPauseMs + waited / 4, longestPauseMs);
    if (!this.mayRelease(waited) || clock.now() + pause + callMs > (this.sender.deadline ?? Number.POSITIVE_INFINITY)) {
      throw await this.toError(error, isFirst);
    }
    if (release) {
      this.hasReleased = true;
      return release();
    }
    this.deployment.showStatus(`Waiting for ${this.holder.name} to release its ${this.unique.argument}…`);
    // Of several holders, the next one is looked for when the first has changed.
    if (await this.waitForHolder(this.holder, pause)) this.holder = undefined;
  }

  /** Waits for a time, or until this process has changed the holder's value. Returns whether it has. */
  private async waitForHolder({ id }: Holder, ms: number): Promise<boolean> {
    const { clock, register } = this.deployment;
    const done = new AbortController();
    const timeout = clock.sleep(ms, done.signal).then(() => false);
    const change = register.nextChange(id).then(() => true);
    return Promise.race([timeout, change]).finally(() => done.abort());
  }

  private findHolderOrFail(error: CallError): Promise<Holder | undefined> {
    return this.findHolder().catch((listError: Error) => {
      throw new ProviderError(
        `${error.message} It is not known whether another object has the same ${this.unique.argument}, because the ` +
          `list could not be read: ${listError.message}`,
        { cause: error },
      );
    });
  }

  /**
   * No object has the value: another of this process may have released it after the rejection. Once only, because two
   * calls that are rejected for another reason would otherwise mistake each other's attempts for that.
   */
  private retryOnce(error: CallError, hasOtherWrites: boolean): void {
    if (this.hasRetriedWithoutHolder || !hasOtherWrites) throw error;
    this.hasRetriedWithoutHolder = true;
  }

  private mayRelease(waited: number): boolean {
    const timeout = this.willRelease ? releaseTimeoutMs : discoveryTimeoutMs;
    return this.unique.orderFix !== undefined && !this.isDeclaredTwice && waited < timeout;
  }

  /** Whether the program takes the value from the holder. */
  private get willRelease(): boolean {
    return this.holders.length > 0 && !this.isDeclaredTwice;
  }

  /** Whether the program declares the value for the holder, too. */
  private get isDeclaredTwice(): boolean {
    if (this.unique.orderFix === undefined) return false;
    const places = uniquePlacesOf(this.deployment.register, this.unique, this.desired);
    return this.holders.some((holder) => places.some((place) => holder.places[place]));
  }

  /** The other resources of the program that keep the object which has the value, or give it up. */
  private get holders() {
    return this.view.holdersOf(this.holder!.place).filter(({ key }) => key !== this.sender.key);
  }

  /** Whether the object that has the value is the one that the new object replaces. */
  private get isReplaced(): boolean {
    const { key } = this.sender;
    return key !== undefined && this.view.isClaimedBy(key, this.holder!.id);
  }

  private get field(): Field {
    return this.definition.fields[this.unique.argument]!;
  }

  private async toError(error: CallError, isFirst: boolean): Promise<ProviderError> {
    // Of several holders, the one that was waited for may have released its value in the meantime.
    if (!isFirst && !this.isDeclaredTwice) {
      this.holder = (await this.findHolder().catch(() => undefined)) ?? this.holder!;
    }
    const { name, shared } = this.holder!;
    const value = this.field.quotable ? quote(shared) : this.unique.argument;
    return new ProviderError(`${error.message} ${value} is already used by ${name}${this.fix}`, { cause: error });
  }

  /** What the user can do, as the end of the sentence that names the holder. */
  private get fix(): string {
    const { fix, orderFix } = this.unique;
    const { id, place, isIdentical } = this.holder!;
    if (this.isReplaced) {
      return (
        ", which this resource had before. If Pulumi deletes it after the replacement, set the option " +
        `deleteBeforeReplace. If Pulumi has retained it, import it with the option import: "${id}" (with the plugin, ` +
        "after `pulumi state delete` of this resource), or delete it."
      );
    }
    if (this.isDeclaredTwice) return ", for which the program declares it too. Declare it in one place.";
    if (isIdentical && !this.sender.id && !this.view.isClaimed(id, place)) {
      return (
        `, which also has everything else that is declared. If an interrupted deployment created it, import it with ` +
        `the option import: "${id}". If not, ${fix[0]!.toLowerCase()}${fix.slice(1)}`
      );
    }
    return this.willRelease && orderFix ? `, which has not released it yet. ${orderFix}` : `. ${fix}`;
  }

  /** The object that has the value, or undefined if none has; fails if a list that may contain it could not be read. */
  private async findHolder(): Promise<Holder | undefined> {
    const { definition, desired, field, unique } = this;
    const { argument, among } = unique;
    let failure: { error: unknown } | undefined;
    for (const { displayName, route, key } of among) {
      const items = await this.deployment.client.list(route, key, this.sender.deadline).catch((error: unknown) => {
        failure = { error };
        return [];
      });
      for (const item of items.filter(({ id }) => id !== this.sender.id)) {
        const shared = sharedBy(field, desired[argument], readFields({ [argument]: field }, item)[argument]);
        if (shared === undefined) continue;
        const isIdentical = key === definition.list.key && matchesDesired(definition, desired, item);
        const place = `${expand(route).path}/${item.id}`;
        return { name: `${displayName} ${item.id}`, id: item.id, place, shared, isIdentical };
      }
    }
    if (failure) throw failure.error;
    return undefined;
  }
}

/** The value, or the first item of two lists, that is the same to the service. */
function sharedBy(field: Field, desired: Value, other: Value): Json | undefined {
  if (!Array.isArray(desired)) return field.equals(desired, other) ? desired : undefined;
  return desired.find((item) => asList(other).some((each) => field.equals([item], [each])));
}
