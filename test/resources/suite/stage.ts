/** Where a resource is tried: an account of its own, the hosts of two runs of the CLI, and someone else with an API key. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { expand, type Route } from "../../../src/api/routes";
import { type Definition, paramsOf } from "../../../src/definitions/definition";
import { toSnakeCase } from "../../../src/json";
import { departures } from "../../contract/document";
import { emulated } from "../../support/emulated";
import type { Bag, Host, Life, Told } from "../../support/host";
import { at, type Call, partsOf, pathsOf, type Row, required, type Table } from "./table";

export class Stage {
  emulator!: Emulator;
  host!: Host;
  /** The host of the CLI's next run: a process never deletes what it made itself. */
  next!: Host;
  /** The arguments in full, with parents. */
  full!: Bag;
  /** No more than what is required. */
  least!: Bag;
  elsewhere!: Bag[];
  readonly parents: string[];
  readonly paths: string[];
  readonly rows: [path: string, row: Row][];
  private readonly departed: string[] = [];

  constructor(
    readonly definition: Definition,
    readonly table: Table,
  ) {
    this.parents = Object.keys(definition.parents ?? {});
    this.paths = pathsOf(definition);
    this.rows = Object.entries(table.rows);
    beforeAll(() => this.begin());
    beforeEach(() => this.clear());
    afterEach(() => this.judge());
  }

  private async begin(): Promise<void> {
    const { emulator, host } = await emulated(
      { onRequest: (request) => void this.departed.push(...departures(request)) },
      { config: { "tunnel-edge:maxRetries": "0" } }, // a fault is met, not overcome
    );
    Object.assign(this, { emulator, host, next: await host.next() });
  }

  /** An account with nothing in it but what a module can belong to. */
  clear(): void {
    this.emulator.reset();
    const { here, elsewhere } = this.table.parents?.(this.emulator) ?? { here: {}, elsewhere: [] };
    this.full = { ...here, ...this.table.full };
    this.least = required(this.full, this.definition.fields);
    this.elsewhere = elsewhere;
    for (const host of [this.host, this.next]) host.told.length = 0;
  }

  /** Every request was one of the document's, and nothing was printed. */
  private judge(): void {
    expect(this.departed.splice(0)).toEqual([]);
    expect(this.host.printed + this.next.printed).toBe("");
  }

  /** The requests since the last look. */
  took(): Call[] {
    const calls = this.emulator.requests.map(({ method, operation, path, body }): Call => {
      const call = `${method} ${operation ?? path}`;
      return body === undefined ? [call] : [call, body];
    });
    this.emulator.clearRequests();
    return calls;
  }

  /** A new resource in the program. */
  resource(): Life {
    return this.host.resource(this.definition.type);
  }

  /** A resource that exists already. */
  async begun(args: Bag = this.full): Promise<Life> {
    const life = this.resource();
    await life.up(args);
    this.took();
    return life;
  }

  /** The state is what the service holds, and nothing is left to do. */
  async settled(life: Life, args: Bag): Promise<void> {
    this.took();
    expect(await life.up(args)).toBe("same");
    expect(this.took()).toEqual([]);
    expect(await life.refresh()).toBe("same");
    expect(await life.preview(args)).toEqual({ step: "same", replaces: [], changed: [] });
    this.took();
  }

  /** The arguments with no more than a module's required ones, for a path inside a module. */
  around(path: string): Bag {
    const { name, module } = partsOf(this.definition, path);
    return module ? { ...this.least, [name]: required(this.table.full[name], module) } : this.least;
  }

  /** What puts an argument right again, where everything or, in its module, only the required is stated. */
  repair(path: string, stated: "full" | "least"): Call[] {
    const { fields, routes, parents } = this.definition;
    const { name, module } = partsOf(this.definition, path);
    const body = (wire: Bag, of = fields) => (stated === "full" ? wire : required(wire, of, toSnakeCase));
    if (parents) return [[routes.update, body(this.table.wire)]];
    const whole = module ? body(this.table.wire[toSnakeCase(name)], module) : this.table.wire[toSnakeCase(name)];
    const put = fields[name]!.module?.put;
    return put ? [[put, whole]] : [[routes.update, { [toSnakeCase(name)]: whole }]];
  }

  // Someone else, by the API alone.

  private api(route: Route, id: string, body?: object) {
    const { method, path } = expand(route, paramsOf(this.definition, id));
    return this.emulator.api<Bag>(method, path, body);
  }

  pathTo(id: string): string {
    return expand(this.definition.routes.read, paramsOf(this.definition, id)).path;
  }

  madeByOthers(wire: Bag = this.table.wire): string {
    const id = this.parents.map((name) => this.full[name]).join("/");
    const made = this.api(this.definition.routes.create, id, wire);
    return id || made.id;
  }

  deletedByOthers(id: string): void {
    this.api(this.definition.routes.delete, id);
  }

  heldByService(id: string): Bag {
    return this.api(this.definition.routes.read, id);
  }

  /** Changes one argument, and leaves the rest as the program stated it. */
  changedByOthers(id: string, path: string, stated: "full" | "least", value = this.theirs(path, stated)): void {
    const { wire } = this.table;
    const { fields, parents, routes } = this.definition;
    const { name, inner, module } = partsOf(this.definition, path);
    const removed = value === "removed" ? fields[name]!.module?.remove : undefined;
    if (removed) return void this.api(removed, id);
    const rest = (whole: Bag, of = fields) => (stated === "full" ? whole : required(whole, of, toSnakeCase));
    const change = module
      ? { [toSnakeCase(name)]: { ...rest(wire[toSnakeCase(name)], module), [toSnakeCase(inner!)]: value } }
      : { ...(parents && rest(wire)), [toSnakeCase(name)]: value };
    this.api(routes.update, id, change);
  }

  private theirs(path: string, stated: "full" | "least"): unknown {
    const { theirs, againstDefault } = this.table.rows[path]!;
    return stated === "least" && againstDefault !== undefined ? againstDefault : theirs;
  }

  /** The value of an argument as requests write it. */
  wireAt(path: string): unknown {
    return at(this.table.wire, path.split(".").map(toSnakeCase).join("."));
  }
}

/** The message of what was refused. */
export const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => Promise.reject(new Error("nothing was refused")),
    (error: Error) => error.message,
  );

/** What a host has told the user, once it has told something: its words take a way of their own. */
export async function told(host: Host): Promise<Told[]> {
  for (let wait = 0; host.told.length === 0 && wait < 100; wait++) await new Promise((done) => setTimeout(done, 20));
  return host.told;
}

/** How many objects of each kind an account has. */
export const countOf = (account: object) => Object.values(account).map((objects) => (objects as unknown[]).length);
