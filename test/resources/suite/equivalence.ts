import { expected } from "../../support/engine/differences";
import { describe, test } from "../../support/engine/testedProvider";
import type { Fixture } from "./fixture";
import { fieldAt, getAt, setAt } from "./table";

export function testEquivalence(fixture: Fixture): void {
  const { definition, table, paths } = fixture;
  const lists = paths.filter((path) => Array.isArray(getAt(table.full, path)));
  const reversed = (list: unknown) => [...(list as unknown[])].reverse();

  for (const path of lists) {
    const { ordered } = table.rows[path]!;
    describe(`the order of ${path} ${ordered ? "matters" : "does not matter"}`, () => {
      test("in the program", async () => {
        const resource = await fixture.createResource();
        const args = setAt(fixture.full, path, reversed(getAt(fixture.full, path)));
        expect(args).not.toEqual(fixture.full);
        const step = ordered ? "update" : "same";
        expect(await resource.preview(args)).toEqual({
          step,
          replaces: [],
          changed: ordered ? [path.split(".")[0]] : [],
        });
        expect(await resource.up(args)).toBe(step);
        if (!ordered) expect(fixture.takeRequests()).toEqual([]);
        await fixture.expectSettled(resource, args);
      });

      test("in the service", async () => {
        const resource = await fixture.createResource();
        fixture.changedOutside(resource.state!.id, path, "full", reversed(fixture.wireAt(path)));
        expect(await resource.refresh()).toBe(ordered ? "changed" : "same");
        expect((await resource.preview(fixture.full)).step).toBe(ordered ? "update" : "same");
      });
    });
  }

  /** A module that can be a resource of its own is sent, whatever the state has. */
  const isShared = (path: string) => definition.fields[path]?.module?.put !== undefined;

  describe("declared with the value it already has: an update, with a request only for a module that can be a resource", () => {
    const optional = paths.filter((path) => {
      const { required, replaces, clientOnly } = fieldAt(definition, path);
      return !required && !replaces && !clientOnly;
    });
    for (const path of optional) {
      fixture.testOf(path)(path, async () => {
        const args = fixture.minimalArgs(path);
        const resource = await fixture.createResource(args);
        fixture.changedOutside(resource.state!.id, path, "minimal", fixture.wireAt(path));
        await resource.refresh();
        fixture.takeRequests();
        const stating = setAt(args, path, getAt(table.full, path));
        const step = isShared(path) ? "update" : expected("stepWithoutCall");
        expect((await resource.preview(stating)).step).toBe(step);
        expect(await resource.up(stating)).toBe(step);
        expect(fixture.takeRequests()).toHaveLength(isShared(path) ? 1 : 0);
        await fixture.expectSettled(resource, stating);
      });
    }
  });
}
