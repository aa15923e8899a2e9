/** Takes the inventory of an account: compares what the service has with the states of stacks. */

import type { ServiceAddress } from "../../api/routes";
import type { JsonObject } from "../../base/json";
import { readItem } from "../../core/functions/query";
import type { Readable } from "../../definitions/definition";
import { argumentOf } from "../exposure/edges";
import type { Account, AccountObject, Gap } from "./account";
import {
  describeManager,
  describeShared,
  type Finding,
  type HttpsModule,
  type Line,
  listHttpsLines,
  listLines,
} from "./lines";
import { describePending } from "./repair";
import type { StackState, StateResource } from "./state";
import { createWhose, isElsewhere } from "./whose";

/** Reads an object or module by its id; undefined if the account does not have it. */
export type Find = (definition: Readable, id: string) => Promise<JsonObject | undefined>;

/** The lines of an account. Without states, it is not known what is managed. */
export async function takeInventory(
  account: Account,
  states: StackState[],
  find: Find,
  service: ServiceAddress,
): Promise<Line[]> {
  const gaps = account.gaps.map((gap) => describeGap(gap, account));
  if (states.length === 0) return [...listLines(account, undefined), ...gaps];

  const resources = states.flatMap((state) => state.resources);
  const managed = groupByObject(resources.filter((each) => !isElsewhere(each, service.baseUrl)));
  const elsewhere = groupByObject(resources.filter((each) => isElsewhere(each, service.baseUrl)));
  const { found, httpsModules, findings, answers } = await readUnlisted(account, [...managed.values()], find);
  const whole: Account = { ...account, objects: [...account.objects, ...found] };
  const unmanaged = whole.objects.filter(({ definition, id }) => !managed.has(keyOf(definition, id)));
  return [
    ...listLines(whole, (type, id) => managed.get(keyOf({ type }, id)) ?? []),
    ...listHttpsLines(httpsModules),
    ...describePending(
      states,
      unmanaged,
      service,
      createWhose(states, ({ definition, id }) => answers.get(keyOf(definition, id))),
    ),
    ...findings,
    ...[...elsewhere.values()].map(describeElsewhere),
    ...[...managed.values()].flatMap((managing) => (managing.length > 1 ? [describeShared(managing)] : [])),
    ...gaps,
  ];
}

const keyOf = ({ type }: { type: string }, id: string) => `${type} ${id}`;

/** The resources that manage each object or module. A state that is given twice counts once. */
function groupByObject(resources: StateResource[]): Map<string, StateResource[]> {
  const groups = new Map<string, StateResource[]>();
  for (const each of resources) {
    const key = keyOf(each.definition, each.id);
    const group = groups.get(key) ?? [];
    if (!group.some(({ resource }) => resource.urn === each.resource.urn)) groups.set(key, [...group, each]);
  }
  return groups;
}

/** The objects and modules that the states have and the lists do not, each read once. */
interface Unlisted {
  found: AccountObject[];
  httpsModules: HttpsModule[];
  findings: Finding[];
  /** Whether the account has what the states manage, as far as it could be read. */
  answers: Map<string, boolean>;
}

/** How many objects are read at once. */
const parallel = 8;

async function readUnlisted(account: Account, managed: StateResource[][], find: Find): Promise<Unlisted> {
  const edges = new Map(account.objects.map((object) => [object.id, object]));
  const unlisted: Unlisted = { found: [], httpsModules: [], findings: [], answers: new Map() };
  const isListed = ({ definition, id }: StateResource) => {
    const object = edges.get(id);
    if (definition.kind === "object") return object?.definition === definition;
    return object?.values[argumentOf(definition.type) ?? ""] !== undefined;
  };
  const readOne = async (resources: StateResource[]) => {
    const [managing] = resources as [StateResource];
    const { definition, id } = managing;
    // Objects that could not be listed may not be readable either. Their gap says so.
    if (account.gaps.some((gap) => gap.definition === definition)) return;
    try {
      const response = await find(definition, id);
      const values = response && readItem(definition, response);
      unlisted.answers.set(keyOf(definition, id), values !== undefined);
      const isEdgeModule =
        definition.kind === "module" && argumentOf(definition.type) !== undefined && !id.includes("/");
      if (!values) unlisted.findings.push(describeMissing(id, resources));
      else if (definition.kind === "object") unlisted.found.push({ definition, id, values });
      if (definition.kind === "module" && !isEdgeModule) unlisted.httpsModules.push({ resources, values });
    } catch (error) {
      const message = `${id}, which is ${describeManagers(resources)}, could not be read: ${(error as Error).message}`;
      unlisted.findings.push({ kind: "gap", id, message });
    }
  };
  const rest = managed.filter(([managing]) => !isListed(managing!));
  for (const [managing] of managed.filter((each) => !rest.includes(each)))
    unlisted.answers.set(keyOf(managing!.definition, managing!.id), true);
  for (let at = 0; at < rest.length; at += parallel) await Promise.all(rest.slice(at, at + parallel).map(readOne));
  return unlisted;
}

const describeManagers = (resources: StateResource[]) => resources.map(describeManager).join(" and ");

function describeMissing(id: string, resources: StateResource[]): Finding {
  const fix = "If it was deleted, run `pulumi refresh`. If it is in another account, use the settings of that one.";
  return {
    kind: "missing",
    id,
    message: `${id}, which is ${describeManagers(resources)}, is not in this account. ${fix}`,
  };
}

function describeElsewhere(resources: StateResource[]): Finding {
  const { id, address } = resources[0]!;
  const message = `${id}, which is ${describeManagers(resources)}, is at ${address}. To see it, use the settings of that address.`;
  return { kind: "missing", id, message };
}

function describeGap({ definition, message }: Gap, { objects }: Account): Finding {
  const isPartial = objects.some((object) => object.definition === definition);
  return {
    kind: "gap",
    id: definition.list.key,
    message: `${isPartial ? "Not every" : "No"} ${definition.displayName} could be listed: ${message}`,
  };
}
