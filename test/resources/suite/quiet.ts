import type { Stage } from "./stage";
import { at, fieldAt, put } from "./table";

export function quietness(stage: Stage): void {
  const { definition, table, paths } = stage;
  const lists = paths.filter((path) => Array.isArray(at(table.full, path)));
  const reversed = (list: unknown) => [...(list as unknown[])].reverse();

  for (const path of lists) {
    const { ordered } = table.rows[path]!;
    describe(`the order of ${path} ${ordered ? "has a meaning" : "has none"}`, () => {
      test("in the program", async () => {
        const life = await stage.begun();
        const args = put(stage.full, path, reversed(at(stage.full, path)));
        expect(args).not.toEqual(stage.full);
        const step = ordered ? "update" : "same";
        expect(await life.preview(args)).toEqual({ step, replaces: [], changed: ordered ? [path.split(".")[0]] : [] });
        expect(await life.up(args)).toBe(step);
        if (!ordered) expect(stage.took()).toEqual([]);
        await stage.settled(life, args);
      });

      test("in the service", async () => {
        const life = await stage.begun();
        stage.changedByOthers(life.state!.id, path, "full", reversed(stage.wireAt(path)));
        expect(await life.refresh()).toBe(ordered ? "changed" : "same");
        expect((await life.preview(stage.full)).step).toBe(ordered ? "update" : "same");
      });
    });
  }

  describe("stated with the value it has already: a change with no request", () => {
    const optional = paths.filter((path) => {
      const { required, replaces, clientOnly } = fieldAt(definition, path);
      return !required && !replaces && !clientOnly;
    });
    for (const path of optional) {
      test(path, async () => {
        const args = stage.around(path);
        const life = await stage.begun(args);
        stage.changedByOthers(life.state!.id, path, "least", stage.wireAt(path));
        await life.refresh();
        stage.took();
        const stating = put(args, path, at(table.full, path));
        expect((await life.preview(stating)).step).toBe("update");
        expect(await life.up(stating)).toBe("update");
        expect(stage.took()).toEqual([]);
        await stage.settled(life, stating);
      });
    }
  });
}
