/** Runs a scenario on the real host and the emulator, and reports what does not hold. */
import type { Account, Emulator } from "pulumi-tunnel-edge/emulator";
import { findOpenedAddresses } from "../../src/exposure";
import { findWrongLines } from "../simulator/account";
import { matchesDeclared } from "../simulator/matches";
import { connectHost } from "../support/emulatorHost";
import { startService } from "../support/emulators";
import type { TestedProvider } from "../support/provider";
import { type Program, SimulatedStack, type Steps, stepsOf } from "../support/simulatedStack";
import { type Fields, fieldsOf, findViolations, listDeclaredFields, listObjectIds } from "./accountModel";
import { type Disruption, type Edit, programOf, type Scenario, seed, services } from "./scenario";

/** An emulator of one kind of service, and a host for it. */
export class TestBed {
  /** How many public addresses were opened as their previews said. */
  openings = 0;

  private constructor(
    readonly emulator: Emulator,
    private currentHost: TestedProvider,
    private readonly watch: { onRequest(): void },
  ) {}

  static async start(service: Scenario["service"]): Promise<TestBed> {
    const watch = { onRequest: doNothing };
    const emulator = await startService({ ...services[service], onRequest: () => watch.onRequest() });
    return new TestBed(emulator, await TestBed.startHost(emulator), watch);
  }

  /** Without retries, so that every fault has an effect. No fault lasts, so a call that times out is a failure. */
  private static startHost = (emulator: Emulator) =>
    connectHost(emulator, { config: { "tunnel-edge:maxRetries": "0", "tunnel-edge:timeoutSeconds": "600" } });

  get host(): TestedProvider {
    return this.currentHost;
  }

  /** Runs an operation with a disruption. Returns whether it was met. */
  async runWithDisruption(
    disruption: Disruption | undefined,
    work: () => Promise<void>,
  ): Promise<{ met: boolean; killed: boolean; error?: Error }> {
    const { emulator } = this;
    const fault =
      disruption && disruption.fault !== "kill"
        ? emulator.fail({ ...disruption.fault, skip: disruption.after })
        : undefined;
    let left = disruption?.fault === "kill" ? disruption.after + 1 : Number.POSITIVE_INFINITY;
    this.watch.onRequest = () => {
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
    return { met: killed || (fault?.hits ?? 0) > 0, killed, error };
  }
}

const doNothing = () => {};

class Violation extends Error {}

/** Runs one scenario. */
export class ScenarioRunner {
  private foreignFields: Fields;
  /** What the last successful program declared, followed by those that failed since. */
  private declaredBefore: Fields[] = [new Map()];
  /** Something was changed outside of Pulumi since the last refresh. */
  private isStale = false;
  /** Nothing failed since the last refresh, so the state has what the service has. */
  private isStateExact = true;
  /** The program, if nothing has changed since its deployment. */
  private settledProgram: Program | undefined;
  /** The ids of the objects that existed before the scenario. */
  private readonly foreignIds: Set<string>;

  private readonly engine: SimulatedStack;

  constructor(private readonly testBed: TestBed) {
    this.engine = new SimulatedStack(() => testBed.host);
    testBed.emulator.reset();
    testBed.emulator.seed(seed);
    this.foreignFields = fieldsOf(testBed.emulator.account);
    this.foreignIds = listObjectIds(this.foreignFields);
  }

  /** Runs a scenario to its end. */
  static async run(scenario: Scenario, testBed: TestBed): Promise<void> {
    const runner = new ScenarioRunner(testBed);
    for (const [index, step] of scenario.steps.entries()) {
      try {
        if (step.kind === "edit") runner.edit(step);
        else if (step.kind === "refresh") await runner.refresh(step.disruption);
        else if (step.kind === "destroy") await runner.up({}, false, step.disruption);
        else await runner.up(programOf(scenario.steps, index), step.refresh, step.disruption, step.mistake?.foundBy);
      } catch (error) {
        throw new Violation(`Step ${index}: ${(error as Error).message}`, { cause: error });
      }
    }
    try {
      await runner.finish();
    } catch (error) {
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
      return; // the service rejects it from anyone
    }
    const now = fieldsOf(this.account);
    for (const key of before.keys()) if (!now.has(key)) this.foreignFields.delete(key);
    for (const [key, value] of now) {
      if (JSON.stringify(before.get(key)) !== JSON.stringify(value)) this.foreignFields.set(key, value);
    }
    this.isStale = true;
    this.isStateExact = false;
    this.settledProgram = undefined;
  }

