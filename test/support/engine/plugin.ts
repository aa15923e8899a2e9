/** The plugin over gRPC, without the CLI, with what the engine adds: it hides secrets and applies replaceOnChanges. */
import { join } from "node:path";
import type { Timeouts } from "../../../src/core/timeouts";
import { root } from "../root";
import { applyReplaceOnChanges, timeoutOf, urnOf } from "./pluginCalls";
import { PooledProvider } from "./pooledProvider";
import type { Diff, Properties, Registration, SavedObject, SavedResource, TestedProvider } from "./provider";
import type { Target } from "./providerProcess";

export class Plugin extends PooledProvider implements TestedProvider {
  readonly kind = "plugin";

  static script = () => join(root, "test/support/preload/pluginOfManyRuns.js");

  async startNewRun(): Promise<void> {
    const config = Object.entries(this.options.config ?? {});
    const isExplicit = config.some(([name]) => name === "tunnel-edge:explicit");
    const urn = `urn:pulumi:dev::test::pulumi:providers:tunnel-edge::${isExplicit ? "account" : "default"}`;
    const args = config.filter(([name]) => name !== "tunnel-edge:explicit");
    await this.process.configure(
      urn,
      Object.fromEntries(args.map(([name, value]) => [name.replace("tunnel-edge:", ""), value])),
    );
  }

  check(resource: Registration, olds: Properties, args: Properties) {
    return this.process.check(targetOf(resource), olds, withoutUndefined(args));
  }

  async diff(resource: Registration, old: SavedResource, news: Properties): Promise<Diff> {
    return applyReplaceOnChanges(resource, await this.process.diff(targetOf(resource), old, news));
  }

  create(resource: Registration, inputs: Properties): Promise<SavedObject> {
    return this.process.create(targetOf(resource, "create"), inputs);
  }

  read(resource: Registration, id: string, old: Omit<SavedResource, "id"> = { outputs: {}, inputs: {} }) {
    // The engine sends the timeout of a refresh, and none for `get`.
    const operation = Object.keys(old.outputs).length > 0 ? "read" : undefined;
    return this.process.read(targetOf(resource, operation), { id, ...old });
  }

  async import(resource: Registration, id: string): Promise<SavedResource> {
    return (await this.process.read(targetOf(resource, "read"), { id })) as SavedResource;
  }

  update(resource: Registration, old: SavedResource, news: Properties): Promise<Properties> {
    return this.process.update(targetOf(resource, "update"), old, news);
  }

  delete(resource: Registration, old: SavedResource): Promise<void> {
    return this.process.delete(targetOf(resource, "delete"), old);
  }
}

function targetOf({ type, name, urn, opts = {} }: Registration, operation?: keyof Timeouts): Target {
  const { parents, ignoreChanges } = opts;
  const timeout = operation && timeoutOf(opts, operation);
  return { urn: urn ?? urnOf(type, name, parents), ignoreChanges, timeout };
}

const withoutUndefined = (args: Properties) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
