/** The client, loaded when it is first needed: an unchanged `pulumi up` calls nothing, and most programs no function. */

import type { Client } from "../api/client";
import { redact } from "../api/errors";
import type { Clock } from "../clock";
import type { Settings } from "../settings";
import type { Log } from "./log";

export function lazyClient(settings: Settings, log: Pick<Log, "info" | "status">, clock: Clock): () => Client {
  let client: Client | undefined;
  return () => {
    if (!client) {
      const api = require("../api/client") as typeof import("../api/client");
      const clean = (message: string) => redact(message, [settings.apiKey]);
      const listener = {
        onRateLimit: (message: string) => void log.info(message),
        onWait: (message: string) => log.status(clean(message)),
        onRequest: (line: string) => void log.info(clean(line)),
      };
      client = new api.Client(settings, listener, clock);
    }
    return client;
  };
}
