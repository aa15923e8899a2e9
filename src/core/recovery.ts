/**
 * The response to a create was lost: the service may have executed it. A lost POST is looked for in the list, because
 * sending it again could create a second object; where that leaves a doubt, the error names what may be the object.
 * (A lost update is read back: see update.ts.)
 */

import type { CallError } from "../api/errors";
import type { ObjectDefinition } from "../definitions/definition";
import { isUnset, type JsonObject } from "../json";
import { matchesDesired } from "./compare";
import type { Deployment } from "./deployment";
import { ProviderError } from "./errors";

/** Creation times are in whole seconds. */
const clockToleranceMs = 2_000;
const pollIntervalMs = 500;

/** Looks for what a call without a response may have done, as long as the service may still be executing it. */
export async function poll<T>(
  look: () => Promise<T | undefined>,
  { status }: CallError,
  deployment: Deployment,
  deadline = Number.POSITIVE_INFINITY,
): Promise<T | undefined> {
  const mayBeRunning = status === undefined || status === 502 || status === 504;
  const end = Math.min(deployment.clock.now() + (mayBeRunning ? deployment.pendingCallMs : 0), deadline);
  for (;;) {
    const found = await look();
    if (found !== undefined || deployment.clock.now() + pollIntervalMs >= end) return found;
    deployment.showStatus("The response was lost. Checking for a few seconds whether the call succeeded…");
    await deployment.clock.sleep(pollIntervalMs);
  }
}

/** The object that a lost POST, sent at `sentAt`, has created. */
export async function recoverCreate(
  deployment: Deployment,
  definition: ObjectDefinition,
  desired: JsonObject,
  failure: CallError,
  sentAt: number,
  deadline: number | undefined,
): Promise<JsonObject> {
  const { displayName, unique } = definition;
  const look = async () => {
    const found = await findCandidates(deployment, definition, desired, sentAt, deadline);
    return found.length > 0 ? found : undefined;
  };
  const candidates = await poll(look, failure, deployment, deadline).catch((error: Error) => {
    throw new ProviderError(
      `${failure.message} It is not known whether it was created, because the list could not be read either ` +
        `(${error.message}) Look for it in the account before you run \`pulumi up\` again, which creates a new one.`,
    );
  });
  if (!candidates) {
    throw new ProviderError(
      `${failure.message} No new ${displayName} is in the account, so nothing was created. Run \`pulumi up\` again.`,
    );
  }
  const [first, ...others] = candidates as [JsonObject, ...JsonObject[]];
  if (others.length === 0 && unique && !isUnset(desired[unique.argument])) return first;
  const names = candidates.map((item) => `${item.id} (created ${item.created_at})`).join(", ");
  throw new ProviderError(
    `${failure.message} It may have been created anyway, as ${names}. ${hint(definition, String(first.id))}`,
  );
}

/** The objects that the lost POST may have created. */
async function findCandidates(
  { client, clock, isManaged }: Deployment,
  definition: ObjectDefinition,
  desired: JsonObject,
  sentAt: number,
  deadline: number | undefined,
): Promise<JsonObject[]> {
  const { route, key } = definition.list;
  const all = await client.list(route, key, deadline);
  const since = client.serviceTime() - (clock.now() - sentAt) - clockToleranceMs;
  return all.filter(
    (item) =>
      !isManaged(item.id) &&
      !(Date.parse(String(item.created_at)) < since) &&
      matchesDesired(definition, desired, item),
  );
}

/** What the service returns only on creation was in the lost response: such an object is of little use. */
function hint({ computed }: ObjectDefinition, id: string): string {
  const lost = Object.keys(computed).find((name) => computed[name]!.createOnly);
  return lost === undefined
    ? `Import it with the option import: "${id}", or delete it. Otherwise the next \`pulumi up\` creates a new one.`
    : `Its ${lost} was in the lost response and cannot be read again. Delete it, and the next \`pulumi up\` creates a ` +
        `new one; or import it without its ${lost}, with the option import: "${id}".`;
}
