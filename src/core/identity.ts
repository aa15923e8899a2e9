/** The object or module of one id: its name in messages, and its paths. */

import { describeCall, expand, type Route } from "../api/routes";
import { type Definition, paramsOf, routesOf } from "../definitions/definition";

export class Identity<D extends Definition = Definition> {
  /** As messages name it: `TCP edge edgtcp_…`. */
  readonly name: string;

  constructor(
    readonly definition: D,
    readonly id: string,
  ) {
    this.name = `${definition.displayName} ${id}`;
  }

  /** The path of one of its operations; by default its own path, that of its DELETE. */
  path(route: Route = routesOf(this.definition).delete): string {
    return expand(route, paramsOf(this.definition, this.id)).path;
  }

  /** The path of the object that it is, or that the module belongs to. */
  get objectPath(): string {
    const { delete: route } = routesOf(this.definition);
    return this.path(route.slice(0, route.indexOf("}") + 1) as Route);
  }

  /** A call as messages name it. */
  describe(route: Route): string {
    return describeCall(route, paramsOf(this.definition, this.id));
  }
}
