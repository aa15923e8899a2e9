import { toSnakeCase } from "../../../src/json";
import type { Bag, Life } from "../../support/host";
import type { Stage } from "./stage";
import { fieldAt, partsOf } from "./table";

export function changedByOthers(stage: Stage): void {
  const { definition, table, rows } = stage;
  const { fields } = definition;
  const changeable = rows.filter(([, { theirs }]) => theirs !== undefined).map(([path]) => path);

  async function shownAndRepaired(life: Life, args: Bag, path: string, stated: "full" | "least"): Promise<void> {
    expect(await life.refresh()).toBe("changed");
    const { name } = partsOf(definition, path);
    expect(await life.preview(args)).toEqual({ step: "update", replaces: [], changed: [name] });
    stage.took();
    expect(await life.up(args)).toBe("update");
    expect(stage.took()).toEqual(stage.repair(path, stated));
    await stage.settled(life, args);
  }

  async function neverShown(life: Life, args: Bag): Promise<void> {
    const { id, inputs } = life.state!;
    const held = stage.heldByService(id);
    expect(await life.refresh()).toBe("changed"); // the outputs show it, the inputs do not
    expect(life.state!.inputs).toEqual(inputs);
    await stage.settled(life, args);
    expect(stage.heldByService(id)).toEqual(held);
  }

  describe("changed by someone else", () => {
    test("none is left out", () => {
      const fixed = rows.filter(([path]) => !changeable.includes(path));
      for (const [path, { around }] of fixed) {
        const { replaces, clientOnly } = fieldAt(definition, path);
        // What cannot stand beside the rest is tried in the resource's own file.
        expect({ path, excused: Boolean(replaces || clientOnly || around) }).toEqual({ path, excused: true });
      }
    });

    for (const path of changeable) {
      test(`${path}, stated: shown and repaired`, async () => {
        const life = await stage.begun();
        stage.changedByOthers(life.state!.id, path, "full");
        await shownAndRepaired(life, stage.full, path, "full");
      });

      const { required, module } = fieldAt(definition, path);
      if (required || module) continue;
      const watched = table.rows[path]!.againstDefault !== undefined;
      test(`${path}, not stated: ${watched ? "shown and repaired all the same" : "never shown"}`, async () => {
        const args = stage.around(path);
        const life = await stage.begun(args);
        stage.changedByOthers(life.state!.id, path, "least");
        await (watched ? shownAndRepaired(life, args, path, "least") : neverShown(life, args));
      });
    }

    const modules = Object.keys(fields).filter((name) => fields[name]!.module);
    if (modules.length > 0) {
      test("modules that the program never mentions survive everything and never show", async () => {
        const { least, emulator } = stage;
        const life = await stage.begun(least);
        const { id } = life.state!;
        const theirs = Object.fromEntries(modules.map(toSnakeCase).map((name) => [name, table.wire[name]]));
        emulator.api("PATCH", stage.pathTo(id), theirs);
        await neverShown(life, least);
        const held = stage.heldByService(id);
        for (const description of ["ours", "ours again", undefined]) {
          expect(await life.up({ ...least, ...(description && { description }) })).toBe("update");
        }
        expect(stage.heldByService(id)).toEqual(held);
      });
    }
  });
}
