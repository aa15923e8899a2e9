/** The service as functions see it: they only read. */

import type { Client } from "../api/client";
import { redact } from "../api/errors";
import type { Params, Route } from "../api/routes";
import type { List } from "../definitions/definition";
import type { Json, JsonObject } from "../json";
import type { Settings } from "../settings";

/** Shows a message to the user; a status is replaced by the next. */
export type Log = (message: string, options?: { isStatus: boolean }) => void;

const connections = new Map<string, Connection>();

/** All calls with the same settings share a connection. */
export function connect(settings: Settings, log: Log): Connection {
  const key = JSON.stringify(settings);
  const connection = connections.get(key) ?? new Connection(settings, log);
  connections.set(key, connection);
  return connection;
}

export class Connection {
  private connected: Client | undefined;
  private readonly pending = new Map<string, Promise<unknown>>();

  constructor(
    private readonly settings: Settings,
    private readonly log: Log,
  ) {}

  /** One object or module. */
  read(route: Route, params: Params): Promise<Json | undefined> {
    return this.share(JSON.stringify([route, params]), () => this.client.call(route, { params }));
  }

  /** Every item of a list. */
  list({ route, key }: List): Promise<JsonObject[]> {
    return this.share(route, () => this.client.list(route, key));
  }

  /** What messages must not contain. */
  get secrets(): string[] {
    return [this.settings.apiKey];
  }

  /** Loaded when it is first needed: most programs call no function. */
  private get client(): Client {
    if (!this.connected) {
      const api = require("../api/client") as typeof import("../api/client");
      this.connected = new api.Client(this.settings, {
        onRateLimit: (message) => this.log(message),
        onWait: (status) => this.log(redact(status, this.secrets), { isStatus: true }),
        onRequest: (line) => this.log(redact(line, this.secrets)),
      });
    }
    return this.connected;
  }

  /** A request that is already pending is not sent again: both callers get its response. */
  private share<T>(key: string, send: () => Promise<T>): Promise<T> {
    const pending = this.pending.get(key) as Promise<T> | undefined;
    if (pending) return pending;
    const response = send().finally(() => this.pending.delete(key));
    this.pending.set(key, response);
    return response;
  }
}
