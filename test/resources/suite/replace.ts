import { expand } from "../../../src/api/routes";
import { paramsOf } from "../../../src/definitions/definition";
import { countOf, refusal, type Stage } from "./stage";
import { type Call, put } from "./table";

export function replacement(stage: Stage): void {
  const { definition, table, parents, paths } = stage;
  const { routes } = definition;

  describe("replaced", () => {
    test("by force: service and state agree afterwards", async () => {
      const { full, emulator } = stage;
      const life = (await stage.begun()).on(stage.next);
      const before = emulator.account;
      const old = life.state!.id;
      if (table.collides) {
        expect(await refusal(life.up(full, { forced: true }))).toContain("set the option deleteBeforeReplace");
        expect(life.state!.id).toBe(old);
        expect(emulator.account).toEqual(before);
        stage.took();
      }
      const deleteBeforeReplace = definition.deleteBeforeReplace ?? table.collides ?? false;
      expect(await life.up(full, { forced: true, deleteBeforeReplace })).toBe("replace");
      const [create, remove]: Call[] = [[routes.create, table.wire], [routes.delete]];
      // A module's replacement is the module itself: deleting the old one would delete the new.
      const calls = parents.length > 0 ? [create] : deleteBeforeReplace ? [remove, create] : [create, remove];
      expect(stage.took()).toEqual(calls);
      expect(life.state!.id === old).toBe(parents.length > 0);
      await stage.settled(life, full);
      expect(countOf(emulator.account)).toEqual(countOf(before));
    });

    test("by force, with an import still stated: the object stays", async () => {
      const { full, emulator } = stage;
      const id = stage.madeByOthers();
      const life = stage.resource();
      await life.up(full, { import: id });
      const before = emulator.account;
      stage.took();
      expect(await life.on(stage.next).up(full, { import: id, forced: true })).toBe("replace");
      expect(stage.took().filter(([call]) => call !== routes.read)).toEqual([]);
      expect(life.state!.id).toBe(id);
      expect(emulator.account).toEqual(before);
      await stage.settled(life, full);
    });

    test("where the option replaceOnChanges asks for it", async () => {
      const path = paths.find((each) => table.rows[each]!.change?.step === "update" && !each.includes("."))!;
      const options = { replaceOnChanges: [path] };
      const life = await stage.begun();
      const changed = put(stage.full, path, table.rows[path]!.other);
      expect(await life.preview(changed, options)).toMatchObject({ step: "replace", replaces: [path] });
      expect(await life.preview(changed)).toMatchObject({ step: "update", replaces: [] });
      expect(await life.preview(stage.full, options)).toMatchObject({ step: "same" });
    });

    if (parents.length > 0) {
      test("when it moves: it is there before it is gone here", async () => {
        for (let place = 0; place < stage.elsewhere.length; place++) {
          stage.clear();
          const { full, emulator } = stage;
          const moved = { ...full, ...stage.elsewhere[place] };
          const life = (await stage.begun()).on(stage.next);
          const { path: old } = expand(routes.delete, paramsOf(definition, life.state!.id));
          const changed = parents.filter((name) => moved[name] !== full[name]);
          expect(await life.preview(moved)).toEqual({ step: "replace", replaces: changed, changed });
          expect(await life.up(moved)).toBe("replace");
          expect(emulator.calls({ ids: true })).toEqual([`PUT ${stage.pathTo(life.state!.id)}`, `DELETE ${old}`]);
          await stage.settled(life, moved);
        }
      });
    }
  });
}
