/**
 * Executes the planned calls of an update one by one, and knows after each what the service has. After a failure it reads
 * the object. Arguments that this does not show are sent again by the next `pulumi up`.
 */

import { uncertainCall } from "../../api/callError";
import type { JsonObject } from "../../base/json";
import type { Definition } from "../../definitions/definition";
import { pathsOf, topLevelNames, withoutNames, withoutWriteOnly } from "../arguments";
import { PartialFailure, type ProviderError } from "../errors";
import type { Operation } from "../operation";
import { affectedFields, type Call, changedNames, findChanges, newlyManagedModules, type Plan } from "../plan/plan";
import { mergeAll, outputsFrom } from "../read/responses";
import { newState, type State, toProperties } from "../state";
import { assertApplied } from "./applied";
import { executeCall } from "./execute";
import { isStale } from "./owners";

/** An update as it was planned. */
export interface Update {
  /** What the service has before it. */
  before: State;
  desired: JsonObject;
  /** The paths of what is ignored. */
  ignored: string[];
  plan: Plan;
}

/** What the service has, as far as it is known. */
export interface Known {
  values: JsonObject;
  unconfirmed: Set<string>;
}

const unconfirmedHint = "It may have been updated. The next `pulumi up` sends the update again.";

/** The state after an update. If it fails when the service may have changed, the error has the state that it may have. */
export async function executeUpdate(operation: Operation, update: Update): Promise<State> {
  const { definition } = operation;
  const { desired, plan } = update;
  const known = knownBefore(definition, update);
  let pending: Call | undefined;
  let hasCompletedCalls = false;
  try {
    await operation.run(async () => {
      for (const [index, call] of plan.calls.entries()) {
        pending = call;
        known.values = await executeCall(operation, call, desired, known.values);
        for (const name of affectedFields(call)) known.unconfirmed.delete(name);
        hasCompletedCalls = true;
        // Before what opens the edge: the next call may remove another protection.
        await assertApplied(operation, call, desired, known.values, plan.calls.slice(index + 1));
      }
    });
  } catch (error) {
    // Even a rejected call needs a new state if the engine's is stale.
    const isUncertain = uncertainCall(error) !== undefined || isStale(operation);
    if (!hasCompletedCalls && !isUncertain) throw error;
    const found = isUncertain ? await fetchOutputs(operation, desired, known.values) : undefined;
    const state = stateAfterFailure(definition, update, known, found, isUncertain ? affectedFields(pending!) : []);
    throw failureWith(error as ProviderError, update, state);
  }
  return stateOf(definition, update, known.values, pathsOf(definition.fields, desired), []);
}

function knownBefore(definition: Definition, { before, desired, plan }: Update): Known {
  const { fields } = definition;
  const changed = changedNames(plan);
  const unchanged = Object.entries(desired).filter(([name]) => !changed.includes(name));
  const computed = Object.entries(before.values).filter(([name]) => !(name in fields));
  return {
    values: { ...Object.fromEntries(computed), ...mergeAll(fields, Object.fromEntries(unchanged), before.values) },
    // A module that the edge begins to declare may have been changed by a resource of its own since.
    unconfirmed: new Set([...before.unconfirmed, ...newlyManagedModules(definition, before, desired)]),
  };
}

/** What the service has after a failure, if it says so. */
async function fetchOutputs(operation: Operation, desired: JsonObject, values: JsonObject) {
  const inGrace = operation.withGrace();
  const found = await inGrace.fetch().catch(() => undefined);
  return found && outputsFrom(operation, found, withoutWriteOnly(operation.definition, desired), values);
}

/**
 * The state after a failure: the service's values, as far as they are known, with the old and the new managed fields
 * together. The next `pulumi up` then still removes the fields that this one did not reach. `pending` has the arguments of
 * the last call.
 */
export function stateAfterFailure(
  definition: Definition,
  update: Update,
  known: Known,
  found: JsonObject | undefined,
  pending: string[],
): State {
  const { before, desired, ignored } = update;
  const values = found ?? known.values;
  const kept = withoutNames(before.managed, topLevelNames(ignored));
  const managed = [...new Set([...kept, ...pathsOf(definition.fields, desired)])];
  // A change that the response does not show yet may still take effect.
  const different = changedNames(findChanges(definition, { values, managed, unconfirmed: [] }, desired));
  const uncertain = pending.filter((name) => !found || different.includes(name));
  const unconfirmed = new Set([...(found ? [] : known.unconfirmed), ...uncertain]);
  return stateOf(definition, update, values, managed, [...unconfirmed]);
}

function stateOf(
  { computed }: Definition,
  { before: { id, withEdge }, ignored }: Update,
  values: JsonObject,
  managed: string[],
  unconfirmed: string[],
): State {
  const createOnly = Object.entries(computed).filter(([, field]) => field.createOnly);
  const unset = Object.fromEntries(createOnly.map(([name]) => [name, null]));
  return newState({ id, values: { ...unset, ...values }, managed, ignored, unconfirmed, withEdge });
}

function failureWith(error: ProviderError, { before, desired }: Update, state: State): PartialFailure {
  const isUnconfirmed = state.unconfirmed.some((name) => name in desired || !before.unconfirmed.includes(name));
  return new PartialFailure(
    `${error.message}${isUnconfirmed ? ` ${unconfirmedHint}` : ""}`,
    state.id,
    toProperties(state),
  );
}
