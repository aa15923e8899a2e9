/** Lives a story on the real host and the emulator, and says what does not hold. */
import { type Account, type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { hostFor } from "../support/emulated";
import type { Host } from "../support/host";
import { type Engine, PlayedStack, type Program, type Steps } from "../support/playedStack";
import { type Exposure, exposedBy } from "./closed";
import { agrees, type Fields, fieldsOf, objectsIn, statedBy, wrongs } from "./model";
import { type Edit, programOf, type Story, seed, services, type Trouble } from "./story";

/** The service in each of its manners, and a host for it. */
export class World {
  private constructor(
    readonly emulator: Emulator,
    private process: Host,
    private readonly watch: { onRequest(): void },
  ) {}

  static async begin(service: Story["service"]): Promise<World> {
    const watch = { onRequest: nothing };
    const emulator = await startEmulator({ ...services[service], onRequest: () => watch.onRequest() });
    closing.push(emulator);
    return new World(emulator, await World.host(emulator), watch);
  }

  /** Nothing is tried again, so that whatever goes wrong is met. */
  private static host = (emulator: Emulator) =>
    hostFor(emulator, { config: { "tunnel-edge:maxRetries": "0", "tunnel-edge:timeoutSeconds": "10" } });

  get host(): Host {
    return this.process;
  }

  /** Runs an operation in which something may go wrong; whether it did. */
  async during(
    trouble: Trouble | undefined,
    look: () => void,
    work: () => Promise<void>,
  ): Promise<{ met: boolean; killed: boolean; error?: Error }> {
    const { emulator } = this;
    const fault =
      trouble && trouble.fault !== "kill" ? emulator.fail({ ...trouble.fault, skip: trouble.after }) : undefined;
    let left = trouble?.fault === "kill" ? trouble.after + 1 : Number.POSITIVE_INFINITY;
    this.watch.onRequest = () => {
      look();
      if (--left === 0) this.process.kill();
    };
    const error = await work().then(
      () => undefined,
      (failure: Error) => failure,
    );
    this.watch.onRequest = nothing;
    fault?.cancel();
    const killed = left <= 0;
    if (killed) this.process = await World.host(emulator);
    if (/in time\./.test(error?.message ?? "")) throw new Busy();
    return { met: killed || (fault?.hits ?? 0) > 0, killed, error };
  }
}

const closing: Emulator[] = [];
afterAll(async () => {
  await Promise.all(closing.splice(0).map((emulator) => emulator.close()));
});

const nothing = () => {};

export class Wrong extends Error {}

/** A machine that is busy with other things made a call time out that should not: the life says nothing. */
export class Busy extends Error {}

/** One life. */
export class Living {
  private theirs: Fields;
  /** What the last program that succeeded states, and those that failed since. */
  private before: Fields[] = [new Map()];
  /** Others changed something since the last refresh. */
  private stale = false;
  /** The program, where it was the last that anybody did. */
  private settled: Program | undefined;
  /** What belongs to others from the beginning. */
  private readonly foreign: Set<string>;

  constructor(
    private readonly world: World,
    private readonly engine: Engine,
  ) {
    world.emulator.reset();
    world.emulator.seed(seed);
    this.theirs = fieldsOf(world.emulator.account);
    this.foreign = objectsIn(this.theirs);
  }

  /** Lives a story to its end. */
  static async through(story: Story, world: World, engine: Engine = new PlayedStack(() => world.host)): Promise<void> {
    const living = new Living(world, engine);
    for (const [index, step] of story.steps.entries()) {
      try {
        if (step.kind === "edit") living.edit(step);
        else if (step.kind === "refresh") await living.refresh(step.trouble);
        else if (step.kind === "destroy") await living.up({}, false, step.trouble);
        else await living.up(programOf(story.steps, index), step.refresh, step.trouble, step.mistake?.known);
      } catch (error) {
        if (error instanceof Busy) throw error;
        throw new Wrong(`Step ${index}: ${(error as Error).message}`, { cause: error });
      }
    }
    try {
      await living.end();
    } catch (error) {
      if (error instanceof Busy) throw error;
      throw new Wrong(`After the last step: ${(error as Error).message}`, { cause: error });
    }
  }

  private get account(): Account {
    return this.world.emulator.account;
  }

  private edit({ method, path, body }: Edit): void {
    const { emulator } = this.world;
    let isThere = true;
    const filled = path.replace(/\{(\w+)\}/, (_, name) => {
      const id = this.engine.lives.get(name)?.state?.id;
      isThere &&= id !== undefined;
      return id ?? "";
    });
    if (!isThere) return;
    const before = fieldsOf(this.account);
    try {
      emulator.api(method, filled, body);
    } catch {
      return; // the service refuses it to them too
    }
    const now = fieldsOf(this.account);
    for (const key of before.keys()) if (!now.has(key)) this.theirs.delete(key);
    for (const [key, value] of now) {
      if (JSON.stringify(before.get(key)) !== JSON.stringify(value)) this.theirs.set(key, value);
    }
    this.stale = true;
    this.settled = undefined;
  }

  private async refresh(trouble?: Trouble): Promise<boolean> {
    const { error, met } = await this.world.during(trouble, nothing, () => this.engine.refresh());
    if (error && !met) throw new Wrong(`the refresh failed: ${error.message}`);
    if (error) return false;
    this.stale = false;
    // What is found to be gone may be others' from now on, should they set it again.
    const now = fieldsOf(this.account);
    this.before.push(new Map([...this.before[0]!].filter(([key]) => now.get(key) !== null)));
    return true;
  }

  private async up(program: Program, refresh: boolean, trouble?: Trouble, mistake?: string): Promise<void> {
    const { emulator } = this.world;
    if (refresh && !(await this.refresh())) return;

    emulator.clearRequests();
    const preview = await this.engine.preview(program).catch((error: Error) => error);
    if (emulator.requests.length > 0) throw new Wrong(`the preview made requests: ${emulator.calls().join(", ")}`);
    if (preview instanceof Error) {
      if (mistake === "at preview" || this.keepsUpstream(program)) return;
      throw new Wrong(`the preview failed: ${preview.message}`);
    }
    if (mistake === "at preview") throw new Wrong("the preview did not find the mistake");

    const done: Steps = {};
    const closed = exposedBy(this.account, program, this.engine.lives);
    let open: Exposure | undefined;
    const { error, met, killed } = await this.world.during(
      trouble,
      () => {
        open ??= closed(this.account);
      },
      async () => {
        await this.engine.up(program, done);
      },
    );
    if (open && !this.stale) throw new Wrong(`${open} (${emulator.calls({ ids: true }).join(", ")})`);
    for (const [name, step] of Object.entries(done)) {
      if (preview[name] !== step)
        throw new Wrong(`${name}: the preview promised ${preview[name]}, and up made it ${step}`);
    }
    const stated = statedBy(program, this.engine.lives);
    if (error) {
      // What only the service can know.
      const known =
        this.stale || mistake === "to the service" || this.passesThrough(program) || this.takesFromLeft(program);
      if (!met && !known) throw new Wrong(`the preview was fine, nothing went wrong, and up failed: ${error.message}`);
      this.failed(stated, error, killed);
      return;
    }
    if (mistake && !this.stale) throw new Wrong("the service took the mistake");
    if (Object.keys(done).length < Object.keys(preview).length)
      throw new Wrong("up did less than the preview promised");
    this.judge(stated);
    await this.again(program);
    this.theirs = theirsIn(this.account, stated);
    this.settled = this.stale ? undefined : program;
  }

  /** What must hold after an up that succeeded. */
  private judge(stated: Fields): void {
    const now = fieldsOf(this.account);
    this.judgeObjects(now);
    if (!this.stale) {
      const [wrong] = wrongs(now, stated, this.before, this.theirs);
      if (wrong) throw new Wrong(wrong);
    }
    this.before = [stated];
  }

  /** Every object is somebody's: others', or a resource's. */
  private judgeObjects(now: Fields): void {
    const there = objectsIn(now);
    const owned = this.owned;
    for (const id of there) if (!owned.has(id) && !this.foreign.has(id)) throw new Wrong(`nobody knows of ${id}`);
    for (const id of this.foreign) if (!there.has(id)) throw new Wrong(`${id}, which is others', is gone`);
    if (this.stale) return;
    for (const id of owned) if (!there.has(id)) throw new Wrong(`${id} is in the state and not there`);
  }

  /** The objects that resources have. */
  private get owned(): Set<string> {
    const kept = [...this.engine.lives.values()].flatMap(({ state, left }) => [...(state ? [state] : []), ...left]);
    return new Set(kept.map(({ id }) => id.split("/").pop()!));
  }

  /** The same program once more changes nothing and asks nothing, but where an answer told what others did. */
  private async again(program: Program): Promise<void> {
    const { emulator } = this.world;
    for (let most = this.stale ? 1 : 0; ; most--) {
      emulator.clearRequests();
      const steps = await this.engine.preview(program);
      const changed = Object.entries(steps).filter(([, step]) => step !== "same");
      if (emulator.requests.length > 0) throw new Wrong(`the same program again: ${emulator.calls().join(", ")}`);
      if (changed.length === 0) return;
      if (most === 0) throw new Wrong(`the same program again: ${changed.join(" ")}`);
      try {
        await this.engine.up(program);
      } catch (error) {
        // What others did may be in the way, and only the service can know.
        this.failed(statedBy(program, this.engine.lives), error as Error, false);
        return;
      }
    }
  }

  /** The user does what the message says: what a lost answer or a killed process left behind is deleted. */
  private failed(stated: Fields, { message }: Error, killed: boolean): void {
    const { emulator } = this.world;
    const owned = this.owned;
    for (const id of objectsIn(fieldsOf(this.account))) {
      if (owned.has(id) || this.foreign.has(id)) continue;
      if (!killed && !message.includes(id) && !message.includes("Look for it in the account")) {
        throw new Wrong(`nobody knows of ${id}: ${message}`);
      }
      emulator.api("DELETE", `${pathOf(id)}/${id}`);
    }
    // What a killed process set for the first time, or again where it was found to be gone, no state knows of.
    for (const [key, value] of killed ? fieldsOf(this.account) : []) {
      if (stated.has(key) && !this.before.every((each) => each.has(key))) this.theirs.set(key, value);
    }
    this.before.push(stated);
    // A deletion that got no answer, or whose answer nobody lived to see: only a refresh can tell whether it was done.
    this.stale ||= emulator.requests.some(
      ({ method, processed, status }) => method === "DELETE" && processed && (killed || status !== 204),
    );
    this.settled = undefined;
  }

  /** In the end a refresh finds nothing, and a destroy leaves what is others'. */
  private async end(): Promise<void> {
    await this.refresh();
    if (this.settled) await this.again(this.settled);
    await this.up({}, false);
  }

  /** Mutual TLS beside a termination at the upstream that the state has and `ignoreChanges` keeps. */
  private keepsUpstream({ tls }: Program): boolean {
    const kept = this.engine.lives.get("tls")?.state?.inputs["tlsTermination"];
    const isIgnored = tls?.opts?.ignoreChanges?.includes("tlsTermination");
    return Boolean(isIgnored && tls?.args.mutualTls && kept?.terminateAt === "upstream");
  }

  /** A public key whose credential an earlier run has replaced and not yet deleted: the engine deletes last. */
  private takesFromLeft({ ssh }: Program): boolean {
    const left = this.engine.lives.get("ssh")?.left ?? [];
    return left.some(({ outputs }) => agrees("public_key", ssh?.args.publicKey, outputs["publicKey"]));
  }

  /** Mutual TLS that others set, or a resource of its own, where TLS passes through to the upstream. */
  private passesThrough({ tls, tlsAt }: Program): boolean {
    const wishes = [tls?.args.mutualTls, tls?.args.tlsTermination?.terminateAt, tlsAt?.args.terminateAt];
    const theirs = this.account.tlsEdges.some(({ id }) =>
      ["mutual_tls", "tls_termination"].some((module) => this.theirs.get(`${id} ${module}`)),
    );
    return wishes.some(Boolean) && (theirs || tlsAt !== undefined || this.engine.lives.has("tlsAt"));
  }
}

/** What nobody's program states. */
const theirsIn = (account: Account, stated: Fields): Fields =>
  new Map([...fieldsOf(account)].filter(([key]) => !stated.has(key)));

const pathOf = (id: string) =>
  ({ ak: "/api_keys", sshcr: "/ssh_credentials", edgtcp: "/edges/tcp", edgtls: "/edges/tls" })[id.split("_")[0]!]!;
