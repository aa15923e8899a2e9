/**
 * Faults × operations: one fault in one REST call of one operation of one resource. Then the user does what the message
 * says and runs the program again. `runCase` has what must hold after each.
 */
import type { Emulator, Fault } from "pulumi-tunnel-edge/emulator";
import { RequestTime } from "../support/clock";
import {
  definitionOf,
  normalize,
  objectSamples,
  type Sample,
  type ServiceObject,
  secretMark,
} from "../support/data/samples";
import { executeUnanswered, startService, stopService } from "../support/emulators";
import { expected } from "../support/engine/differences";
import { OperationError, type Properties } from "../support/engine/provider";
import { type ResourceDriver, sortKeys } from "../support/engine/resourceDriver";
import { Stack } from "../support/engine/stack";
import { describe, test, testedProvider } from "../support/engine/testedProvider";
import { TcpProxy } from "../support/tcpProxy";

export const forever = Number.POSITIVE_INFINITY;
const retries = 2;

/** A success without a body, which a read of a module that is not set may have too. */
const emptySuccess = "200 without a body after";
/** A call that is executed when the client sends something else, or has given it up. */
const lateEffect = "late effect";
/** Larger than the largest that is read. */
export const largeResponse = "20 MB";
/** A rate limit slows down all calls of a process. */
export const rateLimited = "429";
/** Nothing listens, for a moment or forever. */
const connectionRefused = "refused";

/**
 * What a gateway answers instead of the service, or after it has executed the call: a status and a body for each row of
 * the table of evidence that proves nothing.
 */
const gatewayFaults: Record<string, Fault> = {
  "302 instead": { status: 302, body: "", headers: { Location: "https://login.example.com/" } },
  "302 after": { status: 302, body: "", headers: { Location: "https://login.example.com/" }, processed: true },
  "403 page instead": { status: 403, body: "<html>Forbidden</html>" },
  "403 page after": { status: 403, body: "<html>Forbidden</html>", processed: true },
  "404 message after": { status: 404, body: { message: "no Route matched" }, processed: true },
  "409 without a body after": { status: 409, body: "", processed: true },
  "507 after": { status: 507, body: { message: "full" }, processed: true },
  "520 page instead": { status: 520, body: "<html>Unknown error</html>" },
  "524 page after": { status: 524, body: "<html>A timeout occurred</html>", processed: true },
  "599 after": { status: 599, body: "", processed: true },
  "200 page after": { status: 200, body: "<html>Please log in</html>", processed: true },
  "200 message after": { status: 200, body: { message: "ok" }, processed: true },
  [emptySuccess]: { status: 200, body: "", processed: true },
  "202 instead": { status: 202, body: "" },
  "202 after": { status: 202, body: "", processed: true },
};

export const faults: Record<string, Fault> = {
  "reset before": { resetBefore: true },
  "reset after": { resetAfter: true },
  ...Object.fromEntries([400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504].map((status) => [status, { status }])),
  "504 after": { status: 504, processed: true },
  "200 HTML": { status: 200, body: "<html>Welcome to the airport</html>" },
  "404 HTML": { status: 404, body: "<html>Not here</html>" },
  "502 HTML": { status: 502, body: "<html>Bad gateway</html>" },
  [largeResponse]: { bytes: 20_000_000 },
  "cut off": { truncate: true },
  "half JSON": { truncate: "complete" },
  "never ends": { hang: true },
  "never responds": { hang: "headers" },
  [lateEffect]: { hang: "headers", processed: false },
};

const allFaults: Record<string, Fault> = { ...faults, ...gatewayFaults };
export const allKinds = [...Object.keys(allFaults), connectionRefused];

const mayTakeEffect = ["never ends", "never responds", lateEffect, "reset after", "504 after", "cut off", "half JSON"];
const transient = [
  ...mayTakeEffect,
  "reset before",
  "500",
  "502",
  "503",
  "504",
  "200 HTML",
  "502 HTML",
  connectionRefused,
];
const neverRetried = ["401", "403", "404", "404 HTML", largeResponse];
/**
 * An object that can be found after a lost create, one that cannot, and a module. With the dynamic provider, these meet
 * every fault. The other resources use the same client, and meet the faults that are not `alike`. So do these three with
 * the plugin.
 */
