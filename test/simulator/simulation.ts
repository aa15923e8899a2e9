/**
 * Runs one scenario: the user, the stacks and what must hold.
 * Promises: "Protection first", "An edge that stays keeps its restriction", "Failures are recoverable".
 */
import { isDeepStrictEqual } from "node:util";
import { toCamelCase, toSnakeCase } from "../../src/base/json";
import { isReachable, restrictions, restricts } from "../../src/commands/exposure/model";
import { createLog } from "../../src/core/log";
import { startInProcess } from "../support/engine/inProcess";
import { type Properties, type Provider, Violation } from "../support/engine/provider";
import { withoutSecrets } from "../support/engine/secrets";
import { SharedLines } from "../support/engine/sharedLines";
import {
  declaredEdges,
  type Edges,
  findDifferences,
  findOpen,
  findOpened,
  findOverwritten,
  listEdges,
  listObjects,
  pathOf,
} from "./account";
import { type Action, findAdvice } from "./advice";
import {
  type Declared,
  type Entry,
  Killed,
  type Op,
  type PendingCreate,
  type Program,
  Run,
  type RunOptions,
  referencesOf,
  urnOf,
} from "./engine";
import { listInventory } from "./inventory";
import { type EdgeModel, type Model, modelName, programOf, secretOf } from "./model";
import { type Exchange, ignoresProtection, Network } from "./network";
import { describeRun } from "./print";
import { flags, type Outsider, type PlannedRun, plannedOptions, type Scenario, seed } from "./scenario";
import { plainText, secretPrefix } from "./secrets";
import { apiKey, baseUrl, SimulatedService } from "./service";
import { Process, World } from "./world";

/** Why a plain `pulumi up` cannot be expected to repair something: each is documented for users. */
export const exceptions = {
  drift: "Somebody else changed the account (docs/failures.md: Somebody else deleted the object).",
  killed: "A run was killed and the program changed then (docs/failures.md: After a kill).",
  advice: "A message said so.",
  deletedWith: "A module resource left the state for its edge, which stays (docs/options.md).",
  left: "An edge ignored a module that a resource was to have, which was not created then (docs/failures.md: After a kill).",
  shared: "A destroy deleted what two resources of the state had (docs/failures.md: When to refresh).",
  target: "With --target it cannot be known what the program keeps (docs/failures.md: When to refresh).",
} as const;
type Exception = keyof typeof exceptions;

export interface Stack {
  index: number;
  state: Entry[];
  /** What killed runs left in the state as pending operations. */
  pendingCreates: PendingCreate[];
  needsRefresh: Set<Exception>;
  /** The program of a run that was killed, until one like it has succeeded. */
  killedProgram?: string;
  /** What the user has changed in the program because of a message. */
  amendments: ((model: Model) => void)[];
  /** A change of the program for one run. */
  detour?: (model: Model) => void;
  /** Objects whose undeclared modules are left alone: what was imported, and edges whose deletion failed. */
  unmanaged: Set<string>;
  /** The ids of objects that the user imports, by the name of the resource. */
  importIds: Map<string, string>;
  model?: Model;
}

export interface Message {
  severity: "error" | "info" | "warning" | "status" | "debug";
  text: string;
  /** The resource that failed. */
  urn?: string;
}

/** A run of the CLI. */
export interface Execution {
  stack: Stack;
  run: Run;
  planned?: PlannedRun;
  /** The edges before the run. */
  before: Edges;
  requests: Exchange[];
  /** Everything that was said, failures included. */
  messages: Message[];
  isSuccess: boolean;
  /** The CLI, or its provider. */
  isKilled: boolean;
  /** The path of what somebody else deleted in the middle of the run, before anything was asked of it. */
  goneBeforeAsked?: string;
}

export type Counters = Record<string, number>;

const maxAttempts = 8;
/** One request takes at most 10 minutes, retries included. */
const maxStepMs = 11 * 60_000;
/** How long an agent needs after an update (dev/api.md). */
const updateGraceMs = 10_000;

export class Simulation {
  readonly counters: Counters = {};
  protected readonly service: SimulatedService;
  protected readonly network: Network;
  protected readonly stacks: Stack[];
  /** Objects that somebody else created. */
  private readonly foreign = new Set<string>();
  /** Objects that no state has, of which the user knows. */
  private readonly known = new Set<string>();
  private isLooking = false;
  private processes = 0;
  protected current: Execution | undefined;
  private isLookalikeArmed = false;
  private agentUpdatedAt = 0;
  private violation: Violation | undefined;

  constructor(
    protected readonly scenario: Scenario,
    readonly world = new World(scenario.seed),
  ) {
    this.service = new SimulatedService(this.world, scenario.service, seed);
    this.network = new Network(
      this.world,
      this.service,
      (exchange) => this.onSent(exchange),
      (exchange) => this.onProcessed(exchange),
      scenario.delayMs,
    );
    for (const { id } of listObjects(this.service.account)) this.foreign.add(id);
    const count = Math.max(0, ...scenario.runs.map(({ stack }) => stack)) + 1;
    this.stacks = Array.from({ length: count }, (_, index) => ({
      index,
      state: [],
      pendingCreates: [],
      needsRefresh: new Set(),
      amendments: [],
      unmanaged: new Set(),
      importIds: new Map(),
    }));
  }

