/** An update in progress: executes the planned calls one by one, and knows after each what the service has. */

import { uncertainCall } from "../../api/callError";
import type { JsonObject } from "../../base/json";
import { clearedValue, equalsDesired, type Field } from "../../definitions/fields/field";
import type { Operation } from "../deployment/operation";
import type { Remote } from "../deployment/remote";
import { PartialFailure, type ProviderError } from "../errors";
import { affectedFields, type Call, type Plan, planUpdate } from "../plan/plan";
import { writeMarksOf } from "../register/writeMarks";
import {
  leftToOthers,
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
import { describeOtherService } from "./otherService";
import { assertApplied } from "./protections";

const unconfirmedHint = "It may have been updated. The next `pulumi up` sends the update again.";

export class Update {
  private readonly remote: Remote;
  private readonly desired: JsonObject;
  private values: JsonObject;
  private readonly unconfirmed: Set<string>;
  /** Declared now and not before, with the value that the state has. */
  private readonly newlyManaged: string[];
  /** The call that was sent last. */
  private pending: Call | undefined;
  private hasCompletedCalls = false;

  constructor(
    operation: Operation,
    private readonly before: State,
    private readonly ignored: string[],
    private readonly plan: Plan,
  ) {
    const { definition, desired } = operation;
    const { fields } = definition;
    this.remote = operation.remote();
    this.desired = desired;
    const { changes, updates } = plan;
    const changed = new Set(changes.map(([name]) => name!));
    const unchanged = Object.entries(desired).filter(([name]) => !changed.has(name));
    const computed = Object.entries(before.values).filter(([name]) => !(name in fields));
    this.values = {
      ...Object.fromEntries(computed),
      ...mergeAll(fields, Object.fromEntries(unchanged), before.values),
    };
    this.unconfirmed = new Set(before.unconfirmed);
    this.newlyManaged = updates.filter((name) => name in desired && !changed.has(name));
  }

  async run(): Promise<State> {
    await this.executeAll(this.plan.calls);
    await this.executeAll(this.callsForNewlyManaged());
    const { definition } = this.remote;
    const left = await this.leaveToKeepers();
    const managed = pathsOf(definition.fields, this.desired);
    return this.stateWith(managed, leftToOthers(definition, this.values, managed), left);
  }

  /** Says what was not removed. Returns the names of what is still to be removed unless its keeper sets it. */
  private async leaveToKeepers(): Promise<string[]> {
    const { definition, deployment, name: title } = this.remote;
    const fields: Record<string, Field> = definition.fields;
    const left = Object.entries(this.plan.left);
    const unset = left.filter(([, { isSet }]) => isSet === "not yet").map(([name]) => name);
    for (const [name, { resource, isSet, value, hasOtherAddress }] of left) {
      // A keeper that this edge has overwritten was set again, if its value is known.
      if (isSet === false && value) continue;
      if (isSet !== "not yet") {
        const { [name]: _, ...rest } = this.values;
        this.values = rest;
      }
      if (isSet === true && !hasOtherAddress) continue;
      const fix = hasOtherAddress ? describeOtherService(this.remote, fields[name]!.module!.remove!) : "";
      await deployment.inform(`The ${name} of ${title} was not removed, because ${resource} declares it.${fix}`);
    }
    return unset;
  }

  private async executeAll(calls: Call[]): Promise<void> {
    const { release } = this.plan;
    for (const call of calls) {
      const sendRelease = async ({ call: first, keeps }: NonNullable<typeof release>) => {
        await this.execute(first, { ...this.desired, ...keeps });
        this.pending = call;
      };
      await this.execute(call, this.desired, release && (() => sendRelease(release)));
      // Before what opens the edge: the next call may remove another protection.
      assertApplied(this.remote, this.remote.describe(call.route), call.sets, this.desired, this.values);
    }
  }

  private async execute(call: Call, desired: JsonObject, release?: () => Promise<void>): Promise<void> {
    this.pending = call;
    this.values = await executeCall(this.remote, call, desired, this.values, release);
    for (const name of affectedFields(call)) this.unconfirmed.delete(name);
    this.hasCompletedCalls = true;
  }

  /** What is newly managed needed no call, according to the state. A response may show that it does. */
  private callsForNewlyManaged(): Call[] {
    if (!this.hasCompletedCalls || this.newlyManaged.length === 0) return [];
    const { definition } = this.remote;
    const others = Object.keys(definition.fields).filter((name) => !this.newlyManaged.includes(name));
    const now = { values: this.values, managed: [], unconfirmed: [] };
    return planUpdate(definition, now, this.desired, others).calls;
  }

  /** The error of an update that failed: if the service may have changed, with the state that it may have now. */
  async failure(error: ProviderError, saved: State): Promise<ProviderError> {
    const { definition, deployment, id } = this.remote;
    // If the state was wrong, the service has something else, even if this call was not executed.
    const isUncertain = uncertainCall(error) !== undefined || this.before !== saved;
    if (!this.hasCompletedCalls && !isUncertain) return error;
    const state = await this.stateAfterFailure(isUncertain);
    const isUnconfirmed = state.unconfirmed.some((name) => name in this.desired || !saved.unconfirmed.includes(name));
    const hint = isUnconfirmed ? ` ${unconfirmedHint}` : "";
    // A failed update has not written the module, so its mark stays.
    const writeMarks =
      definition.kind === "module" ? saved.writeMarks : writeMarksOf(deployment.register.view(), this.remote);
    return new PartialFailure(
      `${error.message}${hint}`,
      id,
      toProperties({ ...state, writeMarks, withEdge: saved.withEdge }),
    );
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
    const left = this.before.left.filter((name) => this.desired[name] === undefined && this.values[name] !== undefined);
    return this.stateWith([...new Set(managed)], [...this.unconfirmed], left);
  }

  private showsDesired(name: string): boolean {
    const field: Field = this.remote.definition.fields[name]!;
    // A module that was to be removed is gone.
    if (field.module && this.desired[name] === undefined) return this.values[name] === undefined;
    return equalsDesired(field, this.desired[name] ?? clearedValue(field), this.values[name]);
  }

  private stateWith(managed: string[], unconfirmed: string[], left: string[]): State {
    const { definition, id } = this.remote;
    const createOnly = Object.entries(definition.computed).filter(([, field]) => field.createOnly);
    const values = { ...Object.fromEntries(createOnly.map(([name]) => [name, null])), ...this.values };
    return newState({ id, values, managed, ignored: this.ignored, unconfirmed, left });
  }
}
