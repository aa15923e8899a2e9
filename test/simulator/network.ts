/**
 * The network between providers and service, which delays, loses and falsifies. Each fault is one entry of a table. What
 * a gateway may do is what the table of evidence (src/api/evidence.ts) allows it to do: a 204 to a DELETE, a 429 and a
 * 501 are true.
 */
import type { Network as Sending } from "../../src/api/transport";
import type { HttpResponse } from "../../src/emulator/server";
import type { ServiceRequest, SimulatedService } from "./service";
import type { Process, World } from "./world";

/** When the service processes a request. */
type Processed = "before" | "never" | "later";

interface FaultKind {
  processed: Processed[];
  /** The response that arrives, in place of the service's. */
  status?: number[];
  body?: ("foreign" | "html" | "error" | "none")[];
  headers?: Record<string, string>;
  /** What happens instead of a response. */
  breaks?: "refused" | "reset" | "silent" | "cut";
  /** Only for these methods. */
  methods?: string[];
  /** The response is the service's own, after a time. */
  slow?: true;
  /** The request arrives only after a time. */
  late?: true;
  /** The service ignores all protecting modules of the request; or the first, which its response then leaves out. */
  ignores?: "all" | "first";
  /** A success that the response tells is one. */
  isTrue?: true;
  /** The request does not reach the service's path. */
  wrongPath?: true;
}

const writes = ["POST", "PUT", "PATCH", "DELETE"];

export const faultKinds = {
  refused: { processed: ["never"], breaks: "refused" },
  resetBefore: { processed: ["never"], breaks: "reset" },
  resetAfter: { processed: ["before"], breaks: "reset" },
  cutOff: { processed: ["before"], breaks: "cut" },
  silent: { processed: ["before", "never"], breaks: "silent" },
  slow: { processed: ["before"], slow: true },
  late: { processed: ["before"], late: true },
  rateLimited: { processed: ["never"], status: [429], body: ["error", "foreign", "none"] },
  retryAfter: { processed: ["never"], status: [429], body: ["error"], headers: { "retry-after": "3" } },
  notImplemented: { processed: ["never"], status: [501], body: ["error", "foreign", "none"] },
  rejected: { processed: ["never"], status: [400, 409, 422], body: ["error"], methods: writes },
  forbidden: { processed: ["never"], status: [401, 403], body: ["error"] },
  badGateway: {
    processed: ["before", "never", "later"],
    status: [500, 502, 503, 504, 507, 520, 522, 524, 530, 599],
    body: ["foreign", "html", "none", "error"],
  },
  requestTimeout: { processed: ["before", "never"], status: [408], body: ["foreign", "error", "none"] },
  foreign4xx: { processed: ["before", "never"], status: [400, 403, 409, 418, 422], body: ["foreign", "html"] },
  foreign404: { processed: ["never"], status: [404], body: ["foreign", "html", "none"] },
  redirect: {
    processed: ["before", "never"],
    status: [301, 302, 307],
    body: ["html", "none"],
    headers: { location: "https://login.example.com/?token=abc" },
  },
  loginPage: { processed: ["never"], status: [200], body: ["html", "foreign"] },
  accepted: { processed: ["before", "never", "later"], status: [202], body: ["none"], methods: writes },
  emptySuccess: {
    isTrue: true,
    processed: ["before"],
    status: [200],
    body: ["none"],
    methods: ["PUT", "PATCH", "DELETE"],
  },
  noContent: { isTrue: true, processed: ["before"], status: [204], body: ["none"], methods: ["POST", "DELETE"] },
  ignoredProtection: { processed: ["before"], ignores: "all", methods: ["POST", "PUT", "PATCH"] },
  omittedProtection: { processed: ["before"], ignores: "first", methods: ["POST", "PUT", "PATCH"] },
  wrongPath: { processed: ["never"], wrongPath: true },
} satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof faultKinds;
export const faultNames = Object.keys(faultKinds) as FaultName[];

/** A fault of a run: which requests get it, and what they get. */
export interface Fault {
  kind: FaultName;
  processed: Processed;
  status?: number;
  body?: "foreign" | "html" | "error" | "none";
  /** Only requests with this method, or all writes, all reads. */
  on: string;
  /** Only requests whose path matches this. */
  path?: string;
  skip: number;
  times: number;
  /** How long a slow response, or a later execution, takes. */
  ms: number;
}

export interface Exchange {
  process: Process;
  request: ServiceRequest;
  fault?: Fault;
  /** What the service did: its response, unless it never got the request. */
  processed?: HttpResponse;
  /** What the process received. */
  status: number | "refused" | "reset" | "silent" | "cut";
}

const protections = ["ip_restriction", "mutual_tls", "policy"];

export class Network {
  /** The faults of the current run, with how often each was met. */
  faults: { fault: Fault; met: number; seen: number }[] = [];

  constructor(
    private readonly world: World,
    private readonly service: SimulatedService,
    /** A process sends a request. */
    private readonly onSent: (exchange: Exchange) => void,
    /** The service has processed it. */
    private readonly onProcessed: (exchange: Exchange) => void,
    /** The longest delay of each direction. */
    private readonly delayMs: number,
  ) {}

  /** What sends the requests of a process. */
  connect = (process: Process): ReturnType<Sending> => ({
    request: ({ method, path, headers, body, signal }) =>
      new Promise((receive, fail) => {
        signal.addEventListener("abort", () => fail(signal.reason));
        process.world.note(`${process.name} > ${method} ${path} ${body ?? ""}`);
        this.exchange(
          process,
          { method, path, headers, body: body ?? "" },
          (response) => receive({ statusCode: response.status, ...received(response) }),
          (code) => fail(Object.assign(new Error(code), { code })),
        );
      }),
  });

