/** A provider as the tests see it: what it returns has no envelopes, and is kept with them. */
import {
  OperationError,
  type Properties,
  type Provider,
  type ProviderKind,
  type SavedResource,
  type TestedProvider,
} from "./provider";
import { ResourceDriver } from "./resourceDriver";
import { withoutSecrets } from "./secrets";

export class ProviderInTests implements TestedProvider {
  readonly kind: ProviderKind;
  readonly returned: Properties[] = [];
  readonly preview: Provider["preview"];
  readonly import: Provider["import"];
  private following?: TestedProvider;

  constructor(
    private readonly provider: Provider,
    private readonly startNext: () => TestedProvider,
    readonly kill: () => void,
    readonly cancel: Provider["cancel"],
  ) {
    this.kind = provider.kind;
    this.preview = provider.preview;
    const { import: read } = provider;
    if (read) this.import = (...args) => this.keep(read(...args));
  }

  check: Provider["check"] = async (...args) => {
    const { inputs, failures } = await this.provider.check(...args);
    return { ...(await this.keep(Promise.resolve({ inputs }))), failures };
  };
  diff: Provider["diff"] = (...args) => this.provider.diff(...args);
  create: Provider["create"] = (...args) => this.keep(this.provider.create(...args));
  read: Provider["read"] = (...args) => this.keep(this.provider.read(...args));
  update: Provider["update"] = async (resource, old, inputs) =>
    (await this.keep(this.provider.update(resource, old, inputs).then((outputs) => ({ outputs })))).outputs;
  delete: Provider["delete"] = (...args) => this.provider.delete(...args);

  /** Keeps what the provider returns, or has in the state after a failure, and returns it without envelopes. */
  private async keep<T extends Partial<SavedResource> | undefined>(result: Promise<T>): Promise<T> {
    const open = <S extends Partial<SavedResource>>(saved: S): S => {
      const properties = { outputs: saved.outputs, inputs: saved.inputs };
      const returned = Object.entries(properties).filter((each): each is [string, Properties] => each[1] !== undefined);
      this.returned.push(...returned.map(([, values]) => values));
      return { ...saved, ...Object.fromEntries(returned.map(([name, values]) => [name, withoutSecrets(values)])) };
    };
    try {
      const found = await result;
      return found && open(found);
    } catch (error) {
      const { message, partialState } = error as OperationError;
      throw partialState ? new OperationError(message, open(partialState)) : error;
    }
  }

  next(): TestedProvider {
    this.following ??= this.startNext();
    return this.following;
  }

  resource(type: string, name = "it"): ResourceDriver {
    return new ResourceDriver(this, type, name);
  }
}
