/** The plugin over gRPC, without the CLI, with what the engine adds: it hides secrets and applies replaceOnChanges. */
import { join } from "node:path";
import type { Timeouts } from "../../../src/core/timeouts";
import { root } from "../root";
import { PooledProvider } from "./pooledProvider";
import type { Diff, Properties, Registration, SavedObject, SavedResource, TestedProvider } from "./provider";
import type { Target } from "./providerProcess";

export const urnOf = (type: string, name: string, parents = "") =>
  `urn:pulumi:dev::test::${parents}tunnel-edge:index:${type}::${name}`;

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
    const { changedPaths, ...diff } = await this.process.diff(targetOf(resource), old, news);
    const { replaceOnChanges = [] } = resource.opts ?? {};
    const forced = changedPaths.filter((path) => replaceOnChanges.some((each) => contains(each, path)));
    return { ...diff, replaces: [...new Set([...diff.replaces, ...forced.map((path) => path.split(".")[0]!)])] };
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

function targetOf({ type, name, opts = {} }: Registration, operation?: keyof Timeouts): Target {
  const { parents, ignoreChanges, customTimeouts } = opts;
  const timeout = operation && secondsOf(customTimeouts?.[operation]);
  return { urn: urnOf(type, name, parents), ignoreChanges, timeout };
}

const withoutUndefined = (args: Properties) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));

/** Whether a changed path is at or below a path of replaceOnChanges. */
function contains(option: string, changed: string): boolean {
  const keys = changed.split(".");
  return option.split(".").every((key, index) => key === "*" || key === keys[index]);
}

/** The engine sends a duration such as "1h30m" in seconds. */
function secondsOf(duration = ""): number {
  const units: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001 };
  const parts = [...duration.matchAll(/([\d.]+)(ms|h|m|s)/g)];
  return parts.reduce((total, [, count, unit]) => total + Number(count) * units[unit!]!, 0);
}