const representatives = ["TcpEdge", "ApiKey", "HttpsEdgeRouteOidc"];
const meetsEveryFault = ({ type }: Sample) => testedProvider() === "dynamic" && representatives.includes(type);

/** How often a fault occurs. Only a call that is retried meets it twice. A connection is refused for a moment or forever. */
function timesOf(kind: string, sample: Sample): number[] {
  if (kind in gatewayFaults) return [1];
  // How long it waits is the client's decision, and the same for all resources.
  if (!meetsEveryFault(sample) && [rateLimited, connectionRefused].includes(kind)) return [1];
  return meetsEveryFault(sample) && ![...neverRetried, connectionRefused, rateLimited].includes(kind)
    ? [1, 2, forever]
    : [1, forever];
}

/** Faults after which a resource goes on as after another one, because the client makes the same of both. */
const alike: Record<string, string> = {
  "reset before": "503",
  "400": "422",
  "401": "422",
  "403": "422",
  "409": "422",
  "500": "503",
  "502": "503",
  "504": "503",
  "502 HTML": "503",
  "504 after": "reset after",
  "404 HTML": "200 HTML",
  "cut off": "reset after",
  "half JSON": "reset after",
  "never ends": "never responds",
  "302 instead": "403 page instead",
  "302 after": "403 page after",
  "507 after": "524 page after",
  "599 after": "524 page after",
  "520 page instead": "503",
  [largeResponse]: "200 HTML",
  "200 page after": "200 message after",
};
const conflictStatuses = ["400", "409", "422"];

const operations = ["create", "read", "update", "delete", "import"] as const;
type Operation = (typeof operations)[number];

/** A REST call of an operation: the `nth` of its kind, and its position among all calls. */
interface Call {
  method: string;
  path: string;
  nth: number;
  place: number;
}

interface Case {
  sample: Sample;
  operation: Operation;
  call: Call;
  kind: string;
  times: number;
}

/** The account, a proxy in front of it that can refuse connections, and the time of all cases of a test. */
class TestBed {
  /** Called when the service has processed a request, before the response is sent. */
  onRequest: () => void = () => {};

  private constructor(
    readonly emulator: Emulator,
    readonly proxy: TcpProxy,
    readonly time: RequestTime,
  ) {}

  static async start(): Promise<TestBed> {
    const time = new RequestTime();
    let testBed: TestBed | undefined;
    const onRequest = () => testBed?.onRequest();
    const emulator = await startService({ clock: time.now, keepRequests: 1_000, onRequest });
    testBed = new TestBed(emulator, await TcpProxy.start(emulator.port), time);
    return testBed;
  }

  async stop(): Promise<void> {
    this.proxy.close();
    await stopService(this.emulator);
  }

  reset(): void {
    this.emulator.reset();
    this.onRequest = () => executeUnanswered(this.emulator);
  }

  /** Injects a fault. The returned function removes it and returns whether any request met it. */
  injectFault(fault: Fault): () => boolean {
    const handle = this.emulator.fail(fault);
    return () => {
      handle.cancel();
      return handle.hits > 0;
    };
  }

  /** Refuses connections after a number of requests, for a moment or until the end. */
  refuseConnectionsAfter(requests: number, forMoment: boolean): () => Promise<boolean> {
    let met = false;
    let left = requests;
    const refuse = () => {
      met = true;
      this.proxy.refuse();
      if (forMoment) this.time.after(30, () => void this.proxy.open());
    };
    this.onRequest = () => {
      if (--left === 0) refuse();
    };
    if (left === 0) refuse();
    return async () => {
      this.onRequest = () => undefined;
      await this.proxy.open();
      return met;
    };
  }
}

const tag = "mine";
const anyId = /[a-z]+_\w{27}/g;

/** A resource in the state that the operation starts from, in a deployment that has just begun. */
class Scenario {
  importId: string | undefined;

