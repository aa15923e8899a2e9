/** The client of a command, which shows its progress. */

import { Client } from "../../api/client";
import { Clock } from "../../base/clock";
import type { Redaction } from "../../base/redaction";
import type { Settings } from "../../base/settings";
import { nameVariables } from "./environment";
import type { Progress } from "./progress";

export function connect(settings: Settings, progress: Progress, redaction: Redaction): Client {
  const listener = {
    onRequest: (line: string) => {
      if (settings.logRequests) progress.printLine(line);
      progress.countRequest();
    },
    onRateLimit: (message: string) => progress.printLine(message),
    onWait: (status: string) => progress.showDetail(nameVariables(status)),
  };
  return new Client({ ...settings, logRequests: true }, listener, new Clock(), redaction);
}
