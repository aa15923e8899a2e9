/**
 * The provider that one process of the plugin serves or, in a process that was started by hand, one connection: its
 * engine, its configuration and its resources.
 */

import { Clock } from "../base/clock";
import { equal, type JsonObject } from "../base/json";
import type { SettingProblem, Settings } from "../base/settings";
import { Deployment } from "../core/deployment/deployment";
import { ProviderError } from "../core/errors";
import { SharedReads } from "../core/functions/sharedReads";
import type { Log } from "../core/log";
import type { Marked } from "../core/secrets";
import { findResource } from "../definitions";
import { ClaimsFile } from "../engine/claimsFile";
import { exitWithEngine } from "../engine/exitWithEngine";
import { readConfig } from "./config";
import { connectEngine, inResource, logTo } from "./engineLog";
import { createResource, type MarkedResource } from "./markedResource";
import { parseToken, parseUrn } from "./urn";

interface Configuration {
  settings: Settings;
  problems: SettingProblem[];
  deployment: Deployment;
  /** By type. */
  resources: Map<string, MarkedResource>;
  /** What the functions read. */
  reads: SharedReads;
}

export class PluginProvider {
  isCancelled = false;
  /** The engine starts another process for each provider. */
  private acceptsSettings = true;
  private isStartedByHand = false;
  private clock = new Clock();
  private engine = connectEngine(undefined);
  private address: string | undefined;
  private claims: ClaimsFile | undefined;
  private readonly log: Log = logTo(() => this.engine);
  private configuration: Configuration | undefined;

  /** The process ends with the engine that has started it. */
  start(address: string | undefined): void {
    this.isStartedByHand = address === undefined;
    this.attach(address);
    exitWithEngine(this.engine, { cancel: () => this.clock.cancel() });
  }

  /** Whoever started the process by hand ends it: it serves one engine after another, and each begins afresh. */
  attach(address: string | undefined): void {
    this.engine = connectEngine(address);
    this.address = address;
    this.configuration = undefined;
  }

  configure(urn: string, inputs: JsonObject): void {
    if (!this.acceptsSettings) throw new ProviderError("This process does not accept settings any more.");
    const { settings, problems } = readConfig(urn, inputs);
    // Whoever finds the port of a process that an engine has started could send an address.
    if (!this.isStartedByHand) this.acceptsSettings = false;
    else if (this.configuration) assertSameAccount(this.configuration.settings, settings);
    // The engine of an earlier deployment has cancelled at its end.
    this.clock = new Clock();
    this.isCancelled = false;
    this.claims?.end();
    this.claims = this.address ? new ClaimsFile(this.address) : undefined;
    const deployment = new Deployment(settings, problems, this.log, this.clock, this.claims);
    // The engine does not tell a plugin whether it previews. What is announced in a preview is said again when it is done.
    deployment.announcesPlans = true;
    const reads = new SharedReads(settings, this.log, this.clock);
    this.configuration = { settings, problems, deployment, resources: new Map(), reads };
  }

  /** Runs an operation on a resource, which has or gets these properties. */
  operate<T>(urn: string, properties: Marked[], run: (marked: MarkedResource) => Promise<T>): Promise<T> {
    const marked = this.resource(parseToken(parseUrn(urn).token));
    return this.configured.deployment.operate(marked.resource.definition, properties, () => run(marked));
  }

  /** As `operate`. Messages that name no resource, such as those of requests, are shown with this one. */
  operateOnRow<T>(urn: string, properties: Marked[], run: (resource: MarkedResource) => Promise<T>): Promise<T> {
    return this.operate(urn, properties, (resource) => inResource(urn, () => run(resource)));
  }

  /** The service, for functions. */
  connect(): SharedReads {
    const { problems, reads } = this.configured;
    if (problems.length > 0) throw new ProviderError(problems.map(({ reason }) => reason).join("\n"));
    return reads;
  }

  /** Waits, retries and reads end, and no new call starts. A write that was sent is awaited and recorded. */
  cancel(): void {
    this.isCancelled = true;
    void this.clock.cancel();
  }

  /** The connection that this provider served is closed. */
  close(): void {
    this.cancel();
    this.claims?.end();
  }

  private resource(type: string): MarkedResource {
    const { deployment, resources } = this.configured;
    const resource = resources.get(type) ?? createResource(findResource(type), deployment);
    resources.set(type, resource);
    return resource;
  }

  private get configured(): Configuration {
    if (!this.configuration) throw new ProviderError("The provider is not configured.");
    return this.configuration;
  }
}

/** What a second provider of the same engine sends over the same connection would go to the account of the first. */
function assertSameAccount(before: Settings, { apiKey, baseUrl, headers }: Settings): void {
  if (equal([before.apiKey, before.baseUrl, before.headers], [apiKey, baseUrl, headers])) return;
  throw new ProviderError(
    "This process was started by hand, and already serves another account over the same connection, from which it " +
      "cannot tell this one apart. Remove tunnel-edge from PULUMI_DEBUG_PROVIDERS, so that Pulumi starts a process for " +
      "each provider.",
  );
}
