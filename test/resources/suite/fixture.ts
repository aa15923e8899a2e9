/** The fixture of a resource's tests: an account, a stack for each test, and API calls outside of Pulumi. */
import type { Emulator } from "pulumi-tunnel-edge/emulator";
import { expand, type Route } from "../../../src/api/routes";
import { toSnakeCase } from "../../../src/base/json";
import { type Definition, paramsOf, parentsOf, routesOf } from "../../../src/definitions/definition";
import type { Fields } from "../../../src/definitions/fields/field";
import { listContractViolations } from "../../contract/document";
import { RequestTime } from "../../support/clock";
import { startService } from "../../support/emulators";
import type { Properties } from "../../support/engine/provider";
import type { ResourceDriver, Step } from "../../support/engine/resourceDriver";
import { Stack } from "../../support/engine/stack";
import { test, testDynamic } from "../../support/engine/testedProvider";
import { type Call, fieldAt, getAt, listPaths, parsePath, pickRequired, type Row, type Table } from "./table";

export class Fixture {
  emulator!: Emulator;
  stack!: Stack;
  /** All arguments, including the parents' ids. */
  full!: Properties;
  /** Only the required arguments. */
  minimal!: Properties;
  otherParents!: Properties[];
  readonly parents: string[];
  readonly routes: ReturnType<typeof routesOf>;
  readonly fields: Fields;
  /** Those of the arguments that no other resource shares. */
  readonly paths: string[];
  readonly rows: [path: string, row: Row][];
  /** The first argument of each form, for the plugin: it converts values, and knows nothing of arguments. */
  readonly typical: string[];
  /** An argument whose change is an update. */
  readonly changed: string;
  private readonly violations: string[] = [];

  constructor(
    readonly definition: Definition,
    readonly table: Table,
  ) {
    this.parents = parentsOf(definition);
    this.routes = routesOf(definition);
    this.fields = definition.fields;
    const { shared = [], rows } = table;
    this.paths = listPaths(definition, [...this.parents, ...shared]);
    this.rows = Object.entries(rows).filter(([path]) => !shared.includes(path.split(".")[0]!));
    const forms = this.paths.map((path) => this.formOf(path));
    this.typical = this.paths.filter((_, index) => forms.indexOf(forms[index]!) === index);
    this.changed = Object.keys(rows).find((path) => rows[path]!.change?.step === "update")!;
    const time = new RequestTime();
    beforeAll(async () => {
      this.emulator = await startService({
        clock: time.now,
        onRequest: (request) => void this.violations.push(...listContractViolations(request)),
      });
    });
    beforeEach(async () => {
      // Without retries a fault has an effect.
      this.stack = await Stack.start({ emulator: this.emulator, time, config: { "tunnel-edge:maxRetries": "0" } });
      this.clear();
    });
    // Every request is in the API document.
    afterEach(() => expect(this.violations.splice(0)).toEqual([]));
  }

  /** Defines tests of an argument, with both providers or, if another one has its form, with the dynamic one. */
  testOf = (path: string) => (this.parents.includes(path) || this.typical.includes(path) ? test : testDynamic);

  private formOf(path: string): string {
    const { required, replaces, clientOnly, module } = fieldAt(this.definition, path);
    const value = getAt(this.table.full, path);
    const type = Array.isArray(value) ? `list of ${typeof value[0]}` : typeof value;
    return JSON.stringify([type, path.includes("."), required, replaces, clientOnly, module && Boolean(module.put)]);
  }

  /** Empties the account, except for the parents of modules. */
  clear(): void {
    this.emulator.reset();
    const { here, elsewhere } = this.table.parents?.(this.emulator) ?? { here: {}, elsewhere: [] };
    this.full = { ...here, ...this.table.full };
    this.minimal = pickRequired(this.full, this.definition.fields);
    this.otherParents = elsewhere;
  }

  /** The requests since the last call. */
  takeRequests(): Call[] {
    const calls = this.emulator.requests.map(({ method, operation, path, body }): Call => {
      const call = `${method} ${operation ?? path}`;
      return body === undefined ? [call] : [call, body];
    });
    this.emulator.clearRequests();
    return calls;
  }

