/**
 * One operation on one resource: its object or module in the service, its deadline, and its errors. After a write whose
 * response was lost, the next write to the same edge waits, because the service may still execute the first.
 */

import { CallError, isDeleted, uncertainCall } from "../api/callError";
import type { CallOptions } from "../api/client";
import { describeCall, type Route } from "../api/routes";
import type { JsonObject } from "../base/json";
import {
  type Definition,
  displayNameOf,
  type Identity,
  objectPathOf,
  paramsOf,
  pathOf,
} from "../definitions/definition";
import { kindOfId } from "../definitions/fields/formats";
import { type Deployment, longestDelayMs } from "./deployment/deployment";
import { refreshHint, withMessage } from "./errors";
import type { Options } from "./options";
import { expectFrom } from "./read/responses";
import { type Deadline, deadlineFor, hasPassed, type OperationName } from "./timeouts";

const participles: Record<OperationName, string> = {
  create: "created",
  read: "read",
  update: "updated",
  delete: "deleted",
  import: "imported",
};

/** How long it takes at most to find out whether a call took effect that was sent right before the deadline. */
const graceMs = 5_000;
/** How old a list may be that an import or get reads: most of them follow each other. */
const recentMs = 60_000;

export class Operation<D extends Definition = Definition> implements Identity<D> {
  constructor(
    private readonly kind: OperationName,
    readonly definition: D,
    readonly deployment: Deployment,
    /** The resource in the program. */
    readonly options: Options,
    /** Of the object or module, unless the service is still to give it one. */
    readonly knownId?: string,
    private readonly timeout: Deadline | undefined = deadlineFor(options.timeouts, kind, deployment.clock),
  ) {}

  get id(): string {
    if (this.knownId === undefined) throw new TypeError("The service has given it no id yet.");
    return this.knownId;
  }

  /** As messages name it: `TCP edge edgtcp_…`. */
  get name(): string {
    return this.knownId === undefined ? this.definition.displayName : displayNameOf(this);
  }

  /** When it must end, in milliseconds since the epoch. */
  get deadline(): number | undefined {
    return this.timeout?.at;
  }

  /** The same, with the id that the service gave to the object. */
  withId(id: string): Operation<D> {
    return this.with(id, this.timeout);
  }

  /** The same, for finding out whether a call took effect: so that at least a few seconds remain. */
  withGrace(): Operation<D> {
    const { timeout, knownId, deployment } = this;
    const earliest = deployment.clock.now() + graceMs;
    return this.with(knownId, timeout && { ...timeout, at: Math.max(timeout.at, earliest) });
  }

  path(route?: Route): string {
    return pathOf(this, route);
  }

  get objectPath(): string {
    return objectPathOf(this);
  }

  /** A call as messages name it. */
  describe(route: Route): string {
    return describeCall(route, paramsOf(this.definition, this.id));
  }

  /** The message that there is none; if its id is that of something else, it says so. */
  get missingMessage(): string {
    const kind = kindOfId(this.id);
    const isOther =
      this.definition.kind === "object" && kind !== undefined && !kind.endsWith(` ${this.definition.displayName}`);
    return `There is no ${this.name}${isOther ? `: that is the id of ${kind}` : ""}.`;
  }

  /** Sends a write. The response is the whole object or module, unless `expects` says otherwise. */
  async call(
    route: Route,
    options: Pick<Partial<CallOptions>, "body" | "expects"> = {},
  ): Promise<JsonObject | undefined> {
    const { definition, deployment, id, deadline, objectPath } = this;
    await this.waitForLost();
    const onLost = () => void deployment.lostUntil.set(objectPath, deployment.clock.now() + longestDelayMs);
    const expects = expectFrom(definition, id);
    const params = paramsOf(definition, id);
    const response = deployment.client.call(route, { expects, ...options, params, deadline, onLost });
    return response as Promise<JsonObject | undefined>;
  }

  /** Runs work when it is its turn: whoever writes to an edge or its modules does so one after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.deployment.turns.take(this.objectPath, async () => {
      await this.waitForLost();
      return work();
    });
  }

  /** The object, or undefined where the service has none. */
  fetch(): Promise<JsonObject | undefined> {
    return this.deployment.lookup.find(this.definition, this.id, this.deadline);
  }

  /** As `fetch`, where the engine refreshes many objects at once. */
  fetchBatched(): Promise<JsonObject | undefined> {
    return this.fetchWithOthers(() => this.fetch());
  }

  /** As `fetch`, where the engine imports or gets many objects at once: minutes later, they may have changed. */
  fetchRecent(): Promise<JsonObject | undefined> {
    const { definition, deployment, id, deadline } = this;
    return this.fetchWithOthers(() => deployment.lookup.findNew(definition, id, deadline), recentMs);
  }

  warn(message: string): Promise<void> {
    return this.deployment.warn(message, this.options);
  }

  inform(message: string): Promise<void> {
    return this.deployment.inform(message, this.options);
  }

  informOfPlan(message: string): Promise<void> {
    return this.deployment.informOfPlan(message, this.options);
  }

  debug(message: string): void {
    this.deployment.debug(message, this.options);
  }

  /** Runs a part of it. Whatever fails becomes one message that names the object. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const prefix = `${this.name} could not be ${participles[this.kind]}`;
      throw withMessage(error, `${prefix}: ${messageOf(error)}${this.hintFor(error)}`);
    }
  }

  private fetchWithOthers(fetch: () => Promise<JsonObject | undefined>, maxAgeMs?: number) {
    const { definition, deployment, id, deadline } = this;
    if (definition.kind !== "object") return fetch();
    return deployment.lists.refresh(definition.list, id, fetch, deadline, maxAgeMs);
  }

  private with(id: string | undefined, timeout: Deadline | undefined): Operation<D> {
    return new Operation(this.kind, this.definition, this.deployment, this.options, id, timeout);
  }

  /** Nothing is sent to an edge while a call whose response was lost may still be executed: a gateway may delay it. */
  private async waitForLost(): Promise<void> {
    const { clock, lostUntil } = this.deployment;
    const wait = (lostUntil.get(this.objectPath) ?? 0) - clock.now();
    if (wait > 0) await clock.sleep(wait);
  }

  private hintFor(error: unknown): string {
    const { timeout, kind, knownId } = this;
    const isLate = hasPassed(timeout, this.deployment.clock);
    const hints = [
      // A module is created at the id of its edge.
      knownId &&
        (kind === "update" || kind === "create") &&
        isDeleted(error) &&
        "If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it.",
      kind === "delete" &&
        error instanceof CallError &&
        error.isUnreachable &&
        !isLate &&
        "If the service no longer exists, remove the resource from the state with `pulumi state delete`.",
      kind === "delete" && uncertainCall(error) && `It may have been deleted. ${refreshHint}`,
      isLate && timeout.hint,
    ];
    return hints
      .filter(Boolean)
      .map((hint) => ` ${hint}`)
      .join("");
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
