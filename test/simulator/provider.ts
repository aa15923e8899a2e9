/** What a provider of a simulated run has around it: its process, the log, and what the other processes claim. */

import type { SharedFile } from "../../src/base/sharedFile";
import { createLog } from "../../src/core/log";
import { startInProcess } from "../support/engine/inProcess";
import type { Provider, ProviderKind } from "../support/engine/provider";
import type { Network } from "./network";
import type { Process } from "./world";

export interface Message {
  severity: "error" | "info" | "warning" | "status" | "debug";
  text: string;
  /** The resource that failed. */
  urn?: string;
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
  shared: SharedFile,
  onMessage: (message: Message) => void,
): Provider {
  const severities = { DEBUG: "debug", INFO: "info", WARNING: "warning" } as const;
  const log = createLog((severity, text, _, isStatus) => {
    if (!process.isDead) onMessage({ severity: isStatus ? "status" : severities[severity], text });
    return process.answer(async () => {});
  });
  return startInProcess(kind, config, {
    clock: process.clock,
    log,
    shared,
    network: () => network.connect(process),
    answer: (call) => process.answer(call),
  });
}
