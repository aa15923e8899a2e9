/**
 * A value that only one object can have, such as a hostport, is already used by another. If the program takes it from
 * that object, the call waits until the object has released it. Otherwise the error names the object.
 */

import { type CallError, isStatus, uncertainCall } from "../../api/callError";
import { expand } from "../../api/routes";
import { asList, type Json, type JsonObject } from "../../base/json";
import { quote } from "../../base/quote";
import type { ObjectDefinition } from "../../definitions/definition";
import { type Field, readFields, type Value } from "../../definitions/fields/field";
import { uniquePlaces } from "../claims/places";
import { ProviderError } from "../errors";
import type { Operation } from "../operation";
import { matchesDesired } from "../plan/compare";

/** How long to wait until the object has released the value. */
const releaseMs = 60_000;
/** How long to wait until the program claims the object: the engine may only not have come to it yet. */
const claimMs = 3_000;
const pauseMs = 1_000;
/** How long a call may need: one that is sent later would be lost at the deadline. */
const callMs = 1_000;

/** The object that has the value. */
interface Holder {
  name: string;
  id: string;
  path: string;
  /** The value, or the first item of the list, that both have. */
  shared: Json;
  /** Whether it has everything else that is desired, too. */
  isIdentical: boolean;
}

/** Sends a call, and repeats it while another object of the program still has the value. */
export async function sendUnique<T>(operation: Operation, desired: JsonObject, send: () => Promise<T>): Promise<T> {
  const { definition, knownId } = operation;
  if (definition.kind !== "object" || !definition.unique || desired[definition.unique.argument] === undefined) {
    return send();
  }
  const conflict = new UniqueValueConflict(operation as Operation<ObjectDefinition>, definition.unique, desired);
  for (;;) {
    try {
      return await send();
    } catch (error) {
      // What has the value may be the object that a create made, if it may have been executed.
      const mayHaveCreated = knownId === undefined && uncertainCall(error) !== undefined;
      if (!isStatus(error, 400, 409, 422) || mayHaveCreated) throw error;
      await conflict.waitOrFail(error);
    }
  }
}

/** One call that is rejected, until it succeeds or there is nothing to wait for. */
class UniqueValueConflict {
  /** When the object was found that has the value. */
  private started = 0;
  /** Null if no object has the value. */
  private holder: Holder | null | undefined;
  private isWaiting = false;

  constructor(
    private readonly operation: Operation<ObjectDefinition>,
    private readonly unique: NonNullable<ObjectDefinition["unique"]>,
    private readonly desired: JsonObject,
  ) {}

  /** Returns when the call should be sent again; throws if that cannot help. */
  async waitOrFail(error: CallError): Promise<void> {
    const { deployment, deadline = Number.POSITIVE_INFINITY } = this.operation;
    const { clock } = deployment;
    if (this.holder === null) throw error;
    if (this.holder === undefined) {
      this.holder = (await this.findHolderOrFail(error)) ?? null;
      // Another object of the program may have released it after the rejection.
      if (this.holder === null) return;
      this.started = clock.now();
    }
    deployment.claims.read();
    const timeout = this.isReleased ? releaseMs : this.isClaimed ? 0 : claimMs;
    const end = Math.min(this.started + timeout, deadline - callMs);
    if (clock.now() + pauseMs > end) throw this.toError(error, this.holder);
    if (!this.isWaiting) {
      deployment.showStatus(`Waiting for ${this.holder.name} to release its ${this.unique.argument}…`);
    }
    this.isWaiting = true;
    await clock.sleep(pauseMs);
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

  /** The other resources of the program that claim the object. */
  private get owners() {
    const { deployment, options } = this.operation;
    return deployment.claims.others(this.holder!.path, options.key);
  }

  private get isClaimed(): boolean {
    return this.owners.length > 0;
  }

  /** Whether the program declares the value for the object, too. */
  private get isDeclaredTwice(): boolean {
    const { definition, deployment } = this.operation;
    const places = Object.keys(uniquePlaces(definition, this.desired, deployment.claims.hash));
    return this.owners.some((owner) => places.some((place) => owner.places.includes(place)));
  }

  /** Whether the program takes the value from the object. */
  private get isReleased(): boolean {
    return this.isClaimed && !this.isDeclaredTwice;
  }

  private get field(): Field {
    return this.operation.definition.fields[this.unique.argument]!;
  }

  private toError(error: CallError, holder: Holder): ProviderError {
    const value = this.field.quotable ? quote(holder.shared) : this.unique.argument;
    const message = `${error.message} ${value} is already used by ${holder.name}${this.fixFor(holder)}`;
    return new ProviderError(message, { cause: error });
  }

  /** What the user can do, as the end of the sentence that names the object. */
  private fixFor({ id, isIdentical }: Holder): string {
    const { fix } = this.unique;
    const { deployment, knownId, options } = this.operation;
    const { creates } = deployment;
    if (knownId === undefined && creates.isManagedBy(options.key, id)) {
      return (
        ", which this resource had before. If Pulumi deletes it after the replacement, set the option " +
        `deleteBeforeReplace. If Pulumi has retained it, import it with the option import: "${id}" (with the plugin, ` +
        "after `pulumi state delete` of this resource), or delete it."
      );
    }
    if (this.isDeclaredTwice) return ", for which the program declares it too. Declare it in one place.";
    if (this.isReleased) {
      return ", which has not released it yet. Remove it from one of them in a `pulumi up` of its own first.";
    }
    if (isIdentical && knownId === undefined && !creates.isManaged(id)) {
      return (
        `, which also has everything else that is declared. If an interrupted deployment created it, import it with ` +
        `the option import: "${id}". If not, ${fix[0]!.toLowerCase()}${fix.slice(1)}`
      );
    }
    return `. ${fix}`;
  }

  /** The object that has the value, or undefined if none has; fails if a list that may contain it could not be read. */
  private async findHolder(): Promise<Holder | undefined> {
    const { operation, desired, field, unique } = this;
    const { definition, deployment, knownId, deadline } = operation;
    const { argument, among } = unique;
    let failure: { error: unknown } | undefined;
    for (const { displayName, route, key } of among) {
      const items = await deployment.client.list(route, key, deadline).catch((error: unknown) => {
        failure = { error };
        return [];
      });
      for (const item of items.filter(({ id }) => id !== knownId)) {
        const shared = sharedBy(field, desired[argument], readFields({ [argument]: field }, item)[argument]);
        if (shared === undefined) continue;
        const isIdentical = key === definition.list.key && matchesDesired(definition, desired, item);
        const path = `${expand(route).path}/${item.id}`;
        return { name: `${displayName} ${item.id}`, id: item.id, path, shared, isIdentical };
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