  private constructor(
    readonly testBed: TestBed,
    readonly sample: Sample,
    readonly operation: Operation,
    readonly stack: Stack,
    readonly parents: Properties,
    readonly resource: ResourceDriver,
  ) {}

  static async prepare(testBed: TestBed, sample: Sample, operation: Operation, isProxied = false): Promise<Scenario> {
    const { emulator, proxy, time } = testBed;
    testBed.reset();
    // A connection that is kept alive would not be refused.
    if (isProxied) emulator.fail({ headers: { Connection: "close" }, times: forever });
    const config = {
      "tunnel-edge:timeoutSeconds": "30",
      "tunnel-edge:maxRetries": String(retries),
      ...(isProxied && { "tunnel-edge:baseUrl": proxy.url }),
    };
    const stack = await Stack.start({ emulator, time, config });
    const resource = stack.resource(sample.type);
    const scenario = new Scenario(testBed, sample, operation, stack, sample.parents?.(emulator) ?? {}, resource);
    if (operation !== "create") await resource.up(scenario.programs[0]);
    if (operation === "import") {
      scenario.importId = resource.id;
      resource.state = undefined;
    }
    stack.next();
    return scenario;
  }

  private get programs(): Properties[] {
    return this.sample.programs(tag).map((program) => ({ ...this.parents, ...program }));
  }

  /** What the program declares after the operation has succeeded. */
  get program(): Properties {
    return this.programs[this.operation === "update" ? 1 : 0]!;
  }

  get objects(): ServiceObject[] {
    return this.sample.findObjects(this.testBed.emulator.account, tag, this.parents);
  }

  perform(): Promise<unknown> {
    const { resource } = this;
    if (this.operation === "read") return resource.refresh();
    if (this.operation === "delete") return resource.delete();
    return resource.up(this.program, { import: this.importId });
  }

  /** A path of the API, for this resource. */
  fillPath(path: string): string {
    const ids = (this.importId ?? this.resource.state?.id ?? Object.values(this.parents).join("/")).split("/");
    return path.replaceAll("{id}", () => ids.shift()!);
  }
}

/**
 * For each operation on these resources, a test that injects these faults into each call that the operation makes
 * without faults.
 */
export function testFaults(tested: Sample[], kinds: string[]): void {
  let testBed: TestBed;
  beforeEach(async () => {
    testBed = await TestBed.start();
  });
  afterEach(() => testBed.stop());

  describe("after a fault in any of its calls, nothing is lost, and the next deployment completes", () => {
    const own = tested.filter(({ type }) => testedProvider() === "dynamic" || representatives.includes(type));
    test.each(own.flatMap((sample) => operations.map((operation) => [sample.type, operation, sample] as const)))(
      "%s: %s",
      async (_, operation, sample) => {
        const calls = await recordCalls(testBed, sample, operation);
        expect(calls).not.toEqual([]);
        const problems: string[] = [];
        for (const each of listCases(sample, operation, calls, kinds))
          problems.push(...(await findProblems(testBed, each)));
        expect(problems).toEqual([]);
      },
      3_600_000,
    );
  });
}

function listCases(sample: Sample, operation: Operation, calls: Call[], kinds: string[]): Case[] {
  expect(Object.values(alike).filter((kind) => !(kind in allFaults) || kind in alike)).toEqual([]);
  const own = kinds.filter((kind) => meetsEveryFault(sample) || !(kind in alike));
  const cases = calls.flatMap((call) =>
    own.flatMap((kind) => timesOf(kind, sample).map((times) => ({ sample, operation, call, kind, times }))),
  );
  // A module that is not set may be shown as a success without a body.
  return cases.filter(({ call, kind }) => !(call.method === "GET" && kind === emptySuccess));
}

async function recordCalls(testBed: TestBed, sample: Sample, operation: Operation): Promise<Call[]> {
  await (await Scenario.prepare(testBed, sample, operation)).perform();
  const seen: Record<string, number> = {};
  return testBed.emulator.requests.map(({ method, path: made }, place) => {
    const path = made.replace(anyId, "{id}");
    const call = `${method} ${path}`;
    seen[call] = (seen[call] ?? -1) + 1;
    return { method, path, nth: seen[call], place };
  });
}

