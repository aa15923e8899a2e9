/** Whether what a state names is in the account that the command reads. */

import { isOwnAddress } from "../../base/settings";
import type { PendingCreate, StackState, StateResource } from "./state";

export type Whose = "this account's" | "another account's" | "not known";

/** Whether a resource is at another address than that of the command. A state does not have every address. */
export const isElsewhere = ({ address }: { address?: string }, baseUrl: string) =>
  address !== undefined && isOwnAddress(address, baseUrl);

/**
 * Whose a create is. The account of a provider is known by its other resources: whether the account has them. `isFound` is
 * undefined for what could not be read.
 */
export function createWhose(
  states: StackState[],
  isFound: (resource: StateResource) => boolean | undefined,
): (create: PendingCreate) => Whose {
  const answers = new Map<string, Set<boolean | undefined>>();
  const configured = new Set<string>();
  for (const { resources, pendingCreates, isConfigured } of states) {
    for (const each of resources)
      answers.set(each.provider, (answers.get(each.provider) ?? new Set()).add(isFound(each)));
    for (const { provider, hasStackSettings } of pendingCreates)
      if (isConfigured && hasStackSettings) configured.add(provider);
  }
  return ({ provider }) => {
    const known = answers.get(provider);
    if (configured.has(provider) || known?.has(true)) return "this account's";
    return known?.has(false) ? "another account's" : "not known";
  };
}
