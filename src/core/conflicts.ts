/**
 * A value that only one object can have, such as a hostport, is already used by another. The error names that object.
 * Where the program moves the value from one object to the other, the call is retried until it is released.
 */

import { isStatus } from "../api/errors";
import { sleep } from "../api/rateLimiter";
import type { Definition, ObjectDefinition } from "../definitions/definition";
import { type Field, readFields, type Value } from "../definitions/fields";
import { asList, type Json, type JsonObject } from "../json";
import { matchesDesired } from "./compare";
import type { Deployment } from "./deployment";
import { ProviderError } from "./errors";
import { quote } from "./quote";

/** How long to wait until another object of the program releases the value. */
const releaseTimeoutMs = 60_000;
/** How long it may take until the engine calls this process for an object of the program. */
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
  const unique = definition.kind === "object" ? definition.unique : undefined;
  if (definition.kind !== "object" || !unique || desired[unique.argument] === undefined) return send();
  const { uniqueValues, client } = deployment;
  const field: Field = definition.fields[unique.argument]!;
  const started = Date.now();
  let holder: Holder | undefined;
  let hasRetriedWithoutHolder = false;
  for (;;) {
    const { writes } = client;
    try {
      const response = await send();
      if (id) uniqueValues.stopWaiting(id);
      return response;
    } catch (error) {
      if (!isStatus(error, 400, 409, 422)) throw error;
      const isFirst = holder === undefined;
      holder ??= await findHolder(deployment, definition, desired, { id, deadline }).catch((listError: Error) => {
        throw new ProviderError(
          `${error.message} Whether another object has the same ${unique.argument} is not known, because the list ` +
            `could not be read: ${listError.message}`,
        );
      });
      if (!holder) {
        // Another object of this process may have released it after the rejection. Once only: two that are rejected
        // for another reason would otherwise mistake each other's attempts for that.
        if (hasRetriedWithoutHolder || client.writes === writes + 1) throw error;
        hasRetriedWithoutHolder = true;
        continue;
      }
      if (id) uniqueValues.startWaiting(id, holder.id);
      const waited = Date.now() - started;
      const isSwap = id !== undefined && uniqueValues.isWaitingFor(holder.id, id);
      const isDeclaredTwice =
        unique.waitForRelease === true &&
        sharedBy(field, desired[unique.argument], uniqueValues.declaredFor(holder.id)) !== undefined;
      const timeout = deployment.isManaged(holder.id) ? releaseTimeoutMs : discoveryTimeoutMs;
      const mayRelease = unique.waitForRelease && !isSwap && !isDeclaredTwice && waited < timeout;
      const pause = Math.min(shortestPauseMs + waited / 4, longestPauseMs);
      if (!mayRelease || Date.now() + pause > deadline) {
        // Of several holders, the one that was waited for may have released its value in the meantime.
        const latest =
          !isFirst && !isSwap && !isDeclaredTwice
            ? await findHolder(deployment, definition, desired, { id, deadline }).catch(() => undefined)
            : undefined;
        const fix = fixFor(deployment, unique, latest ?? holder, isSwap, isDeclaredTwice);
        throw new ProviderError(`${error.message} ${describe(definition, latest ?? holder)}${fix}`);
      }
      deployment.showStatus(`Waiting for ${holder.name} to release its ${unique.argument}…`);
      await sleep(pause);
    }
  }
}

/** `"1.tcp.example.com:20022" is already used by TCP edge edgtcp_…`. */
function describe({ fields, unique }: ObjectDefinition, { name, shared }: Holder): string {
  const { argument } = unique!;
  return `${fields[argument]!.quotable ? quote(shared) : argument} is already used by ${name}`;
}

function fixFor(
  deployment: Deployment,
  { argument, fix }: NonNullable<ObjectDefinition["unique"]>,
  { id, isIdentical }: Holder,
  isSwap: boolean,
  isDeclaredTwice: boolean,
): string {
  if (isSwap) {
    return (
      `, which waits for a value of this one. Declare \`${argument}: []\` for one of the two, run \`pulumi up\`, then ` +
      "declare what each should have."
    );
  }
  if (isDeclaredTwice) {
    const force = isIdentical ? " To replace it by force, set the option deleteBeforeReplace." : "";
    return `, for which the program declares it too. Declare it in one place.${force}`;
  }
  if (isIdentical && !deployment.isManaged(id)) {
    return (
      `, which has everything else that is declared, too. If an interrupted deployment created it, import it with the ` +
      `option import: "${id}". If not, ${fix[0]!.toLowerCase()}${fix.slice(1)}`
    );
  }
  return `. ${fix}`;
}

/** The object that has the value, or undefined if none has; fails if a list that may contain it could not be read. */
async function findHolder(
  { client }: Deployment,
  definition: ObjectDefinition,
  desired: JsonObject,
  { id: own, deadline }: Sender,
): Promise<Holder | undefined> {
  const { fields, list, unique } = definition;
  const { argument, among } = unique!;
  const field = fields[argument]!;
  const sharedWith = (item: JsonObject) =>
    item.id === own ? undefined : sharedBy(field, desired[argument], readFields({ [argument]: field }, item)[argument]);
  let failure: { error: unknown } | undefined;
  for (const { displayName, route, key } of among) {
    const items = await client.list(route, key, deadline).catch((error: unknown) => {
      failure = { error };
      return [];
    });
    for (const item of items) {
      const shared = sharedWith(item);
      if (shared === undefined) continue;
      const isIdentical = key === list.key && matchesDesired(definition, desired, item);
      return { name: `${displayName} ${item.id}`, id: item.id, shared, isIdentical };
    }
  }
  if (failure) throw failure.error;
  return undefined;
}

/** The value, or the first item of two lists, that is the same to the service. */
function sharedBy(field: Field, desired: Value, other: Value): Json | undefined {
  if (!Array.isArray(desired)) return field.equals(desired, other) ? desired : undefined;
  return desired.find((item) => asList(other).some((each) => field.equals([item], [each])));
}
