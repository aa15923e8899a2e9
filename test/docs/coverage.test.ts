/** docs/coverage.md against the API document, the reference, and what resources and functions send. */
import * as pulumi from "@pulumi/pulumi";
import * as tunnel from "pulumi-tunnel-edge";
import { toSnakeCase } from "../../src/base/json";
import { agentCommands, definitions, readOnly } from "../../src/definitions";
import { type Definition, parentsOf } from "../../src/definitions/definition";
import type { Field } from "../../src/definitions/fields/field";
import { exceptions, operations } from "../contract/document";
import { fastClock } from "../support/clock";
import { definitionOf, type Sample, samples } from "../support/data/samples";
import { shareHost } from "../support/engine/emulatorHost";
import type { Properties } from "../support/engine/provider";
import { errorOf } from "../support/errorOf";
import { pages, read } from "./pages";

const page = read("docs/coverage.md");
const [documented, others] = page.split("## Calls that are not in the API document") as [string, string];

interface Row {
  operation: string;
  /** The resources and functions that use it. */
  users: string[];
}
const listRows = (text: string): Row[] =>
  [...text.matchAll(/^\| `([A-Z]+ [^`]+)` \|(.*)$/gm)].map(([, operation, cells]) => ({
    operation: operation!,
    users: [...cells!.matchAll(/\[`(\w+)`\]\(/g)].map(([, name]) => name!),
  }));

/** The operations in whose rows a resource or function is. */
const operationsOf = (user: string): string[] =>
  listRows(page)
    .filter(({ users }) => users.includes(user))
    .map(({ operation }) => operation)
    .sort();

test("has a row for each operation of the API document, and marks the calls that it lacks", () => {
  const list = (text: string) => listRows(text).map(({ operation }) => operation);
  expect(list(documented).sort()).toEqual(Object.keys(operations).sort());
  expect(list(others).sort()).toEqual(Object.keys(exceptions).sort());
});

test("counts the operations, the resources and the functions", () => {
  const used = listRows(documented).filter(({ users }) => users.length > 0).length;
  const functions = Object.keys(tunnel).filter((name) => /^get[A-Z]/.test(name) && !name.endsWith("Output"));
  const [introduction] = page.split("\n## ") as [string];
  expect([...introduction.matchAll(/\b\d+\b/g)].map(Number)).toEqual([
    used,
    Object.keys(operations).length,
    definitions.length + agentCommands.length,
    functions.length,
    Object.keys(exceptions).length,
  ]);
});

test("has every call of the reference in the row of its operation", () => {
  const reference = pages()
    .filter((file) => /^docs\/reference\/\w+\.md$/.test(file))
    .map((file) => read(file).split("\n## Calls\n"))
    .filter(([, calls]) => calls !== undefined)
    .map(([text, calls]) => ({
      resource: /^# (\w+)$/m.exec(text!)![1]!,
      calls: [...calls!.matchAll(/`([A-Z]+ \/[^`]+)`/g)].map(([, call]) => call!),
    }));
  expect(reference).toHaveLength(definitions.length + agentCommands.length);
  for (const { resource, calls } of reference) {
    expect({ resource, operations: operationsOf(resource) }).toEqual({
      resource,
      operations: expect.arrayContaining(calls),
    });
  }
});

describe("the emulator receives exactly these operations from", () => {
  const shared = shareHost({ timeScale: 0 }, { env: fastClock(10) });
  beforeEach(() => {
    const { url, apiKey } = shared().emulator;
    pulumi.runtime.setAllConfig({ "tunnel-edge:baseUrl": url, "tunnel-edge:apiKey": apiKey });
  });
  const takeCalls = () => [...new Set(shared().emulator.calls())].sort();

  test.each(samples)("$type", async (sample) => {
    const { emulator, host } = shared();
    const parents = sample.parents?.(emulator) ?? {};
    const args = (tag: string) => sample.programs(tag).map((program) => ({ ...parents, ...program }));
    const [first, second] = args("mine") as [Properties, Properties];
    const resource = host.resource(sample.type, "mine");
    const other = host.resource(sample.type, "other");
    emulator.clearRequests();
    await resource.up(first);
    await resource.refresh();
    for (const [name, { module }] of Object.entries<Field>(definitionOf(sample).fields)) {
      if (!module) continue;
      const { [name]: declared, ...rest } = first;
      await resource.up({ ...first, [name]: { ...declared, enabled: false } });
      await resource.up(rest);
      await resource.up(first);
    }
    await resource.up(second);
    if (parentsOf(definitionOf(sample)).length === 0) {
      await other.up(args("other")[0]!);
      await Promise.all([resource.refresh(), other.refresh()]);
      await causeConflict(sample);
      await other.destroy();
    }
    await resource.destroy();
    expect(takeCalls()).toEqual(operationsOf(sample.type));
  });

  /** Creates a resource whose unique value an object outside of the program has. */
  async function causeConflict(sample: Sample): Promise<void> {
    const { emulator, host } = shared();
    const { unique } = definitionOf(sample) as Extract<Definition, { kind: "object" }>;
    if (!unique) return;
    const [args] = sample.programs("theirs");
    const list = unique.among.at(-1)!.route.replace("GET ", "");
    emulator.api("POST", list, { [toSnakeCase(unique.argument)]: args[unique.argument] });
    expect(await errorOf(host.resource(sample.type, "late").up(args))).toContain("is already used by");
  }

  test("TunnelSessionCommand", async () => {
    const { emulator, host } = shared();
    for (const command of ["update", "restart", "stop"]) {
      const [session] = emulator.seed({ sessions: [{}] }).sessions;
      await host.resource("TunnelSessionCommand", command).up({ sessionId: session!.id, commands: [command] });
    }
    expect(takeCalls()).toEqual(operationsOf("TunnelSessionCommand"));
  });

  type Read = (args?: object) => Promise<unknown>;
  const functions = tunnel as unknown as Record<string, Read>;

  test.each([...definitions, ...readOnly])("the functions that read $type", async (definition) => {
    const { emulator, host } = shared();
    emulator.seed({ sessions: [{ id: "ts_1" }], tunnels: [{ id: "tn_1" }] });
    let args: Properties = { id: definition.type === "Tunnel" ? "tn_1" : "ts_1" };
    if (definition.kind !== "readOnly") {
      const sample = samples.find(({ type }) => type === definition.type)!;
      const parents = sample.parents?.(emulator) ?? {};
      const resource = host.resource(sample.type);
      await resource.up({ ...parents, ...sample.programs("mine")[0] });
      args = definition.kind === "module" ? parents : { id: resource.state!.id };
    }
    const single = `get${definition.type}`;
    emulator.clearRequests();
    await functions[single]!(args);
    expect(takeCalls()).toEqual(operationsOf(single));
    if (definition.kind === "module") return;
    const plural = `get${definition.plural}`;
    emulator.clearRequests();
    await functions[plural]!();
    expect(takeCalls()).toEqual(operationsOf(plural));
  });
});
