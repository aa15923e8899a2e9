/**
 * A resource type, as the engine manages it: properties carry secret marks, and the state is in outputs and inputs. They
 * are taken off before the provider is asked, and put on again on everything that leaves.
 */

import { equal, type JsonObject } from "../base/json";
import { nameOf } from "../base/quote";
import { createProvider, executeWrite } from "../core/adapters";
import { clientOnlyValues, parseArgs } from "../core/arguments";
import type { Deployment } from "../core/deployment/deployment";
import { ProviderError } from "../core/errors";
import type { Options } from "../core/options";
import type { Diff } from "../core/plan/diff";
import type { Provider } from "../core/provider";
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
import { importedKey, internalProperties, isImported, managedKey } from "../core/state";
import { hasUnknown } from "../core/unknown";
import type { CommandDefinition, Definition } from "../definitions/definition";
import { type Field, toOutputs } from "../definitions/fields/field";
import { outputsOf, recordedProperties, unfinishedNames } from "./savedState";

/** A resource as the engine's state has it. */
export interface Saved {
  id: string;
  outputs: Marked;
  inputs: Marked;
}

export class PluginResource {
  private readonly provider: Provider;
  /** The ids that this deployment has imported, by the resource's key. */
  private readonly imports = new Map<string, string>();

  constructor(
    readonly definition: Definition | CommandDefinition,
    private readonly deployment: Deployment,
  ) {
    this.provider = createProvider(definition, deployment);
  }

  async check(olds: Marked, news: Marked, options: Options): Promise<{ inputs: Marked; problems: string[] }> {
    const old = isEmpty(olds) ? undefined : this.args(olds);
    const { args, problems } = await this.provider.check(old, this.args(news), this.importOptions(olds, options));
    const all = [...internalProblems(olds, news), ...problems];
    return { inputs: this.mark(args, news), problems: await this.deployment.formatProblems(all, options) };
  }

  async diff(old: Saved, news: Marked, options: Options): Promise<Diff & { hasChanges: boolean }> {
    const { definition } = this;
    const importOptions = this.importOptions(old.inputs, options);
    const diff = await this.provider.diff(this.state(old, news), this.args(news), importOptions);
    return {
      ...diff,
      // If only the managed arguments change, this is no update: the engine stores the inputs, which show them. The
      // classes differ.
      hasChanges:
        diff.needsCall ||
        diff.needsRecord ||
        // An unfinished update may have nothing left to send. Its record must be removed nevertheless.
        unfinishedNames(definition, old.outputs.values, news.values).length > 0 ||
        // In the run of an import, only an update records the declared arguments; otherwise the next run would.
        importOptions.isImport === true ||
        becomesSecret(definition, old.outputs, news, recordedMarks(old)),
    };
  }

  create(inputs: Marked, options: Options): Promise<Omit<Saved, "inputs">> {
    return this.write(inputs, undefined, () => this.provider.create(this.args(inputs), options));
  }

  async update(old: Saved, news: Marked, options: Options): Promise<Marked> {
    const update = () => this.provider.update(this.state(old, news), this.args(news), options);
    return (await this.write(news, recordedMarks(old), update)).outputs;
  }

  /** The outputs of a create, or of an update of what the state has, as far as they are known. */
  preview(old: Saved | undefined, news: Marked, options: Options): Marked {
    const outputs = this.provider.preview(old && this.state(old, news), this.args(news), options);
    return this.mark(outputs, news, old && recordedMarks(old));
  }

  /** Undefined if it was deleted. */
  async read(old: Saved, options: Options): Promise<Saved | undefined> {
    const { id, outputs, inputs } = old;
    if (isEmpty(outputs)) return this.readUnmanaged(id, options);
    const { [importedKey]: imported, ...declared } = inputs.values;
    const state = this.provider.parse(id, recordedProperties(this.definition, outputs.values, declared));
    const found = await this.provider.read(id, state, options);
    if (!found?.inputs) return found && old;
    // Whatever is managed and exists is among the inputs, even after an unfinished update.
    const { [managedKey]: _, ...properties } = this.provider.properties(found.state);
    const values = {
      outputs: toOutputs(this.definition.fields, properties),
      inputs: { ...found.inputs, ...(isImported(inputs.values) && { [importedKey]: imported! }) },
    };
    return this.markFound(id, values, inputs, uniteMarks(outputs.marks, namedSecrets(outputs.values)));
  }