  count(name: string, times = 1): void {
    this.counters[name] = (this.counters[name] ?? 0) + times;
  }

  async run(): Promise<void> {
    for (const [index, planned] of this.scenario.runs.entries()) {
      this.world.note(`--- run ${index}: ${describeRun(planned)}`);
      await this.step(planned);
    }
    for (const stack of this.stacks) if (stack.model) await this.converge(stack);
    if (this.scenario.seed % 2 === 0) await this.destroyAll();
  }

  protected program(stack: Stack): Program {
    const model = structuredClone(stack.model!);
    for (const amend of stack.amendments) amend(model);
    stack.detour?.(model);
    const ownId = (type: string, name: string) =>
      stack.state.find((each) => each.type === type && modelName(each.name) === name && !each.isPendingDelete)?.id;
    return programOf(model, {
      stack: stack.index,
      idOf: (type, name) => ownId(type, name) ?? stack.importIds.get(name),
      sessionId: this.service.sessionId,
    });
  }

  protected async step(planned: PlannedRun): Promise<void> {
    const stack = this.stacks[planned.stack]!;
    stack.model = planned.model;
    this.actOutside(planned, stack);
    let program = planned.kind === "destroy" ? [] : this.program(stack);
    const { kind, parallel, refresh, continueOnError, retries, faults, rateLimit } = planned;
    const selection = this.selection(planned, program, stack);
    const options: RunOptions = { kind, parallel, refresh, continueOnError, retries, ...selection };
    let preview =
      planned.preview && kind === "up" && !refresh ? await this.preview(stack, program, options) : undefined;
    // What a preview refuses does not run: the user does what it says, and previews again.
    if (preview && !preview.isSuccess) {
      this.follow(preview);
      const next = this.program(stack);
      if (!isDeepStrictEqual(next, program)) preview = await this.preview(stack, next, options);
      program = next;
      if (!preview.isSuccess) return void delete stack.detour;
    }
    this.network.faults = faults.map((fault) => ({ fault, met: 0, seen: 0 }));
    this.service.rateLimit = rateLimit === undefined ? undefined : { requests: rateLimit, windowMs: 10_000 };
    this.protect(planned, stack);
    const result = await this.execute(stack, program, options, planned);
    for (const entry of stack.state) delete entry.protect;
    this.countRun(planned, options, result);
    this.network.faults = [];
    this.service.rateLimit = undefined;
    delete stack.detour;
    await this.settle(result, preview);
  }

  /** A preview only reads. */
  private async preview(stack: Stack, program: Program, options: RunOptions): Promise<Execution> {
    const preview = await this.execute(stack, program, { ...options, kind: "preview" });
    const write = preview.requests.find(({ request }) => request.method !== "GET")?.request;
    if (write) throw new Violation(`the preview sent ${write.method} ${write.path}`);
    return preview;
  }

  /** An edge of the state is protected. The simulated user takes that back afterwards. */
  private protect({ protect }: PlannedRun, { state }: Stack): void {
    const edges = state.filter(({ type }) => type === "TcpEdge" || type === "TlsEdge");
    if (protect === undefined || edges.length === 0) return;
    edges.sort((a, b) => a.urn.localeCompare(b.urn))[protect % edges.length]!.protect = true;
  }

  /** The resources that a run targets or replaces, with what they need. */
  private selection(
    { targets, replace, kind, refresh }: PlannedRun,
    program: Program,
    stack: Stack,
  ): Partial<RunOptions> {
    const all = [...new Set([...program.map(urnOf), ...stack.state.map(({ urn }) => urn).sort()])];
    const pick = (index: number) => all.at(index % all.length)!;
    let chosen = targets && all.length > 0 ? new Set(targets.map(pick)) : undefined;
    for (const urn of chosen ?? []) {
      const resource = program.find((each) => urnOf(each) === urn);
      for (const reference of resource ? referencesOf(resource) : []) chosen!.add(reference);
    }
    // Only what the state has can be refreshed: the CLI rejects other targets, or else the engine does (checkTargets).
    const isInState = (urn: string) => stack.state.some((entry) => entry.urn === urn && !entry.isPendingDelete);
    if ((kind === "refresh" || refresh) && ![...(chosen ?? [])].every(isInState)) chosen = undefined;
    // A plugin's programs replace edges only: these have deleteBeforeReplace.
    const isDynamic = ({ provider }: Program[number]) => this.scenario.provider === "dynamic" && provider !== "other";
    const isReplaceable = (each: Program[number]) =>
      /^T(cp|ls)Edge$/.test(each.type) && each.import === undefined
        ? true
        : isDynamic(each) && (/^ApiKey$|IpRestriction$/.test(each.type) || each.import !== undefined);
    const candidates = program.filter((each) => isReplaceable(each) && isInState(urnOf(each)));
    const replaced = replace !== undefined && candidates.length > 0 && candidates[replace % candidates.length];
    // A destroyed dependency takes its dependents with it: the CLI rejects the target otherwise.
    if (chosen && kind === "destroy") {
      for (const entry of stack.state) if (entry.dependencies.some((urn) => chosen!.has(urn))) chosen.add(entry.urn);
    }
    return {
      ...(chosen && { targets: [...chosen] }),
      ...(replaced && !chosen && { replace: [urnOf(replaced)] }),
    };
  }

