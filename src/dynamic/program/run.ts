/**
 * What the functions of one run of a program share. Two inline programs in one process share nothing: neither the
 * client, nor the reads, nor the clock that the end of their engine cancels.
 */

import * as pulumi from "@pulumi/pulumi";
import { Clock } from "../../base/clock";
import type { Settings } from "../../base/settings";
import { Service } from "../../core/read/service";
import { exitWithEngine, onEngineEnd } from "../../engine/exitWithEngine";
import { connect, isStartedBy, type RunEngine, runEngine } from "./sdk/runEngine";

const log = {
  info: (message: string) => pulumi.log.info(message),
  status: (message: string) => void pulumi.log.info(message, undefined, undefined, true),
};

export class Run {
  /** Whether the engine is gone, while the process goes on. */
  isOver = false;
  private readonly clock = new Clock();
  /** By their settings. */
  private readonly services = new Map<string, Service>();

  constructor(engine?: RunEngine) {
    if (!engine) return;
    const connecting = { connect: () => connect(engine) };
    if (isStartedBy(engine)) exitWithEngine(connecting, this.clock);
    else onEngineEnd(connecting, this.end);
  }

  /** Functions with the same settings share a request that is pending. */
  serviceWith(settings: Settings): Service {
    const key = JSON.stringify(settings);
    const service = this.services.get(key) ?? new Service(settings, [], log, this.clock);
    this.services.set(key, service);
    return service;
  }

  private readonly end = (): void => {
    this.isOver = true;
    void this.clock.cancel();
  };
}

const runs = new WeakMap<RunEngine, Run>();
/** Of functions that are called without an engine. */
const outside = new Run();

/** The run that calls a function. */
export function currentRun(): Run {
  const engine = runEngine();
  if (!engine) return outside;
  const run = runs.get(engine) ?? new Run(engine);
  runs.set(engine, run);
  return run;
}
