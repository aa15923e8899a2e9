/**
 * Compares what previews say of public addresses with what the service then has: random programs and changes, without
 * faults, each previewed and deployed. Who can connect is decided here without the package's own model.
 */

import { findOpenedAddresses, type OpenedAddress } from "../../src/commands/exposure";
import { isSecretEnvelope } from "../../src/core/secrets";
import type { Account } from "../../src/emulator/objects";
import {
  type Edge,
  letsStrangerIn,
  opensToAnyone,
  type Restriction,
  type World,
} from "../commands/exposure/support/people";
import { type Properties, type Provider, Violation } from "../support/engine/provider";
import { type Entry, type Program, type Run, referencesOf, urnOf } from "./engine";
import { Random } from "./random";
import type { Scenario } from "./scenario";
import { Simulation } from "./simulation";

interface Module {
  enabled?: boolean;
  terminate_at?: string;
  inbound?: { expressions?: string[]; actions: { type: string }[] }[];
  ip_policies?: { id: string }[];
  certificate_authorities?: { id: string }[];
  issuer?: string;
  client_id?: string;
  options_passthrough?: boolean;
}

const isOn = (module: Module | null | undefined): module is Module => module != null && module.enabled !== false;
const some = (ids: string[]): Restriction => ({ kind: "some", ids });

/** What restricts an edge: of a policy, each rule that denies. One that only logs lets in anyone. */
function listRestrictions(edge: Record<string, Module | null>): Restriction[] {
  const { ip_restriction: ips, mutual_tls: tls, policy, tls_termination: termination } = edge;
  const rules = isOn(policy) ? (policy.inbound ?? []) : [];
  const denying = rules.filter(({ actions }) => actions.some(({ type }) => type === "deny"));
  return [
    ...(isOn(ips) ? [some((ips.ip_policies ?? []).map(({ id }) => id))] : []),
    ...(isOn(tls) && termination?.terminate_at !== "upstream"
      ? [some((tls.certificate_authorities ?? []).map(({ id }) => id))]
      : []),
    ...denying.map(({ expressions = [] }): Restriction => ({ kind: "every", ids: [expressions.join(" && ")] })),
  ];
}

/** The public addresses of the account, each with its edge. */
function listAddresses({ tcpEdges, tlsEdges, httpsEdges }: Account): Map<string, Edge> {
  const edges = [...tcpEdges, ...tlsEdges] as unknown as (Record<string, Module | null> & { hostports: string[] })[];
  const ofEdges = edges.flatMap(({ hostports, ...edge }) =>
    (hostports ?? []).map((name): [string, Edge] => [
      name,
      { isReached: isOn(edge["backend"]), restrictions: listRestrictions(edge as never) },
    ]),
  );
  const ofRoutes = httpsEdges.flatMap(({ id, routes }) =>
    routes.map((route): [string, Edge] => {
      const oidc = route.oidc as Module | null;
      const ids = [`${oidc?.issuer} ${oidc?.client_id}`, ...(oidc?.options_passthrough ? ["OPTIONS"] : [])];
      return [`${id}/${route.id}`, { isReached: true, restrictions: isOn(oidc) ? [some(ids)] : [] }];
    }),
  );
  return new Map([...ofEdges, ...ofRoutes]);
}

const deny = { inbound: [{ actions: [{ type: "deny" }] }] };
const policies = [
  { inbound: [{ actions: [{ type: "log" }] }] },
  { inbound: [{ expressions: ["a"], actions: [{ type: "deny" }] }] },
  { inbound: [{ expressions: ["b"], actions: [{ type: "deny" }] }] },
];

/** Arguments that the simulator's own changes leave as they are: backends, policies, and whether an edge listens at all. */
const newVariation = (random: Random): Properties => ({
  ...(random.once(4) && { backend: random.pick([undefined, { backendId: "bkdhr_1", enabled: false }]) }),
  ...(random.once(8) && { policy: random.pick(policies) }),
  ...(random.once(4) && { hostports: [] }),
});

export interface Deployed {
  stack: number;
  program: Program;
  /** What `pulumi preview --json --show-sames --show-replacement-steps` prints before. */
  printed: object;
}

export class ExposureSimulation extends Simulation {
  /** The programs that were deployed, each with its printed preview. */
  readonly deployed: Deployed[] = [];
  private readonly checked = new Map<string, Properties>();
  private readonly variations = new Map<string, Properties>();
  private readonly random: Random;

  constructor(scenario: Scenario) {
    super(scenario);
    this.random = new Random(scenario.seed + 1);
  }

  override async run(): Promise<void> {
    for (const planned of this.scenario.runs.filter(({ kind }) => kind === "up")) {
      const stack = this.stacks[planned.stack]!;
      // A preview is printed as one kind of provider prints it.
      const edges = planned.model.edges.map(({ provider: _, ...edge }) => edge);
      stack.model = { ...planned.model, edges };
      const program = this.vary(this.program(stack), stack.index);
      this.checked.clear();
      const state = stack.state;
      const preview = await this.execute(stack, program, { kind: "preview", parallel: 8 });
      if (!preview.isSuccess) return;
      const printed = this.print(program, state, preview.run);
      const lines = findOpenedAddresses(printed);
      const before = listAddresses(this.service.account);
      const { isSuccess } = await this.execute(stack, program, { kind: "up", parallel: 8 });
      if (!isSuccess) return;
      this.deployed.push({ stack: stack.index, program, printed });
      this.compare(lines, before, listAddresses(this.service.account));
    }
  }

