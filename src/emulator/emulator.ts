import type http from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "./agents";
import { type Fault, type FaultHandle, Faults } from "./faults";
import type { EmptyStrings } from "./fields";
import { DataFile } from "./file";
import { newId } from "./ids";
import type { RateLimit } from "./limits";
import { type LoggedRequest, RequestLog } from "./log";
import { plant, type Seed, type Seeded } from "./seed";
import { createServer } from "./server";
import { Service } from "./service";
import type { Watcher } from "./site";
import { Store } from "./store";
import type { Account, User } from "./types";
import type { OidcSecrets } from "./views";

export interface EmulatorOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Default `127.0.0.1`. */
  host?: string;
  /** What the base URL has after the port, such as `/v2`. Default none. */
  basePath?: string;
  /** The token of the API key the account starts with. Default {@link defaultApiKey}. */
  apiKey?: string;
  /**
   * Keep the account in this file: read at start, written after every change. While it runs, a second emulator on
   * the same file is an error. Default: in memory.
   */
  file?: string;
  /** Refuse the deletes that the API document does not show. Default false. */
  documentedOnly?: boolean;
  /** Default: no limit. */
  rateLimit?: RateLimit;
  /** The largest page of a list. Default 100. */
  pageSize?: number;
  /** How OIDC responses show a client secret. Default `clear`. */
  oidcSecrets?: OidcSecrets;
  /** What reading a module that is not set answers: an error, JSON `null` or an empty body. Default `404`. */
  emptyModule?: "404" | "null" | "empty";
  /**
   * What an empty string in a module means: `keep`, just that; `default`, the service's default, which then also shows
   * where nothing was sent; `reject`, an error. Default `keep`.
   */
  emptyStrings?: EmptyStrings;
  /** How many milliseconds an agent is busy updating. Default 0. */
  updateMs?: number;
  /** Stretches the 10 seconds that an agent needs between update and restart: 0.01 makes them 100 ms. Default 1. */
  timeScale?: number;
  /** Milliseconds since 1970. Default: the real time. */
  clock?: () => number;
  /** How many requests the log holds. Default 100,000. */
  keepRequests?: number;
  /** Called when the service has worked on a request, before its answer is sent. */
  onRequest?: (request: LoggedRequest, emulator: Emulator) => void | Promise<void>;
}

/** The token that opens an emulator when no other was given. */
export const defaultApiKey = "emulator-api-key";

/** A running emulator of the service. */
export class Emulator {
  /** The token that opens the account. */
  readonly apiKey: string;

  readonly #options: EmulatorOptions;
  readonly #store = new Store();
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
    this.apiKey = options.apiKey ?? defaultApiKey;
    this.#service = new Service(this.#store, clockOf(options), {
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
    this.#open();
    // A file that cannot be written is better known now than after the first change.
    await this.#file?.flush();
    const { port = 0, host = "127.0.0.1", basePath = "" } = this.#options;
    const server = createServer({
      emulator: this,
      service: this.#service,
      faults: this.#faults,
      log: this.#log,
      watchers: this.#watchers,
      host,
      basePath,
      closing: this.#closing.signal,
      onRequest: (request) => this.#options.onRequest?.(request, this),
      changed: (request) => this.#changed(request),
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, host, resolve);
    });
    this.#server = server;
    this.#url = `http://${reachable(host)}:${this.port}${basePath}`;
    await this.#file?.publish(this.#url);
  }

  /** Makes sure that the key to the account is in it, with an admin to own it. */
  #open(): void {
    const key = this.#store.keyOf(this.apiKey);
    const admin = this.#store.users.all().find((user) => user.admin && (!key || user.id === key.owner_id));
    this.#admin = admin ?? this.#store.users.add({ id: newId("usr_"), admin: true });
    if (key) return;
    this.#store.addKey({
      id: newId("ak_"),
      created_at: this.#service.clock.timestamp(),
      description: "The key the emulator starts with",
      metadata: "",
      owner_id: this.#admin.id,
      token: this.apiKey,
    });
    this.#file?.changed();
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
   * The requests received, short: `"PATCH /edges/tcp/{id}"`. With `ids`, as they came:
   * `"PATCH /edges/tcp/edgtcp_2bX…"`, query included.
   */
  calls({ ids = false }: { ids?: boolean } = {}): string[] {
    return this.requests.map(({ method, path, operation }) => `${method} ${ids ? path : (operation ?? path)}`);
  }

  /** Makes something go wrong, by default once, with the next request that matches. */
  fail(fault: Fault): FaultHandle {
    return this.#faults.add(fault);
  }

  /** The limit in force; setting it starts a new window. */
  get rateLimit(): RateLimit | undefined {
    return this.#service.rateLimit;
  }

  set rateLimit(limit: RateLimit | undefined) {
    this.#service.rateLimit = limit;
  }

  /**
   * Performs an operation in process as the admin: neither logged nor subject to faults or rate limit.
   * Returns the response's body, or throws an `EmulatorError`.
   */
  api<T = Record<string, unknown>>(method: string, path: string, body?: unknown): T {
    const given = copy(body);
    const answer = this.#service.perform(this.#admin, method, path, () => given, this.url);
    const result = copy(answer.body) as T;
    if (method !== "GET") this.#changed();
    return result;
  }

  /** Puts objects in the account, among them those that no operation makes: HTTPS edges, sessions, tunnels. */
  seed(seed: Seed): Seeded {
    const seeded = plant(this.#service.call(this.#admin, this.url), copy(seed) as Seed);
    this.#changed();
    return copy(seeded) as Seeded;
  }

  /** Everything the service holds now, as a copy. OIDC client secrets are in clear. */
  get account(): Account {
    const store = this.#store;
    const show = this.#service.views(this.url, "clear");
    return copy({
      users: store.users.all(),
      apiKeys: store.keys.all().map((key) => show.apiKey(key)),
      sshCredentials: store.credentials.all().map((each) => show.sshCredential(each)),
      tcpEdges: store.tcpEdges.all().map((edge) => show.tcpEdge(edge)),
      tlsEdges: store.tlsEdges.all().map((edge) => show.tlsEdge(edge)),
      httpsEdges: store.httpsEdges.all().map((edge) => {
        const routes = store.routes.all().filter((route) => route.edge_id === edge.id);
        return show.httpsEdge(edge, routes);
      }),
      sessions: store.sessions.all().map((each) => show.session(each)),
      tunnels: store.tunnels.all().map((each) => show.tunnel(each)),
    }) as Account;
  }

  /** Back to the start: an account with nothing but its key, no faults, an empty log. */
  reset(): void {
    this.#store.clear();
    this.#open();
    this.#faults.clear();
    this.clearRequests();
    this.rateLimit = this.#options.rateLimit;
    this.#changed();
  }

  #changed(request?: LoggedRequest): void {
    if (!request || (request.processed && request.method !== "GET")) this.#file?.changed();
    for (const watcher of this.#watchers) watcher(request);
  }

  /** Stops at once, open connections included, and writes what is not written yet. */
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

function clockOf({ clock = Date.now, updateMs = 0, timeScale = 1 }: EmulatorOptions): Clock {
  return {
    now: clock,
    timestamp: () => new Date(clock()).toISOString().replace(/\.\d+Z$/, "Z"),
    updateMs,
    settleMs: 10_000 * timeScale,
  };
}

/** How to name in a URL what the server listens on. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** What the value is after a way over the wire. */
function copy(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