  /** Somebody else changes the account. */
  private actOutside({ outsider }: PlannedRun, stack: Stack): void {
    if (!outsider || outsider.after !== undefined) return;
    if (outsider.kind === "lookalike") {
      this.isLookalikeArmed = true;
      return;
    }
    this.deleteOutside(outsider, stack);
  }

  private deleteOutside(outsider: Outsider, stack: Stack, isMeant = (_: Entry) => true): string | undefined {
    const entries = stack.state
      .filter((entry) => /^(ak|edgtcp|edgtls|sshcr)_/.test(entry.id) && isMeant(entry))
      .sort((a, b) => a.urn.localeCompare(b.urn));
    const entry = entries[outsider.index % entries.length];
    if (!entry) return undefined;
    const module = entry.id.startsWith("edg") ? "ip_restriction" : undefined;
    const path = outsider.kind === "deleteModule" && module ? `${pathOf(entry.id)}/${module}` : pathOf(entry.id);
    if (outsider.kind === "deleteModule" && !module) return undefined;
    if (this.service.call("DELETE", path).status >= 300) return undefined;
    this.world.note(`somebody else: DELETE ${path}`);
    stack.needsRefresh.add("drift");
    this.count(`outsider ${outsider.kind}`);
    return path;
  }

  protected async execute(
    stack: Stack,
    program: Program,
    options: RunOptions,
    planned?: PlannedRun,
  ): Promise<Execution> {
    const { world, scenario } = this;
    const number = ++this.processes;
    const file = new SharedLines();
    const start = (name: string) => {
      const process = new Process(world, `p${number}${name === "default" ? "" : name}`);
      const config = {
        "tunnel-edge:apiKey": apiKey,
        "tunnel-edge:baseUrl": baseUrl,
        "tunnel-edge:maxRetries": String(scenario.maxRetries),
        "tunnel-edge:timeoutSeconds": String(scenario.timeoutSeconds),
      };
      const isDynamic = (scenario.provider === "dynamic") !== (name === "other");
      const answer = <T>(call: () => Promise<T>) => process.answer(call);
      const log = createLog((logged, text, _, isStatus) => {
        const severity = isStatus ? "status" : (logged.toLowerCase() as Message["severity"]);
        if (!process.isDead) {
          if (severity !== "debug") world.note(`${process.name} says ${severity}: ${text}`);
          result.messages.push({ severity, text });
        }
        return answer(async () => {});
      });
      const provider = startInProcess(isDynamic ? "dynamic" : "plugin", config, {
        clock: process.clock,
        log,
        shared: file.join(planned?.disk?.lines),
        network: () => this.network.connect(process),
        answer,
      });
      return { process, provider: this.observe(provider) };
    };
    // Through JSON, as from one CLI to the next.
    stack.state = JSON.parse(JSON.stringify(stack.state)) as Entry[];
    const triggers = triggersOf(stack.state);
    const run = new Run(stack.state, program, options, start);
    const result = this.begin(stack, run, planned);
    const started = world.now;
    try {
      result.isSuccess = await world.settle(run.execute());
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      result.isKilled = true;
    }
    if (this.violation) throw this.violation;
    this.current = undefined;
    const { goneBeforeAsked: gone, messages, isSuccess, isKilled } = result;
    const failed = run.failures.find(({ message }) => gone !== undefined && message.includes(gone));
    if (failed) throw new Violation(`it was deleted before, and lists could be read: ${failed.message}`);
    for (const { urn, op, message } of run.failures) {
      world.note(`failed: ${op} ${urn}: ${message}`);
      messages.push({ severity: "error", text: message, urn });
    }
    const end = isKilled ? "was killed" : isSuccess ? "succeeded" : "failed";
    world.note(`${options.kind} ${end}: ${describeSteps(run.done)}`);
    result.isKilled ||= run.isHostKilled;
    const steps = program.length + stack.state.length + 1;
    if (world.now - started > steps * maxStepMs)
      throw new Violation(`the run took ${Math.round((world.now - started) / 60_000)} minutes for ${steps} steps`);
    this.checkTexts(messages);
    this.checkSecrets(stack);
    if (run.processes > 1) this.count("runs with several processes");
    if (isSuccess && options.kind === "up") this.checkCommands(triggers, result);
    return result;
  }

  protected begin(stack: Stack, run: Run, planned?: PlannedRun): Execution {
    const empty = { requests: [], messages: [], isSuccess: false, isKilled: false };
    this.current = { stack, run, planned, before: this.service.account, ...empty };
    return this.current;
  }

  /** What a provider is asked passes here. */
  protected observe(provider: Provider): Provider {
    return provider;
  }

