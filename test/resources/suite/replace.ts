import { expand } from "../../../src/api/routes";
import { paramsOf } from "../../../src/definitions/definition";
import { describe, test, testDynamic } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";
import { countObjects, type Fixture } from "./fixture";
import { type Call, setAt } from "./table";

export function testReplacement(fixture: Fixture): void {
  const { definition, routes, table, parents } = fixture;

  describe("replaced", () => {
    test("by --target-replace: the state matches the service afterwards", async () => {
      const { full, emulator } = fixture;
      const resource = await fixture.createResource();
      fixture.stack.next();
      const before = emulator.account;
      const old = resource.state!.id;
      if (table.needsDeleteBeforeReplace) {
        expect(await errorOf(resource.up(full, { targetReplace: true }))).toContain(
          "set the option deleteBeforeReplace",
        );
        expect(resource.state!.id).toBe(old);
        expect(emulator.account).toEqual(before);
        fixture.takeRequests();
      }
      const deleteBeforeReplace =
        (definition.kind === "object" && definition.deleteBeforeReplace === true) ||
        (table.needsDeleteBeforeReplace ?? false);
      expect(await resource.up(full, { targetReplace: true, deleteBeforeReplace })).toBe("replace");
      const [create, remove]: Call[] = [[routes.create, table.wire], [routes.delete]];
      // A module's replacement is the same module: deleting the old one would delete the new one.
      const calls = parents.length > 0 ? [create] : deleteBeforeReplace ? [remove, create] : [create, remove];
      expect(fixture.takeRequests()).toEqual(calls);
      expect(resource.state!.id === old).toBe(parents.length > 0);
      await fixture.expectSettled(resource, full);
      expect(countObjects(emulator.account)).toEqual(countObjects(before));
    });

    testDynamic("by --target-replace, with the import option: the object is kept", async () => {
      const { full, emulator } = fixture;
      const id = fixture.createdOutside();
      const resource = fixture.resource();
      await resource.up(full, { import: id });
      const before = emulator.account;
      fixture.takeRequests();
      fixture.stack.next();
      expect(await resource.up(full, { import: id, targetReplace: true })).toBe("replace");
      expect(fixture.takeRequests().filter(([call]) => call !== routes.read)).toEqual([]);
      expect(resource.state!.id).toBe(id);
      expect(emulator.account).toEqual(before);
      await fixture.expectSettled(resource, full);
    });

    test("because of the option replaceOnChanges", async () => {
      const { changed: path } = fixture;
      const options = { replaceOnChanges: [path] };
      const resource = await fixture.createResource();
      const changed = setAt(fixture.full, path, table.rows[path]!.other);
      expect(await resource.preview(changed, options)).toMatchObject({ step: "replace", replaces: [path] });
      expect(await resource.preview(changed)).toMatchObject({ step: "update", replaces: [] });
      expect(await resource.preview(fixture.full, options)).toMatchObject({ step: "same" });
    });

    if (parents.length > 0) {
      test("moved to another parent: it is created there before it is deleted here", async () => {
        for (let place = 0; place < fixture.otherParents.length; place++) {
          fixture.clear();
          const { full, emulator } = fixture;
          const moved = { ...full, ...fixture.otherParents[place] };
          const resource = await fixture.createResource();
          fixture.stack.next();
          const { path: old } = expand(routes.delete, paramsOf(definition, resource.state!.id));
          const changed = parents.filter((name) => moved[name] !== full[name]);
          expect(await resource.preview(moved)).toEqual({ step: "replace", replaces: changed, changed });
          expect(await resource.up(moved)).toBe("replace");
          expect(emulator.calls({ ids: true })).toEqual([`PUT ${fixture.pathTo(resource.state!.id)}`, `DELETE ${old}`]);
          await fixture.expectSettled(resource, moved);
        }
      });
    }
  });
}
