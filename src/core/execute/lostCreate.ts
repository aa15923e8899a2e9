/**
 * A create that may have made an object that no state has: its response was lost, or its deployment was interrupted.
 * Which objects it may be, whether that is certain, and what the user does about one. A lost POST is never sent again,
 * because that could create a second object: the provider looks for its object once. The command `inventory` looks after
 * an interrupted deployment.
 */

import type { CallError } from "../../api/callError";
import type { ListItem } from "../../api/client";
import { expand, formatCurl, type ServiceAddress } from "../../api/routes";
import { isUnset, type JsonObject } from "../../base/json";
import { quote } from "../../base/quote";
import type { ObjectDefinition } from "../../definitions/definition";
import type { Create } from "../deployment/pendingCreates";
import { ProviderError } from "../errors";
import { readItem } from "../functions/query";
import type { Operation } from "../operation";
import { hasDesired } from "../plan/compare";

/** What was to be created. */
interface Wanted {
  definition: ObjectDefinition;
  desired: JsonObject;
}

/** How far the clocks of the service, of a gateway and of the machine that ran the deployment may differ. */
const clockToleranceMs = 60_000;

/** Whether an object, in the arguments' shape, has everything that is declared, and is not older than the create. */
export const isObjectOf = ({ definition, desired }: Wanted, since: number, object: JsonObject): boolean =>
  !(Date.parse(String(object.createdAt)) < since - clockToleranceMs) && hasDesired(definition.fields, desired, object);

/** Whether only one object of the account can have what is declared. */
export const isIdentified = ({ definition: { unique }, desired }: Wanted): boolean =>
  unique !== undefined && !isUnset(desired[unique.argument]);

export const describeCreated = ({ id, createdAt }: JsonObject): string => `${id} (created ${createdAt})`;

/** What is returned only on creation: an API key's token. */
export const lostOutput = ({ computed }: ObjectDefinition): string | undefined =>
  Object.keys(computed).find((name) => computed[name]!.createOnly);

export const adviseDeletion = ({ routes }: ObjectDefinition, id: string, service: ServiceAddress): string =>
  `delete it with \`${formatCurl(service, routes.delete, { id })}\` (set TUNNEL_EDGE_API_KEY first)`;

/**
 * What to do about an object that its resource does not have, and the alternative. Without its lost output, such as a
 * token, it is of little use.
 */
export function advise(
  definition: ObjectDefinition,
  id: string,
  service: ServiceAddress,
): [step: string, other: string] {
  const lost = lostOutput(definition);
  const [remove, add] = [adviseDeletion(definition, id, service), `add import: ${quote(id)} to its options`];
  return lost === undefined
    ? [`${add} and run \`pulumi up\``, remove]
    : [`${remove} and run \`pulumi up\`, which creates a new one`, `${add}, to manage it without its ${lost}`];
}

/** The object of a POST whose response was lost, if it is certain enough. Otherwise the error names what it may be. */
export async function findLostCreate(
  operation: Operation<ObjectDefinition>,
  create: Create,
  failure: CallError,
): Promise<JsonObject> {
  const { definition, deployment } = operation;
  const { client, creates } = deployment;
  const { displayName } = definition;
  // If several creates of the same content were lost, the one object found so far may be that of another.
  const isFound = (items: ListItem[]) => items.length >= (isIdentified(create) ? 1 : creates.countLost(create));
  const look = () => findCandidates(operation, create);
  const items = await deployment.pollUntil(isFound, look, failure, operation.deadline).catch((error: Error) => {
    throw new ProviderError(
      `${failure.message} It is not known whether it was created, because the list could not be read either ` +
        `(${error.message}) ${lookForIt}, which creates a new one.`,
    );
  });
  const [object, ...others] = items;
  if (!object) {
    throw new ProviderError(
      `${failure.message} No new ${displayName} was found in the account, but it may still appear. ${lookForIt}, which ` +
        "creates a new one.",
    );
  }
  const names = items.map((item) => describeCreated(readItem(definition, item))).join(", ");
  if (isIdentified(create) && others.length === 0) {
    await operation.warn(
      `${failure.message} ${displayName} ${names} has everything that is declared, so it is managed from now on. If ` +
        "somebody else created it at the same time, remove it from this stack with `pulumi state delete` before you " +
        "change or destroy it.",
    );
    return object;
  }
  const lost = lostOutput(definition);
  const sentences = [
    `${failure.message} It may have been created anyway, as ${names}.`,
    lost && `Its ${lost} was in the lost response and cannot be read again.`,
    "Make sure that it belongs to no other resource (`pulumi stack --show-ids`).",
    `Then ${advise(definition, object.id, client.settings).join(", or ")}.`,
    !lost && "Otherwise the next `pulumi up` creates a new one.",
    !isFound(items) && `Other responses were lost, too, so another one may still appear. ${lookForIt}.`,
  ];
  throw new ProviderError(sentences.filter(Boolean).join(" "));
}

const lookForIt =
  "Look for it with the command `inventory --unmanaged --stack <stack>` before you run `pulumi up` again";

/** The objects that the lost POST may have created, without those that belong to another resource of the program. */
async function findCandidates(operation: Operation<ObjectDefinition>, create: Create): Promise<ListItem[]> {
  const { definition, deployment, deadline } = operation;
  const { claims, client, clock, creates, lists } = deployment;
  const all = await lists.all(definition.list, client.moment, deadline);
  // One of them may be the object of another create, whose response is still to come.
  await creates.settle(create);
  claims.read();
  const isManaged = ({ id }: ListItem) =>
    creates.isManaged(id) || claims.at(`${expand(definition.list.route).path}/${id}`).length > 0;
  const since = client.serviceTime() - (clock.now() - create.sentAt);
  return all.filter((item) => !isManaged(item) && isObjectOf(create, since, readItem(definition, item)));
}