  private onSent(exchange: Exchange): void {
    const { current } = this;
    if (!current) return;
    current.requests.push(exchange);
    const { request, fault } = exchange;
    const { disruption, outsider } = current.planned ?? {};
    const isKeyDeleted = ({ request: { method, path } }: Exchange) =>
      method === "DELETE" && path.startsWith("/api_keys/");
    if (isKeyDeleted(exchange) && outsider?.after === current.requests.filter(isKeyDeleted).length) {
      const asked = current.requests.map((each) => each.request.path);
      const isUnasked = ({ id }: Entry) => id.startsWith("ak_") && !asked.includes(pathOf(id));
      current.goneBeforeAsked = this.deleteOutside(outsider, current.stack, isUnasked);
    }
    if (disruption && current.requests.length === disruption.after) {
      this.count(`disruption ${disruption.kind}`);
      this.world.note(disruption.kind);
      if (disruption.kind === "interrupt") current.run.interrupt();
      else if (disruption.kind === "kill") current.run.kill();
      else current.run.killProviders();
    }
    if (
      this.isLookalikeArmed &&
      fault?.processed === "never" &&
      request.method === "POST" &&
      request.path.startsWith("/edges")
    ) {
      this.isLookalikeArmed = false;
      const { id } = this.service.call("POST", request.path, JSON.parse(request.body) as object);
      if (id === undefined) return;
      this.world.note(`somebody else: POST ${request.path} = ${id}`);
      this.foreign.add(id);
      this.count("outsider lookalike");
    }
  }

  /** What must hold after every call. */
  private onProcessed({ request, processed, fault }: Exchange): void {
    const { current } = this;
    if (!current || request.method === "GET" || processed!.status >= 300) return;
    try {
      this.checkAgent(request.path);
      if (request.method === "DELETE") this.checkDeletion(request.path);
      const { stack, run, before, planned } = current;
      const isIgnored = planned?.faults.some(ignoresProtection);
      if (
        stack.needsRefresh.size > 0 ||
        stack.killedProgram ||
        isIgnored ||
        run.options.kind !== "up" ||
        fault?.processed === "later"
      )
        return;
      // What is not targeted is not checked, so the provider does not know of it.
      const { targets } = run.options;
      const checked = targets ? run.program.filter((each) => targets.includes(urnOf(each))) : run.program;
      const [opened] = findOpened(checked, run.state, before, this.service.account);
      if (opened) throw new Violation(opened);
      if (targets && !findOpened(run.program, run.state, before, this.service.account).next().done)
        this.count("exception target");
    } catch (error) {
      this.violation ??= error as Violation;
    }
  }

  /** An agent that updates is not restarted. */
  private checkAgent(path: string): void {
    const [, command] = /^\/tunnel_sessions\/\w+\/(\w+)$/.exec(path) ?? [];
    if (command === "update") this.agentUpdatedAt = this.world.now;
    else if (command !== undefined && this.world.now - this.agentUpdatedAt < updateGraceMs)
      throw new Violation(`the agent was to ${command} while it updated`);
  }

  /** Nothing that a program keeps, or that others created, is deleted. */
  private checkDeletion(path: string): void {
    const { run, stack } = this.current!;
    const [, edge = "", module = ""] = /^\/edges\/(?:tcp|tls)\/(\w+)\/(\w+)$/.exec(path) ?? [];
    if (run.options.targets && declaredEdges(run.program, stack.state).get(edge)?.own[toCamelCase(module)]) {
      stack.needsRefresh.add("target");
      this.count("exception target");
    }
    const [, id] = /^\/(?:api_keys|ssh_credentials|edges\/tcp|edges\/tls)\/(\w+)$/.exec(path) ?? [];
    if (id === undefined) return;
    if (this.foreign.has(id) && !stack.state.some((entry) => entry.id === id))
      throw new Violation(`${id}, which others created, was deleted`);
    const declared = new Set(run.options.kind === "destroy" ? [] : run.program.map(urnOf));
    const sharing = stack.state.filter((entry) => entry.id === id && !entry.isPendingDelete && !isModule(entry));
    if (run.options.kind === "destroy" && sharing.length > 1) stack.needsRefresh.add("shared");
    for (const each of this.stacks) {
      for (const entry of each.state) {
        if (entry.id !== id || entry.isPendingDelete || isModule(entry)) continue;
        const isKept = each !== stack || (declared.has(entry.urn) && !run.deletedFirst.has(entry.urn));
        if (!isKept) continue;
        if (run.options.targets) {
          stack.needsRefresh.add("target");
          this.count("exception target");
        } else throw new Violation(`${id} was deleted, which ${entry.urn} keeps`);
      }
    }
  }

  /** No secret is in a text, and every advice is known. */
  private checkTexts(messages: Message[]): void {
    const tokens = this.service.account.apiKeys.map(({ id }) => this.service.tokenOf(id)!);
    const secrets = [apiKey, ...Object.values(secretOf), ...tokens];
    for (const text of new Set(messages.map((each) => each.text))) {
      if (secrets.some((secret) => text.includes(secret))) throw new Violation(`a message has a secret: ${text}`);
      if (/\[object Object\]|\bundefined\b|^\s+at /m.test(text))
        throw new Violation(`a message is not readable: ${text}`);
      const { unknown } = findAdvice(text);
      if (unknown.length > 0) throw new Violation(`the advice is not in the table: ${unknown[0]}`);
    }
  }

