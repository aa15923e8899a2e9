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

type Unique = NonNullable<ObjectDefinition["unique"]>;

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
  const { definition } = operation;
  if (definition.kind !== "object" || !definition.unique || desired[definition.unique.argument] === undefined) {
    return send();
  }
  let conflict: Conflict | undefined;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isRejection(operation, error)) throw error;
      conflict ??= await findConflict(operation as Operation<ObjectDefinition>, definition.unique, desired, error);
      // Another object of the program may have released it after the rejection.
      if (!conflict) return send();
      await conflict.wait(error);
    }
  }
}

/** Whether the service rejected a call, perhaps because another object has the value. */
function isRejection({ knownId }: Operation, error: unknown): error is CallError {
  // If a create may have been executed, its own object may have the value.
  const isUncertain = knownId === undefined && uncertainCall(error) !== undefined;
  return isStatus(error, 400, 409, 422) && !isUncertain;
}

/** A resource of the program wants a value that an object has. */
class Conflict {
  private readonly began: number;
  private hasWaited = false;

  constructor(
    private readonly operation: Operation<ObjectDefinition>,
    private readonly unique: Unique,
    private readonly desired: JsonObject,
    private readonly holder: Holder,
  ) {
    this.began = operation.deployment.clock.now();
  }

  /** Waits until the call can be sent again. Throws if the object will not release the value, or took too long. */
  async wait(error: CallError): Promise<void> {
    const { deployment, deadline = Number.POSITIVE_INFINITY } = this.operation;
    const { claims, clock } = deployment;
    claims.read();
    const patienceMs = this.isReleased ? releaseMs : this.owners.length > 0 ? 0 : claimMs;
    const end = Math.min(this.began + patienceMs, deadline - callMs);
    if (clock.now() + pauseMs > end) throw this.toError(error);
    if (!this.hasWaited)
      deployment.showStatus(`Waiting for ${this.holder.name} to release its ${this.unique.argument}…`);
    this.hasWaited = true;
    await clock.sleep(pauseMs);
  }

  private toError(error: CallError): ProviderError {
    const { operation, unique, holder } = this;
    const { quotable } = operation.definition.fields[unique.argument]!;
    const value = quotable ? quote(holder.shared) : unique.argument;
    const message = `${error.message} ${value} is already used by ${holder.name}${this.fix}`;
    return new ProviderError(message, { cause: error });
  }

  /** The other resources of the program that claim the object. */
  private get owners() {
    const { deployment, options } = this.operation;
    return deployment.claims.others(this.holder.path, options.key);
  }

  /** Whether the program declares the value for the object, too. */
  private get isDeclaredTwice(): boolean {
    const { definition, deployment } = this.operation;
    const places = Object.keys(uniquePlaces(definition, this.desired, deployment.claims.hash));
    return this.owners.some((owner) => places.some((place) => owner.places.includes(place)));
  }

  /** Whether the program takes the value from the object. */
  private get isReleased(): boolean {
    return this.owners.length > 0 && !this.isDeclaredTwice;
  }

  /** What the user can do, as the end of the sentence that names the object. */
  private get fix(): string {
    const { id, isIdentical } = this.holder;
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
      return ", which has not released it yet. Remove it from one of them in a separate `pulumi up` first.";
    }
    if (isIdentical && knownId === undefined && !creates.isManaged(id)) {
      return (
        `, which also has everything else that is declared. If an interrupted deployment created it, import it with ` +
        `the option import: "${id}". If not, ${fix[0]!.toLowerCase()}${fix.slice(1)}`
      );
    }
    return `. ${fix}`;
  }
}

/** The conflict with the object that has the value, if one has; fails if a list that may contain it could not be read. */
async function findConflict(
  operation: Operation<ObjectDefinition>,
  unique: Unique,
  desired: JsonObject,
  rejection: CallError,
): Promise<Conflict | undefined> {
  const { argument, among } = unique;
  const { definition, deployment, knownId, deadline } = operation;
  const { client, lists } = deployment;
  const field = definition.fields[argument]!;
  const rejected = client.moment;
  let failure: Error | undefined;
  for (const list of among) {
    try {
      for await (const page of lists.pages(list, rejected, deadline)) {
        for (const item of page) {
          if (item.id === knownId) continue;
          const shared = sharedBy(field, desired[argument], readFields({ [argument]: field }, item)[argument]);
          if (shared === undefined) continue;
          const isIdentical = list.key === definition.list.key && matchesDesired(definition, desired, item);
          const path = `${expand(list.route).path}/${item.id}`;
          const holder = { name: `${list.displayName} ${item.id}`, id: item.id, path, shared, isIdentical };
          return new Conflict(operation, unique, desired, holder);
        }
      }
    } catch (error) {
      failure = error as Error;
    }
  }
  if (!failure) return undefined;
  throw new ProviderError(
    `${rejection.message} It is not known whether another object has the same ${argument}, because the list could not ` +
      `be read: ${failure.message}`,
    { cause: rejection },
  );
}

/** The value, or the first item of two lists, that is the same to the service. */
function sharedBy(field: Field, desired: Value, other: Value): Json | undefined {
  if (!Array.isArray(desired)) return field.equals(desired, other) ? desired : undefined;
  return desired.find((item) => asList(other).some((each) => field.equals([item], [each])));
}
