/** One operation on a resource: when it must end, and what its errors say. */

import { CallError, isDeleted, uncertainCall } from "../../api/callError";
import type { JsonObject } from "../../base/json";
import type { Definition } from "../../definitions/definition";
import { PartialFailure, ProviderError, refreshHint } from "../errors";
import type { Options } from "../options";
import { type Deadline, deadlineFor, hasPassed, type OperationName } from "../timeouts";
import type { Deployment } from "./deployment";
import { Remote } from "./remote";

const participles: Record<OperationName, string> = {
  create: "created",
  read: "read",
  update: "updated",
  delete: "deleted",
  import: "imported",
};

/** What an operation is about. */
interface Target<D extends Definition> {
  definition: D;
  deployment: Deployment;
  /** Of the object or module, unless the service is still to give it one. */
  id?: string;
}

export class Operation<D extends Definition = Definition> {
  readonly definition: D;
  readonly deployment: Deployment;
  private readonly id: string | undefined;
  private readonly timeout: Deadline | undefined;

  constructor(
    private readonly name: OperationName,
    { definition, deployment, id }: Target<D>,
    { timeouts }: Pick<Options, "timeouts">,
    /** What the program declares, if that is to be created, updated or imported. */
    readonly desired: JsonObject = {},
  ) {
    this.definition = definition;
    this.deployment = deployment;
    this.id = id;
    this.timeout = deadlineFor(timeouts, name, deployment.clock);
  }

  /** Its object or module, which is used until the operation must end; of a create, with the id that the service gave it. */
  remote(id = this.id): Remote<D> {
    if (id === undefined) throw new TypeError("The service has given it no id yet.");
    return new Remote(this.definition, id, this.deployment, this.deadline);
  }

  /** When it must end, in milliseconds since the epoch. */
  get deadline(): number | undefined {
    return this.timeout?.at;
  }

  /** Runs a part of it. Whatever fails becomes one message that names the object. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { definition, id, name } = this;
      const object = id ? `${definition.displayName} ${id}` : definition.displayName;
      const message = `${object} could not be ${participles[name]}: ${messageOf(error)}${this.hintFor(error)}`;
      if (error instanceof PartialFailure) throw new PartialFailure(message, error.id, error.properties);
      throw new ProviderError(message, { cause: error });
    }
  }

  private hintFor(error: unknown): string {
    const { timeout, id, name } = this;
    const isLate = hasPassed(timeout, this.deployment.clock);
    const hints = [
      id &&
        name === "update" &&
        isDeleted(error) &&
        "If it was deleted, run `pulumi refresh`, then `pulumi up` to recreate it.",
      name === "delete" &&
        error instanceof CallError &&
        error.isUnreachable &&
        !isLate &&
        "If the service no longer exists, remove the resource from the state with `pulumi state delete`.",
      name === "delete" && uncertainCall(error) && `It may have been deleted. ${refreshHint}`,
      isLate && timeout.hint,
    ];
    return hints
      .filter(Boolean)
      .map((hint) => ` ${hint}`)
      .join("");
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