  /** A new resource in the program. */
  resource(): ResourceDriver {
    return this.stack.resource(this.definition.type);
  }

  /** A resource that already exists. */
  async createResource(args: Properties = this.full): Promise<ResourceDriver> {
    const resource = this.resource();
    await resource.up(args);
    this.takeRequests();
    return resource;
  }

  /** Expects that there is nothing left to do, and that the state, with which this was decided, matches the service. */
  async expectSettled(resource: ResourceDriver, args: Properties): Promise<void> {
    this.takeRequests();
    expect(await resource.up(args)).toBe("same");
    expect(this.takeRequests()).toEqual([]);
    expect(await resource.refresh()).toBe("same");
    this.takeRequests();
  }

  /** Expects that `pulumi up` takes this step with these requests, and that nothing is left to do. */
  async expectUp(resource: ResourceDriver, args: Properties, step: Step, calls: Call[]): Promise<void> {
    this.takeRequests();
    expect(await resource.up(args)).toBe(step);
    expect(this.takeRequests()).toEqual(calls);
    await this.expectSettled(resource, args);
  }

  /** The required arguments, including those of the module that contains the path. */
  minimalArgs(path: string): Properties {
    const { name, module } = parsePath(this.definition, path);
    return module ? { ...this.minimal, [name]: pickRequired(this.table.full[name], module) } : this.minimal;
  }

  /** The requests that repair an argument, if all arguments or only the required ones are declared. */
  repairCalls(path: string, declared: "full" | "minimal"): Call[] {
    const { fields, routes, parents } = this;
    const { name, module } = parsePath(this.definition, path);
    const body = (wire: Properties, of = fields) => (declared === "full" ? wire : pickRequired(wire, of, toSnakeCase));
    if (parents.length > 0) return [[routes.update, body(this.table.wire)]];
    const whole = module ? body(this.table.wire[toSnakeCase(name)], module) : this.table.wire[toSnakeCase(name)];
    const put = fields[name]!.module?.put;
    return put ? [[put, whole]] : [[routes.update, { [toSnakeCase(name)]: whole }]];
  }

  // Changes outside of Pulumi, through the API.

  private api(route: Route, id: string, body?: object) {
    const { method, path } = expand(route, paramsOf(this.definition, id));
    return this.emulator.api<Properties>(method, path, body);
  }

  pathTo(id: string): string {
    return expand(this.routes.read, paramsOf(this.definition, id)).path;
  }

  createdOutside(wire: Properties = this.table.wire): string {
    const id = this.parents.map((name) => this.full[name]).join("/");
    const made = this.api(this.routes.create, id, wire);
    return id || made.id;
  }

  deletedOutside(id: string): void {
    this.api(this.routes.delete, id);
  }

  fetchObject(id: string): Properties {
    return this.api(this.routes.read, id);
  }

  /** Changes one argument, and leaves the others as the program declared them. */
  changedOutside(
    id: string,
    path: string,
    declared: "full" | "minimal",
    value = this.outsideValue(path, declared),
  ): void {
    const { wire } = this.table;
    const { fields, parents, routes } = this;
    const { name, inner, module } = parsePath(this.definition, path);
    const removed = value === "removed" ? fields[name]!.module?.remove : undefined;
    if (removed) return void this.api(removed, id);
    const rest = (whole: Properties, of = fields) =>
      declared === "full" ? whole : pickRequired(whole, of, toSnakeCase);
    const change = module
      ? { [toSnakeCase(name)]: { ...rest(wire[toSnakeCase(name)], module), [toSnakeCase(inner!)]: value } }
      : { ...(parents.length > 0 && rest(wire)), [toSnakeCase(name)]: value };
    this.api(routes.update, id, change);
  }

  private outsideValue(path: string, declared: "full" | "minimal"): unknown {
    const { outsideValue, nonDefault } = this.table.rows[path]!;
    return declared === "minimal" && nonDefault !== undefined ? nonDefault : outsideValue;
  }

  /** An argument's value as it is in requests. */
  wireAt(path: string): unknown {
    return getAt(this.table.wire, path.split(".").map(toSnakeCase).join("."));
  }
}

/** The number of objects of each kind in an account. */
export const countObjects = (account: object) => Object.values(account).map((objects) => (objects as unknown[]).length);
