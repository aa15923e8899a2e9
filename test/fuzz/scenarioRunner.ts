/** Lives a story on the real host and the emulator, and says what does not hold. */
import { type Account, type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { connectHost } from "../support/emulatorHost";
import type { Host } from "../support/host";
import { type Engine, type Program, SimulatedStack, type Steps } from "../support/simulatedStack";
import {
  type Fields,
  fieldsOf,
  findViolations,
  listDeclaredFields,
  listObjectIds,
  matchesDeclared,
} from "./accountModel";
import { createExposureCheck, type Exposure } from "./exposure";
import { type Disruption, type Edit, programOf, type Scenario, seed, services } from "./scenario";

/** The service in each of its manners, and a host for it. */
export class TestBed {
  private constructor(
    readonly emulator: Emulator,
    private currentHost: Host,
    private readonly watch: { onRequest(): void },
  ) {}

  static async start(service: Scenario["service"]): Promise<TestBed> {
    const watch = { onRequest: doNothing };
    const emulator = await startEmulator({ ...services[service], onRequest: () => watch.onRequest() });
    closing.push(emulator);
    return new TestBed(emulator, await TestBed.startHost(emulator), watch);
  }

  /** Nothing is tried again, so that whatever goes wrong is met. */
  private static startHost = (emulator: Emulator) =>
    connectHost(emulator, { config: { "tunnel-edge:maxRetries": "0", "tunnel-edge:timeoutSeconds": "10" } });

  get host(): Host {
    return this.currentHost;
  }

  /** Runs an operation in which something may go wrong; whether it did. */
  async runWithDisruption(
    disruption: Disruption | undefined,
    look: () => void,
    work: () => Promise<void>,
  ): Promise<{ met: boolean; killed: boolean; error?: Error }> {
    const { emulator } = this;
    const fault =
      disruption && disruption.fault !== "kill"
        ? emulator.fail({ ...disruption.fault, skip: disruption.after })
        : undefined;
    let left = disruption?.fault === "kill" ? disruption.after + 1 : Number.POSITIVE_INFINITY;
    this.watch.onRequest = () => {
      look();
      if (--left === 0) this.currentHost.kill();
    };
    const error = await work().then(
      () => undefined,
      (failure: Error) => failure,
    );
    this.watch.onRequest = doNothing;
    fault?.cancel();
    const killed = left <= 0;
    if (killed) this.currentHost = await TestBed.startHost(emulator);
    if (/(no response|did not end) before the timeout\.|the connection timed out\./.test(error?.message ?? ""))
      throw new MachineTooBusy();
    return { met: killed || (fault?.hits ?? 0) > 0, killed, error };
  }
}

const closing: Emulator[] = [];
afterAll(async () => {
  await Promise.all(closing.splice(0).map((emulator) => emulator.close()));
});

const doNothing = () => {};

export class Violation extends Error {}

/** A machine that is busy with other things made a call time out that should not: the life says nothing. */
export class MachineTooBusy extends Error {}

/** One life. */
export class ScenarioRunner {
  private foreignFields: Fields;
  /** What the last program that succeeded states, and those that failed since. */
  private declaredBefore: Fields[] = [new Map()];
  /** Others changed something since the last refresh. */
  private isStale = false;
  /** The program, where it was the last that anybody did. */
  private settledProgram: Program | undefined;
  /** What belongs to others from the beginning. */
  private readonly foreignIds: Set<string>;

  constructor(
    private readonly testBed: TestBed,
    private readonly engine: Engine,
  ) {
    testBed.emulator.reset();
    testBed.emulator.seed(seed);
    this.foreignFields = fieldsOf(testBed.emulator.account);
    this.foreignIds = listObjectIds(this.foreignFields);
  }

  /** Lives a story to its end. */
  static async run(
    scenario: Scenario,
    testBed: TestBed,
    engine: Engine = new SimulatedStack(() => testBed.host),
  ): Promise<void> {
    const runner = new ScenarioRunner(testBed, engine);
    for (const [index, step] of scenario.steps.entries()) {
      try {
        if (step.kind === "edit") runner.edit(step);
        else if (step.kind === "refresh") await runner.refresh(step.disruption);
        else if (step.kind === "destroy") await runner.up({}, false, step.disruption);
        else await runner.up(programOf(scenario.steps, index), step.refresh, step.disruption, step.mistake?.foundBy);
      } catch (error) {
        if (error instanceof MachineTooBusy) throw error;
        throw new Violation(`Step ${index}: ${(error as Error).message}`, { cause: error });
      }
    }
    try {
      await runner.finish();
    } catch (error) {
      if (error instanceof MachineTooBusy) throw error;
      throw new Violation(`After the last step: ${(error as Error).message}`, { cause: error });
    }
  }

  private get account(): Account {
    return this.testBed.emulator.account;
  }

  private edit({ method, path, body }: Edit): void {
    const { emulator } = this.testBed;
    let isThere = true;
    const filled = path.replace(/\{(\w+)\}/, (_, name) => {
      const id = this.engine.resources.get(name)?.state?.id;
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
    for (const key of before.keys()) if (!now.has(key)) this.foreignFields.delete(key);
    for (const [key, value] of now) {
      if (JSON.stringify(before.get(key)) !== JSON.stringify(value)) this.foreignFields.set(key, value);
    }
    this.isStale = true;
    this.settledProgram = undefined;
  }

  private async refresh(disruption?: Disruption): Promise<boolean> {
    const { error, met } = await this.testBed.runWithDisruption(disruption, doNothing, () => this.engine.refresh());
    if (error && !met) throw new Violation(`the refresh failed: ${error.message}`);
    if (error) return false;
    this.isStale = false;
    // What is found to be gone may be others' from now on, should they set it again.
    const now = fieldsOf(this.account);
    this.declaredBefore.push(new Map([...this.declaredBefore[0]!].filter(([key]) => now.get(key) !== null)));
    return true;
  }

  private async up(program: Program, refresh: boolean, disruption?: Disruption, mistake?: string): Promise<void> {
    const { emulator } = this.testBed;
    if (refresh && !(await this.refresh())) return;

    emulator.clearRequests();
    const preview = await this.engine.preview(program).catch((error: Error) => error);
    if (emulator.requests.length > 0) throw new Violation(`the preview made requests: ${emulator.calls().join(", ")}`);
    if (preview instanceof Error) {
      if (mistake === "at preview" || this.keepsUpstreamTermination(program)) return;
      throw new Violation(`the preview failed: ${preview.message}`);
    }
    if (mistake === "at preview") throw new Violation("the preview did not find the mistake");

    const done: Steps = {};
    const closed = createExposureCheck(this.account, program, this.engine.resources);
    let open: Exposure | undefined;
    const { error, met, killed } = await this.testBed.runWithDisruption(
      disruption,
      () => {
        open ??= closed(this.account);
      },
      async () => {
        await this.engine.up(program, done);
      },
    );
    if (open && !this.isStale) throw new Violation(`${open} (${emulator.calls({ ids: true }).join(", ")})`);
    for (const [name, step] of Object.entries(done)) {
      if (preview[name] !== step)
        throw new Violation(`${name}: the preview promised ${preview[name]}, and up made it ${step}`);
    }
    const declared = listDeclaredFields(program, this.engine.resources);
    if (error) {
      // What only the service can know.
      const known =
        this.isStale || mistake === "to the service" || this.mayPassThrough(program) || this.reusesReplacedKey(program);
      if (!met && !known)
        throw new Violation(`the preview was fine, nothing went wrong, and up failed: ${error.message}`);
      this.recoverFromFailure(declared, error, killed);
      return;
    }
    if (mistake && !this.isStale) throw new Violation("the service took the mistake");
    if (Object.keys(done).length < Object.keys(preview).length)
      throw new Violation("up did less than the preview promised");
    this.checkAccount(declared);
    await this.expectNoChanges(program);
    this.foreignFields = listForeignFields(this.account, declared);
    this.settledProgram = this.isStale ? undefined : program;
  }

  /** What must hold after an up that succeeded. */
  private checkAccount(declared: Fields): void {
    const now = fieldsOf(this.account);
    this.checkObjects(now);
    if (!this.isStale) {
      const [wrong] = findViolations(now, declared, this.declaredBefore, this.foreignFields);
      if (wrong) throw new Violation(wrong);
    }
    this.declaredBefore = [declared];
  }

  /** Every object is somebody's: others', or a resource's. */
  private checkObjects(now: Fields): void {
    const there = listObjectIds(now);
    const ownedIds = this.owned;
    for (const id of there)
      if (!ownedIds.has(id) && !this.foreignIds.has(id)) throw new Violation(`nobody knows of ${id}`);
    for (const id of this.foreignIds) if (!there.has(id)) throw new Violation(`${id}, which is others', is gone`);
    if (this.isStale) return;
    for (const id of ownedIds) if (!there.has(id)) throw new Violation(`${id} is in the state and not there`);
  }

  /** The objects that resources have. */
  private get owned(): Set<string> {
    const kept = [...this.engine.resources.values()].flatMap(({ state, pendingDeletes }) => [
      ...(state ? [state] : []),
      ...pendingDeletes,
    ]);
    return new Set(kept.map(({ id }) => id.split("/").pop()!));
  }

  /** The same program once more changes nothing and asks nothing, but where an answer told what others did. */
  private async expectNoChanges(program: Program): Promise<void> {
    const { emulator } = this.testBed;
    for (let most = this.isStale ? 1 : 0; ; most--) {
      emulator.clearRequests();
      const steps = await this.engine.preview(program);
      const changed = Object.entries(steps).filter(([, step]) => step !== "same");
      if (emulator.requests.length > 0) throw new Violation(`the same program again: ${emulator.calls().join(", ")}`);
      if (changed.length === 0) return;
      if (most === 0) throw new Violation(`the same program again: ${changed.join(" ")}`);
      try {
        await this.engine.up(program);
      } catch (error) {
        // What others did may be in the way, and only the service can know.
        this.recoverFromFailure(listDeclaredFields(program, this.engine.resources), error as Error, false);
        return;
      }
    }
  }

  /** The user does what the message says: what a lost answer or a killed process left behind is deleted. */
  private recoverFromFailure(declared: Fields, { message }: Error, killed: boolean): void {
    const { emulator } = this.testBed;
    const owned = this.owned;
    for (const id of listObjectIds(fieldsOf(this.account))) {
      if (owned.has(id) || this.foreignIds.has(id)) continue;
      if (!killed && !message.includes(id) && !message.includes("Look for it in the account")) {
        throw new Violation(`nobody knows of ${id}: ${message}`);
      }
      emulator.api("DELETE", `${listPathOf(id)}/${id}`);
    }
    // What a killed process set for the first time, or again where it was found to be gone, no state knows of.
    for (const [key, value] of killed ? fieldsOf(this.account) : []) {
      if (declared.has(key) && !this.declaredBefore.every((each) => each.has(key))) this.foreignFields.set(key, value);
    }
    this.declaredBefore.push(declared);
    // A deletion that got no answer, or whose answer nobody lived to see: only a refresh can tell whether it was done.
    this.isStale ||= emulator.requests.some(
      ({ method, processed, status }) => method === "DELETE" && processed && (killed || status !== 204),
    );
    this.settledProgram = undefined;
  }

  /** In the end a refresh finds nothing, and a destroy leaves what is others'. */
  private async finish(): Promise<void> {
    await this.refresh();
    if (this.settledProgram) await this.expectNoChanges(this.settledProgram);
    await this.up({}, false);
  }

  /** Mutual TLS beside a termination at the upstream that the state has and `ignoreChanges` keeps. */
  private keepsUpstreamTermination({ tls }: Program): boolean {
    const kept = this.engine.resources.get("tls")?.state?.inputs["tlsTermination"];
    const isIgnored = tls?.opts?.ignoreChanges?.includes("tlsTermination");
    return Boolean(isIgnored && tls?.args.mutualTls && kept?.terminateAt === "upstream");
  }

  /** A public key whose credential an earlier run has replaced and not yet deleted: the engine deletes last. */
  private reusesReplacedKey({ ssh }: Program): boolean {
    const left = this.engine.resources.get("ssh")?.pendingDeletes ?? [];
    return left.some(({ outputs }) => matchesDeclared("public_key", ssh?.args.publicKey, outputs["publicKey"]));
  }

  /** Mutual TLS that others set, or a resource of its own, where TLS passes through to the upstream. */
  private mayPassThrough({ tls, tlsAt }: Program): boolean {
    const wishes = [tls?.args.mutualTls, tls?.args.tlsTermination?.terminateAt, tlsAt?.args.terminateAt];
    const theirs = this.account.tlsEdges.some(({ id }) =>
      ["mutual_tls", "tls_termination"].some((module) => this.foreignFields.get(`${id} ${module}`)),
    );
    return wishes.some(Boolean) && (theirs || tlsAt !== undefined || this.engine.resources.has("tlsAt"));
  }
}

/** What nobody's program states. */
const listForeignFields = (account: Account, declared: Fields): Fields =>
  new Map([...fieldsOf(account)].filter(([key]) => !declared.has(key)));

const listPathOf = (id: string) =>
  ({ ak: "/api_keys", sshcr: "/ssh_credentials", edgtcp: "/edges/tcp", edgtls: "/edges/tls" })[id.split("_")[0]!]!;
