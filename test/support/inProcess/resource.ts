/** A resource whose provider runs in this process (see processes.ts): what the engine does with it. */
import type { JsonObject } from "../../../src/base/json";
import type { Options } from "../../../src/core/options";
import type { Diff } from "../../../src/core/plan/diff";
import type { ResourceProvider } from "../../../src/core/resourceProvider";
import type { State } from "../../../src/core/state";
import { optionsOf } from "./processes";

export class Resource {
  /** What the state has of it: the arguments, and the rest. */
  saved: { args: JsonObject; state: State } | undefined;
  readonly options: Options;

  constructor(
    /** That of the process which has it in this deployment. */
    public provider: ResourceProvider,
    name: string,
    options: Partial<Options> = {},
  ) {
    this.options = optionsOf(name, options);
  }

  /** What is wrong with it. A replacement is checked as if it were new. */
  async check(args: JsonObject, old = this.saved?.args): Promise<string[]> {
    return (await this.provider.check(old, args, this.options)).problems;
  }

  /** Checks and diffs what is in the state. */
  async diff(args = this.saved!.args): Promise<Diff> {
    await this.checkOrFail(args);
    return this.provider.diff(this.saved!.state, args, this.options);
  }

  /** Creates it; or updates it, if the diff says so. Returns its state. */
  async up(args = this.saved!.args): Promise<State> {
    const { provider, options, saved } = this;
    if (!saved) await this.checkOrFail(args);
    if (!saved) return this.save(args, await provider.create(args, options));
    const { updates, needsCall, needsRecord } = await this.diff(args);
    const isChanged = updates.length > 0 || needsCall || needsRecord;
    return this.save(args, isChanged ? await provider.update(saved.state, args, options) : saved.state);
  }

  delete = (): Promise<void> => this.provider.delete(this.saved!.state, this.options);

  private save(args: JsonObject, state: State): State {
    this.saved = { args, state };
    return state;
  }

  private async checkOrFail(args: JsonObject): Promise<void> {
    const problems = await this.check(args);
    if (problems.length > 0) throw new Error(problems.join("\n"));
  }
}