  /** What must hold after a run, and what the user does then. */
  protected async settle(result: Execution, preview?: Execution): Promise<void> {
    const { stack, run, isSuccess, isKilled } = result;
    const { program, options } = run;
    const declared = JSON.stringify(program);
    if (stack.killedProgram !== undefined && stack.killedProgram !== declared && options.kind === "up")
      stack.needsRefresh.add("killed");
    if (isKilled) {
      stack.pendingCreates.push(...run.pendingCreates);
      // A refresh changes nothing in the account, so it does not replace a run that may have.
      if (options.kind !== "refresh" || stack.killedProgram === undefined) stack.killedProgram = declared;
      this.isLooking = true;
      // A plain `pulumi up` does not repeat a forced replacement.
      if (options.replace) stack.needsRefresh.add("killed");
      // What it added, and the program then does not declare, stays.
      for (const id of writtenEdges(result.requests)) stack.unmanaged.add(id);
    }
    const isWhole = options.targets === undefined && isSuccess;
    if (isWhole && (options.kind === "refresh" || options.refresh)) {
      stack.needsRefresh.clear();
      stack.pendingCreates = [];
      delete stack.killedProgram;
    }
    if (isWhole && options.kind === "up" && stack.killedProgram === declared) delete stack.killedProgram;
    if (isWhole && options.kind === "destroy" && stack.state.length > 0)
      throw new Violation("a destroyed stack has resources");
    for (const { text } of result.messages) {
      const [, id] = / edge (edg\w+) is deleted with its edge/.exec(text) ?? [];
      if (id === undefined) continue;
      this.count("exception deletedWith");
      stack.unmanaged.add(id);
    }
    for (const { urn, id } of stack.state) {
      if (run.withEdge.has(urn) && id.startsWith("edg")) {
        this.count("exception deletedWith");
        stack.unmanaged.add(id);
      }
      const resource = program.find((each) => urnOf(each) === urn);
      if (resource?.import !== undefined) stack.unmanaged.add(id);
    }
    for (const [id, { ignored, separate }] of declaredEdges(program, stack.state)) {
      const isLeft = ({ argument, isInState }: (typeof separate)[number]) =>
        !isInState && (ignored.includes(argument) || isSet(result, `${pathOf(id)}/${toSnakeCase(argument)}`));
      if (!separate.some(isLeft)) continue;
      this.count("exception left");
      stack.unmanaged.add(id);
    }
    this.checkTokens(stack);
    this.checkAdopted(result);
    await this.world.pass(20_000);
    this.checkFailed(result);
    this.checkCondemned(result);
    if (isWhole && options.kind === "up" && stack.needsRefresh.size === 0) {
      const { account } = this.service;
      // What a warning announces may differ, but nothing may be open.
      const isAnnounced = announcesMore(result);
      if (isAnnounced) this.count("exception advice");
      const [difference] = [
        ...findOpen(program, stack.state, account),
        ...(isAnnounced ? [] : findDifferences(program, stack.state, account, stack.unmanaged)),
      ];
      if (difference) throw new Violation(`after a successful run, ${difference}`);
      if (preview?.isSuccess && !isAnnounced) this.checkPreview(preview, result);
    }
    this.follow(result);
    await this.world.pass(100_000);
    if (this.isLooking) await this.look();
    this.checkOrphans();
  }

  /** No secret is in a state in plain text. */
  private checkSecrets({ state }: Stack): void {
    for (const { urn, id, inputs, outputs } of state) {
      const text = plainText({ inputs, outputs });
      if ([secretPrefix, this.service.tokenOf(id) ?? secretPrefix].some((each) => text.includes(each)))
        throw new Violation(`a secret is in the state of ${urn}: ${text}`);
    }
  }

  private checkTokens({ state }: Stack): void {
    for (const { type, id, outputs } of state) {
      const token = type === "ApiKey" ? this.service.tokenOf(id) : undefined;
      if (token !== undefined && withoutSecrets(outputs).token !== token)
        throw new Violation(`the token of ${id} is lost`);
    }
  }

  /** What a failed update leaves as it was in the state, the service has; otherwise it is unfinished there. */
  private checkFailed({ stack, run: { failures } }: Execution): void {
    if (stack.needsRefresh.size > 0 || stack.killedProgram) return;
    const isFailed = ({ urn, hasInitErrors, isPendingDelete }: Entry) =>
      !hasInitErrors && !isPendingDelete && failures.some((each) => each.urn === urn && each.op === "update");
    const [overwritten] = findOverwritten(stack.state.filter(isFailed), this.service.account);
    if (overwritten) throw new Violation(`after a failed update, ${overwritten}`);
  }

