import { toSnakeCase } from "../../../src/base/json";
import { managedWithoutFailure } from "../../support/engine/differences";
import { unknown } from "../../support/engine/provider";
import { describe, describeDynamic, describePlugin, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";
import type { Fixture } from "./fixture";
import { type Call, fieldAt, parsePath, pickRequired } from "./table";

export function testGetAndImport(fixture: Fixture): void {
  const { definition, fields, routes, table, rows, parents } = fixture;
  const { computed, displayName } = definition;
  const changeable = rows.filter(([, { outsideValue }]) => outsideValue !== undefined).map(([path]) => path);

  describe("get", () => {
    test("reads all outputs, manages nothing and writes nothing", async () => {
      const id = fixture.createdOutside();
      const resource = fixture.resource();
      const shown = await resource.get(id);
      expect(shown).toMatchObject(
        Object.fromEntries(Object.entries(fixture.full).filter(([name]) => !fields[name]!.clientOnly)),
      );
      const returned = Object.keys(computed).filter((name) => !computed[name]!.createOnly);
      expect(Object.keys(shown)).toEqual(expect.arrayContaining(returned));
      expect(resource.state!.outputs["__managed"]).toBe(managedWithoutFailure(""));
      expect(fixture.takeRequests()).toEqual([[routes.read]]);
    });

    test("of an object that does not exist fails", async () => {
      const id = fixture.createdOutside();
      fixture.deletedOutside(id);
      expect(await errorOf(fixture.resource().get(id))).toBe(`There is no ${displayName} ${id}. Check the id.`);
    });
  });

  describeDynamic("import", () => {
    test("imports a matching object without a write, and the option can be removed later", async () => {
      const { full, emulator } = fixture;
      const id = fixture.createdOutside();
      const before = emulator.account;
      const resource = fixture.resource();
      expect(await resource.preview(full, { import: id })).toMatchObject({ step: "create" });
      expect(fixture.takeRequests()).toEqual([[routes.read]]);
      expect(await resource.up(full, { import: id })).toBe("create");
      expect(fixture.takeRequests()).toEqual([[routes.read], [routes.read]]);
      expect(resource.state!.id).toBe(id);
      expect(emulator.account).toEqual(before);
      expect(await resource.up(full, { import: id })).toBe("same");
      await fixture.expectSettled(resource, full);
    });

    test("with only the required arguments manages only those", async () => {
      const id = fixture.createdOutside(
        parents.length > 0 ? pickRequired(table.wire, fields, toSnakeCase) : table.wire,
      );
      const held = fixture.fetchObject(id);
      const resource = fixture.resource();
      expect(await resource.up(fixture.minimal, { import: id })).toBe("create");
      await fixture.expectSettled(resource, fixture.minimal);
      expect(fixture.fetchObject(id)).toEqual(held);
    });

    for (const path of changeable) {
      test(`the preview shows that ${path} differs`, async () => {
        const { full, emulator } = fixture;
        const id = fixture.createdOutside();
        fixture.changedOutside(id, path, "full");
        const before = emulator.account;
        const message = await errorOf(fixture.resource().preview(full, { import: id }));
        const there = `${displayName} ${id}`;
        const { module, quotable } = fieldAt(definition, path);
        const words = module
          ? `is declared, but ${there} does not have it; leave it out`
          : `${quotable ? `is .+ in the program, but .+ in ${there}` : `differs from that of ${there}`}; declare the existing value(, or leave it out)?`;
        expect(message).toMatch(new RegExp(`^${path} ${words}$`));
        expect(emulator.account).toEqual(before);
        expect(fixture.takeRequests()).toEqual([[routes.read]]);
      });
    }

    for (const [path, { nonDefault }] of rows) {
      if (nonDefault === undefined) continue;
      test(`the preview shows that ${path} is not declared and does not have its default`, async () => {
        const { name, module } = parsePath(definition, path);
        const inModule = module && {
          [toSnakeCase(name)]: pickRequired(table.wire[toSnakeCase(name)], module, toSnakeCase),
        };
        const id = fixture.createdOutside({ ...pickRequired(table.wire, fields, toSnakeCase), ...inModule });
        fixture.changedOutside(id, path, "minimal");
        const message = await errorOf(fixture.resource().preview(fixture.minimalArgs(path), { import: id }));
        const there = `${displayName} ${id}`;
        const { quotable, default: implied } = fieldAt(definition, path);
        const has = JSON.stringify(nonDefault);
        expect(message).toBe(
          quotable
            ? `${path} is not declared, which means ${typeof implied === "string" ? JSON.stringify(implied) : implied}, but ${there} has ${has}; declare it`
            : `${path} is not declared, but ${there} has it; declare it`,
        );
      });
    }

    test("`pulumi up` imports the object only if it still matches", async () => {
      const id = fixture.createdOutside();
      const resource = fixture.resource();
      const inputs = await resource.check(fixture.full, { import: id });
      const [path] = changeable as [string];
      fixture.changedOutside(id, path, "full");
      expect(await errorOf(resource.create(inputs, { import: id }))).toMatch(
        `${displayName} ${id} could not be imported: ${path} `,
      );
    });

    test("of an object that does not exist fails", async () => {
      const id = fixture.createdOutside();
      fixture.deletedOutside(id);
      expect(await errorOf(fixture.resource().up(fixture.full, { import: id }))).toBe(
        `There is no ${displayName} ${id}. Check the id, or remove the import option to create one.`,
      );
    });

    test("of another object into an existing resource fails", async () => {
      const resource = await fixture.createResource();
      const { id } = resource.state!;
      expect(await errorOf(resource.preview(fixture.full, { import: `${id}x` }))).toBe(
        `This resource is already ${displayName} ${id}, so it cannot import ${id}x. Declare ${id}x under ` +
          "another name.",
      );
    });

    test("with unknown arguments is not compared in the preview", async () => {
      const id = fixture.createdOutside();
      const args = Object.fromEntries(Object.keys(fixture.full).map((name) => [name, unknown]));
      expect(await fixture.resource().preview(args, { import: id })).toMatchObject({ step: "create" });
    });

    if (parents.length > 0) {
      test("of another object than the arguments reference fails", async () => {
        const id = fixture.createdOutside();
        const args = { ...fixture.full, ...fixture.otherParents[0] };
        const own = parents.map((name) => args[name]).join("/");
        expect(await errorOf(fixture.resource().preview(args, { import: id }))).toBe(
          `The arguments are those of ${displayName} ${own}, but import is "${id}".`,
        );
      });
    }
  });
  describePlugin("import by the engine", () => {
    const isImported = (path: string) => !fields[path]!.clientOnly && !fields[path]!.mayBeChosen?.(table.full[path]);
    const droppable = rows.filter(
      ([path, { clear }]) =>
        clear?.calls.length && !path.includes(".") && isImported(path) && fixture.typical.includes(path),
    );
    const writesIn = (calls: Call[]) => calls.filter(([call]) => call !== routes.read);

    test("writes nothing if the program declares the same, in three runs with a refresh between them", async () => {
      const { full, emulator } = fixture;
      const id = fixture.createdOutside();
      const before = emulator.account;
      const resource = fixture.resource();
      // The update records what the program declares, and sends nothing.
      expect((await resource.preview(full, { import: id })).step).toBe("update");
      expect(await resource.up(full, { import: id })).toBe("update");
      for (let run = 2; run <= 3; run++) {
        await resource.refresh();
        expect(writesIn(fixture.takeRequests())).toEqual([]);
        fixture.stack.next();
        expect(await resource.up(full, { import: id })).toBe("same");
      }
      expect(writesIn(fixture.takeRequests())).toEqual([]);
      expect(emulator.account).toEqual(before);
      expect(resource.state!.inputs).toEqual(full);
      await fixture.expectSettled(resource, full);
    });

    test("leaves arguments alone that the program does not declare, then and later", async () => {
      const { minimal, emulator } = fixture;
      const id = fixture.createdOutside(
        parents.length > 0 ? pickRequired(table.wire, fields, toSnakeCase) : table.wire,
      );
      const before = emulator.account;
      const resource = fixture.resource();
      expect(await resource.up(minimal, { import: id })).toBe("update");
      await resource.refresh();
      fixture.stack.next();
      expect(await resource.up(minimal)).toBe("same");
      expect(resource.state!.inputs).toEqual(minimal);
      fixture.stack.next();
      expect(await resource.up(minimal)).toBe("same");
      await resource.refresh();
      expect(writesIn(fixture.takeRequests())).toEqual([]);
      expect(emulator.account).toEqual(before);
      await fixture.expectSettled(resource, minimal);
    });

    test("declares required arguments and those that somebody has set, not the service's choices", async () => {
      const id = fixture.createdOutside(pickRequired(table.wire, fields, toSnakeCase));
      const resource = fixture.resource();
      await resource.import(id);
      expect(resource.state!.inputs).toEqual({ ...fixture.minimal, __imported: true });
    });

    for (const [path, { clear }] of droppable) {
      test(`removes ${path}, which only the import's own run declares`, async () => {
        const resource = fixture.resource();
        const id = fixture.createdOutside();
        await resource.up(fixture.full, { import: id });
        fixture.takeRequests();
        const { [path]: _, ...rest } = fixture.full;
        fixture.stack.next();
        expect(await resource.up(rest)).toBe(clear!.step);
        expect(writesIn(fixture.takeRequests())).toEqual(clear!.calls);
        await fixture.expectSettled(resource, rest);
      });

      test(`by the command, then without ${path}: left alone before the first run, removed after it`, async () => {
        for (const isDeclaredOnce of [false, true]) {
          fixture.clear();
          const id = fixture.createdOutside();
          const resource = fixture.resource();
          await resource.import(id);
          fixture.stack.next();
          const { __imported, ...read } = resource.state!.inputs;
          expect(__imported).toBe(true);
          const { [path]: dropped, ...rest } = read;
          expect(dropped).toBeDefined();
          if (isDeclaredOnce) {
            expect(await resource.preview(read)).toEqual({ step: "same", replaces: [], changed: [] });
            expect(await resource.up(read)).toBe("same");
          }
          fixture.takeRequests();
          // A module is declared whole: what it leaves out has its default, if there is one.
          const hasDefault = parents.length > 0 && "default" in fields[path]!;
          const step = isDeclaredOnce || hasDefault ? clear!.step : "same";
          expect(await resource.up(rest)).toBe(step);
          if (step === "same") expect(fixture.takeRequests()).toEqual([]);
          await fixture.expectSettled(resource, rest);
        }
      });
    }

    for (const path of changeable.filter((each) => fixture.typical.includes(each))) {
      test(`updates ${path}, which the program declares otherwise`, async () => {
        const { full } = fixture;
        const id = fixture.createdOutside();
        fixture.changedOutside(id, path, "full");
        const resource = fixture.resource();
        expect((await resource.preview(full, { import: id })).step).toBe("update");
        fixture.takeRequests();
        expect(await resource.up(full, { import: id })).toBe("update");
        expect(writesIn(fixture.takeRequests())).toEqual(fixture.repairCalls(path, "full"));
        await fixture.expectSettled(resource, full);
      });
    }

    test("of an object that does not exist, or with an id of another form, fails", async () => {
      const id = fixture.createdOutside();
      fixture.deletedOutside(id);
      expect(await errorOf(fixture.resource().import(id))).toBe(`There is no ${displayName} ${id}. Check the id.`);
      const form = parents.length > 1 ? `its id must be <${parents.join(">/<")}>, not "${id}/x".` : "";
      if (form) expect(await errorOf(fixture.resource().import(`${id}/x`))).toContain(form);
    });
  });
}
