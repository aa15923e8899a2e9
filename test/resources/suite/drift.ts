import { toSnakeCase } from "../../../src/base/json";
import type { Properties } from "../../support/engine/provider";
import type { ResourceDriver } from "../../support/engine/resourceDriver";
import { describe, test } from "../../support/engine/testedProvider";
import type { Fixture } from "./fixture";
import { fieldAt, parsePath } from "./table";

export function testDrift(fixture: Fixture): void {
  const { definition, table, rows } = fixture;
  const { fields } = definition;
  const changeable = rows.filter(([, { outsideValue }]) => outsideValue !== undefined).map(([path]) => path);

  async function expectRepaired(
    resource: ResourceDriver,
    args: Properties,
    path: string,
    declared: "full" | "minimal",
  ): Promise<void> {
    expect(await resource.refresh()).toBe("changed");
    const { name } = parsePath(definition, path);
    expect(await resource.preview(args)).toEqual({ step: "update", replaces: [], changed: [name] });
    await fixture.expectUp(resource, args, "update", fixture.repairCalls(path, declared));
  }

  async function expectIgnored(resource: ResourceDriver, args: Properties): Promise<void> {
    const { id, inputs } = resource.state!;
    const held = fixture.fetchObject(id);
    expect(await resource.refresh()).toBe("changed"); // in the outputs, but not in the inputs
    expect(resource.state!.inputs).toEqual(inputs);
    await fixture.expectSettled(resource, args);
    expect(fixture.fetchObject(id)).toEqual(held);
  }

  describe("changed outside of Pulumi", () => {
    test("every argument is covered", () => {
      const fixed = rows.filter(([path]) => !changeable.includes(path));
      for (const [path, { baseArgs }] of fixed) {
        const { replaces, clientOnly } = fieldAt(definition, path);
        // What is incompatible with the other arguments is tested in the resource's own file.
        expect({ path, excused: Boolean(replaces || clientOnly || baseArgs) }).toEqual({ path, excused: true });
      }
    });

    for (const path of changeable) {
      fixture.testOf(path)(`${path}, declared: displayed and repaired`, async () => {
        const resource = await fixture.createResource();
        fixture.changedOutside(resource.state!.id, path, "full");
        await expectRepaired(resource, fixture.full, path, "full");
      });

      const { required, module } = fieldAt(definition, path);
      if (required || module) continue;
      const watched = table.rows[path]!.nonDefault !== undefined;
      fixture.testOf(path)(
        `${path}, not declared: ${watched ? "displayed and repaired anyway" : "ignored"}`,
        async () => {
          const args = fixture.minimalArgs(path);
          const resource = await fixture.createResource(args);
          fixture.changedOutside(resource.state!.id, path, "minimal");
          await (watched ? expectRepaired(resource, args, path, "minimal") : expectIgnored(resource, args));
        },
      );
    }

    const modules = Object.keys(fields).filter((name) => fields[name]!.module);
    if (modules.length > 0) {
      test("modules that the program never declares are never changed or displayed", async () => {
        const { minimal, emulator } = fixture;
        const resource = await fixture.createResource(minimal);
        const { id } = resource.state!;
        const theirs = Object.fromEntries(modules.map(toSnakeCase).map((name) => [name, table.wire[name]]));
        emulator.api("PATCH", fixture.pathTo(id), theirs);
        await expectIgnored(resource, minimal);
        const held = fixture.fetchObject(id);
        for (const description of ["ours", "ours again", undefined]) {
          expect(await resource.up({ ...minimal, ...(description && { description }) })).toBe("update");
        }
        expect(fixture.fetchObject(id)).toEqual(held);
      });
    }
  });
}
