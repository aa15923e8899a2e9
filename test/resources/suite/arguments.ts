import type { Bag } from "../../support/host";
import { refusal, type Stage } from "./stage";
import { at, fieldAt, type Outcome, put, without } from "./table";

export function argumentByArgument(stage: Stage): void {
  const { definition, table, rows, paths } = stage;
  const optional = paths.filter((path) => !fieldAt(definition, path).required).sort();
  const having = (key: "add" | "change" | "clear") =>
    rows.flatMap(([path, row]) => (row[key] ? [{ path, outcome: row[key] }] : []));
  const full = (path: string) => {
    const { around } = table.rows[path]!;
    return around ? { ...stage.least, ...around } : stage.full;
  };

  async function moved(from: Bag, to: Bag, path: string, { step, calls }: Outcome): Promise<void> {
    const life = (await stage.begun(from)).on(stage.next);
    const replaces = step === "replace" ? [path] : [];
    expect(await life.preview(to)).toEqual({ step, replaces, changed: [path.split(".")[0]] });
    expect(stage.took()).toEqual([]);
    expect(await life.up(to)).toBe(step);
    expect(stage.took()).toEqual(calls);
    if (step !== "same") return stage.settled(life, to);
    await life.refresh();
    expect((await life.preview(to)).step).toBe("same");
  }

  describe("one argument at a time", () => {
    test("none is left out", () => {
      const names = (key: "add" | "change" | "clear") => having(key).map(({ path }) => path);
      expect(names("add").sort()).toEqual(optional);
      expect(names("clear").sort()).toEqual(optional);
      expect(names("change").sort()).toEqual(paths.filter((path) => !fieldAt(definition, path).module).sort());
    });

    for (const { path, outcome } of having("add")) {
      test(`${path} added`, () => {
        const from = without(stage.around(path), path);
        return moved(from, put(from, path, at(table.full, path)), path, outcome);
      });
    }

    for (const { path, outcome } of having("change")) {
      test(`${path} changed`, () => moved(full(path), put(full(path), path, table.rows[path]!.other), path, outcome));
    }

    for (const { path, outcome } of having("clear")) {
      test(`${path} no longer stated`, () => moved(full(path), without(full(path), path), path, outcome));
    }

    for (const path of paths.filter((each) => fieldAt(definition, each).required)) {
      test(`${path} is required`, async () => {
        expect(await refusal(stage.resource().up(without(stage.full, path)))).toBe(`${path} is required`);
        expect(stage.took()).toEqual([]);
      });
    }
  });
}
