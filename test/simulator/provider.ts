/** What a provider of a simulated run has around it: its process, the log, and what the other processes publish. */

import type { SharedRegister } from "../../src/base/sharedRegister";
import { createLog } from "../../src/core/log";
import { startInProcess } from "../support/engine/inProcess";
import type { Provider, ProviderKind } from "../support/engine/provider";
import type { Network } from "./network";
import type { Process } from "./world";

export interface Message {
  severity: "info" | "warning" | "status" | "debug";
  text: string;
}

/** A provider, and the process in which it runs. */
export interface Running {
  provider: Provider;
  process: Process;
}

export function startProvider(
  kind: ProviderKind,
  process: Process,
  network: Network,
  config: Record<string, string>,
  shared: SharedRegister,
  onMessage: (message: Message) => void,
): Provider {
  const severities = { DEBUG: "debug", INFO: "info", WARNING: "warning" } as const;
  const log = createLog((severity, text, _, isStatus) => {
    if (process.isDead) return new Promise<void>(() => {});
    onMessage({ severity: isStatus ? "status" : severities[severity], text });
    return process.answer(Promise.resolve());
  });
  return startInProcess(kind, config, {
    clock: process.clock,
    log,
    shared,
    network: () => network.connect(process),
    answer: (result) => process.answer(result),
  });
}

/** What the processes of a run have published, as the files of a deployment have it. */
export class SimulatedFiles {
  private readonly files = new Map<Process, string[]>();
  /** The processes that could not publish something, and say so. */
  private readonly incomplete = new Set<Process>();

  /** Each process can publish so many lines until its disk is full; without any, it has no file. */
  constructor(private readonly room = Number.POSITIVE_INFINITY) {}

  /** What a process publishes, and reads of the others. */
  of(own: Process): SharedRegister {
    const offsets = new Map<Process, number>();
    const { files, incomplete, room } = this;
    if (room > 0) files.set(own, []);
    let problem = room > 0 ? undefined : "a folder (belongs to another user)";
    return {
      get problem() {
        return problem;
      },
      publish(entry) {
        const lines = files.get(own);
        if (!lines || incomplete.has(own)) return;
        if (lines.length < room) lines.push(JSON.stringify(entry));
        else {
          incomplete.add(own);
          problem = "a folder (no space left)";
        }
      },
      read() {
        const others = [...files].filter(([each]) => each !== own);
        if (others.some(([each]) => incomplete.has(each))) problem = "a file (its process could no longer write)";
        return new Map(
          others.map(([each, lines]) => {
            const entries = lines.slice(offsets.get(each) ?? 0).map((line) => JSON.parse(line));
            offsets.set(each, lines.length);
            return [each.name, { entries, isDead: each.isDead }];
          }),
        );
      },
    };
  }
}