  private async refresh(disruption?: Disruption): Promise<boolean> {
    const { error, met } = await this.testBed.runWithDisruption(disruption, () => this.engine.refresh());
    if (error && !met) throw new Violation(`the refresh failed: ${error.message}`);
    if (error) return false;
    this.isStale = false;
    this.isStateExact = true;
    // A field that was found missing may be set outside of Pulumi from now on.
    const now = fieldsOf(this.account);
    this.declaredBefore.push(new Map([...this.declaredBefore[0]!].filter(([key]) => now.get(key) !== null)));
    return true;
  }

  private async up(program: Program, refresh: boolean, disruption?: Disruption, mistake?: string): Promise<void> {
    const { emulator } = this.testBed;
    if (refresh && !(await this.refresh())) return;

    emulator.clearRequests();
    const printed = await this.engine.printPreview(program).catch((error: Error) => error);
    if (emulator.requests.length > 0) throw new Violation(`the preview made requests: ${emulator.calls().join(", ")}`);
    if (printed instanceof Error) {
      if (mistake === "preview" || this.keepsUpstreamTermination(program)) return;
      throw new Violation(`the preview failed: ${printed.message}`);
    }
    const preview = stepsOf(printed);
    const opened = findOpenedAddresses(printed);
    const before = this.account;
    if (mistake === "preview") throw new Violation("the preview did not find the mistake");

    const done: Steps = {};
    const { error, met, killed } = await this.testBed.runWithDisruption(disruption, async () => {
      await this.engine.up(program, done);
    });
    for (const [name, step] of Object.entries(done)) {
      if (preview[name] !== step)
        throw new Violation(`${name}: the preview showed ${preview[name]}, but it was ${step}`);
    }
    const declared = listDeclaredFields(program, this.engine.resources);
    if (error) {
      // What only the service can know.
      const known =
        this.isStale || mistake === "service" || this.mayPassThrough(program) || this.reusesReplacedKey(program);
      if (!met && !known)
        throw new Violation(`the deployment failed after a good preview and without a fault: ${error.message}`);
      this.recoverFromFailure(declared, error, killed);
      return;
    }
    if (mistake && !this.isStale) throw new Violation("the service accepted the mistake");
    if (Object.keys(done).length < Object.keys(preview).length)
      throw new Violation("the deployment did less than the preview showed");
    this.checkAccount(declared);
    if (this.isStateExact) {
      const [wrong] = findWrongLines(opened, before, this.account);
      if (wrong) throw new Violation(wrong);
      this.testBed.openings += opened.filter(({ isCertain }) => isCertain).length;
    }
    await this.expectNoChanges(program);
    this.foreignFields = listForeignFields(this.account, declared);
    this.settledProgram = this.isStale ? undefined : program;
  }

  /** What must hold after a successful `pulumi up`. */
  private checkAccount(declared: Fields): void {
    const now = fieldsOf(this.account);
    this.checkObjects(now);
    if (!this.isStale) {
      const [violation] = findViolations(now, declared, this.declaredBefore, this.foreignFields);
      if (violation) throw new Violation(violation);
    }
    this.declaredBefore = [declared];
  }

  /** Every object belongs to a resource or is foreign. */
  private checkObjects(now: Fields): void {
    const existing = listObjectIds(now);
    const ownedIds = this.ownedIds;
    for (const id of existing)
      if (!ownedIds.has(id) && !this.foreignIds.has(id)) throw new Violation(`${id} is in no state`);
    for (const id of this.foreignIds)
      if (!existing.has(id)) throw new Violation(`the foreign object ${id} was deleted`);
    if (this.isStale) return;
    for (const id of ownedIds) if (!existing.has(id)) throw new Violation(`${id} is in the state but does not exist`);
  }

