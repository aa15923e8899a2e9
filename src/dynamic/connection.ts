/** The service as the functions of a program see it. */

import * as pulumi from "@pulumi/pulumi";
import type { Client } from "../api/client";
import { redact } from "../api/errors";
import type { Params, Route } from "../api/routes";
import type { List } from "../definitions/definition";
import type { Json, JsonObject } from "../json";
import type { Settings } from "../settings";

const connections = new Map<string, Connection>();

/** All calls with the same settings share a connection. */
export function connect(settings: Settings): Connection {
  const key = JSON.stringify(settings);
  const connection = connections.get(key) ?? new Connection(settings);
  connections.set(key, connection);
  return connection;
}

export class Connection {
  private connected: Client | undefined;
  private readonly underWay = new Map<string, Promise<unknown>>();

  constructor(private readonly settings: Settings) {}

  /** One object or module. */
  read(route: Route, params: Params): Promise<Json | undefined> {
    return this.shared(JSON.stringify([route, params]), () => this.client.call(route, { params }));
  }

  /** Every item of a list. */
  list({ route, key }: List): Promise<JsonObject[]> {
    return this.shared(route, () => this.client.list(route, key));
  }

  /** What must not be shown. */
  get secrets(): string[] {
    return [this.settings.apiKey];
  }

  /** Loaded when it is first needed: most programs call no function. */
  private get client(): Client {
    if (!this.connected) {
      const api = require("../api/client") as typeof import("../api/client");
      this.connected = new api.Client(this.settings, {
        onRateLimit: (message) => say(message),
        onWait: (status) => say(redact(status, this.secrets), true),
        onRequest: (line) => say(redact(line, this.secrets)),
      });
    }
    return this.connected;
  }

  /** Who asks what is being asked already waits for the same answer. */
  private shared<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.underWay.get(question) as Promise<T> | undefined;
    if (asked) return asked;
    const response = ask().finally(() => this.underWay.delete(question));
    this.underWay.set(question, response);
    return response;
  }
}

function say(message: string, passing = false): void {
  void pulumi.log.info(message, undefined, undefined, passing);
}