const describeCase = ({ call: { method, path, nth }, kind, times }: Case) =>
  `${method} ${path}${nth > 0 ? ` (${nth + 1})` : ""} ${kind} ` +
  `${times === forever ? "forever" : times === 1 ? "once" : "twice"}`;

/** Runs a case. Returns a sentence for each problem. */
async function findProblems(testBed: TestBed, each: Case): Promise<string[]> {
  const problems: string[] = [];
  try {
    await runCase(testBed, each, (problem) => problems.push(problem));
  } catch (error) {
    problems.push(`then: ${(error as Error).message}`);
  }
  return problems.map((problem) => `${describeCase(each)}: ${problem}`);
}

async function runCase(testBed: TestBed, each: Case, say: (problem: string) => void): Promise<void> {
  const { sample, operation, call, kind, times } = each;
  const { emulator } = testBed;
  const isRefused = kind === connectionRefused;
  const scenario = await Scenario.prepare(testBed, sample, operation, isRefused);
  const { stack, resource } = scenario;
  const token = resource.state?.outputs.token;

  const { method, path, nth: skip } = call;
  const end = isRefused
    ? testBed.refuseConnectionsAfter(call.place, times !== forever)
    : testBed.injectFault({ ...withSecrets(allFaults[kind]!, scenario), method, path, skip, times });
  const failure: unknown = await scenario.perform().then(
    () => undefined,
    (error) => error,
  );
  if (!(await end())) say("the fault was not met");
  executeUnanswered(emulator);

  const wanted = expectedOutcome(each);
  const message = failure === undefined ? "" : (failure as Error).message;
  if (wanted === "success" && failure !== undefined) say(`it should have succeeded: ${message}`);
  if (wanted === "error" && failure === undefined) say("it should have failed");
  if (failure !== undefined)
    for (const flaw of findMessageFlaws(failure, scenario, each)) say(`the message ${flaw}: ${message}`);

  // Every object in the service must be known to someone, and must exist only once. A service that wrongly says 404 is
  // believed.
  const wrongly404 = kind === "404" && failure === undefined;
  const objects = scenario.objects;
  if (objects.length > 1) say(`it exists ${objects.length} times`);
  const messages = [message, ...stack.said].join("\n");
  const known = [resource.state?.id, scenario.importId];
  for (const { id } of objects)
    if (!known.includes(id) && !messages.includes(id) && !wrongly404)
      say(`neither the state nor a message has ${id}: ${message}`);
  if (resource.state && objects[0] && kind !== lateEffect)
    compareObjects("the state", resource.outputs, "the service", objects[0].object, say);
  if (token && resource.state && resource.state.outputs.token !== token) say("the token is lost");
  if ((operation === "delete" && failure === undefined) || (wrongly404 && !resource.state)) return;

  stack.next();
  if (operation !== "delete") {
    // The user does what the message says, and runs the program again.
    const lost = resource.state || scenario.importId ? undefined : objects[0]?.id;
    const mustDelete = message.includes("cannot be read again.");
    if (lost && mustDelete) emulator.api("DELETE", `/api_keys/${lost}`);
    await resource.up(scenario.program, { import: scenario.importId ?? (mustDelete ? undefined : lost) });
    const now = scenario.objects;
    if (now.length !== 1) say(`at the end it exists ${now.length} times`);
    compareObjects("in the end the service", now[0]?.object, "the program", scenario.program, say);
    const step = await resource.up(scenario.program);
    if (step !== "same") say(`in the end the same program is an ${step}`);
    const drift = await resource.refresh();
    // Without a body, the response did not have what the service chooses itself.
    if (drift !== "same" && kind !== emptySuccess) say(`in the end a refresh says ${drift}`);
    if (sample.type === "ApiKey" && operation !== "import" && !resource.outputs.token)
      say("in the end there is no token");
    stack.next();
  }
  await resource.delete();
  if (scenario.objects.length > 0) say("in the end it is not deleted");
}

