/** The object or module of one id, as the service has it. */

import type { CallOptions } from "../api/client";
import { describeCall, expand, type Route } from "../api/routes";
import { type Definition, paramsOf, routesOf } from "../definitions/definition";
import type { Json, JsonObject } from "../json";
import type { Deployment } from "./deployment";
import { parseResponse, type Requested, readObject, requestedFrom } from "./response";
import { outputsFrom } from "./state";

export class Remote<D extends Definition = Definition> {
  /** As messages name it: `TCP edge edgtcp_…`. */
  readonly name: string;

  constructor(
    readonly definition: D,
    readonly id: string,
    readonly deployment: Deployment,
  ) {
    this.name = `${definition.displayName} ${id}`;
  }

  /** The path of one of its operations; by default its own path, that of its DELETE. */
  path(route: Route = routesOf(this.definition).delete): string {
    return expand(route, paramsOf(this.definition, this.id)).path;
  }

  call(route: Route, options: Omit<CallOptions, "params"> = {}): Promise<Json | undefined> {
    return this.deployment.client.call(route, { ...options, params: paramsOf(this.definition, this.id) });
  }

  /** The object, or undefined where the service has none. */
  fetch(deadline?: number): Promise<JsonObject | undefined> {
    const { read } = routesOf(this.definition);
    return readObject(this.requested, this.describe(read), () => this.call(read, { deadline }));
  }

  /** As `fetch`, where the engine reads many objects at once. */
  fetchBatched(): Promise<JsonObject | undefined> {
    const { definition, deployment, id } = this;
    const fetch = () => this.fetch();
    return definition.kind === "object" ? deployment.reader.read(definition.list, id, fetch) : fetch();
  }

  /** The response to a write of the whole; undefined for a module's without a body. */
  parse(route: Route, response: Json | undefined): JsonObject | undefined {
    return parseResponse(this.requested, this.describe(route), response);
  }

  /** The outputs after a response. */
  outputs(response: JsonObject, desired: JsonObject = {}, before?: JsonObject): JsonObject {
    return outputsFrom(this.definition, this.id, response, desired, before);
  }

  /** A call as messages name it. */
  describe(route: Route): string {
    return describeCall(route, paramsOf(this.definition, this.id));
  }

  private get requested(): Requested {
    return requestedFrom(this.definition, this.id);
  }
}
