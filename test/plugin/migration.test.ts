/** A stack moves from the dynamic provider to the plugin and back: the engine keeps inputs, outputs and id. */
import { type Emulator, startEmulator } from "pulumi-tunnel-edge/emulator";
import { Host } from "../support/host";
import { Plugin } from "../support/plugin";
import { samples } from "../support/samples";

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
