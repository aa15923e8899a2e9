/** An update in progress: executes the planned calls one by one, and knows after each what the service has. */

import { uncertainCall } from "../../api/callError";
import type { JsonObject } from "../../base/json";
import { clearedValue, equalsDesired, type Field } from "../../definitions/fields/field";
import type { Operation } from "../deployment/operation";
import type { Remote } from "../deployment/remote";
import { PartialFailure, type ProviderError } from "../errors";
import type { Options } from "../options";
import { affectedFields, type Call, newlyManagedModules, type Plan } from "../plan/plan";
import {
  mergeAll,
  newState,
  outputsFrom,
  pathsOf,
  type State,
  toProperties,
  topLevelNames,
  withoutNames,
  withoutWriteOnly,
} from "../state";
import { executeCall } from "./execute";
import { assertApplied } from "./protections";

const unconfirmedHint = "It may have been updated. The next `pulumi up` sends the update again.";

export class Update {
  private readonly remote: Remote;
  private readonly desired: JsonObject;
  private values: JsonObject;
  private readonly unconfirmed: Set<string>;
  /** The call that was sent last. */
  private pending: Call | undefined;
  private hasCompletedCalls = false;

  constructor(
    operation: Operation,
    private readonly before: State,
    private readonly ignored: string[],
    private readonly plan: Plan,
    private readonly options: Options,
  ) {
    const { definition, desired } = operation;
    const { fields } = definition;
    this.remote = operation.remote();
    this.desired = desired;
    const changed = new Set(plan.changes.map(([name]) => name!));
    const unchanged = Object.entries(desired).filter(([name]) => !changed.has(name));
    const computed = Object.entries(before.values).filter(([name]) => !(name in fields));
    this.values = {
      ...Object.fromEntries(computed),
      ...mergeAll(fields, Object.fromEntries(unchanged), before.values),
    };
    // What is newly managed is sent even if the state has it: until it was sent, that is not known.
    this.unconfirmed = new Set([...before.unconfirmed, ...newlyManagedModules(definition, before, desired)]);
  }

  async run(): Promise<State> {
    for (const call of this.plan.calls) {
      await this.execute(call);
      // Before what opens the edge: the next call may remove another protection.
      assertApplied(this.remote, this.remote.describe(call.route), call.sets, this.desired, this.values);
    }
    return this.stateWith(pathsOf(this.remote.definition.fields, this.desired), []);
  }

  private async execute(call: Call): Promise<void> {
    this.pending = call;
    this.values = await executeCall(this.remote, call, this.desired, this.values, this.options);
    for (const name of affectedFields(call)) this.unconfirmed.delete(name);
    this.hasCompletedCalls = true;
  }

  /** The error of an update that failed: if the service may have changed, with the state that it may have now. */
  async failure(error: ProviderError, saved: State): Promise<ProviderError> {
    const { id } = this.remote;
    // If the state was wrong, the service has something else, even if this call was not executed.
    const isUncertain = uncertainCall(error) !== undefined || this.before !== saved;
    if (!this.hasCompletedCalls && !isUncertain) return error;
    const state = await this.stateAfterFailure(isUncertain);
    const isUnconfirmed = state.unconfirmed.some((name) => name in this.desired || !saved.unconfirmed.includes(name));
    const hint = isUnconfirmed ? ` ${unconfirmedHint}` : "";
    return new PartialFailure(`${error.message}${hint}`, id, toProperties({ ...state, withEdge: saved.withEdge }));
  }

  /**
   * The state after a failure: what the service has, as far as it says so, with the old and the new managed fields
   * together, so that nothing still to be removed is forgotten.
   */
  private async stateAfterFailure(isUncertain: boolean): Promise<State> {
    const { definition } = this.remote;
    const inGrace = this.remote.withGrace();
    const found = isUncertain ? await inGrace.fetch().catch(() => undefined) : undefined;
    if (found) {
      this.values = outputsFrom(this.remote, found, withoutWriteOnly(definition, this.desired), this.values);
      this.unconfirmed.clear();
    }
    // What does not show yet may still take effect.
    const pending = isUncertain ? affectedFields(this.pending!) : [];
    for (const name of pending.filter((each) => !found || !this.showsDesired(each))) this.unconfirmed.add(name);
    const before = withoutNames(this.before.managed, topLevelNames(this.ignored));
    const managed = [...before, ...pathsOf(definition.fields, this.desired)];
    return this.stateWith([...new Set(managed)], [...this.unconfirmed]);
  }

  private showsDesired(name: string): boolean {
    const field: Field = this.remote.definition.fields[name]!;
    // A module that was to be removed is gone.
    if (field.module && this.desired[name] === undefined) return this.values[name] === undefined;
    return equalsDesired(field, this.desired[name] ?? clearedValue(field), this.values[name]);
  }

  private stateWith(managed: string[], unconfirmed: string[]): State {
    const { definition, id } = this.remote;
    const createOnly = Object.entries(definition.computed).filter(([, field]) => field.createOnly);
    const values = { ...Object.fromEntries(createOnly.map(([name]) => [name, null])), ...this.values };
    return newState({ id, values, managed, ignored: this.ignored, unconfirmed });
  }
}
