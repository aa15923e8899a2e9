import { setMaxListeners } from "node:events";
import type http from "node:http";
import type { AddressInfo } from "node:net";
import { applySeed, readAccount } from "./account";
import type { Clock, User } from "./call";
import { DataFile } from "./dataFile";
import { type Fault, type FaultHandle, Faults } from "./faults";
import type { EmptyStrings } from "./fields";
import { newId } from "./ids";
import objectTypes, { type Account, type Seed, type Seeded } from "./objects";
import { apiKeys, uniqueToken } from "./objects/apiKeys";
import { httpsEdgeRoutes } from "./objects/httpsEdges";
import { users } from "./objects/users";
import type { RateLimit } from "./rateLimit";
import { type LoggedRequest, RequestLog } from "./requestLog";
import { createServer } from "./server";
import type { Watcher } from "./serverContext";
import { Service } from "./service";
import { Store } from "./store";
import type { OidcSecrets } from "./views";

export interface EmulatorOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Default `127.0.0.1`. */
  host?: string;
  /**
   * Names besides its own to which it answers while it listens on this machine only, such as the name that a proxy
   * forwards. Otherwise a page of another site could bind its own name to this machine.
   */
  allowedHosts?: string[];
  /** The path of the base URL, such as `/v2`. Default: none. */
  basePath?: string;
  /** The token of the account's first API key. Default {@link defaultApiKey}. */
  apiKey?: string;
  /**
   * The file of the account: read at start, written after every change. Only one emulator can use it at a time.
   * Default: in memory.
   */
  file?: string;
  /** Reject deletes that are not in the API document. Default false. */
  documentedOnly?: boolean;
  /** Requests per minute, or a limit with another window. Default: no limit. */
  rateLimit?: number | RateLimit;
  /** The objects that the account starts with, as for {@link Emulator.seed}. */
  seed?: Seed;
  /** The faults that it starts with, as for {@link Emulator.fail}. */
  faults?: Fault[];
  /** The maximum number of objects on a page of a list. Default 100. */
  pageSize?: number;
  /** How responses contain an OIDC client secret. Default `clear`. */
  oidcSecrets?: OidcSecrets;
  /** The response to reading a module that is not set: an error, JSON `null` or an empty body. Default `404`. */
  emptyModule?: "404" | "null" | "empty";
  /**
   * What an empty string in a module means: `keep`, an empty string; `default`, the service's default, which is then
   * also returned for fields that were not sent; `reject`, an error. Default `keep`.
   */
  emptyStrings?: EmptyStrings;
  /** How long an agent's update takes, in milliseconds. Default 0. */
  updateMs?: number;
  /** Scales the 10 seconds that an agent needs between update and restart: 0.01 makes them 100 ms. Default 1. */
  timeScale?: number;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  clock?: () => number;
  /** The maximum number of requests in the log. Default 100,000. */
  keepRequests?: number;
  /** Called when the service has processed a request, before the response is sent. */
  onRequest?: (request: LoggedRequest, emulator: Emulator) => void | Promise<void>;
}

/** The API key of an emulator that was started without one. */
export const defaultApiKey = "emulator-api-key";

/** A running emulator of the service. */
export class Emulator {
  /** The token of the account's first API key. */
  readonly apiKey: string;

  readonly #options: EmulatorOptions;
  readonly #store = new Store([...Object.values(objectTypes), httpsEdgeRoutes]);
  readonly #service: Service;
  readonly #faults = new Faults();
  readonly #log: RequestLog;
  readonly #file: DataFile | undefined;
  readonly #watchers = new Set<Watcher>();
  readonly #closing = new AbortController();
  #server: http.Server | undefined;
  #url = "";
  #admin!: User;