  /** The fault of a request, which counts as met. */
  private takeFault({ method, path, body }: ServiceRequest): Fault | undefined {
    for (const each of this.faults) {
      const { kind, on, skip, times } = each.fault;
      const { methods, ignores } = faultKinds[kind] as FaultKind;
      const isMeant =
        on === "any" || on === method || (on === "write" ? method !== "GET" : on === "read" && method === "GET");
      if (!isMeant || !new RegExp(each.fault.path ?? "").test(path) || (methods && !methods.includes(method))) continue;
      if (ignores && protectionsIn(body).length === 0) continue;
      if (each.seen++ < skip || each.met >= times) continue;
      each.met++;
      return each.fault;
    }
    return undefined;
  }

  exchange(
    process: Process,
    request: ServiceRequest,
    respond: (response: HttpResponse) => void,
    fail: (code: string) => void,
  ) {
    const { world, service } = this;
    const fault = this.takeFault(request);
    const kind: FaultKind | undefined = fault && faultKinds[fault.kind];
    // A wrong address is wrong for all requests, whatever else happens to them.
    const isMisdirected = this.faults.some(({ fault }) => fault.kind === "wrongPath");
    const exchange: Exchange = { process, request, fault, status: "silent" };
    this.onSent(exchange);
    const delay = () => world.random.int(1, this.delayMs);
    const receive = (status: Exchange["status"], act: () => void, ms = delay()) => {
      world.after(ms, () => {
        if (process.isDead) return;
        exchange.status = status;
        world.note(`${process.name} < ${request.method} ${request.path}: ${status}`);
        act();
      });
    };
    if (kind?.breaks === "refused") return receive("refused", () => fail("ECONNREFUSED"));
    const ignored = kind?.ignores ? protectionsIn(request.body) : [];
    const isOmitted = kind?.ignores === "first";
    if (isOmitted) ignored.splice(1);
    const handle = () => {
      const sent = { ...request, body: withoutFields(request.body, ignored) };
      exchange.processed = service.handle(isMisdirected ? { ...sent, path: `/v9${sent.path}` } : sent);
      world.note(
        `service: ${request.method} ${request.path} = ${exchange.processed.status}${fault ? ` (${describe(fault)})` : ""}`,
      );
      this.onProcessed(exchange);
      return exchange.processed;
    };
    world.after(kind?.late ? fault!.ms : delay(), () => {
      const isProcessed = !fault || fault.processed === "before" || kind?.wrongPath;
      const response = isProcessed ? handle() : undefined;
      if (fault?.processed === "later") world.after(fault.ms, handle);
      if (kind?.breaks === "silent") return;
      if (kind?.breaks === "reset") return receive("reset", () => fail("ECONNRESET"));
      if (kind?.breaks === "cut") return receive("cut", () => fail("UND_ERR_SOCKET"));
      // A success without a body is true: a rejection stays one.
      const isOwn = fault?.status === undefined || (kind!.isTrue && response!.status >= 300);
      // Whoever is not allowed to use a path has been routed there.
      const status = isMisdirected && fault?.status === 403 ? 401 : fault?.status;
      const own = response && { ...response, body: withoutFields(response.body, isOmitted ? ignored : []) };
      const answered = isOwn ? own! : foreignResponse({ ...fault!, status }, kind!);
      const time = world.now + (isOwn ? service.traits.skewMs : 0);
      const dated = { ...answered, headers: { ...answered.headers, date: new Date(time).toUTCString() } };
      receive(answered.status, () => respond(dated), kind?.slow ? fault!.ms : delay());
    });
  }
}

/** A response as undici returns it. */
const received = ({ headers, body = "" }: HttpResponse) => ({
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
  body: { text: async () => body },
});

export const describe = ({ kind, processed, status, body, ms }: Fault): string =>
  [kind, status, body, processed, processed === "later" || kind === "slow" ? `${ms} ms` : ""].filter(Boolean).join(" ");

/** What a gateway, or the service itself, responds. */
function foreignResponse({ status = 500, body = "none" }: Fault, { headers = {} }: FaultKind): HttpResponse {
  const json = { "Content-Type": "application/json", ...headers };
  if (body === "error") {
    const error = { error_code: `ERR_TUNNEL_${status}`, status_code: status, msg: "Not now.", details: {} };
    return { status, headers: json, body: JSON.stringify(error) };
  }
  if (body === "foreign") return { status, headers: json, body: JSON.stringify({ message: "from the gateway" }) };
  if (body === "html")
    return { status, headers: { ...headers, "Content-Type": "text/html" }, body: "<html>Hello</html>" };
  return { status, headers, body: undefined };
}

const protectionsIn = (body: string): string[] => protections.filter((name) => body.includes(`"${name}":{`));

/** A body without some of its fields. */
function withoutFields<B extends string | undefined>(body: B, names: string[]): B | string {
  if (names.length === 0 || !body) return body;
  const fields = Object.entries(JSON.parse(body) as object).filter(([name]) => !names.includes(name));
  return JSON.stringify(Object.fromEntries(fields));
}

export const ignoresProtection = ({ kind }: Fault): boolean => (faultKinds[kind] as FaultKind).ignores !== undefined;
