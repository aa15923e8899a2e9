/**
 * The response to a create was lost: the service may have executed it. A lost POST is looked for in the list, because
 * sending it again could create a second object; where that leaves a doubt, the error names what may be the object.
 * (A lost update is read back: see update.ts.)
 */

import type { CallError } from "../../api/callError";
import type { ListItem } from "../../api/client";
import { expand } from "../../api/routes";
import { isUnset, type JsonObject } from "../../base/json";
import type { ObjectDefinition } from "../../definitions/definition";
import type { Deployment } from "../deployment/deployment";
import { ProviderError } from "../errors";
import type { Subject } from "../log";
import { matchesDesired } from "../plan/compare";

/** How far the clocks of the service, of a gateway and of this machine may differ. */
const clockToleranceMs = 60_000;
/** How long a change may take until reads and lists show it. */
const lagMs = 5_000;
const pollIntervalMs = 500;

/**
 * Looks for what a call without a proof may have done, until it is found. The call may still be running, unless the
 * service itself has responded; and what it did may show only after some seconds.
 */
export async function pollUntil<T>(
  isFound: (value: T) => boolean,
  look: () => Promise<T>,
  { body }: CallError,
  deployment: Deployment,
  deadline = Number.POSITIVE_INFINITY,
): Promise<T> {
  const end = Math.min(deployment.clock.now() + (body === "error" ? lagMs : deployment.pendingCallMs), deadline);
  for (;;) {
    const value = await look();
    if (isFound(value) || deployment.clock.now() + pollIntervalMs >= end) return value;
    deployment.showStatus("The response was lost. Checking for a few seconds whether the call succeeded…");
    await deployment.clock.sleep(pollIntervalMs);
  }
}

/** A POST that may have created an object. */
interface LostCreate {
  definition: ObjectDefinition;
  desired: JsonObject;
  about: Subject;
  sentAt: number;
  failure: CallError;
}

/** The object that a lost POST has created. */
export async function recoverCreate(
  deployment: Deployment,
  lost: LostCreate,
  deadline: number | undefined,
): Promise<JsonObject> {
  const { definition, desired, about, failure } = lost;
  const { displayName, unique } = definition;
  const look = () => findCandidates(deployment, lost, deadline);
  // If several creates of the same content were lost, the one object found so far may be that of another.
  const isFound = (items: ListItem[]) => items.length >= deployment.creates.countLost(definition, desired);
  const [first, ...others] = await pollUntil(isFound, look, failure, deployment, deadline).catch((error: Error) => {
    throw new ProviderError(
      `${failure.message} It is not known whether it was created, because the list could not be read either ` +
        `(${error.message}) ${lookForIt}, which creates a new one.`,
    );
  });
  if (!first) {
    throw new ProviderError(
      `${failure.message} No new ${displayName} was found in the account, but it may still appear. ${lookForIt}, which ` +
        "creates a new one.",
    );
  }
  if (others.length === 0 && unique && !isUnset(desired[unique.argument])) {
    await deployment.warn(
      `${failure.message} ${displayName} ${describe(first)} has everything that is declared, so it is ` +
        "managed from now on. If somebody else created it at the same time, remove it from this stack with " +
        "`pulumi state delete` before you change or destroy it.",
      about,
    );
    return first;
  }
  throw new ProviderError(
    `${failure.message} It may have been created anyway, as ${[first, ...others].map(describe).join(", ")}. ` +
      hint(definition, first.id) +
      (isFound([first, ...others])
        ? ""
        : ` Other responses were lost, too, so another one may still appear. ${lookForIt}.`),
  );
}

const lookForIt =
  "Look for it with the command `inventory --unmanaged --stack <stack>` before you run `pulumi up` again";

const describe = ({ id, created_at }: ListItem) => `${id} (created ${created_at})`;

/** The objects that the lost POST may have created, without those that belong to another resource of the program. */
async function findCandidates(
  deployment: Deployment,
  { definition, desired, sentAt }: LostCreate,
  deadline: number | undefined,
): Promise<ListItem[]> {
  const { client, creates, register } = deployment;
  const { route, key } = definition.list;
  const all = await client.list(route, key, deadline);
  // One of them may be the object of another create, whose response is still to come.
  await creates.settle(definition, desired);
  register.sync();
  const isKnown = ({ id }: ListItem) => register.isKnown(id, `${expand(route).path}/${id}`);
  const since = client.serviceTime() - (deployment.clock.now() - sentAt) - clockToleranceMs;
  return all.filter(
    (item) =>
      !isKnown(item) && !(Date.parse(String(item.created_at)) < since) && matchesDesired(definition, desired, item),
  );
}

/** What to do about the object. If the lost response had what is returned only on creation, it is of little use. */
function hint({ computed }: ObjectDefinition, id: string): string {
  const lost = Object.keys(computed).find((name) => computed[name]!.createOnly);
  const check = "Make sure that it belongs to no other resource (`pulumi stack --show-ids`).";
  return lost === undefined
    ? `${check} Then import it with the option import: "${id}", or delete it. Otherwise the next \`pulumi up\` creates ` +
        "a new one."
    : `Its ${lost} was in the lost response and cannot be read again. ${check} Then delete it, and the next ` +
        `\`pulumi up\` creates a new one; or import it without its ${lost}, with the option import: "${id}".`;
}