  /** The ids of the resources' objects. */
  private get ownedIds(): Set<string> {
    const states = [...this.engine.resources.values()].flatMap(({ state, pendingDeletes }) => [
      ...(state ? [state] : []),
      ...pendingDeletes,
    ]);
    return new Set(states.map(({ id }) => id.split("/").pop()!));
  }

  /**
   * The same program again changes nothing and sends nothing, unless a response showed what was changed outside of
   * Pulumi.
   */
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
        // What was changed outside of Pulumi may be incompatible, which only the service can know.
        this.recoverFromFailure(listDeclaredFields(program, this.engine.resources), error as Error, false);
        return;
      }
    }
  }

  /** The user does what the message says and deletes what a lost response or a killed process left behind. */
  private recoverFromFailure(declared: Fields, { message }: Error, killed: boolean): void {
    const { emulator } = this.testBed;
    const ownedIds = this.ownedIds;
    for (const id of listObjectIds(fieldsOf(this.account))) {
      if (ownedIds.has(id) || this.foreignIds.has(id)) continue;
      if (!killed && !message.includes(id) && !message.includes("Look for it in the account")) {
        throw new Violation(`${id} is in no state and in no message: ${message}`);
      }
      emulator.api("DELETE", `${listPathOf(id)}/${id}`);
    }
    // What a killed process set for the first time, or set again after it was found missing, is in no state.
    for (const [key, value] of killed ? fieldsOf(this.account) : []) {
      if (declared.has(key) && !this.declaredBefore.every((each) => each.has(key))) this.foreignFields.set(key, value);
    }
    this.declaredBefore.push(declared);
    this.isStateExact = false;
    // After a delete without a response, or a killed process, only a refresh shows whether it was applied.
    this.isStale ||= emulator.requests.some(
      ({ method, processed, status }) => method === "DELETE" && processed && (killed || status !== 204),
    );
    this.settledProgram = undefined;
  }

  /** At the end a refresh changes nothing, and a destroy leaves only foreign objects. */
  private async finish(): Promise<void> {
    await this.refresh();
    if (this.settledProgram) await this.expectNoChanges(this.settledProgram);
    await this.up({}, false);
  }

  /** Mutual TLS beside an upstream termination that is in the state and kept by `ignoreChanges`. */
  private keepsUpstreamTermination({ tls }: Program): boolean {
    const kept = this.engine.resources.get("tls")?.state?.inputs["tlsTermination"];
    const isIgnored = tls?.opts?.ignoreChanges?.includes("tlsTermination");
    return Boolean(isIgnored && tls?.args.mutualTls && kept?.terminateAt === "upstream");
  }

  /** A public key whose credential was replaced in an earlier run but not deleted yet: the engine deletes last. */
  private reusesReplacedKey({ ssh }: Program): boolean {
    const replaced = this.engine.resources.get("ssh")?.pendingDeletes ?? [];
    return replaced.some(({ outputs }) => matchesDeclared("public_key", ssh?.args.publicKey, outputs["publicKey"]));
  }

  /** Mutual TLS set outside of Pulumi or by a separate resource, while TLS passes through to the upstream. */
  private mayPassThrough({ tls, tlsAt }: Program): boolean {
    const declared = [tls?.args.mutualTls, tls?.args.tlsTermination?.terminateAt, tlsAt?.args.terminateAt];
    const isForeign = this.account.tlsEdges.some(({ id }) =>
      ["mutual_tls", "tls_termination"].some((module) => this.foreignFields.get(`${id} ${module}`)),
    );
    return declared.some(Boolean) && (isForeign || tlsAt !== undefined || this.engine.resources.has("tlsAt"));
  }
}

/** Fields that no program declares. */
const listForeignFields = (account: Account, declared: Fields): Fields =>
  new Map([...fieldsOf(account)].filter(([key]) => !declared.has(key)));

const listPathOf = (id: string) =>
  ({ ak: "/api_keys", sshcr: "/ssh_credentials", edgtcp: "/edges/tcp", edgtls: "/edges/tls" })[id.split("_")[0]!]!;
