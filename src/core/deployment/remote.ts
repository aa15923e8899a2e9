/** The object or module of one id, as the service has it. */

import type { CallOptions } from "../../api/client";
import type { Route } from "../../api/routes";
import type { JsonObject } from "../../base/json";
import { type Definition, paramsOf } from "../../definitions/definition";
import { kindOfId } from "../../definitions/fields/formats";
import { Identity } from "../identity";
import { expectFrom } from "../read/expectations";
import { graceDeadline } from "../timeouts";
import type { Deployment } from "./deployment";

/** How long a call whose response was lost may still be delayed, by a gateway or in the service. */
const longestDelayMs = 10_000;

export class Remote<D extends Definition = Definition> extends Identity<D> {
  constructor(
    definition: D,
    id: string,
    readonly deployment: Deployment,
    /** When what is sent and waited for must end. */
    readonly deadline?: number,
  ) {
    super(definition, id);
  }

  /** The same, for finding out whether a call took effect: so that at least a few seconds are left. */
  withGrace(): Remote<D> {
    const { definition, id, deployment, deadline } = this;
    return new Remote(definition, id, deployment, graceDeadline(deadline, deployment.clock));
  }

  /** The message that there is none; if its id is that of something else, it says so. */
  get missingMessage(): string {
    const kind = kindOfId(this.id);
    const isOther =
      this.definition.kind === "object" && kind !== undefined && !kind.endsWith(` ${this.definition.displayName}`);
    return `There is no ${this.name}${isOther ? `: that is the id of ${kind}` : ""}.`;
  }

  /** Sends a write in its turn. The response is the whole object or module, unless `expects` says otherwise. */
  call(route: Route, options: Pick<Partial<CallOptions>, "body" | "expects"> = {}): Promise<JsonObject | undefined> {
    const { definition, deployment, id, deadline } = this;
    const onLost = () => void deployment.lostUntil.set(this.objectPath, deployment.clock.now() + longestDelayMs);
    return this.inTurn(() => {
      const expects = expectFrom(definition, id);
      const params = paramsOf(definition, id);
      const response = deployment.client.call(route, { expects, ...options, params, deadline, onLost });
      return response as Promise<JsonObject | undefined>;
    });
  }

  /**
   * Runs work when it is its turn to write. The writes to an edge and its modules are sent one at a time, and not while
   * one whose response was lost may still be executed: a gateway may delay it.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { clock, lostUntil, turns } = this.deployment;
    return turns.take(this.objectPath, async () => {
      const wait = (lostUntil.get(this.objectPath) ?? 0) - clock.now();
      if (wait > 0) await clock.sleep(wait);
      return work();
    });
  }

  /** The object, or undefined where the service has none. */
  fetch(): Promise<JsonObject | undefined> {
    return this.deployment.lookup.find(this.definition, this.id, this.deadline);
  }

  /** As `fetch`, where the engine reads many objects at once. */
  fetchBatched(): Promise<JsonObject | undefined> {
    const { definition, deployment, id, deadline } = this;
    const fetch = () => this.fetch();
    return definition.kind === "object" ? deployment.reader.read(definition.list, id, fetch, deadline) : fetch();
  }
}