  private compare(lines: OpenedAddress[], before: Map<string, Edge>, after: Map<string, Edge>): void {
    const world: World = {
      addresses: [...new Set([...before.keys(), ...after.keys()])].map((name) => ({
        name,
        before: before.get(name),
        after: after.get(name),
      })),
    };
    const opened = new Set(world.addresses.filter(opensToAnyone).map(({ name }) => name));
    const entered = new Set(world.addresses.filter((each) => letsStrangerIn(world, each)).map(({ name }) => name));
    this.count("changes");
    this.count("addresses opened to anyone", opened.size);
    this.count("addresses with strangers", entered.size);
    for (const address of entered) {
      if (!lines.some((line) => line.address === address))
        throw new Violation(`a stranger gets in at ${address} without a line`);
    }
    for (const { isCertain, address = "", message } of lines) {
      if (isCertain && !opened.has(address)) throw new Violation(`this is not so: ${message}`);
      if (!isCertain && !entered.has(address)) this.count("might in vain");
    }
  }

  private vary(program: Program, stack: number): Program {
    return program.map((resource) => {
      if (resource.type !== "TcpEdge" && resource.type !== "TlsEdge") return resource;
      const key = `${stack} ${resource.name}`;
      if (!this.variations.has(key) || this.random.once(5)) this.variations.set(key, newVariation(this.random));
      // A secret in a policy hides it from a preview of the classes, which would say "might" most of the time.
      const policy = resource.args.policy && { policy: deny };
      const args = { ...resource.args, ...policy, ...this.variations.get(key) };
      return { ...resource, args: JSON.parse(JSON.stringify(args)) as Properties };
    });
  }

  protected override observe(provider: Provider): Provider {
    const spied = Object.create(provider) as Provider;
    const check: Provider["check"] = async (resource, ...rest) => {
      const result = await provider.check(resource, ...rest);
      this.checked.set(urnOf({ ...resource, parent: resource.opts?.parents }), result.inputs);
      return result;
    };
    return Object.assign(spied, { check });
  }

  /** What `pulumi preview --json --show-sames --show-replacement-steps` prints. */
  private print(program: Program, state: Entry[], { done, paths, imported }: Run): object {
    const isPlugin = this.scenario.provider === "plugin";
    const rename = (urn: string) =>
      isPlugin ? urn.replace("pulumi-nodejs:dynamic/tunnel-edge:", "tunnel-edge:index:") : urn;
    const typeOf = (type: string) => rename(`pulumi-nodejs:dynamic/tunnel-edge:${type}`);
    const oldState = ({ type, id, inputs, outputs, ...entry }: Entry) => ({
      type: typeOf(type),
      id,
      inputs,
      outputs,
      ...("ignoreChanges" in entry && { ignoreChanges: entry.ignoreChanges }),
    });
    const kept = program.flatMap((resource) => {
      const urn = urnOf(resource);
      const read = imported.get(urn);
      const op = done.get(urn) ?? "same";
      const old = read ?? state.find((entry) => entry.urn === urn && !entry.isPendingDelete);
      const [reference] = referencesOf(resource);
      const edge = reference && rename(reference);
      // What could inherit retainOnDelete from another parent is not deleted with its edge.
      const { parent } = program.find((each) => urnOf(each) === reference) ?? {};
      const isDeletedWith = !isPlugin && (parent === undefined || parent === resource.parent);
      const changed = op === "same" ? undefined : paths.get(urn);
      const names = [...new Set(changed?.map((path) => path.split(/[.[]/)[0]!))];
      const newState = {
        type: typeOf(resource.type),
        inputs: this.checked.get(urn) ?? {},
        ...(read && { id: read.id }),
        ...(resource.ignoreChanges && { ignoreChanges: resource.ignoreChanges }),
        ...(edge && { propertyDependencies: { edgeId: [edge] }, ...(isDeletedWith && { deletedWith: edge }) }),
      };
      const importing = { op: "import", urn: rename(urn), detailedDiff: null, newState };
      if (read && op === "same") return [importing];
      const changing = {
        op,
        urn: rename(urn),
        ...(names.length > 0 && { diffReasons: names }),
        detailedDiff: changed ? Object.fromEntries(changed.map((path) => [path, {}])) : null,
        ...(old && { oldState: oldState(old) }),
        newState,
      };
      return read ? [importing, changing] : [changing];
    });
    const gone = state
      .filter(({ urn, isPendingDelete }) => isPendingDelete || !program.some((resource) => urnOf(resource) === urn))
      .map((entry) => ({
        op: entry.isPendingDelete ? "delete-replaced" : "delete",
        detailedDiff: null,
        urn: rename(entry.urn),
        oldState: oldState(entry),
      }));
    // The CLI does not print secrets.
    const printed = JSON.stringify({ steps: [...kept, ...gone], changeSummary: {} }, (_, value) =>
      isSecretEnvelope(value) ? "[secret]" : value,
    );
    return JSON.parse(printed);
  }
}
