import { unknown } from "../../support/host";
import type { Stage } from "./stage";
import { at, fieldAt, put } from "./table";

export function notKnownYet(stage: Stage): void {
  const { definition, table, parents, paths } = stage;

  describe("not known yet, in a preview", () => {
    for (const path of [...parents, ...paths]) {
      test(`${path}: not judged, and no call`, async () => {
        const args = put(stage.full, path, unknown);
        expect(await stage.resource().preview(args)).toMatchObject({ step: "create" });
        const life = await stage.begun();
        const { replaces } = fieldAt(definition, path);
        expect(await life.preview(args)).toEqual({
          step: replaces ? "replace" : "update",
          replaces: replaces ? [path] : [],
          changed: [path.split(".")[0]],
        });
        expect(stage.took()).toEqual([]);
      });
    }

    for (const path of paths) {
      const whole = at(table.full, path);
      if (typeof whole !== "object" || whole === null || fieldAt(definition, path).module) continue;
      test(`a part of ${path}`, async () => {
        const part = Array.isArray(whole)
          ? [unknown, ...whole.slice(1)]
          : Object.fromEntries(Object.keys(whole).map((key) => [key, unknown]));
        expect(await stage.resource().preview(put(stage.full, path, part))).toMatchObject({ step: "create" });
        expect(stage.took()).toEqual([]);
      });
    }
  });
}
