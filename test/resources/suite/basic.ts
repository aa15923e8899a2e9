import { toSnakeCase } from "../../../src/json";
import { refusal, type Stage } from "./stage";
import { required } from "./table";

export function basic(stage: Stage): void {
  const { definition, table, parents, paths } = stage;
  const { fields, routes, outputs } = definition;
  const parentIds = () => parents.map((name) => stage.full[name]).join("/");

  for (const which of ["full", "least"] as const) {
    test(`up with ${which} arguments, up again, preview, refresh, destroy`, async () => {
      const { emulator, [which]: args } = stage;
      const before = emulator.account;
      const life = stage.resource();
      expect(await life.preview(args)).toEqual({ step: "create", replaces: [], changed: expect.anything() });
      expect(stage.took()).toEqual([]);
      expect(await life.up(args)).toBe("create");
      const body = which === "full" ? table.wire : required(table.wire, fields, toSnakeCase);
      expect(stage.took()).toEqual([[routes.create, body]]);
      expect(life.outputs).toMatchObject(args);
      expect(Object.keys(life.outputs)).toEqual(expect.arrayContaining(Object.keys(outputs)));
      if (parents.length > 0) expect(life.state!.id).toBe(parentIds());
      await stage.settled(life, args);
      await life.refresh();
      expect(stage.took()).toEqual([[routes.read]]);
      await life.destroy();
      expect(stage.took()).toEqual([[routes.delete]]);
      expect(emulator.account).toEqual(before);
    });
  }

  if (parents.length > 0) {
    test("a module that is there already is replaced, by one PUT", async () => {
      const { theirs } = table.rows[paths[0]!]!;
      stage.madeByOthers({ ...table.wire, [toSnakeCase(paths[0]!)]: theirs });
      const life = await stage.resource();
      expect(await life.up(stage.full)).toBe("create");
      expect(stage.took()).toEqual([[routes.create, table.wire]]);
      await stage.settled(life, stage.full);
    });
  }

  test("null is the same as not stated", async () => {
    const { full, least } = stage;
    const nulls = Object.fromEntries(Object.keys(full).map((name) => [name, null]));
    const life = await stage.begun({ ...nulls, ...least });
    await stage.settled(life, least);
  });

  test("everything stated at once, and back", async () => {
    const { full, least } = stage;
    const { add, clear } = table.everything;
    const life = (await stage.begun(least)).on(stage.next);
    expect(await life.up(full)).toBe(add.step);
    expect(stage.took()).toEqual(add.calls);
    await stage.settled(life, full);
    expect(await life.on(stage.host).up(least)).toBe(clear.step);
    expect(stage.took()).toEqual(clear.calls);
    await stage.settled(life, least);
  });

  describe("disappears", () => {
    test("and is made again", async () => {
      const { full } = stage;
      const life = await stage.begun();
      stage.deletedByOthers(life.state!.id);
      expect(await life.refresh()).toBe("gone");
      stage.took();
      expect(await life.up(full)).toBe("create");
      expect(stage.took()).toEqual([[routes.create, table.wire]]);
      await stage.settled(life, full);
    });

    // What a service says of a module that is not set.
    for (const answer of parents.length > 0 ? ["null", ""] : []) {
      test(`and ${answer === "" ? "an empty answer" : answer} says so`, async () => {
        const life = await stage.begun();
        stage.emulator.fail({ method: "GET", status: 200, body: answer, times: 2 });
        expect(await life.refresh()).toBe("gone");
        expect(await refusal(stage.resource().up(stage.full, { import: parentIds() }))).toContain("there is no ");
      });
    }

    test("before it is destroyed, which is no failure", async () => {
      const life = await stage.begun();
      stage.deletedByOthers(life.state!.id);
      await life.destroy();
      expect(stage.took()[0]).toEqual([routes.delete]);
    });
  });
}