  /** An edge that was to be deleted, and stays, has what restricted it, or a line says that it does not. */
  private checkCondemned({ run, before, messages, isKilled }: Execution): void {
    if (isKilled) return;
    const edges = listEdges(this.service.account);
    for (const id of run.condemned) {
      const [was, edge] = [listEdges(before).get(id), edges.get(id)];
      if (!was || !edge) continue;
      this.count("condemned edges that stay");
      if (isReachable(edge) !== true) continue;
      for (const name of restrictions) {
        if (restricts(was, name) !== true || restricts(edge, name) === true) continue;
        const isSaid = messages.some(
          ({ text }) => text.includes(id) && / was removed\. If another resource/.test(text),
        );
        if (!isSaid) throw new Violation(`${id} was to be deleted, and stays without its ${name}`);
        this.count("condemned edges that are open, with a line");
      }
    }
  }

  /** What others created may be adopted only with a word. */
  private checkAdopted({ stack, messages }: Execution): void {
    for (const { id, urn } of stack.state) {
      if (!this.foreign.has(id)) continue;
      const isSaid = messages.some(
        ({ severity, text }) => severity === "warning" && text.includes(id) && text.includes("`pulumi state delete`"),
      );
      if (!isSaid && !this.known.has(`adopted ${id}`))
        throw new Violation(`${urn} adopted ${id}, which others created, without a word`);
      this.known.add(`adopted ${id}`);
    }
  }

  /** What a preview announced is what was done. */
  private checkPreview(preview: Execution, { run, requests }: Execution): void {
    for (const [urn, op] of run.done) {
      // What depends on an id that is not known yet may turn out to be the same.
      if (preview.run.isUncertain.has(urn)) continue;
      const announced = preview.run.done.get(urn);
      if (announced !== op) throw new Violation(`${urn}: the preview showed ${announced}, but it was ${op}`);
    }
    const announced = preview.messages.filter(
      ({ text }) => / will be sent to session /.test(text) && !text.includes("unless"),
    );
    if (announced.length > 0 && !requests.some(sendsCommand))
      throw new Violation(`the preview announced commands that were not sent: ${announced[0]!.text}`);
  }

  /** A command whose triggers changed is sent. */
  private checkCommands(before: string | undefined, { run: { state }, requests }: Execution): void {
    const now = triggersOf(state);
    if (now !== undefined && now !== before && !requests.some(sendsCommand))
      throw new Violation(`the triggers changed from ${before} to ${now}, but no command was sent`);
  }

  private get owned(): Set<string> {
    // The engine has deleted what it still has to replace, although a service may have kept it.
    const has = ({ isPendingReplacement }: Entry) => !isPendingReplacement;
    return new Set(this.stacks.flatMap(({ state }) => state.filter(has).map(({ id }) => id)));
  }

  /** What no state has, and the user neither knows to be others' nor is about to import. */
  private get orphans(): ({ id: string } & Properties)[] {
    const { owned } = this;
    const unknown = listObjects(this.service.account).filter(({ id }) => !owned.has(id) && !this.foreign.has(id));
    if (unknown.length === 0) return [];
    const programs = this.stacks.flatMap((stack) => (stack.model ? this.program(stack) : []));
    const wanted = new Set(programs.flatMap((resource) => resource.import ?? []));
    return unknown.filter(({ id }) => !wanted.has(id));
  }

  /** The user looks at the inventory, whose lines must be true, and follows its steps. */
  private async look(): Promise<void> {
    const { unmanaged, steps } = await listInventory(this.service.account, this.stacks);
    for (const { id } of this.orphans)
      if (!unmanaged.has(id)) throw new Violation(`the inventory does not show that no stack manages ${id}`);
    for (const id of this.owned)
      if (unmanaged.has(id)) throw new Violation(`the inventory shows that no stack manages ${id}, which a state has`);
    for (const { urn, id, isImport } of steps) {
      if (this.foreign.has(id)) continue;
      const stack = this.stacks.find((each) => each.pendingCreates.some((create) => create.urn === urn));
      const resource = stack?.model && this.program(stack).find((each) => urnOf(each) === urn);
      if (isImport && stack && resource?.type.endsWith("Edge")) this.importByHand(stack, resource, id);
      else this.deleteByHand(id);
    }
  }

  /** The user adds the option `import` to an edge. */
  private importByHand(stack: Stack, { name }: Declared, id: string): void {
    this.known.add(id);
    this.world.note(`the user: import ${id} as ${name}`);
    stack.importIds.set(modelName(name), id);
    stack.amendments.push(changeEdge(name, (edge) => Object.assign(edge, { imports: true })));
  }

  /** No object exists that no state knows and no message named. The user deletes what one did. */
  private checkOrphans(): void {
    for (const { id } of this.orphans) {
      if (!this.known.has(id) && !this.isLooking) throw new Violation(`${id} is in no state and in no message`);
      this.deleteByHand(id);
    }
    this.isLooking = false;
  }

  /** The user does what the messages say. */
  private follow({ stack, run, messages }: Execution): void {
    for (const { text, urn = "" } of messages.filter(isShown)) {
      for (const id of idsIn(text)) this.known.add(id);
      this.removeRefused(stack, run.program, text);
      for (const action of findAdvice(text).actions) {
        this.count(`advice ${action}`);
        this.act(action, stack, run.program, urn, text);
      }
    }
  }

