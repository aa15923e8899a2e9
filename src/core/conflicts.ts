/**
 * A value that only one object can have, such as a hostport, is already used by another. The error names that object.
 * Where the program moves the value from one object to the other, the call is retried until it is released.
 */

import { type CallError, isStatus } from "../api/errors";
import type { Definition, ObjectDefinition } from "../definitions/definition";
import { type Field, readFields, type Value } from "../definitions/fields";
import { asList, type Json, type JsonObject } from "../json";
import { matchesDesired } from "./compare";
import type { Deployment } from "./deployment";
import { ProviderError } from "./errors";
import { quote } from "./quote";

/** How long to wait until another object of the program releases the value. */
const releaseTimeoutMs = 60_000;
/** A holder that no resource of the program has claimed by then is not in the program. */
const discoveryTimeoutMs = 3_000;
const shortestPauseMs = 500;
const longestPauseMs = 5_000;

/** The object that has the value. */
interface Holder {
  name: string;
  id: string;
  /** The value, or the first item of the list, that both have. */
  shared: Json;
  /** Whether it has everything else that is desired, too. */
  isIdentical: boolean;
}

interface Sender {
  /** The id of the object that the call is for, unless the call creates it. */
  id?: string;
  deadline?: number;
}

/** Sends a call, and again if it is rejected because another object of the program is yet to release a value. */
export async function retryOnConflict<T>(
  deployment: Deployment,
  definition: Definition,
  desired: JsonObject,
  send: () => Promise<T>,
  { id, deadline = Number.POSITIVE_INFINITY }: Sender,
): Promise<T> {
  if (definition.kind !== "object" || !definition.unique || desired[definition.unique.argument] === undefined) {
    return send();
  }
  const conflict = new Conflict(deployment, definition, definition.unique, desired, id, deadline);
  for (;;) {
    const writesBefore = deployment.client.writes;
    try {
      const response = await send();
      conflict.resolve();
      return response;
    } catch (error) {
      if (!isStatus(error, 400, 409, 422)) throw error;
      // The client counts this call, too.
      const hasOtherWrites = deployment.client.writes > writesBefore + 1;
      await conflict.pauseOrFail(error, hasOtherWrites);
    }
  }
}

/** One call that is rejected, until it succeeds or there is nothing to wait for. */
class Conflict {
  private readonly started: number;
  private holder: Holder | undefined;
  private hasRetriedWithoutHolder = false;

  constructor(
    private readonly deployment: Deployment,
    private readonly definition: ObjectDefinition,
    private readonly unique: NonNullable<ObjectDefinition["unique"]>,
    private readonly desired: JsonObject,
    private readonly id: string | undefined,
    private readonly deadline: number,
  ) {
    this.started = deployment.clock.now();
  }

  resolve(): void {
    if (this.id) this.deployment.uniqueValues.stopWaiting(this.id);
  }

  /** Returns when the call should be sent again; throws if that cannot help. */
  async pauseOrFail(error: CallError, hasOtherWrites: boolean): Promise<void> {
    const isFirst = this.holder === undefined;
    this.holder ??= await this.findHolderOrFail(error);
    if (!this.holder) return this.retryOnce(error, hasOtherWrites);
    if (this.id) this.deployment.uniqueValues.startWaiting(this.id, this.holder.id);
    const { clock } = this.deployment;
    const waited = clock.now() - this.started;
    const pause = Math.min(shortestPauseMs + waited / 4, longestPauseMs);
    if (!this.mayRelease(waited) || clock.now() + pause > this.deadline) throw await this.toError(error, isFirst);
    this.deployment.showStatus(`Waiting for ${this.holder.name} to release its ${this.unique.argument}…`);
    await clock.sleep(pause);
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
    const timeout = this.deployment.isManaged(this.holder!.id) ? releaseTimeoutMs : discoveryTimeoutMs;
    return this.unique.waitForRelease === true && !this.isSwap && !this.isDeclaredTwice && waited < timeout;
  }

  /** Whether the holder waits for a value of this object. */
  private get isSwap(): boolean {
    return this.id !== undefined && this.deployment.uniqueValues.isWaitingFor(this.holder!.id, this.id);
  }

  /** Whether the program declares the value for the holder, too. */
  private get isDeclaredTwice(): boolean {
    const { argument, waitForRelease } = this.unique;
    const declared = this.deployment.uniqueValues.declaredFor(this.holder!.id);
    return waitForRelease === true && sharedBy(this.field, this.desired[argument], declared) !== undefined;
  }

  private get field(): Field {
    return this.definition.fields[this.unique.argument]!;
  }

  private async toError(error: CallError, isFirst: boolean): Promise<ProviderError> {
    const { isSwap, isDeclaredTwice } = this;
    // Of several holders, the one that was waited for may have released its value in the meantime.
    if (!isFirst && !isSwap && !isDeclaredTwice) {
      this.holder = (await this.findHolder().catch(() => undefined)) ?? this.holder!;
    }
    const { name, shared } = this.holder!;
    const value = this.field.quotable ? quote(shared) : this.unique.argument;
    const fix = this.fix(isSwap, isDeclaredTwice);
    return new ProviderError(`${error.message} ${value} is already used by ${name}${fix}`, { cause: error });
  }

  /** What the user can do, as the end of the sentence that names the holder. */
  private fix(isSwap: boolean, isDeclaredTwice: boolean): string {
    const { argument, fix } = this.unique;
    const { id, isIdentical } = this.holder!;
    if (isSwap) {
      return (
        `, which in turn waits for ${argument} of this one. Declare \`${argument}: []\` for one of them, run ` +
        "`pulumi up`, then declare the final values."
      );
    }
    if (isDeclaredTwice) {
      return ", for which the program declares it too. Declare it in one place.";
    }
    if (isIdentical && !this.deployment.isManaged(id)) {
      return (
        `, which also has everything else that is declared. If an interrupted deployment created it, import it with ` +
        `the option import: "${id}". If not, ${fix[0]!.toLowerCase()}${fix.slice(1)}`
      );
    }
    return `. ${fix}`;
  }

  /** The object that has the value, or undefined if none has; fails if a list that may contain it could not be read. */
  private async findHolder(): Promise<Holder | undefined> {
    const { definition, desired, field, unique } = this;
    const { argument, among } = unique;
    let failure: { error: unknown } | undefined;
    for (const { displayName, route, key } of among) {
      const items = await this.deployment.client.list(route, key, this.deadline).catch((error: unknown) => {
        failure = { error };
        return [];
      });
      for (const item of items.filter(({ id }) => id !== this.id)) {
        const shared = sharedBy(field, desired[argument], readFields({ [argument]: field }, item)[argument]);
        if (shared === undefined) continue;
        const isIdentical = key === definition.list.key && matchesDesired(definition, desired, item);
        return { name: `${displayName} ${item.id}`, id: item.id, shared, isIdentical };
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