/** Makes the service's message repeat what it was sent, including secrets. */
function withSecrets(fault: Fault, { program, testBed, operation }: Scenario): Fault {
  if (!fault.status || fault.status < 400 || fault.body !== undefined) return fault;
  const known = operation !== "import" || expected("isSecretKnownInImport") ? program : {};
  const msg = `It does not like ${findSecrets(known).join(" and ")} of ${testBed.emulator.apiKey}.`;
  return {
    ...fault,
    body: { error_code: "ERR_FAULT", status_code: fault.status, msg, details: { operation_id: "op_1" } },
  };
}

const findSecrets = (value: unknown): string[] =>
  typeof value === "string"
    ? [value].filter((text) => text.includes(secretMark))
    : Object.values(Object(value)).flatMap(findSecrets);

function expectedOutcome({ sample, operation, call: { method }, kind, times }: Case) {
  if (kind in gatewayFaults) return "either";
  if (kind === rateLimited) return times === forever ? "error" : "success";
  const definition = objectSamples.find(({ type }) => type === sample.type)?.definition;
  // An edge that cannot be deleted is cleared, with a warning.
  const gone = kind === "404" || (kind === "404 HTML" && definition?.clearIfUndeletable && method === "DELETE");
  if (gone) return operation === "read" || (operation === "delete" && method !== "PATCH") ? "success" : "error";
  // Then the owner of the unique value is looked up, and its release is waited for.
  if (conflictStatuses.includes(kind) && definition?.unique && /^(POST|PATCH)$/.test(method)) return "either";
  if (!transient.includes(kind)) return "error";
  if (method === "POST" && kind !== connectionRefused)
    return mayTakeEffect.includes(kind) && definition?.unique ? "success" : "error";
  // The response to a DELETE is empty and cannot be truncated.
  if (method === "DELETE" && ["cut off", "half JSON"].includes(kind)) return "either";
  // A DELETE without a response is followed by a read, which finds the object or module deleted.
  if (method === "DELETE" && mayTakeEffect.includes(kind)) return "either";
  return times <= retries ? "success" : "error";
}

const participles = { create: "created", read: "read", update: "updated", delete: "deleted", import: "imported" };

/** A useful message names the operation, the object, the call and its status, and contains no secret. */
function* findMessageFlaws(
  failure: unknown,
  scenario: Scenario,
  { sample, operation, call, kind }: Case,
): Generator<string> {
  if (!(failure instanceof OperationError)) yield "does not come from the provider";
  const { message } = failure as Error;
  const id =
    scenario.importId ?? scenario.resource.state?.id ?? (sample.parents && Object.values(scenario.parents).join("/"));
  const { displayName } = definitionOf(sample);
  if (!message.includes(id ? `${displayName} ${id}` : displayName)) yield "does not name the object";
  if (/\n|\bat .*\.js|\[object|\b(undefined|NaN|Error)\b/.test(message)) yield "is not readable";
  if (message.length > 800) yield "is too long";
  if (message.includes(scenario.testBed.emulator.apiKey) || message.includes(secretMark)) yield "contains a secret";
  if (kind === "404" && operation === "import") {
    if (!message.includes("There is no")) yield "does not say that it is missing";
    return;
  }
  if (!message.includes(`could not be ${participles[operation]}: `)) yield "does not name the operation";
  if (!message.includes(`${call.method} ${scenario.fillPath(call.path)} `)) yield "does not name the call";
  const status = allFaults[kind]?.status ?? 200;
  const namesFault =
    status < 300
      ? / failed(?: to connect to \S+)?: [a-z]| returned (20\d|something other than|a page without|no id)/.test(message)
      : message.includes(` returned ${status}`);
  if (!namesFault) yield "does not say what happened";
}

function compareObjects(one: string, a: unknown, other: string, b: unknown, say: (problem: string) => void): void {
  // Header names are not case-sensitive, and the state has them as they are declared.
  const [left, right] = [a, b].map((value) => JSON.stringify(sortKeys(normalize(value))).toLowerCase());
  if (left !== right) say(`${one} has ${left}, ${other} has ${right}`);
}
