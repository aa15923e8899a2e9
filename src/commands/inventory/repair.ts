/** What an interrupted create has left in the account, and what the user does about it. */

import type { ServiceAddress } from "../../api/routes";
import { isUnset } from "../../base/json";
import { quoteForShell } from "../../base/quote";
import {
  advise,
  adviseDeletion,
  describeCreated,
  isIdentified,
  isObjectOf,
  lostOutput,
} from "../../core/execute/lostCreate";
import { describeResource } from "../exposure/messages";
import type { AccountObject } from "./account";
import type { Finding } from "./lines";
import type { PendingCreate, StackState } from "./state";
import { isElsewhere, type Whose } from "./whose";

/** A sentence for each interrupted create: what it has probably created, and the next step. */
export function describePending(
  states: StackState[],
  unmanaged: AccountObject[],
  service: ServiceAddress,
  whose: (create: PendingCreate) => Whose,
): Finding[] {
  const all = states.flatMap(({ pendingCreates }) => pendingCreates);
  const isForeign = (create: PendingCreate) =>
    create.definition !== undefined && (isElsewhere(create, service.baseUrl) || whose(create) === "another account's");
  const pending = all.filter((create) => !isForeign(create));
  const candidates = matchCreates(pending, unmanaged);
  const resources = states.flatMap((state) => state.resources).filter(({ isPendingDelete }) => !isPendingDelete);
  const current = new Map<string, string | undefined>(resources.map(({ resource, id }) => [resource.urn, id]));
  const described = new Set<string>();
  const foreign = all.filter(isForeign).map(
    (create): Finding => ({
      kind: "pending",
      id: create.resource.urn,
      message: describeForeign(create, isElsewhere(create, service.baseUrl)),
    }),
  );
  const own = pending.flatMap((create, index): Finding[] => {
    const { urn } = create.resource;
    const [first] = candidates[index]!;
    // A resource whose create was interrupted twice needs one step for each object.
    if (described.has(urn) && !first) return [];
    described.add(urn);
    const isSure = whose(create) === "this account's";
    const message = describeStep(create, candidates[index]!, current.get(urn), isSure, service);
    current.set(urn, current.get(urn) ?? first?.id);
    return [{ kind: "pending", id: urn, message }];
  });
  return [...own, ...foreign];
}

/** A create of which nothing is looked for here. */
function describeForeign({ resource, stack, address }: PendingCreate, isAtAddress: boolean): string {
  const name = `${describeResource(resource)} of ${stack}`;
  if (isAtAddress) return `The create of ${name} was interrupted at ${address}. Use the settings of that address.`;
  return (
    `The create of ${name} was interrupted, and nothing that ${stack} manages is in this account. ` +
    "If it is in another account, use the settings of that one. If everything was deleted, run `pulumi refresh`, then this command again."
  );
}

/**
 * The objects that each create may have made, the newest first. If two creates could have made the same object, each has
 * one of its own as far as there are enough.
 */
function matchCreates(pending: PendingCreate[], unmanaged: AccountObject[]): AccountObject[][] {
  const newest = [...unmanaged].sort((a, b) => timeOf(b) - timeOf(a));
  const candidates = pending.map((create) => newest.filter((object) => isCandidate(create, object)));
  const taken = new Map<AccountObject, number>();
  // The one with the fewest candidates chooses first.
  const order = pending.map((_, index) => index).sort((a, b) => candidates[a]!.length - candidates[b]!.length);
  for (const index of order) {
    const own = candidates[index]!.find((object) => !taken.has(object));
    if (own) taken.set(own, index);
  }
  return candidates.map((objects, index) => objects.filter((object) => (taken.get(object) ?? index) === index));
}

const timeOf = ({ values }: AccountObject) => Date.parse(String(values.createdAt)) || 0;

const isCandidate = ({ definition, desired, since }: PendingCreate, object: AccountObject): boolean =>
  object.definition === definition && isObjectOf({ definition, desired }, since, object.values);

/** Whether the program declared something by which an object can be found. Otherwise every object would match. */
const isFindable = ({ definition, desired }: PendingCreate) =>
  Object.keys(desired).some((name) => !definition?.fields[name]?.clientOnly && !isUnset(desired[name]));

function describeStep(
  create: PendingCreate,
  candidates: AccountObject[],
  current: string | undefined,
  isSure: boolean,
  service: ServiceAddress,
): string {
  const { resource, stack, definition, desired } = create;
  const name = `${describeResource(resource)} of ${stack}`;
  if (!definition) return `The create of ${name} was interrupted. Run \`pulumi up\`, which repeats it.`;
  const [first, ...others] = candidates;
  const stackCondition = isSure ? [] : [`${stack} uses this account, which its state does not show`];
  const suggest = (step: string) =>
    isSure ? `${step[0]!.toUpperCase()}${step.slice(1)}` : `If ${stackCondition}, ${step}`;
  if (!first) {
    return current === undefined
      ? `The create of ${name} was interrupted, and nothing in the account matches it. ${suggest("run `pulumi up`, which creates it.")}`
      : `Nothing is left of an interrupted create of ${name}, which is ${current}. ${suggest("forget it with `pulumi refresh --clear-pending-creates`.")}`;
  }
  const { id } = first;
  const isFound = others.length === 0 && isFindable(create);
  const which = isFound
    ? `${id} was probably`
    : `${candidates.map(({ values }) => describeCreated(values)).join(" or ")} may have been`;
  // Only the states that were given are known.
  const conditions = [...(isFound ? [] : ["so"]), ...stackCondition, "no other stack has it"];
  const join = (start: string, step: string) =>
    isSure && isFound && isIdentified({ definition, desired })
      ? `${start}: ${step}`
      : `${start}. If ${conditions.join(", and if ")}, ${step}`;
  const created = `${which} created for ${name}`;
  if (current !== undefined)
    return join(`${created}, which is ${current} now`, `${adviseDeletion(definition, id, service)}.`);
  const lost = lostOutput(definition);
  const command = `pulumi import tunnel-edge:index:${resource.type} ${[resource.name, id].map(quoteForShell).join(" ")}`;
  const [step] = advise(definition, id, service);
  const alternative = lost || create.isDynamic ? "" : `, or run \`${command}\``;
  return join(lost ? `${created}, and its ${lost} is lost` : created, `${step}${alternative}.`);
}
