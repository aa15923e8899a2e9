/** The client, loaded when it is first needed: an unchanged `pulumi up` calls nothing, and most programs no function. */

import type { Client } from "../../api/client";
import type { Network } from "../../api/transport";
import type { Clock } from "../../base/clock";
import type { Redaction } from "../../base/redaction";
import type { Settings } from "../../base/settings";
import type { Log } from "../log";

export function lazyClient(
  settings: Settings,
  log: Pick<Log, "info" | "status">,
  clock: Clock,
  redaction: Redaction,
  network?: Network,
): () => Client {
  let client: Client | undefined;
  return () => {
    if (!client) {
      const api = require("../../api/client") as typeof import("../../api/client");
      const listener = {
        onRateLimit: (message: string) => void log.info(message),
        onWait: log.status,
        onRequest: (line: string) => void log.info(line),
      };
      client = new api.Client(settings, listener, clock, redaction, network);
    }
    return client;
  };
}
