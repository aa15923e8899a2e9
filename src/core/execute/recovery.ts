/**
 * The response to a create was lost: the service may have executed it. A lost POST is looked for in the list, because
 * sending it again could create a second object; where that leaves a doubt, the error names what may be the object.
 * (A lost update is read back: see update.ts.)
 */

import type { CallError } from "../../api/callError";
import type { ListItem } from "../../api/client";
import { expand, formatCurl } from "../../api/routes";
import { isUnset, type JsonObject } from "../../base/json";
import type { ObjectDefinition } from "../../definitions/definition";
import type { Deployment } from "../deployment/deployment";
import type { LostCreate } from "../deployment/pendingCreates";
import { ProviderError } from "../errors";
import { matchesDesired } from "../plan/compare";

/** How far the clocks of the service, of a gateway and of this machine may differ. */
const clockToleranceMs = 60_000;
/** How long a change may take until reads and lists show it. */
const lagMs = 5_000;
const pollIntervalMs = 500;

/** Who looks, and until when. */
interface Caller {
  deployment: Deployment;
  deadline?: number;
}

/**
 * Looks for what a call without a proof may have done, until it is found. The call may still be running, unless the
 * service itself has responded; and what it did may show only after some seconds.
 */
export async function pollUntil<T>(
  isFound: (value: T) => boolean,
  look: () => Promise<T>,
  { body }: CallError,
  { deployment, deadline = Number.POSITIVE_INFINITY }: Caller,
): Promise<T> {
  const end = Math.min(deployment.clock.now() + (body === "error" ? lagMs : deployment.pendingCallMs), deadline);
  for (;;) {
    const value = await look();
    if (isFound(value) || deployment.clock.now() + pollIntervalMs >= end) return value;
    deployment.showStatus("The response was lost. Checking for a few seconds whether the call succeeded…");
    await deployment.clock.sleep(pollIntervalMs);
  }
}

/** The object that a lost POST has created. */
export async function recoverCreate(caller: Caller, lost: LostCreate): Promise<JsonObject> {
  const { deployment } = caller;
  const { definition, failure } = lost;
  const look = () => findCandidates(caller, lost);
  // If several creates of the same content were lost, the one object found so far may be that of another.
  const countWanted = () => (isIdentified(lost) ? 1 : deployment.creates.countLost(lost));
  const isFound = (items: ListItem[]) => items.length >= countWanted();
  const items = await knownOrFail(lost, pollUntil(isFound, look, failure, caller));
  const object = await adopt(deployment, lost, items);
  if (object) return object;
  const [first] = items;
  if (!first) throw new ProviderError(`${describeFound(lost, items)} ${lookForIt}, which creates a new one.`);
  throw new ProviderError(
    `${describeFound(lost, items)} ${hint(deployment, definition, first.id)}` +
      (isFound(items) ? "" : ` Other responses were lost, too, so another one may still appear. ${lookForIt}.`),
  );
}

/**
 * A retry, which an `onError` hook asks for: the object of the first attempt, whose response was lost. Only the hook has
 * heard of that attempt, so what may be left of it is said here.
 */
export async function recoverEarlier(caller: Caller, lost: LostCreate): Promise<JsonObject | undefined> {
  const { deployment } = caller;
  const { definition, about } = lost;
  const items = await knownOrFail(lost, findCandidates(caller, lost));
  const object = await adopt(deployment, lost, items);
  if (object) return object;
  const deletes = items.map(({ id }) => describeDelete(deployment, definition, id)).join(", ");
  const fix = items.length > 0 ? `${isNoOthers} Then ${deletes}.` : `${lookFor("after this deployment")}.`;
  await deployment.warn(`${describeFound(lost, items)} A new one is created now. ${fix}`, about);
  return undefined;
}

/** Whether only one object can have what is declared. */
const isIdentified = ({ definition: { unique }, desired }: LostCreate) =>
  unique !== undefined && !isUnset(desired[unique.argument]);

