import { toSnakeCase } from "../../../src/json";
import { unknown } from "../../support/host";
import { refusal, type Stage } from "./stage";
import { fieldAt, partsOf, required } from "./table";

export function getAndImport(stage: Stage): void {
  const { definition, table, rows, parents } = stage;
  const { fields, routes, outputs, displayName } = definition;
  const changeable = rows.filter(([, { theirs }]) => theirs !== undefined).map(([path]) => path);

  describe("get", () => {
    test("shows everything, manages nothing, and writes nothing", async () => {
      const id = stage.madeByOthers();
      const life = stage.resource();
      const shown = await life.get(id);
      expect(shown).toMatchObject(
        Object.fromEntries(Object.entries(stage.full).filter(([name]) => !fields[name]!.clientOnly)),
      );
      const told = Object.keys(outputs).filter((name) => !outputs[name]!.once);
      expect(Object.keys(shown)).toEqual(expect.arrayContaining(told));
      expect(life.state!.outputs["__managed"]).toBe("");
      expect(stage.took()).toEqual([[routes.read]]);
    });

    test("of nothing finds nothing", async () => {
      const id = stage.madeByOthers();
      stage.deletedByOthers(id);
      expect(await refusal(stage.resource().get(id))).toBe(`There is no ${displayName} ${id}: correct the id.`);
    });
  });

  describe("import", () => {
    test("takes over what matches, with no write, and the option can go later", async () => {
      const { full, emulator } = stage;
      const id = stage.madeByOthers();
      const before = emulator.account;
      const life = stage.resource();
      expect(await life.preview(full, { import: id })).toMatchObject({ step: "create" });
      expect(stage.took()).toEqual([[routes.read]]);
      expect(await life.up(full, { import: id })).toBe("create");
      expect(stage.took()).toEqual([[routes.read], [routes.read]]);
      expect(life.state!.id).toBe(id);
      expect(emulator.account).toEqual(before);
      expect(await life.up(full, { import: id })).toBe("same");
      await stage.settled(life, full);
    });

    test("with the least stated manages no more than that", async () => {
      const id = stage.madeByOthers(parents.length > 0 ? required(table.wire, fields, toSnakeCase) : table.wire);
      const held = stage.heldByService(id);
      const life = stage.resource();
      expect(await life.up(stage.least, { import: id })).toBe("create");
      await stage.settled(life, stage.least);
      expect(stage.heldByService(id)).toEqual(held);
    });

    for (const path of changeable) {
      test(`shows at preview that ${path} differs`, async () => {
        const { full, emulator } = stage;
        const id = stage.madeByOthers();
        stage.changedByOthers(id, path, "full");
        const before = emulator.account;
        const message = await refusal(stage.resource().preview(full, { import: id }));
        const there = `${displayName} ${id}`;
        const { module, quotable } = fieldAt(definition, path);
        const words = module
          ? `is declared, but ${there} does not have it; leave it out`
          : `${quotable ? `is .+ in the program, but .+ in ${there}` : `differs from that of ${there}`}; declare what it has(, or leave it out)?`;
        expect(message).toMatch(new RegExp(`^${path} ${words}$`));
        expect(emulator.account).toEqual(before);
        expect(stage.took()).toEqual([[routes.read]]);
      });
    }

    for (const [path, { againstDefault }] of rows) {
      if (againstDefault === undefined) continue;
      test(`shows at preview that ${path} is not stated and has not its default`, async () => {
        const { name, module } = partsOf(definition, path);
        const inModule = module && {
          [toSnakeCase(name)]: required(table.wire[toSnakeCase(name)], module, toSnakeCase),
        };
        const id = stage.madeByOthers({ ...required(table.wire, fields, toSnakeCase), ...inModule });
        stage.changedByOthers(id, path, "least");
        const message = await refusal(stage.resource().preview(stage.around(path), { import: id }));
        const there = `${displayName} ${id}`;
        const { quotable, default: implied } = fieldAt(definition, path);
        const has = JSON.stringify(againstDefault);
        expect(message).toBe(
          quotable
            ? `${path} is not declared, which means ${implied}, but ${there} has ${has}; declare it`
            : `${path} is not declared, but ${there} has it; declare it`,
        );
      });
    }

    test("adopts in the up only what still matches", async () => {
      const id = stage.madeByOthers();
      const { inputs } = await stage.host.check({}, stage.resource().stating(stage.full, { import: id }));
      const [path] = changeable as [string];
      stage.changedByOthers(id, path, "full");
      expect(await refusal(stage.host.create(inputs))).toMatch(`${displayName} ${id} could not be imported: ${path} `);
    });

    test("of what is not there says so", async () => {
      const id = stage.madeByOthers();
      stage.deletedByOthers(id);
      expect(await refusal(stage.resource().up(stage.full, { import: id }))).toBe(
        `there is no ${displayName} ${id}: correct the id, or take the import option out to create one.`,
      );
    });

    test("of another object is refused on a resource that exists", async () => {
      const life = await stage.begun();
      const { id } = life.state!;
      expect(await refusal(life.preview(stage.full, { import: `${id}x` }))).toBe(
        `This resource is ${displayName} ${id} already, so it cannot import ${id}x: take the import option out, or give ` +
          `the imported ${displayName} a resource of its own.`,
      );
    });

    test("with arguments not known yet waits for them", async () => {
      const id = stage.madeByOthers();
      const args = Object.fromEntries(Object.keys(stage.full).map((name) => [name, unknown]));
      expect(await stage.resource().preview(args, { import: id })).toMatchObject({ step: "create" });
    });

    if (parents.length > 0) {
      test("of another object than the arguments name is refused", async () => {
        const id = stage.madeByOthers();
        const args = { ...stage.full, ...stage.elsewhere[0] };
        const own = parents.map((name) => args[name]).join("/");
        expect(await refusal(stage.resource().preview(args, { import: id }))).toBe(
          `the program states ${displayName} ${own}, and imports ${id}: make them the same.`,
        );
      });
    }
  });
}
