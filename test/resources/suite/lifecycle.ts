import { toSnakeCase } from "../../../src/base/json";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";
import type { Fixture } from "./fixture";
import { pickRequired } from "./table";

export function testLifecycle(fixture: Fixture): void {
  const { definition, fields, routes, table, parents, paths } = fixture;
  const { computed } = definition;
  const parentIds = () => parents.map((name) => fixture.full[name]).join("/");

  for (const which of ["full", "minimal"] as const) {
    test(`\`pulumi up\` with ${which} arguments, again, refresh and destroy`, async () => {
      const { emulator, [which]: args } = fixture;
      const before = emulator.account;
      const resource = fixture.resource();
      expect(await resource.preview(args)).toEqual({ step: "create", replaces: [], changed: expect.anything() });
      expect(fixture.takeRequests()).toEqual([]);
      expect(await resource.up(args)).toBe("create");
      const body = which === "full" ? table.wire : pickRequired(table.wire, fields, toSnakeCase);
      expect(fixture.takeRequests()).toEqual([[routes.create, body]]);
      expect(resource.outputs).toMatchObject(args);
      expect(Object.keys(resource.outputs)).toEqual(expect.arrayContaining(Object.keys(computed)));
      if (parents.length > 0) expect(resource.state!.id).toBe(parentIds());
      await fixture.expectSettled(resource, args);
      await resource.refresh();
      expect(fixture.takeRequests()).toEqual([[routes.read]]);
      await resource.destroy();
      expect(fixture.takeRequests()).toEqual([[routes.delete]]);
      expect(emulator.account).toEqual(before);
    });
  }

  if (parents.length > 0) {
    test("creating a module that already exists replaces it, with one PUT", async () => {
      const { outsideValue } = table.rows[paths[0]!]!;
      fixture.createdOutside({ ...table.wire, [toSnakeCase(paths[0]!)]: outsideValue });
      const resource = await fixture.resource();
      await fixture.expectUp(resource, fixture.full, "create", [[routes.create, table.wire]]);
    });
  }

  test("null means not declared", async () => {
    const { full, minimal } = fixture;
    const nulls = Object.fromEntries(Object.keys(full).map((name) => [name, null]));
    const resource = await fixture.createResource({ ...nulls, ...minimal });
    await fixture.expectSettled(resource, minimal);
  });

  test("declaring all arguments at once, and removing them", async () => {
    const { full, minimal } = fixture;
    const { add, clear } = table.everything;
    const resource = await fixture.createResource(minimal);
    fixture.stack.next();
    await fixture.expectUp(resource, full, add.step, add.calls);
    fixture.stack.next();
    await fixture.expectUp(resource, minimal, clear.step, clear.calls);
  });

  describe("deleted outside of Pulumi", () => {
    test("refresh notices it, and `pulumi up` recreates it", async () => {
      const { full } = fixture;
      const resource = await fixture.createResource();
      fixture.deletedOutside(resource.state!.id);
      expect(await resource.refresh()).toBe("gone");
      await fixture.expectUp(resource, full, "create", [[routes.create, table.wire]]);
    });

    // What services respond for a module that is not set.
    for (const body of parents.length > 0 ? ["null", ""] : []) {
      test(`refresh notices it by ${body === "" ? "an empty response" : body}`, async () => {
        const resource = await fixture.createResource();
        fixture.emulator.fail({ method: "GET", status: 200, body, times: 2 });
        expect(await resource.refresh()).toBe("gone");
        expect(await errorOf(fixture.resource().up(fixture.full, { import: parentIds() }))).toContain("There is no ");
      });
    }

    test("destroy succeeds", async () => {
      const resource = await fixture.createResource();
      fixture.deletedOutside(resource.state!.id);
      await resource.destroy();
      expect(fixture.takeRequests()[0]).toEqual([routes.delete]);
    });
  });
}