/** The object that is managed from now on, if it is certain enough that the lost POST has created it. */
async function adopt(deployment: Deployment, lost: LostCreate, items: ListItem[]): Promise<JsonObject | undefined> {
  const { definition, about, failure } = lost;
  const [object] = items;
  if (!object || items.length > 1 || !isIdentified(lost)) return undefined;
  await deployment.warn(
    `${failure.message} ${definition.displayName} ${describe(object)} has everything that is declared, so it is ` +
      "managed from now on. If somebody else created it at the same time, remove it from this stack with " +
      "`pulumi state delete` before you change or destroy it.",
    about,
  );
  return object;
}

/** What was found in the list. Fails if it could not be read: a new POST could create a second object. */
const knownOrFail = ({ failure }: LostCreate, looking: Promise<ListItem[]>): Promise<ListItem[]> =>
  looking.catch((error: Error) => {
    throw new ProviderError(
      `${failure.message} It is not known whether it was created, because the list could not be read either ` +
        `(${error.message}) ${lookForIt}, which creates a new one.`,
    );
  });

/** What has become of a lost POST, as far as it is known. */
function describeFound({ definition, failure }: LostCreate, items: ListItem[]): string {
  return items.length > 0
    ? `${failure.message} It may have been created anyway, as ${items.map(describe).join(", ")}.${lossOf(definition)}`
    : `${failure.message} No new ${definition.displayName} was found in the account, but it may still appear.`;
}

const lookFor = (when: string) => `Look for it with the command \`inventory --unmanaged --stack <stack>\` ${when}`;
const lookForIt = lookFor("before you run `pulumi up` again");
const isNoOthers = "Make sure that it belongs to no other resource (`pulumi stack --show-ids`).";

const describe = ({ id, created_at }: ListItem) => `${id} (created ${created_at})`;

/** The objects that the lost POST may have created, without those that belong to another resource of the program. */
async function findCandidates({ deployment, deadline }: Caller, lost: LostCreate): Promise<ListItem[]> {
  const { definition, desired, sentAt } = lost;
  const { claims, client, creates, lists } = deployment;
  const all = await lists.all(definition.list, client.moment, deadline);
  // One of them may be the object of another create, whose response is still to come.
  await creates.settle(lost);
  claims.read();
  const isManaged = ({ id }: ListItem) =>
    creates.isManaged(id) || claims.at(`${expand(definition.list.route).path}/${id}`).length > 0;
  const since = client.serviceTime() - (deployment.clock.now() - sentAt) - clockToleranceMs;
  return all.filter(
    (item) =>
      !isManaged(item) && !(Date.parse(String(item.created_at)) < since) && matchesDesired(definition, desired, item),
  );
}

/** What is returned only on creation, and was in the lost response. */
const createOnly = ({ computed }: ObjectDefinition) => Object.keys(computed).find((name) => computed[name]!.createOnly);

function lossOf(definition: ObjectDefinition): string {
  const lost = createOnly(definition);
  return lost === undefined ? "" : ` Its ${lost} was in the lost response and cannot be read again.`;
}

const describeDelete = ({ client }: Deployment, { routes }: ObjectDefinition, id: string) =>
  `delete it with \`${formatCurl(client.settings, routes.delete, { id })}\``;

/** What to do about the object. Without what was lost, it is of little use. */
function hint(deployment: Deployment, definition: ObjectDefinition, id: string): string {
  const lost = createOnly(definition);
  const remove = describeDelete(deployment, definition, id);
  return lost === undefined
    ? `${isNoOthers} Then import it with the option import: "${id}", or ${remove}. Otherwise the next \`pulumi up\` ` +
        "creates a new one."
    : `${isNoOthers} Then ${remove}, and the next \`pulumi up\` creates a new one; or import it without its ${lost}, ` +
        `with the option import: "${id}".`;
}