  /** An object that the program only reads: nothing in it was ever secret. `pulumi do` changes the inputs. */
  private async readUnmanaged(id: string, options: Options): Promise<Saved> {
    const { values, args } = await this.provider.readUnmanaged("read", id, options);
    const outputs = toOutputs(this.definition.fields, values);
    return this.markFound(id, { outputs, inputs: args }, { values: outputs });
  }

  async import(id: string, options: Options): Promise<Saved> {
    const { fields } = this.definition;
    const { values, args, omissions } = await this.provider.readUnmanaged("import", id, options);
    const hidden = Object.entries<Field>(fields).filter(([name, { writeOnly }]) => writeOnly && !args[name]);
    const reasons = [
      ...omissions.map((reason) => `Not imported: ${reason}.`),
      ...hidden.map(
        ([name]) =>
          `${name} is not imported, because the service does not return it. If it is set, declare it in the program.`,
      ),
    ];
    for (const reason of reasons) await this.deployment.warn(reason, options);
    this.imports.set(options.key, id);
    const found = { outputs: toOutputs(fields, values), inputs: { ...args, [importedKey]: true } };
    return this.markFound(id, found, { values: {} });
  }

  delete = (old: Saved, options: Options): Promise<void> => this.provider.delete(this.state(old), options);

  private args = ({ values }: Marked): JsonObject => parseArgs(this.definition.fields, values);

  /** The options of a resource with these old inputs, which this deployment may have imported. */
  private importOptions(olds: Marked, options: Options): Options {
    const importId = isImported(olds.values) ? this.imports.get(options.key) : undefined;
    return importId === undefined ? options : { ...options, importId, isImport: true };
  }

  /** The state; before an update, with its new inputs. */
  private state({ id, outputs, inputs }: Saved, news?: Marked) {
    const properties = recordedProperties(this.definition, outputs.values, inputs.values);
    // The service does not have what is never sent. After an import, it is what the program declares.
    const adopted = news && isImported(inputs.values) ? clientOnlyValues(this.definition, this.args(news)) : {};
    return this.provider.parse(id, { ...properties, ...adopted });
  }

  /** Inputs as the program declares them, or outputs as a preview expects them. */
  private mark(values: JsonObject, declared: Marked, before?: SecretMarks): Marked {
    return { values, marks: secretsIn(this.definition, values, declared, before) };
  }

  /** A refresh takes no mark away from the outputs: only an update does, so that nothing shows as changed. */
  private markFound(
    id: string,
    { outputs, inputs }: { outputs: JsonObject; inputs: JsonObject },
    declared: Marked,
    before?: SecretMarks,
  ): Saved {
    const { definition } = this;
    const marksOf = (values: JsonObject) => secretsInResponse(definition, values, declared, before);
    const kept = secretsIn(definition, outputs, { values: {} }, before);
    return {
      id,
      outputs: nameSecrets(definition, { values: outputs, marks: uniteMarks(marksOf(outputs), kept) }),
      inputs: { values: inputs, marks: marksOf(inputs) },
    };
  }

  private async write(declared: Marked, before: SecretMarks | undefined, work: () => Promise<{ id: string }>) {
    const { definition, provider } = this;
    assertKnown(declared);
    return executeWrite(provider, work, (properties) =>
      markOutputs(definition, outputsOf(definition, properties, declared.values), declared, before),
    );
  }
}

const isEmpty = ({ values }: Marked) => Object.keys(values).length === 0;

/** Names that begin with `__` are the provider's own, unless the engine has copied them from the old inputs. */
const internalProblems = (olds: Marked, news: Marked): string[] =>
  Object.entries(internalProperties(news.values))
    .filter(([name, value]) => !equal(olds.values[name], value))
    .map(([name]) => `${nameOf([name])} is not an argument. Remove it.`);

/** Everything is known when it is sent: what looks unknown is a string of the program. */
function assertKnown({ values }: Marked): void {
  const name = Object.keys(values).find((each) => hasUnknown(values[each]));
  if (name === undefined) return;
  throw new ProviderError(`${name} has a string that Pulumi takes for an unknown value. Use another.`);
}

const recordedMarks = ({ outputs, inputs }: Saved) => uniteMarks(outputs.marks, inputs.marks);
