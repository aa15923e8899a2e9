/** The service: the emulator's own request handler, without a server, by the simulated time. */
import { createHash } from "node:crypto";
import { applySeed, readAccount } from "../../src/emulator/account";
import { newId, useSource } from "../../src/emulator/ids";
import kinds, { type Account, type Seed } from "../../src/emulator/objects";
import { apiKeys } from "../../src/emulator/objects/apiKeys";
import { httpsEdgeRoutes } from "../../src/emulator/objects/httpsEdges";
import { users } from "../../src/emulator/objects/users";
import { type HttpResponse, respond } from "../../src/emulator/server";
import { Service } from "../../src/emulator/service";
import { Store } from "../../src/emulator/store";
import { sortKeys } from "../support/engine/resourceDriver";
import { Random } from "./random";
import type { World } from "./world";

export const baseUrl = "http://127.0.0.1:9";
export const apiKey = "simulated-api-key-of-the-account";

export interface ServiceTraits {
  /** How far the service's clock is ahead of the machine's, and of those of gateways. */
  skewMs: number;
  /** How long a list does not show what was created. */
  lagMs: number;
  pageSize: number;
  emptyModule: "404" | "null" | "empty";
  /** Whether a DELETE returns the object, an empty 200, or 204. */
  deleteReturns: "nothing" | "empty" | "object";
}

export interface ServiceRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export class SimulatedService {
  private readonly store = new Store([...Object.values(kinds), httpsEdgeRoutes]);
  private readonly service: Service;
  private readonly createdAt = new Map<string, number>();
  /** How often each request was accepted. How often it is rejected, and sent again, depends on time. */
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly world: World,
    readonly traits: ServiceTraits,
    seed: Seed,
  ) {
    this.useIdsOf("the account");
    const now = () => world.now + traits.skewMs;
    const timestamp = () => new Date(now()).toISOString().replace(/\.\d+Z$/, "Z");
    this.service = new Service(
      this.store,
      { now, timestamp, updateMs: 0, updateGraceMs: 10_000 },
      {
        documentedOnly: false,
        oidcSecrets: "clear",
        emptyModule: traits.emptyModule,
        emptyStrings: "keep",
        pageSize: traits.pageSize,
      },
    );
    const admin = this.store.add(users, { id: newId("usr_"), admin: true });
    this.store.add(apiKeys, {
      id: "ak_admin",
      created_at: timestamp(),
      description: "",
      metadata: "",
      owner_id: admin.id,
      token: apiKey,
    });
    applySeed(this.service.createCall(admin, baseUrl), seed);
  }

  set rateLimit(limit: { requests: number; windowMs: number; retryAfter?: boolean } | undefined) {
    this.service.rateLimit = limit;
  }

  private lastAccount: Account | undefined;

  /** What the account has. Nothing that changes by itself, such as the sessions, is looked at in it. */
  get account(): Account {
    this.lastAccount ??= readAccount({ store: this.store, baseUrl, oidcSecrets: "clear" });
    return this.lastAccount;
  }

  get sessionId(): string {
    return this.store.all(kinds.sessions)[0]!.id;
  }

  /** The token of a key, which its owner would have to know. */
  tokenOf = (id: string): string | undefined => this.store.find(apiKeys, id)?.token;

  handle({ method, path, headers, body }: ServiceRequest): HttpResponse {
    if (method !== "GET") this.lastAccount = undefined;
    const request = `${method} ${path} ${normalizeJson(body)}`;
    const returnsObject = method === "DELETE" && this.traits.deleteReturns === "object";
    const before = returnsObject ? this.handle({ method: "GET", path, headers, body: "" }) : undefined;
    this.useIdsOf(request);
    const response = respond(
      () => this.service.handle({ method, target: path, headers, body: Buffer.from(body), baseUrl }),
      newId("op_"),
    );
    if (response.status < 300) this.counts.set(request, this.countOf(request) + 1);
    if (method === "POST" && response.status < 300 && response.body) {
      this.createdAt.set((JSON.parse(response.body) as { id: string }).id, this.world.now);
    }
    if (response.status === 204 && method === "DELETE") {
      if (this.traits.deleteReturns === "empty") return { ...response, status: 200 };
      if (before?.status === 200) return before;
    }
    return method === "GET" ? this.withoutNewest(response) : response;
  }

  /** Somebody else, or the user by hand, calls an operation. Returns whether the service accepted it. */
  call(method: string, path: string, body?: object): { status: number; id?: string } {
    const headers = { authorization: `Bearer ${apiKey}`, "service-version": "2", "content-type": "application/json" };
    const { rateLimit } = this.service;
    this.service.rateLimit = undefined;
    const { status, body: text } = this.handle({ method, path, headers, body: body ? JSON.stringify(body) : "" });
    this.service.rateLimit = rateLimit;
    return { status, id: text && method === "POST" ? (JSON.parse(text) as { id: string }).id : undefined };
  }

  private countOf = (request: string) => this.counts.get(request) ?? 0;

  /** Ids depend only on the request that they are for, and not on those before. */
  private useIdsOf(request: string): void {
    const hash = createHash("sha256").update(`${request} ${this.countOf(request)}`);
    const random = new Random(hash.digest().readUInt32BE());
    useSource(() => Buffer.from(Array.from({ length: 100 }, () => random.int(0, 255))));
  }

  /** A list that lags does not show what was created a moment ago. */
  private withoutNewest(response: HttpResponse): HttpResponse {
    const { lagMs } = this.traits;
    if (lagMs === 0 || response.status !== 200 || !response.body) return response;
    const page = (JSON.parse(response.body) ?? {}) as Record<string, unknown>;
    const [key, items] = Object.entries(page).find(([, value]) => Array.isArray(value)) ?? [];
    if (key === undefined || !("next_page_uri" in page)) return response;
    const isShown = ({ id }: { id: string }) => this.world.now - (this.createdAt.get(id) ?? 0) >= lagMs;
    return { ...response, body: JSON.stringify({ ...page, [key]: (items as { id: string }[]).filter(isShown) }) };
  }
}

/** The same text for the same JSON: the engine passes an object's properties on in any order. */
const normalizeJson = (json: string): string => json && JSON.stringify(sortKeys(JSON.parse(json)));
