/** What all resources of a host process share: the settings, the client, and what was made and seen so far. */

import type { Client } from "../api/client";
import { redacted } from "../api/errors";
import type { Json, JsonObject } from "../api/wire";
import {
  configKey,
  explicitProvider,
  readSettings,
  type SettingProblem,
  type Settings,
  settingNames,
} from "../settings";
import { tell } from "./engine";
import { Refusal } from "./message";
import { Reads } from "./reads";
import { Sessions } from "./sessions";
import { Shown } from "./shown";

/** The configuration that the dynamic provider host gives to `configure`. */
export interface HostConfig {
  get(key: string): unknown;
  /** Everything there is, which the SDK's types leave out: needed only to find keys that are misspelled. */
  rawConfig?: Record<string, unknown>;
}

export class Context {
  readonly problems: SettingProblem[];
  readonly sessions = new Sessions();
  readonly shown = new Shown();
  private readonly settings: Settings;
  private connected: Client | undefined;
  private reading: Reads | undefined;
  /** Objects that this process made, took over or found as the program states them: it must not delete them again. */
  private readonly made = new Set<string>();
  /** Which type of resource states the module at a path, and how. */
  private readonly statedBy = new Map<string, { type: string; stated: JsonObject }>();
  private readonly warned = new Set<string>();
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
    if (unusable.length > 0) throw new Refusal(unusable.map(({ reason }) => reason).join("\n"));
    if (!this.connected) {
      const api = require("../api/client") as typeof import("../api/client");
      this.connected = new api.Client(this.settings, {
        limited: (words) => void tell("INFO", words),
        waiting: (status) => this.waiting(status),
        request: (line) => void tell("INFO", redacted(line, this.secrets)),
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
  get reads(): Reads {
    this.reading ??= new Reads(this.client);
    return this.reading;
  }

  /** What the user sees while something is waited for. */
  waiting(status: string): void {
    void tell("INFO", redacted(status, this.secrets), true);
  }

  /** What the user should know; to be waited for, as the engine may end this process after its last answer. */
  inform = (message: string) => tell("INFO", redacted(message, this.secrets));

  warn = (message: string) => tell("WARNING", redacted(message, this.secrets));

  nowMade(type: string, id: string): void {
    this.made.add(`${type} ${id}`);
    this.known.add(id);
  }

  wasMade = (type: string, id: string) => this.made.has(`${type} ${id}`);

  /** A resource type of the program states the module at this path. */
  async nowStated(path: string, type: string, stated: JsonObject): Promise<void> {
    const other = this.statedBy.get(path)?.type ?? type;
    if (other === type) this.statedBy.set(path, { type, stated });
    else if (!this.warned.has(path)) {
      this.warned.add(path);
      await this.warn(
        `${path} is stated twice, by a ${other} and by a ${type}: each undoes the other. State it in one place.`,
      );
    }
  }

  /** What a resource of another type states of the module at this path, which must then stay. */
  statedElsewhere(path: string, type: string): JsonObject | undefined {
    const other = this.statedBy.get(path);
    return other?.type === type ? undefined : other?.stated;
  }

  nowKnown(id: string): void {
    this.known.add(id);
  }

  isKnown = (id: string) => this.known.has(id);
}
