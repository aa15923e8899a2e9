/**
 * The one rule, without faults: what the program declares is enforced, what it does not declare is left alone, and what
 * it stops declaring is removed. Random programs of one resource, in which `ignoreChanges` begins and ends, which import
 * an existing object, and which move between the providers, are compared with a model of the rule that knows nothing of
 * states.
 */

import { toSnakeCase } from "../../src/base/json";
import { expandAll } from "../../src/core/options";
import { planCreate } from "../../src/core/plan/plan";
import { findResource } from "../../src/definitions";
import type { Definition } from "../../src/definitions/definition";
import { type Properties, Violation } from "../support/engine/provider";
import type { Declared } from "./engine";
import { Random } from "./random";
import type { Scenario } from "./scenario";
import { secretPrefix } from "./secrets";
import { Simulation } from "./simulation";

/** The values of arguments, each with the version in it. */
const values: Record<string, (version: string) => unknown> = {
  description: (version) => version,
  metadata: (version) => `${secretPrefix}${version}`,
  hostports: (version) => [`${version}.example.com:1`],
  backend: (version) => ({ backendId: `bkdhr_${version}` }),
  ipRestriction: (version) => ({ ipPolicyIds: [`ipp_${version}`] }),
  policy: (version) => ({ inbound: [{ name: version, actions: [{ type: "deny" }] }] }),
};
const versions = ["v1", "v2"];

/** The types, with the names of their arguments here. */
const types = {
  TcpEdge: { path: "/edges/tcp", list: "tcpEdges", names: Object.keys(values) },
  ApiKey: { path: "/api_keys", list: "apiKeys", names: ["description", "metadata"] },
} as const;

const definitionOf = (type: string) => findResource(type) as Definition;

/** The version of each argument that is set, or declared. */
type Versions = Record<string, string>;

const argumentsOf = (declared: Versions): Properties =>
  Object.fromEntries(Object.entries(declared).map(([name, version]) => [name, values[name]!(version)]));

/** What the service has, and which of it the program manages. */
interface Rule {
  has: Versions;
  managed: Set<string>;
}

/** What must hold after a program that declares and ignores this. */
function apply({ has, managed }: Rule, names: readonly string[], declared: Versions, ignored: Set<string>): Rule {
  const after: Rule = { has: { ...has }, managed: new Set() };
  for (const name of names.filter((each) => !ignored.has(each))) {
    const version = declared[name];
    if (version !== undefined) {
      after.has[name] = version;
      after.managed.add(name);
    } else if (managed.has(name)) delete after.has[name];
  }
  return after;
}

export class DeclaredSimulation extends Simulation {
  private readonly random: Random;
  private readonly type: keyof typeof types;
  private rule: Rule = { has: {}, managed: new Set() };

  constructor(scenario: Scenario) {
    super(scenario);
    this.random = new Random(scenario.seed + 2);
    this.type = this.random.pick(["TcpEdge", "TcpEdge", "ApiKey"] as const);
  }

  override async run(): Promise<void> {
    const { random } = this;
    const { names, path } = types[this.type];
    let isOther = false;
    let importId: string | undefined;
    if (random.once(2)) {
      this.rule.has = this.draw(1);
      const { body } = planCreate(definitionOf(this.type), argumentsOf(this.rule.has));
      importId = this.service.call("POST", path, body).id!;
    }
    const count = random.int(3, 7);
    for (let index = 0; index < count; index++) {
      const isNew = index === 0;
      if (!isNew && random.once(3)) {
        isOther = !isOther;
        // A class whose old inputs are empty cannot be told from a new one.
        importId = undefined;
      }
      // The engine does not tell a plugin what is ignored when it creates.
      const ignoreChanges = (isNew && importId === undefined) || random.once(2) ? [] : this.drawIgnored();
      const ignored = new Set(
        names.filter((name) => ignoreChanges.some((each) => each === "*" || each.includes(name))),
      );
      // A class rejects what differs from the imported object.
      const declared = isNew && importId ? this.pickSome(this.rule.has) : this.draw(random.pick([0, 0, 1]));
      this.rule = apply(this.rule, names, declared, isNew && !importId ? new Set() : ignored);
      await this.deploy({ declared, ignoreChanges, isOther, importId });
      if (importId && !isNew && random.once(2)) importId = undefined;
      if (random.once(3)) await this.expect("refresh", []);
    }
    await this.expect("destroy", []);
    if (this.object) throw new Violation("the destroy left the object");
  }

  private draw = (least: number): Versions =>
    Object.fromEntries(
      this.random.some(types[this.type].names, least).map((name) => [name, this.random.pick(versions)]),
    );

  private pickSome = (all: Versions): Versions =>
    Object.fromEntries(this.random.some(Object.keys(all)).map((name) => [name, all[name]!]));

  private drawIgnored(): string[] {
    if (this.random.once(4)) return ["*"];
    const quote = (name: string) => (this.random.once(3) ? `["${name}"]` : name);
    return this.random.some(types[this.type].names, 1).map(quote);
  }

  private get object(): Record<string, unknown> | undefined {
    const id = this.stacks[0]!.state.find(({ type }) => type === this.type)?.id;
    const list = this.service.account[types[this.type].list] as unknown as Record<string, unknown>[];
    return list.find((each) => each["id"] === id);
  }

  private async deploy(program: { declared: Versions; ignoreChanges: string[]; isOther: boolean; importId?: string }) {
    const { declared, ignoreChanges, isOther, importId } = program;
    const isDynamic = (this.scenario.provider === "dynamic") !== isOther;
    const paths = isDynamic ? expandAll(ignoreChanges, definitionOf(this.type).fields) : ignoreChanges;
    const resource: Declared = {
      type: this.type,
      name: "it",
      args: argumentsOf(declared),
      ...(paths.length > 0 && { ignoreChanges: paths }),
      ...(importId !== undefined && { import: importId }),
      ...(isOther && { provider: "other" }),
    };
    this.world.note(JSON.stringify(program));
    await this.expect("up", [resource]);
    const { names } = types[this.type];
    const found = names.flatMap((name) => {
      const [version] = /v\d/.exec(JSON.stringify(this.object?.[toSnakeCase(name)] ?? null)) ?? [];
      return version === undefined ? [] : [[name, version]];
    });
    const [actual, expected] = [Object.fromEntries(found), this.rule.has].map((each) =>
      names.map((name) => `${name} ${each[name] ?? "-"}`).join(", "),
    );
    if (actual !== expected) throw new Violation(`the service has ${actual}, not ${expected}`);
    const writes = await this.expect("up", [resource]);
    if (writes.length > 0) throw new Violation(`the same program again sends ${writes[0]}`);
  }

  /** Runs a command, which must succeed, and returns its writes. */
  private async expect(kind: "up" | "refresh" | "destroy", program: Declared[]): Promise<string[]> {
    const { run, isSuccess, requests } = await this.execute(this.stacks[0]!, program, { kind, parallel: 8 });
    if (!isSuccess) throw new Violation(`${kind} failed: ${run.failures[0]?.message}`);
    return requests
      .filter(({ request }) => request.method !== "GET")
      .map(({ request }) => `${request.method} ${request.path}`);
  }
}
