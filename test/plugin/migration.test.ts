/** A stack moves from the dynamic provider to the plugin and back: the engine keeps inputs, outputs and id. */
import { findResource } from "../../src/definitions";
import { type Sample, samples } from "../support/data/samples";
import type { Properties, ProviderKind } from "../support/engine/provider";
import { Stack } from "../support/engine/stack";

/** A resource of a stack with this provider. */
async function start(kind: ProviderKind, { type, parents }: Pick<Sample, "type" | "parents">) {
  const stack = await Stack.start({ kind });
  const { emulator } = stack;
  const writes = () => stack.writes;
  return { stack, emulator, resource: stack.resource(type), parents: parents?.(emulator) ?? {}, writes };
}

/** A command is no object: nothing may be sent again. */
const command: Pick<Sample, "type" | "programs" | "parents"> = {
  type: "TunnelSessionCommand",
  parents: (emulator) => ({ sessionId: emulator.seed({ sessions: [{ os: "linux" }] }).sessions[0]!.id }),
  programs: () => [{ commands: ["restart"], triggers: ["1"] }, {}],
};

describe.each(samples)("$type", (sample) => {
  const create = async () => {
    const { parents, ...started } = await start("dynamic", sample);
    const args: Properties = { ...parents, ...sample.programs("a")[0] };
    await started.resource.up(args);
    started.stack.next("plugin");
    return { ...started, args };
  };

  test("moves to the plugin without changes, and back with an update without a call", async () => {
    const { stack, resource, args, writes } = await create();
    expect(await resource.preview(args)).toMatchObject({ step: "same", changed: [] });
    expect(await resource.up(args)).toBe("same");
    expect(await resource.refresh()).not.toBe("gone");
    expect(await resource.up(args)).toBe("same");
    expect(writes()).toEqual([]);
    stack.next("dynamic");
    expect(await resource.up(args)).toBe("update");
    expect(await resource.up(args)).toBe("same");
    expect(writes()).toEqual([]);
  });

  test("an argument that is dropped on the plugin is removed there, and stays so", async () => {
    const { stack, resource, args, writes } = await create();
    const [dropped] = ["description", "minVersion", "scopes", "remove", "allow"].filter((name) => name in args);
    if (!dropped) return;
    const { [dropped]: _, ...rest } = args;
    expect(await resource.up(rest)).toBe("update");
    stack.next();
    expect(await resource.up(rest)).toBe("same");
    expect(writes()).toEqual([]);
    stack.next("dynamic");
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

describe.each([...samples, command])("$type, from the plugin to the classes and back", (sample) => {
  const { type, programs } = sample;
  const amounts: Record<string, (args: Properties) => Properties> = {
    no: (args) => required(type, args),
    some: (args) => ({ ...required(type, args), ...Object.fromEntries(Object.entries(args).slice(0, 2)) }),
    all: (args) => args,
  };

  for (const [amount, pick] of Object.entries(amounts)) {
    for (const ignoreChanges of [undefined, ["*"]]) {
      test(`${amount} arguments${ignoreChanges ? ', with ignoreChanges: ["*"]' : ""}`, async () => {
        const { stack, resource, parents, writes } = await start("plugin", sample);
        const args = pick({ ...parents, ...programs("a")[0] });
        const opts = { ignoreChanges };
        await resource.up(args, opts);
        stack.next();
        await resource.up(args, opts);
        stack.next("dynamic");
        expect(await resource.up(args, opts)).toBe("update");
        expect(resource.state!.outputs["__provider"]).toBeDefined();
        expect(await resource.refresh()).not.toBe("gone");
        expect(await resource.up(args, opts)).toBe("same");
        expect(writes()).toEqual([]);
        for (const kind of ["plugin", "dynamic"] as const) {
          stack.next(kind);
          expect(await resource.up(args, opts)).toBe("same");
          expect(writes()).toEqual([]);
        }
      });
    }
  }

  const [args] = programs("a");
  for (const dropped of type === command.type ? [] : droppable(type, args)) {
    test(`${dropped}, which the program drops in the run of the move, is removed as the plugin does it`, async () => {
      const removals = await Promise.all(
        (["dynamic", "plugin"] as const).map(async (kind) => {
          const { stack, resource, parents, writes } = await start("plugin", sample);
          const { [dropped]: _, ...rest } = { ...parents, ...args };
          await resource.up({ ...parents, ...args });
          stack.next(kind);
          expect(await resource.up(rest)).toMatch(/update|replace/);
          const sent = writes();
          stack.next();
          expect(await resource.up(rest)).toBe("same");
          expect(writes()).toEqual([]);
          return sent;
        }),
      );
      expect(removals[0]).toEqual(removals[1]);
    });
  }
});

test("imported and ignored values stay when the resource moves to the classes", async () => {
  const stack = await Stack.start({ kind: "plugin" });
  const properties = { description: "a", ip_restriction: { ip_policy_ids: ["ipp_a"] } };
  const { id } = stack.emulator.api<{ id: string }>("POST", "/edges/tcp", properties);
  const imported = stack.resource("TcpEdge", "imported");
  await imported.import(id);
  const ignored = stack.resource("TcpEdge", "ignored");
  await ignored.up({ description: "b", ipRestriction: { ipPolicyIds: ["ipp_a"] } });
  await ignored.up({ description: "b" }, { ignoreChanges: ["ipRestriction"] });
  stack.next("dynamic");
  for (const edge of [imported, ignored]) {
    expect(await edge.up({ description: edge.outputs.description })).toBe("update");
    expect(await edge.up({ description: edge.outputs.description })).toBe("same");
  }
  expect(stack.writes).toEqual([]);
});

test.each([
  ["dynamic", "plugin"],
  ["plugin", "dynamic"],
] as const)("an unfinished update moves from %s to %s", async (from, to) => {
  const [before, after] = [{ description: "a", ipRestriction: { ipPolicyIds: ["ipp_a"] } }, { description: "b" }];
  const { stack, emulator, resource, writes } = await start(from, { type: "TcpEdge" });
  await resource.up(before);
  emulator.fail({ method: "DELETE", status: 403 });
  await expect(resource.up(after)).rejects.toThrow("403");
  delete resource.state!.hasInitErrors;
  stack.next(to);
  expect(await resource.up(after)).toBe("update");
  expect(writes()).toEqual(["DELETE /edges/tcp/{id}/ip_restriction"]);
  expect(await resource.up(after)).toBe("same");
});
