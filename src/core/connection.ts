/** The service as functions see it: they only read. */

import type { Client } from "../api/client";
import type { Params, Route } from "../api/routes";
import type { Clock } from "../clock";
import type { List } from "../definitions/definition";
import type { Json, JsonObject } from "../json";
import { Redaction } from "../redaction";
import type { Settings } from "../settings";
import { lazyClient } from "./lazyClient";
import { type Log, redacted } from "./log";

type ConnectionLog = Pick<Log, "info" | "status">;

const connections = new Map<string, Connection>();

/** All calls with the same settings share a connection. */
export function connect(settings: Settings, log: ConnectionLog, clock: Clock): Connection {
  const key = JSON.stringify(settings);
  const connection = connections.get(key) ?? new Connection(settings, log, clock);
  connections.set(key, connection);
  return connection;
}

export class Connection {
  readonly redaction: Redaction;
  private readonly client: () => Client;
  private readonly pending = new Map<string, Promise<unknown>>();

  constructor(settings: Settings, log: ConnectionLog, clock: Clock) {
    this.redaction = new Redaction(settings);
    this.client = lazyClient(settings, redacted(log, this.redaction), clock, this.redaction);
  }

  /** One object or module. */
  read(route: Route, params: Params): Promise<Json | undefined> {
    return this.share(JSON.stringify([route, params]), () => this.client().call(route, { params }));
  }

  /** Every item of a list. */
  list({ route, key }: List): Promise<JsonObject[]> {
    return this.share(route, () => this.client().list(route, key));
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
