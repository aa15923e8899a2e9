/** The plugin over gRPC, without the CLI, with what the engine adds: it hides secrets and applies replaceOnChanges. */
import { join } from "node:path";
import { type HostOptions, takeProcess } from "./host";
import type { Diff, Properties, Registration, SavedObject, SavedResource, TestedProvider } from "./provider";
import { type ProviderProcess, requests, reveal } from "./providerProcess";
import { ResourceDriver } from "./resourceDriver";
import { root } from "./root";

const script = join(root, "dist/plugin/main.js");

export const urnOf = (type: string, name: string, parents = "") =>
  `urn:pulumi:dev::test::${parents}tunnel-edge:index:${type}::${name}`;

export class Plugin implements TestedProvider {
  readonly kind = "plugin";
  private nextPlugin?: Promise<Plugin>;

  private constructor(
    readonly process: ProviderProcess,
    private readonly options: HostOptions,
  ) {}

  static async start(options: HostOptions = {}): Promise<Plugin> {
    const plugin = new Plugin(await takeProcess({ ...options, script }), options);
    await plugin.startNewRun();
    return plugin;
  }

  get logs() {
    return this.process.logs;
  }
  get debugLogs() {
    return this.process.debugLogs;
  }
  get printed() {
    return this.process.printed;
  }

  next(): Promise<Plugin> {
    this.nextPlugin ??= Plugin.start(this.options);
    return this.nextPlugin;
  }

  async startNewRun(): Promise<void> {
    const config = Object.entries(this.options.config ?? {});
    const isExplicit = config.some(([name]) => name === "tunnel-edge:explicit");
    const urn = `urn:pulumi:dev::test::pulumi:providers:tunnel-edge::${isExplicit ? "account" : "default"}`;
    const args = config.filter(([name]) => name !== "tunnel-edge:explicit");
    await this.process.call("configure", new requests.ConfigureRequest().setUrn(urn), {
      setArgs: Object.fromEntries(args.map(([name, value]) => [name.replace("tunnel-edge:", ""), value])),
    });
  }

  /** A resource on this plugin. */
  resource(type: string, name = "it"): ResourceDriver {
    return new ResourceDriver(this, type, name);
  }

  kill(): void {
    this.process.kill();
  }

  disconnectEngine(): Promise<void> {
    return this.process.disconnectEngine();
  }

  async check(resource: Registration, olds: Properties, args: Properties) {
    const request = new requests.CheckRequest().setUrn(urnFor(resource));
    const response = await this.process.call("check", request, { setOlds: olds, setNews: withoutUndefined(args) });
    return {
      inputs: reveal(response.getInputs().toJavaScript()),
      failures: response.getFailuresList().map((failure: Properties) => failure.getReason()),
    };
  }

  async diff(resource: Registration, { id, outputs, inputs }: SavedResource, news: Properties): Promise<Diff> {
    const { ignoreChanges = [], replaceOnChanges = [] } = resource.opts ?? {};
    const request = new requests.DiffRequest().setId(id).setUrn(urnFor(resource)).setIgnorechangesList(ignoreChanges);
    const response = await this.process.call("diff", request, {
      setOlds: outputs,
      setOldInputs: inputs,
      setNews: news,
    });
    const changes: string[] = [...response.getDetaileddiffMap().keys()];
    const forced = changes.filter((path) => replaceOnChanges.some((each) => contains(each, path)));
    return {
      changes: [undefined, false, true][response.getChanges()],
      replaces: [...new Set([...response.getReplacesList(), ...forced.map((path) => path.split(".")[0]!)])],
      deleteBeforeReplace: response.getDeletebeforereplace(),
    };
  }

  async create(resource: Registration, inputs: Properties): Promise<SavedObject> {
    const timeout = secondsOf(resource.opts?.customTimeouts?.create);
    const request = new requests.CreateRequest().setUrn(urnFor(resource)).setTimeout(timeout);
    const response = await this.process.call("create", request, { setProperties: inputs });
    return { id: response.getId(), outputs: reveal(response.getProperties().toJavaScript()) };
  }

  async read(resource: Registration, id: string, old: Omit<SavedResource, "id"> = { outputs: {}, inputs: {} }) {
    const request = new requests.ReadRequest().setId(id).setUrn(urnFor(resource));
    const response = await this.process.call("read", request, { setProperties: old.outputs, setInputs: old.inputs });
    return response.getId() === "" ? undefined : readResponse(response);
  }

  async import(resource: Registration, id: string): Promise<SavedResource> {
    return readResponse(
      await this.process.call("read", new requests.ReadRequest().setId(id).setUrn(urnFor(resource)), {}),
    );
  }

  async update(resource: Registration, { id, outputs, inputs }: SavedResource, news: Properties): Promise<Properties> {
    const { customTimeouts, ignoreChanges = [] } = resource.opts ?? {};
    const request = new requests.UpdateRequest()
      .setId(id)
      .setUrn(urnFor(resource))
      .setTimeout(secondsOf(customTimeouts?.update))
      .setIgnorechangesList(ignoreChanges);
    const properties = { setOlds: outputs, setOldInputs: inputs, setNews: news };
    return reveal((await this.process.call("update", request, properties)).getProperties().toJavaScript());
  }

  async delete(resource: Registration, { id, outputs, inputs }: SavedResource): Promise<void> {
    const timeout = secondsOf(resource.opts?.customTimeouts?.delete);
    const request = new requests.DeleteRequest().setId(id).setUrn(urnFor(resource)).setTimeout(timeout);
    await this.process.call("delete", request, { setProperties: outputs, setOldInputs: inputs });
  }
}

const urnFor = ({ type, name, opts }: Registration) => urnOf(type, name, opts?.parents);

const readResponse = (response: Properties): SavedResource => ({
  id: response["getId"](),
  outputs: reveal(response["getProperties"]().toJavaScript()),
  inputs: reveal(response["getInputs"]().toJavaScript()),
});

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
