/**
 * A resource whose properties carry secret marks, as the engine sends and keeps them. The resource itself works with
 * plain values: the marks are put back here on everything that leaves.
 */

import type { JsonObject } from "../base/json";
import type { Deployment } from "../core/deployment/deployment";
import { ProviderError } from "../core/errors";
import type { Options } from "../core/options";
import type { Diff } from "../core/plan/diff";
import {
  becomesSecret,
  type Marked,
  markOutputs,
  namedSecrets,
  nameSecrets,
  type SecretMarks,
  secretsIn,
  secretsInResponse,
  uniteMarks,
} from "../core/secrets";
import { hasUnknown } from "../core/unknown";
import type { CommandDefinition, Definition } from "../definitions/definition";
import { CommandResource } from "./commandResource";
import { ManagedResource } from "./managedResource";
import { type PluginResource, type Saved, SavedFailure } from "./pluginResource";

/** A resource as the engine's state has it. */
export interface MarkedSaved {
  id: string;
  outputs: Marked;
  inputs: Marked;
}

export class MarkedResource {
  constructor(readonly resource: PluginResource) {}

  async check(olds: Marked, news: Marked, options: Options): Promise<{ inputs: Marked; problems: string[] }> {
    const { inputs, problems } = await this.resource.check(olds.values, news.values, options);
    return { inputs: this.mark(inputs, news), problems };
  }

  /** That a value becomes secret is a change, for which nothing is sent. */
  async diff(old: MarkedSaved, news: Marked, options: Options): Promise<Diff & { hasChanges: boolean }> {
    const diff = await this.resource.diff(plain(old), news.values, options);
    const isMarked = becomesSecret(this.resource.definition, old.outputs, news, marksBefore(old));
    return { ...diff, hasChanges: diff.hasChanges || isMarked };
  }

  async create(inputs: Marked, options: Options): Promise<Omit<MarkedSaved, "inputs">> {
    assertKnown(inputs);
    const { id, outputs } = await this.run(inputs, undefined, () => this.resource.create(inputs.values, options));
    return { id, outputs: this.outputs(outputs, inputs) };
  }

  async update(old: MarkedSaved, news: Marked, options: Options): Promise<Marked> {
    assertKnown(news);
    const before = marksBefore(old);
    const update = () => this.resource.update(plain(old), news.values, options);
    return this.outputs(await this.run(news, before, update), news, before);
  }

  preview(old: MarkedSaved | undefined, news: Marked, options: Options): Marked {
    const outputs = this.resource.preview(old && plain(old), news.values, options);
    return this.mark(outputs, news, old && marksBefore(old));
  }

  async read(old: MarkedSaved, options: Options): Promise<MarkedSaved | undefined> {
    const found = await this.resource.read(plain(old), options);
    if (!found) return undefined;
    // An object that the program only reads has no state: nothing in it was ever secret.
    const isManaged = Object.keys(old.outputs.values).length > 0;
    const before = uniteMarks(old.outputs.marks, namedSecrets(old.outputs.values));
    return this.found(found, isManaged ? old.inputs : { values: found.outputs }, before);
  }

  async import(id: string, options: Options): Promise<MarkedSaved> {
    return this.found(await this.resource.import(id, options), { values: {} });
  }

  delete = (old: MarkedSaved, options: Options): Promise<void> => this.resource.delete(plain(old), options);

  /** What the program declares, or a preview expects. */
  private mark(values: JsonObject, declared: Marked, before?: SecretMarks): Marked {
    return { values, marks: secretsIn(this.resource.definition, values, declared, before) };
  }

  /** What the service has. */
  private outputs(values: JsonObject, declared: Marked, before?: SecretMarks): Marked {
    return markOutputs(this.resource.definition, values, declared, before);
  }

  /** A refresh takes no mark away from the outputs: only an update does, so that nothing shows as changed. */
  private found({ id, outputs, inputs }: Saved, declared: Marked, before?: SecretMarks): MarkedSaved {
    const { definition } = this.resource;
    const marksOf = (values: JsonObject) => secretsInResponse(definition, values, declared, before);
    const kept = secretsIn(definition, outputs, { values: {} }, before);
    return {
      id,
      outputs: nameSecrets(definition, { values: outputs, marks: uniteMarks(marksOf(outputs), kept) }),
      inputs: { values: inputs, marks: marksOf(inputs) },
    };
  }

  private async run<T>(declared: Marked, before: SecretMarks | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SavedFailure) error.outputs = this.outputs(error.outputs.values, declared, before);
      throw error;
    }
  }
}

export const createResource = (definition: Definition | CommandDefinition, deployment: Deployment): MarkedResource =>
  new MarkedResource(
    definition.kind === "command"
      ? new CommandResource(definition, deployment)
      : new ManagedResource(definition, deployment),
  );

/** Everything is known when it is sent: what looks unknown is a string of the program. */
function assertKnown({ values }: Marked): void {
  const name = Object.keys(values).find((each) => hasUnknown(values[each]));
  if (name === undefined) return;
  throw new ProviderError(`${name} has a string that Pulumi takes for an unknown value. Use another.`);
}

const marksBefore = ({ outputs, inputs }: MarkedSaved) => uniteMarks(outputs.marks, inputs.marks);

const plain = ({ id, outputs, inputs }: MarkedSaved): Saved => ({
  id,
  outputs: outputs.values,
  inputs: inputs.values,
});
