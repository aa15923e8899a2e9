/**
 * The provider that one process of the plugin serves or, in a process that was started by hand, one connection: its
 * engine, its configuration and its resources.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import * as grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { Clock } from "../base/clock";
import { equal, type JsonObject } from "../base/json";
import type { Settings } from "../base/settings";
import { Deployment } from "../core/deployment/deployment";
import { ProviderError } from "../core/errors";
import { createLog } from "../core/log";
import type { Service } from "../core/read/service";
import type { Marked } from "../core/secrets";
import { findResource } from "../definitions";
import { ClaimsFile } from "../engine/claimsFile";
import { Engine, type Libraries } from "../engine/engine";
import { exitWithEngine } from "../engine/exitWithEngine";
import { log } from "../engine/log";
import { readConfig } from "./config";
import { PluginResource } from "./resource";
import { parseToken, parseUrn } from "./urn";

const libraries = (): Libraries => ({ grpc, EngineClient, LogRequest, LogSeverity }) as unknown as Libraries;

/**
 * The URN of the resource that is managed. A message that names no resource stands on its row. It slows down the whole
 * process from its first use.
 */
const currentRow = new AsyncLocalStorage<string>();

interface Configuration {
  settings: Settings;
  deployment: Deployment;
  /** By type. */
  resources: Map<string, PluginResource>;
}

export class PluginProvider {
  isCancelled = false;
  /** The engine starts another process for each provider. */
  private acceptsSettings = true;
  private isAttached = false;
  private clock = new Clock();
  private engine = new Engine(undefined, libraries);
  private address: string | undefined;
  private claims: ClaimsFile | undefined;
  private readonly log = createLog((severity, message, about, isStatus) =>
    log(this.engine, { severity, message, isStatus, urn: about?.key ?? currentRow.getStore() }),
  );
  private configuration: Configuration | undefined;

  /** The process ends with the engine that has started it. */
  start(address: string | undefined): void {
    this.isAttached = address === undefined;
    this.attach(address);
    exitWithEngine(this.engine, { cancel: () => this.clock.cancel() });
  }

  /** Whoever started the process by hand ends it: it serves one engine after another, and each begins afresh. */
  attach(address: string | undefined): void {
    this.engine = new Engine(address, libraries);
    this.address = address;
    this.configuration = undefined;
  }

  configure(urn: string, inputs: JsonObject): void {
    if (!this.acceptsSettings) throw new ProviderError("This process does not accept settings any more.");
    const { settings, problems } = readConfig(urn, inputs);
    // Whoever finds the port of a process that an engine has started could send an address.
    if (!this.isAttached) this.acceptsSettings = false;
    else if (this.configuration) assertSameAccount(this.configuration.settings, settings);
    // The engine of an earlier deployment has cancelled at its end.
    this.clock = new Clock();
    this.isCancelled = false;
    this.claims?.end();
    this.claims = this.address ? new ClaimsFile(this.address) : undefined;
    const deployment = new Deployment(settings, problems, this.log, this.clock, this.claims);
    // The engine does not tell a plugin whether it previews. So a preview and the deployment both print the plans.
    deployment.informsOfPlans = true;
    this.configuration = { settings, deployment, resources: new Map() };
  }

  /** Runs an operation on a resource, which has or gets these properties. */
  operate<T>(urn: string, properties: Marked[], run: (resource: PluginResource) => Promise<T>): Promise<T> {
    const resource = this.resource(parseToken(parseUrn(urn).token));
    return this.configured.deployment.operate(resource.definition, properties, () => run(resource));
  }

  /** As `operate`. Messages that name no resource, such as those of requests, are shown with this one. */
  operateOnRow<T>(urn: string, properties: Marked[], run: (resource: PluginResource) => Promise<T>): Promise<T> {
    return this.operate(urn, properties, (resource) => currentRow.run(urn, () => run(resource)));
  }

  /** The service, for functions. */
  connect(): Service {
    return this.configured.deployment;
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

  private resource(type: string): PluginResource {
    const { deployment, resources } = this.configured;
    const resource = resources.get(type) ?? new PluginResource(findResource(type), deployment);
    resources.set(type, resource);
    return resource;
  }

  private get configured(): Configuration {
    if (!this.configuration) throw new ProviderError("The provider is not configured.");
    return this.configuration;
  }
}

/** The requests of a second provider of the same engine, over the same connection, would go to the account of the first. */
function assertSameAccount(before: Settings, { apiKey, baseUrl, headers }: Settings): void {
  if (equal([before.apiKey, before.baseUrl, before.headers], [apiKey, baseUrl, headers])) return;
  throw new ProviderError(
    "This process was started by hand, and already serves another account over the same connection, from which it " +
      "cannot tell this one apart. Remove tunnel-edge from PULUMI_DEBUG_PROVIDERS, so that Pulumi starts a process for " +
      "each provider.",
  );
}
