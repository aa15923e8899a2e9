/** The object or module of one id, as the service has it. */

import type { CallOptions } from "../../api/client";
import type { Route } from "../../api/routes";
import type { JsonObject } from "../../base/json";
import { type Definition, paramsOf } from "../../definitions/definition";
import { kindOfId } from "../../definitions/fields/formats";
import { expectFrom } from "../read/expectations";
import { Identity } from "../register/identity";
import { graceDeadline } from "../timeouts";
import type { Deployment } from "./deployment";
import { sendInTurn, takeTurn, type Write } from "./writes";

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
  call(
    route: Route,
    { isForKeeper, ...options }: Pick<Partial<CallOptions>, "body" | "expects"> & Pick<Write, "isForKeeper"> = {},
  ): Promise<JsonObject | undefined> {
    const { definition, deployment, id, deadline } = this;
    const params = paramsOf(definition, id);
    const send = (onLost: () => void) => {
      const expects = expectFrom(definition, id);
      const response = deployment.client.call(route, { expects, ...options, params, deadline, onLost });
      return response as Promise<JsonObject | undefined>;
    };
    return sendInTurn(this, { route, body: options.body, isForKeeper }, send);
  }

  /** Runs work when it is its turn to write. What is decided in it knows what came before, and what it sends has no rival. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return takeTurn(this, work);
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
