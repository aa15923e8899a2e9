/** The engine's part for a whole program: `Life` for each of its resources, in the engine's order. */
import { type Bag, type Host, Life, type Options, type Step, unknown } from "./host";

/** A resource of a program. A text that begins with `=` names another resource's id, as in `"=edge.id"`. */
export interface Declared {
  type: string;
  args: Bag;
  opts?: Options;
}

/** The resources by their names, each after those it names. */
export type Program = Record<string, Declared>;

/** What happens, or would happen, to each resource. */
export type Steps = Record<string, Step | "delete">;

/** What runs programs: the engine as it is played here, or the real one. */
export interface Engine {
  /** What the state has of each resource: the object it is, and those it was and that are still to be deleted. */
  readonly lives: Map<string, Pick<Life, "left"> & Partial<Pick<Life, "state">>>;
  preview(program: Program): Promise<Steps>;
  /** Ends with the first thing that fails; `done` has what was finished until then. */
  up(program: Program, done?: Steps): Promise<Steps>;
  refresh(): Promise<void>;
}

export class PlayedStack implements Engine {
  /** In the order of their creation. */
  readonly lives = new Map<string, Life>();

  constructor(private readonly running: () => Host) {}

  /** Each run of the CLI has a host of its own. */
  private async begin(): Promise<Host> {
    const host = this.running();
    await host.anew();
    for (const life of this.lives.values()) life.on(host);
    return host;
  }

  /** The engine looks at all resources side by side, but for those that wait for another's id. */
  async preview(program: Program): Promise<Steps> {
    const host = await this.begin();
    const looks: Record<string, Promise<Step>> = {};
    for (const [name, { args, opts }] of Object.entries(program)) {
      const id = async (other: string) => {
        const step = await looks[other]!;
        return step === "create" || step === "replace" ? unknown : this.lives.get(other)!.state!.id;
      };
      looks[name] = resolved(args, id).then(
        async (known) => (await this.lifeOf(name, program, host).preview(known, opts)).step,
      );
    }
    await Promise.allSettled(Object.values(looks));
    const leaving = this.leaving(program).map(([name]) => [name, Promise.resolve("delete" as const)] as const);
    const steps = [...Object.entries(looks), ...leaving];
    return Object.fromEntries(await Promise.all(steps.map(async ([name, step]) => [name, await step] as const)));
  }

  async up(program: Program, done: Steps = {}): Promise<Steps> {
    const host = await this.begin();
    for (const [name, { args, opts }] of Object.entries(program)) {
      const life = this.lifeOf(name, program, host);
      this.lives.set(name, life);
      try {
        done[name] = await life.register(await resolved(args, async (other) => this.lives.get(other)!.state!.id), opts);
      } finally {
        if (!life.state && life.left.length === 0) this.lives.delete(name);
      }
    }
    for (const life of [...this.lives.values()].reverse()) await life.sweep();
    for (const [name, life] of this.leaving(program)) {
      await life.remove();
      this.lives.delete(name);
      done[name] = "delete";
    }
    return done;
  }

  /** The engine reads all resources side by side. */
  async refresh(): Promise<void> {
    await this.begin();
    const reads = [...this.lives].map(async ([name, life]) => {
      if (life.state) await life.refresh();
      if (!life.state && life.left.length === 0) this.lives.delete(name);
    });
    const failed = (await Promise.allSettled(reads)).find((read) => read.status === "rejected");
    if (failed) throw failed.reason;
  }

  private lifeOf = (name: string, program: Program, host: Host) =>
    this.lives.get(name) ?? new Life(host, program[name]!.type, name);

  /** What is in the state and not in the program, dependants first. */
  private leaving = (program: Program) => [...this.lives].filter(([name]) => !(name in program)).reverse();
}

async function resolved(args: Bag, idOf: (name: string) => Promise<string>): Promise<Bag> {
  const known: Bag = {};
  for (const [name, value] of Object.entries(args)) {
    const [, other] = (typeof value === "string" && /^=(\w+)\.id$/.exec(value)) || [];
    known[name] = other === undefined ? value : await idOf(other);
  }
  return known;
}