  /** What an imported edge has, or a killed run added, is not managed: the user removes it if it is in the way. */
  private removeRefused(stack: Stack, program: Program, text: string): void {
    const [, id, module] =
      /(edgtls_\w+)(?:\/tls_termination)? returned 400 .*The module "(\w+)" is not allowed/.exec(text) ?? [];
    if (id === undefined || !stack.unmanaged.has(id)) return;
    const { all = {} } = declaredEdges(program, stack.state).get(id) ?? {};
    const inTheWay = [module!, "tls_termination"].find((each) => all[toCamelCase(each)] === undefined);
    if (!inTheWay) return;
    stack.needsRefresh.add("drift");
    this.world.note(`the user: DELETE ${pathOf(id)}/${inTheWay}`);
    this.service.call("DELETE", `${pathOf(id)}/${inTheWay}`);
  }

  private act(action: Action, stack: Stack, program: Program, urn: string, text: string): void {
    const resource = program.find((each) => urnOf(each) === urn);
    const amendEdge = (change: (edge: EdgeModel) => void) => {
      if (resource) stack.amendments.push(changeEdge(resource.name, change));
    };
    const ids = idsIn(text);
    if (action === "refresh") stack.needsRefresh.add("advice");
    if (action === "ignore") {
      const [, name = ""] = / to T(?:cp|ls)Edge "([^"]+)" for one deployment/.exec(text)!;
      stack.detour = changeEdge(name, (edge) => Object.assign(edge, { ignores: true }));
    }
    if (action === "look") this.isLooking = true;
    if (action === "deleteNamed") for (const id of ids) this.deleteByHand(id);
    if (action === "stateDelete") {
      for (const id of ids.filter((each) => this.foreign.has(each))) {
        const index = stack.state.findIndex((entry) => entry.id === id);
        const entry = stack.state[index];
        if (!entry) continue;
        this.world.note(`the user: pulumi state delete ${entry.urn}`);
        stack.state = stack.state.filter((each) => each !== entry && !each.dependencies.includes(entry.urn));
        const name = modelName(entry.name);
        stack.amendments.push((model) => {
          model.edges = model.edges.filter((edge) => edge.name !== name);
        });
      }
    }
    if (action === "makeRoom") {
      for (const id of ids) {
        if (this.foreign.has(id)) amendEdge((edge) => void edge.ports.splice(0));
        else if (this.owned.has(id)) continue;
        else if (resource && text.includes("import it") && this.world.random.once(2))
          this.importByHand(stack, resource, id);
        else this.deleteByHand(id);
      }
    }
    if (action === "restart") stack.amendments.push((model) => void delete model.update);
    if (action === "withoutImport") {
      const entry = stack.state.find(
        ({ type, name, isPendingDelete }) =>
          type === resource?.type && modelName(name) === modelName(resource.name) && !isPendingDelete,
      );
      const component = (entry?.parent?.at(-1) ?? "") as "" | "A" | "B";
      const provider = entry?.provider === "second" || entry?.provider === "other" ? entry.provider : undefined;
      amendEdge((edge) => Object.assign(edge, { imports: false, ...(entry && { component, provider }) }));
    }
  }

  /** The user deletes an object by hand, after looking whether a state has it. */
  private deleteByHand(id: string): void {
    if (this.owned.has(id)) {
      throw new Violation(`a message advises to delete ${id}, which belongs to a resource`);
    }
    if (this.foreign.has(id)) return;
    this.known.add(id);
    this.world.note(`the user: DELETE ${pathOf(id)}`);
    this.service.call("DELETE", pathOf(id));
  }

  /** Without faults, every stack comes to where its program says, with what the messages advise. */
  private async converge(stack: Stack): Promise<void> {
    this.world.note(`--- stack ${stack.index} converges`);
    for (let attempt = 1; ; attempt++) {
      const program = this.program(stack);
      if (stack.killedProgram !== undefined && stack.killedProgram !== JSON.stringify(program))
        stack.needsRefresh.add("killed");
      if (stack.needsRefresh.size > 0) {
        for (const reason of stack.needsRefresh) this.count(`exception ${reason}`);
        const options: RunOptions = { kind: "refresh", parallel: 8 };
        const result = await this.execute(stack, program, options);
        await this.settle(result);
        if (!result.isSuccess)
          throw new Violation(`without faults, the refresh failed: ${result.run.failures[0]?.message}`);
      }
      const options: RunOptions = {
        kind: "up",
        parallel: this.world.random.pick([1, 2, 8]),
        continueOnError: attempt > 1,
      };
      const result = await this.execute(stack, program, options);
      delete stack.detour;
      await this.settle(result);
      // The next program may know another id, or have no detour.
      const isLast = isDeepStrictEqual(program, this.program(stack)) && !announcesMore(result);
      if (result.isSuccess && stack.needsRefresh.size === 0 && isLast) break;
      if (attempt === maxAttempts)
        throw new Violation(
          `without faults, pulumi up fails again and again: ${result.run.failures[0]?.message ?? [...stack.needsRefresh]}`,
        );
      if (!result.isSuccess) this.separate(stack, result);
    }
    await this.expectNothing(stack);
  }

  /** What a deployment deletes last is deleted first: the next one is without what needs its place, for once. */
  private separate(stack: Stack, { run }: Execution): void {
    const texts = run.failures.map(({ message, urn }) => ({ message, name: modelName(urn.split("::").at(-1)!) }));
    const late = texts.filter(({ message }) => findAdvice(message).actions.has("separately")).map(({ name }) => name);
    // The edge comes before the resource that moves its TLS termination back to it.
    const early = texts
      .filter(({ message }) => /PATCH \S+ returned 400 .*"mutual_tls" is not allowed/.test(message))
      .map(({ name }) => name);
    // What an edge ignores, it keeps: here, TLS that passes through.
    for (const { name } of texts.filter(({ message }) => / cannot be combined with tlsTermination/.test(message)))
      stack.amendments.push(changeEdge(name, (edge) => Object.assign(edge, { ignores: false })));
    if (late.length + early.length === 0) return;
    stack.detour = (model) => {
      for (const edge of model.edges) if (early.includes(edge.name)) edge.mutualTls = false;
      for (const edge of model.edges) if (late.includes(edge.name)) edge.ports = [];
      model.credentials = model.credentials.filter(({ name }) => !late.includes(name));
    };
  }

  /** One more run sends nothing. */
  private async expectNothing(stack: Stack): Promise<void> {
    const program = this.program(stack);
    for (const kind of ["preview", "up"] as const) {
      const { run, requests, isSuccess } = await this.execute(stack, program, { kind, parallel: 8 });
      const changed = [...run.done].filter(([, op]) => op !== "same");
      // The dynamic provider's check reads nothing of what is imported already.
      if (!isSuccess) throw new Violation(`the same program again fails: ${run.failures[0]?.message}`);
      if (changed.length > 0) throw new Violation(`the same program again: ${describeSteps(new Map(changed))}`);
      if (requests.length > 0)
        throw new Violation(`the same program again sends ${requests[0]!.request.method} ${requests[0]!.request.path}`);
    }
  }

  private async destroyAll(): Promise<void> {
    for (const stack of this.stacks) {
      const options: RunOptions = { kind: "destroy", parallel: 8 };
      const result = await this.execute(stack, [], options);
      if (!result.isSuccess)
        throw new Violation(`without faults, the destroy failed: ${result.run.failures[0]?.message}`);
      await this.settle(result);
    }
  }

  private countRun(planned: PlannedRun, options: RunOptions, { run }: Execution): void {
    for (const name of planned.changes) this.count(`change ${name}`);
    this.count(`command ${planned.kind}${planned.refresh ? " --refresh" : ""}`);
    for (const name of [...plannedOptions, ...flags]) if (planned[name]) this.count(`option ${name}`);
    if (options.parallel > 1) this.count("option parallel");
    for (const op of run.done.values()) this.count(`step ${op}`);
    for (const { fault, met } of this.network.faults) {
      if (met === 0) continue;
      this.count("faults met");
      this.count(`fault ${fault.kind}`);
      if (fault.status !== undefined) this.count(`evidence ${fault.status} ${fault.body}`);
    }
    this.count("runs");
  }
}

