/** What all resources of a host process share: the settings, the client, and what was made and seen so far. */

import type { Client } from "../api/client";
import { redact } from "../api/errors";
import { log } from "../dynamic/engine";
import { InputComparisons } from "../dynamic/inputComparisons";
import type { Json } from "../json";
import {
  configKey,
  explicitProvider,
  readSettings,
  type SettingProblem,
  type Settings,
  settingNames,
} from "../settings";
import { AgentSessions } from "./agentSessions";
import { BatchReader } from "./batchReader";
import { ProviderError } from "./errors";
import { Owners } from "./owners";

/** The configuration that the dynamic provider host gives to `configure`. */
export interface HostConfig {
  get(key: string): unknown;
  /** Everything there is, which the SDK's types leave out: needed only to find keys that are misspelled. */
  rawConfig?: Record<string, unknown>;
}

export class Context {
  readonly problems: SettingProblem[];
  readonly sessions = new AgentSessions();
  readonly shown = new InputComparisons();
  private readonly settings: Settings;
  private connected: Client | undefined;
  private reading: BatchReader | undefined;
  /** Objects that this process made, took over or found as the program states them: it must not delete them again. */
  private readonly made = new Set<string>();
  private readonly warnings = new Set<string>();
  readonly owners = new Owners((message) => this.warn(message));
  /** Whether this is a preview: notices of what will happen are for previews only. */
  isPreview = false;
  /** Which object waits for a value of which other. */
  readonly waits = new Map<string, string>();
  /** What the program states, for each object, of values that one object alone can have. */
  readonly claims = new Map<string, Json | undefined>();
  /** Objects that belong to some resource already. */
  private readonly known = new Set<string>();

  constructor(config: HostConfig) {
    const read = [explicitProvider, ...settingNames.map(configKey)].map((key) => [key, config.get(key)]);
    const all = { ...config.rawConfig, ...Object.fromEntries(read) };
    ({ settings: this.settings, problems: this.problems } = readSettings(all));
  }

  /** The client, loaded when it is first needed. */
  get client(): Client {
    // Refresh and destroy call no check, where these are reported otherwise.
    const unusable = this.problems.filter(({ isUsable }) => !isUsable);
    if (unusable.length > 0) throw new ProviderError(unusable.map(({ reason }) => reason).join("\n"));
    if (!this.connected) {
      const api = require("../api/client") as typeof import("../api/client");
      this.connected = new api.Client(this.settings, {
        onRateLimit: (message) => void log("INFO", message),
        onWait: (status) => this.waiting(status),
        onRequest: (line) => void log("INFO", redact(line, this.secrets)),
      });
    }
    return this.connected;
  }

  /** What no message may contain. */
  get secrets(): string[] {
    return this.settings.apiKey ? [this.settings.apiKey] : [];
  }

  /** How long a service that did not answer in time may still be at work. */
  get patience(): number {
    return Math.min(this.settings.timeoutSeconds, 10) * 1_000;
  }

  /** Reads of many objects at once. */
  get reads(): BatchReader {
    this.reading ??= new BatchReader(this.client);
    return this.reading;
  }

  /** What the user sees while something is waited for. */
  waiting(status: string): void {
    void log("INFO", redact(status, this.secrets), true);
  }

  /** What will happen, in a preview; to be waited for, as the engine may end this process after its last answer. */
  async announce(message: string): Promise<void> {
    if (this.isPreview) await log("INFO", redact(message, this.secrets));
  }

  /** A warning is given once: a replacement is checked twice. */
  async warn(message: string): Promise<void> {
    if (this.warnings.has(message)) return;
    this.warnings.add(message);
    await log("WARNING", redact(message, this.secrets));
  }

  nowMade(type: string, id: string): void {
    this.made.add(`${type} ${id}`);
    this.known.add(id);
  }

  wasMade = (type: string, id: string) => this.made.has(`${type} ${id}`);

  nowKnown(id: string): void {
    this.known.add(id);
  }

  isKnown = (id: string) => this.known.has(id);
}