  private constructor(options: EmulatorOptions) {
    this.#options = options;
    // Every delayed request listens to it.
    setMaxListeners(0, this.#closing.signal);
    this.apiKey = options.apiKey ?? defaultApiKey;
    this.#service = new Service(this.#store, createClock(options), {
      documentedOnly: options.documentedOnly ?? false,
      oidcSecrets: options.oidcSecrets ?? "clear",
      emptyModule: options.emptyModule ?? "404",
      emptyStrings: options.emptyStrings ?? "keep",
      pageSize: options.pageSize ?? 100,
    });
    this.rateLimit = options.rateLimit;
    this.#log = new RequestLog(options.keepRequests ?? 100_000);
    this.#file = options.file === undefined ? undefined : new DataFile(options.file, this.#store);
  }

  static async start(options: EmulatorOptions): Promise<Emulator> {
    const emulator = new Emulator(options);
    try {
      await emulator.#start();
    } catch (error) {
      await emulator.close().catch(() => {});
      throw error;
    }
    return emulator;
  }

  async #start(): Promise<void> {
    await this.#file?.open();
    this.#ensureApiKey();
    // Fails now instead of after the first change if the file cannot be written.
    await this.#file?.flush();
    const { port = 0, host = "127.0.0.1", allowedHosts = [], basePath = "" } = this.#options;
    const server = createServer({
      emulator: this,
      service: this.#service,
      faults: this.#faults,
      log: this.#log,
      watchers: this.#watchers,
      host,
      allowedHosts: allowedHosts.map((name) => name.toLowerCase()),
      basePath,
      closing: this.#closing.signal,
      onRequest: (request) => this.#options.onRequest?.(request, this),
      onChange: (request) => this.#notifyChange(request),
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, host, resolve);
    });
    this.#server = server;
    this.#url = `http://${formatUrlHost(host)}:${this.port}${basePath}`;
    const { seed, faults = [] } = this.#options;
    if (seed) this.seed(seed);
    for (const fault of faults) this.fail(fault);
    this.#file?.publish(this.#url);
  }

  /** Adds the first API key and its owner, an admin, unless the account has them. */
  #ensureApiKey(): void {
    const key = this.#store.findUnique(uniqueToken, this.apiKey);
    const admin = this.#store.all(users).find((user) => user.admin && (!key || user.id === key.owner_id));
    this.#admin = admin ?? this.#store.add(users, { id: newId("usr_"), admin: true });
    if (key) return;
    this.#store.add(apiKeys, {
      id: newId("ak_"),
      created_at: this.#service.clock.timestamp(),
      description: "The key the emulator starts with",
      metadata: "",
      owner_id: this.#admin.id,
      token: this.apiKey,
    });
    this.#file?.scheduleWrite();
  }

  /** The base URL of the API. */
  get url(): string {
    return this.#url;
  }

  get port(): number {
    return (this.#server?.address() as AddressInfo | null)?.port ?? 0;
  }

  /** The requests received since the start or the last {@link clearRequests}, in order of arrival. */
  get requests(): readonly LoggedRequest[] {
    return this.#log.requests;
  }

  clearRequests(): void {
    this.#log.clear();
  }

  /**
   * The requests received, such as `"PATCH /edges/tcp/{id}"`. With `ids`, their paths include ids and queries:
   * `"PATCH /edges/tcp/edgtcp_2bX…"`.
   */
  calls({ ids = false }: { ids?: boolean } = {}): string[] {
    return this.requests.map(({ method, path, operation }) => `${method} ${ids ? path : (operation ?? path)}`);
  }

  /** Injects a fault into the next request that matches, or into several of them. */
  fail(fault: Fault): FaultHandle {
    return this.#faults.add(fault);
  }

  /** The current rate limit. Setting it, also to a number of requests per minute, starts a new window. */
  get rateLimit(): RateLimit | undefined {
    return this.#service.rateLimit;
  }

  set rateLimit(limit: number | RateLimit | undefined) {
    this.#service.rateLimit = typeof limit === "number" ? { requests: limit, windowMs: 60_000 } : limit;
  }

  /**
   * Executes an operation as the admin, without HTTP: it is not logged, and faults and the rate limit do not apply.
   * Returns the response's body, or throws an `EmulatorError`.
   */
  api<T = Record<string, unknown>>(method: string, path: string, body?: unknown): T {
    const json = copyAsJson(body);
    const response = this.#service.execute(this.#admin, method, path, () => json, this.url);
    const result = copyAsJson(response.body) as T;
    if (method !== "GET") this.#notifyChange();
    return result;
  }

  /** Adds objects to the account, also those that no operation creates: HTTPS edges, sessions and tunnels. */
  seed(seed: Seed): Seeded {
    const seeded = applySeed(this.#service.createCall(this.#admin, this.url), copyAsJson(seed) as Seed);
    this.#notifyChange();
    return copyAsJson(seeded) as Seeded;
  }

  /** A copy of all objects of the account. OIDC client secrets are not masked. */
  get account(): Account {
    return copyAsJson(readAccount({ store: this.#store, baseUrl: this.url, oidcSecrets: "clear" })) as Account;
  }

  /** Deletes all objects except the first API key, all faults and the log. */
  reset(): void {
    this.#store.clear();
    this.#ensureApiKey();
    this.#faults.clear();
    this.clearRequests();
    this.rateLimit = this.#options.rateLimit;
    this.#notifyChange();
  }

  #notifyChange(request?: LoggedRequest): void {
    if (!request || (request.processed && request.method !== "GET")) this.#file?.scheduleWrite();
    for (const watcher of this.#watchers) watcher(request);
  }

  /** Stops immediately, closes open connections and writes the account's file. */
  async close(): Promise<void> {
    this.#closing.abort();
    const server = this.#server;
    if (server?.listening) {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    }
    await this.#file?.close();
  }
}

/**
 * Starts an emulator of the service: all operations and rules of the API document, on this machine.
 *
 * @example
 * const emulator = await startEmulator();
 * process.env.TUNNEL_EDGE_BASE_URL = emulator.url;
 * process.env.TUNNEL_EDGE_API_KEY = emulator.apiKey;
 * // ... deploy ...
 * expect(emulator.calls()).toEqual(["POST /edges/tcp"]);
 * await emulator.close();
 */
export function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return Emulator.start(options);
}

function createClock({ clock = Date.now, updateMs = 0, timeScale = 1 }: EmulatorOptions): Clock {
  return {
    now: clock,
    timestamp: () => new Date(clock()).toISOString().replace(/\.\d+Z$/, "Z"),
    updateMs,
    updateGraceMs: 10_000 * timeScale,
  };
}

/** Returns the host of a URL for the address that the server listens on. */
function formatUrlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function copyAsJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