/** A change of the edges with this name. */
const changeEdge = (name: string, change: (edge: EdgeModel) => void) => (model: Model) => {
  for (const edge of model.edges) if (edge.name === modelName(name)) change(edge);
};

/** Whether a message stays on the screen. */
export const isShown = ({ severity }: Message): boolean => severity !== "status" && severity !== "debug";

const announcesMore = ({ messages }: Execution): boolean =>
  messages.some(({ text }) => text.includes("The next `pulumi up` sends it again."));

const sendsCommand = ({ request: { method, path } }: Exchange): boolean =>
  method === "POST" && path.startsWith("/tunnel_sessions/");

const idsIn = (text: string): string[] => text.match(/\b(ak|sshcr|edgtcp|edgtls)_\w{20,}/g) ?? [];

const isModule = ({ outputs }: Entry): boolean => outputs.edgeId !== undefined;

const triggersOf = (state: Entry[]): string | undefined =>
  JSON.stringify(state.find(({ name }) => name === "command")?.inputs.triggers);

/** The edges to which a run has written. */
const writtenEdges = (requests: Exchange[]): string[] =>
  requests
    .filter(({ request }) => /^P(UT|ATCH)$/.test(request.method))
    .flatMap(({ request }) => request.path.match(/edgt(cp|ls)_\w+/)?.[0] ?? []);

/** Whether a run has set the module at a path, and no resource failed to do so. */
const isSet = ({ run, requests }: Execution, path: string): boolean =>
  requests.some(
    ({ request, processed }) => request.path === path && request.method === "PUT" && processed?.status === 200,
  ) && !run.failures.some(({ message }) => message.includes(path));

const describeSteps = (steps: Map<string, Op>): string =>
  [...steps].map(([urn, op]) => `${op} ${urn.split(":").slice(-3).join(":")}`).join(", ") || "nothing";
