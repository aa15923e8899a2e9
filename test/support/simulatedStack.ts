/** Simulates the engine for a whole program: a `ResourceDriver` for each resource, in the engine's order. */
import { type Options, type Properties, type TestedProvider, unknown } from "./provider";
import { ResourceDriver, type Step } from "./resourceDriver";

/** A resource of a program. A string that begins with `=` references another resource's id, as in `"=edge.id"`. */
export interface DeclaredResource {
  type: string;
  args: Properties;
  opts?: Options;
}

/** The resources by name, each after those it references. */
export type Program = Record<string, DeclaredResource>;

/** What happens, or would happen, to each resource. */
export type Steps = Record<string, Step | "delete">;

export interface PrintedPreview {
  steps: { op: Step | "delete" | "delete-replaced"; urn: string }[];
  changeSummary: object;
}

/** The steps of a preview, one for each resource. */
export const stepsOf = ({ steps }: PrintedPreview): Steps =>
  Object.fromEntries(
    steps.flatMap(({ op, urn }) => (op === "delete-replaced" ? [] : [[urn.split("::").pop()!, op] as const])),
  );

export class SimulatedStack {
  /** In the order of creation. */
  readonly resources = new Map<string, ResourceDriver>();
  /** The option of each resource, which the engine keeps in the state. */
  private readonly ignoreChanges = new Map<string, string[] | undefined>();

  constructor(private readonly currentHost: () => TestedProvider) {}

  /** Each run of the CLI has its own host. */
  private async startRun(): Promise<TestedProvider> {
    const host = this.currentHost();
    await host.startNewRun();
    for (const resource of this.resources.values()) resource.useProvider(host);
    return host;
  }

  preview = async (program: Program): Promise<Steps> => stepsOf(await this.printPreview(program));

  /** What `pulumi preview --json --show-sames --show-replacement-steps` prints. */
  async printPreview(program: Program): Promise<PrintedPreview> {
    const previews = await this.previewAll(program);
    const urnOf = (name: string) => `urn:pulumi:dev::test::${engineTypeOf(name)}::${name}`;
    const engineTypeOf = (name: string) =>
      `pulumi-nodejs:dynamic/tunnel-edge:${program[name]?.type ?? this.resources.get(name)!.type}`;
    const oldStateOf = (name: string) => {
      const state = this.resources.get(name)?.state;
      return state && { type: engineTypeOf(name), ...state, ignoreChanges: this.ignoreChanges.get(name) };
    };
    const kept = Object.entries(previews).map(([name, { step, inputs, changed }]) => {
      const { args, opts } = program[name]!;
      const sources = Object.entries(args).map(([key, value]) => [key, referenceIn(value).map(urnOf)]);
      const propertyDependencies = Object.fromEntries(sources);
      const newState = {
        type: engineTypeOf(name),
        inputs,
        propertyDependencies,
        deletedWith: propertyDependencies["edgeId"]?.[0],
        ignoreChanges: opts?.ignoreChanges,
      };
      return { op: step, urn: urnOf(name), oldState: oldStateOf(name), newState, diffReasons: changed };
    });
    const removed = this.leaving(program).map(([name]) => {
      return { op: "delete" as const, urn: urnOf(name), oldState: oldStateOf(name) };
    });
    const replaced = [...this.resources].flatMap(([name, { pendingDeletes }]) =>
      pendingDeletes.map((state) => {
        return { op: "delete-replaced" as const, urn: urnOf(name), oldState: { type: engineTypeOf(name), ...state } };
      }),
    );
    return { steps: [...kept, ...removed, ...replaced], changeSummary: {} };
  }

  /** The engine previews all resources concurrently, except those that wait for another resource's id. */
  private async previewAll(program: Program) {
    const host = await this.startRun();
    const previews: Record<string, ReturnType<ResourceDriver["previewWithInputs"]>> = {};
    for (const [name, { args, opts }] of Object.entries(program)) {
      const id = async (other: string) => {
        const { step } = await previews[other]!;
        return step === "create" || step === "replace" ? unknown : this.resources.get(other)!.state!.id;
      };
      previews[name] = resolveIds(args, id).then((known) =>
        this.driverFor(name, program, host).previewWithInputs(known, opts),
      );
    }
    await Promise.allSettled(Object.values(previews));
    const all = Object.entries(previews).map(async ([name, preview]) => [name, await preview] as const);
    return Object.fromEntries(await Promise.all(all));
  }

  async up(program: Program, done: Steps = {}): Promise<Steps> {
    const host = await this.startRun();
    for (const [name, { args, opts }] of Object.entries(program)) {
      const resource = this.driverFor(name, program, host);
      this.resources.set(name, resource);
      this.ignoreChanges.set(name, opts?.ignoreChanges);
      try {
        done[name] = await resource.register(
          await resolveIds(args, async (other) => this.resources.get(other)!.state!.id),
          opts,
        );
      } finally {
        if (!resource.state && resource.pendingDeletes.length === 0) this.resources.delete(name);
      }
    }
    for (const resource of [...this.resources.values()].reverse()) await resource.deleteReplaced();
    for (const [name, resource] of this.leaving(program)) {
      await resource.delete();
      this.resources.delete(name);
      done[name] = "delete";
    }
    return done;
  }

  /** The engine reads all resources concurrently. */
  async refresh(): Promise<void> {
    await this.startRun();
    const reads = [...this.resources].map(async ([name, resource]) => {
      if (resource.state) await resource.refresh();
      if (!resource.state && resource.pendingDeletes.length === 0) this.resources.delete(name);
    });
    const failed = (await Promise.allSettled(reads)).find((read) => read.status === "rejected");
    if (failed) throw failed.reason;
  }

  private driverFor = (name: string, program: Program, host: TestedProvider) =>
    this.resources.get(name) ?? new ResourceDriver(host, program[name]!.type, name);

  /** Resources in the state but not in the program, dependents first. */
  private leaving = (program: Program) => [...this.resources].filter(([name]) => !(name in program)).reverse();
}

async function resolveIds(args: Properties, idOf: (name: string) => Promise<string>): Promise<Properties> {
  const known: Properties = {};
  for (const [name, value] of Object.entries(args)) {
    const [other] = referenceIn(value);
    known[name] = other === undefined ? value : await idOf(other);
  }
  return known;
}

/** The name of the resource whose id a value references. */
function referenceIn(value: unknown): string[] {
  const [, name] = (typeof value === "string" && /^=(\w+)\.id$/.exec(value)) || [];
  return name === undefined ? [] : [name];
}
