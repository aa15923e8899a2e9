/** A stack moves from the dynamic provider to the plugin and back: the engine keeps inputs, outputs and id. */
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { findResource } from "../../src/definitions";
import { type Sample, samples } from "../support/data/samples";
import { Host } from "../support/engine/host";
import { Plugin } from "../support/engine/plugin";
import type { Properties } from "../support/engine/provider";

let emulator: Emulator;
let dynamic: Host;
let plugin: Plugin;
beforeAll(async () => {
  emulator = await startEmulator();
  const config = { "tunnel-edge:baseUrl": emulator.url, "tunnel-edge:apiKey": emulator.apiKey };
  [dynamic, plugin] = await Promise.all([Host.start({ config }), Plugin.start({ config })]);
});
beforeEach(async () => {
  emulator.reset();
  await Promise.all([dynamic.startNewRun(), plugin.startNewRun()]);
});
afterAll(() => emulator.close());

/** A command is no object: nothing may be sent again. */
const command: Pick<Sample, "type" | "programs" | "parents"> = {
  type: "TunnelSessionCommand",
  parents: () => ({ sessionId: emulator.seed({ sessions: [{ os: "linux" }] }).sessions[0]!.id }),
  programs: () => [{ commands: ["restart"], triggers: ["1"] }, {}],
};

const writes = () => emulator.calls().filter((call) => !call.startsWith("GET "));

describe.each(samples)("$type", ({ type, programs, parents }) => {
  const create = async () => {
    const [args] = programs("a").map((each) => ({ ...parents?.(emulator), ...each })) as [object];
    const resource = dynamic.resource(type);
    await resource.up(args);
    emulator.clearRequests();
    return { resource, args };
  };

  test("to the plugin nothing changes; back is an update without a call", async () => {
    const { resource, args } = await create();
    resource.useProvider(plugin);
    expect(await resource.preview(args)).toMatchObject({ step: "same", changed: [] });
    expect(await resource.up(args)).toBe("same");
    expect(await resource.refresh()).not.toBe("gone");
    expect(await resource.up(args)).toBe("same");
    resource.useProvider(dynamic);
    expect(await resource.up(args)).toBe("update");
    expect(await resource.up(args)).toBe("same");
    expect(writes()).toEqual([]);
  });

  test("an argument that is dropped on the plugin is removed there, and stays so", async () => {
    const { resource, args } = await create();
    const [dropped] = ["description", "minVersion", "scopes", "remove", "allow"].filter((name) => name in args);
    if (!dropped) return;
    const { [dropped]: _, ...rest } = args as Record<string, unknown>;
    resource.useProvider(plugin);
    expect(await resource.up(rest)).toBe("update");
    emulator.clearRequests();
    expect(await resource.up(rest)).toBe("same");
    resource.useProvider(dynamic);
    await resource.up(rest);
    expect(await resource.up(rest)).toBe("same");
    expect(writes()).toEqual([]);
  });
});

const required = (type: string, args: Properties) =>
  Object.fromEntries(Object.entries(args).filter(([name]) => findResource(type).fields[name]!.required));
const droppable = (type: string, args: Properties) =>
  Object.keys(args).filter((name) => {
    const { required, replaces } = findResource(type).fields[name]!;
    return !required && !replaces;
  });

describe.each([...samples, command])(
  "$type, from the plugin to the classes and back",
  ({ type, programs, parents }) => {
    const amounts: Record<string, (args: Properties) => Properties> = {
      no: (args) => required(type, args),
      some: (args) => ({ ...required(type, args), ...Object.fromEntries(Object.entries(args).slice(0, 2)) }),
      all: (args) => args,
    };
    const sends = () => emulator.calls().filter((call) => !call.startsWith("GET "));

    for (const [amount, pick] of Object.entries(amounts)) {
      for (const ignoreChanges of [undefined, ["*"]]) {
        test(`${amount} arguments${ignoreChanges ? ', with ignoreChanges: ["*"]' : ""}`, async () => {
          const args = pick({ ...parents?.(emulator), ...programs("a")[0] });
          const opts = { ignoreChanges };
          const resource = plugin.resource(type);
          await resource.up(args, opts);
          await resource.up(args, opts);
          emulator.clearRequests();
          resource.useProvider(dynamic);
          expect(await resource.up(args, opts)).toBe("update");
          expect(resource.state!.outputs["__provider"]).toBeDefined();
          expect(await resource.refresh()).not.toBe("gone");
          expect(await resource.up(args, opts)).toBe("same");
          resource.useProvider(plugin);
          expect(await resource.up(args, opts)).toBe("same");
          resource.useProvider(dynamic);
          expect(await resource.up(args, opts)).toBe("same");
          expect(sends()).toEqual([]);
        });
      }
    }

    const [args] = programs("a");
    for (const dropped of type === command.type ? [] : droppable(type, args)) {
      test(`${dropped}, which the program drops in the run of the move, is removed`, async () => {
        const all = { ...parents?.(emulator), ...args };
        const { [dropped]: _, ...rest } = all;
        const resource = plugin.resource(type);
        await resource.up(all);
        emulator.clearRequests();
        resource.useProvider(dynamic);
        expect(await resource.up(rest)).toMatch(/update|replace/);
        const moved = sends();
        emulator.clearRequests();
        expect(await resource.up(rest)).toBe("same");
        expect(sends()).toEqual([]);
        // As the plugin does it.
        const other = plugin.resource(type, "other");
        await plugin.startNewRun();
        const { [dropped]: __, ...restOfOther } = { ...all, ...programs("b")[0] };
        await other.up({ ...all, ...programs("b")[0] });
        emulator.clearRequests();
        await other.up(restOfOther);
        expect(moved).toEqual(sends());
      });
    }
  },
);

test("what an import read, or what was ignored, stays when it moves to the classes", async () => {
  const properties = { description: "a", ip_restriction: { ip_policy_ids: ["ipp_a"] } };
  const { id } = emulator.api<{ id: string }>("POST", "/edges/tcp", properties);
  const imported = plugin.resource("TcpEdge", "imported");
  await imported.import(id);
  const ignored = plugin.resource("TcpEdge", "ignored");
  await ignored.up({ description: "b", ipRestriction: { ipPolicyIds: ["ipp_a"] } });
  await ignored.up({ description: "b" }, { ignoreChanges: ["ipRestriction"] });
  emulator.clearRequests();
  for (const edge of [imported, ignored]) {
    edge.useProvider(dynamic);
    expect(await edge.up({ description: edge.outputs.description })).toBe("update");
    expect(await edge.up({ description: edge.outputs.description })).toBe("same");
  }
  expect(writes()).toEqual([]);
});

describe("with an unfinished update", () => {
  const [before, after] = [{ description: "a", ipRestriction: { ipPolicyIds: ["ipp_a"] } }, { description: "b" }];

  test.each([
    ["to the plugin", () => [dynamic, plugin] as const],
    ["back", () => [plugin, dynamic] as const],
  ])("%s", async (_, providers) => {
    const [first, second] = providers();
    const edge = first.resource("TcpEdge");
    await edge.up(before);
    emulator.fail({ method: "DELETE", status: 403 });
    await expect(edge.up(after)).rejects.toThrow("403");
    delete edge.state!.hasInitErrors;
    emulator.clearRequests();
    edge.useProvider(second);
    expect(await edge.up(after)).toBe("update");
    expect(writes()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
    expect(await edge.up(after)).toBe("same");
  });
});
