import { unknown } from "../../support/engine/provider";
import { describe, test } from "../../support/engine/testedProvider";
import type { Fixture } from "./fixture";
import { fieldAt, getAt, setAt } from "./table";

export function testUnknowns(fixture: Fixture): void {
  const { definition, table, parents, paths } = fixture;

  describe("unknown in a preview", () => {
    for (const path of [...parents, ...paths]) {
      fixture.testOf(path)(`${path}: not checked, and no request`, async () => {
        const args = setAt(fixture.full, path, unknown);
        expect(await fixture.resource().preview(args)).toMatchObject({ step: "create" });
        const resource = await fixture.createResource();
        const { replaces } = fieldAt(definition, path);
        expect(await resource.preview(args)).toEqual({
          step: replaces ? "replace" : "update",
          replaces: replaces ? [path] : [],
          changed: [path.split(".")[0]],
        });
        expect(fixture.takeRequests()).toEqual([]);
      });
    }

    for (const path of paths) {
      const whole = getAt(table.full, path);
      if (typeof whole !== "object" || whole === null || fieldAt(definition, path).module) continue;
      test(`a part of ${path}`, async () => {
        const part = Array.isArray(whole)
          ? [unknown, ...whole.slice(1)]
          : Object.fromEntries(Object.keys(whole).map((key) => [key, unknown]));
        expect(await fixture.resource().preview(setAt(fixture.full, path, part))).toMatchObject({ step: "create" });
        expect(fixture.takeRequests()).toEqual([]);
      });
    }
  });
}
