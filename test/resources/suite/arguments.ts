import { expected } from "../../support/engine/differences";
import type { Properties } from "../../support/engine/provider";
import { describe, test } from "../../support/engine/testedProvider";
import { errorOf } from "../../support/errorOf";
import type { Fixture } from "./fixture";
import { fieldAt, getAt, type Outcome, removeAt, setAt } from "./table";

export function testEachArgument(fixture: Fixture): void {
  const { definition, table, rows, paths } = fixture;
  const optional = paths.filter((path) => !fieldAt(definition, path).required).sort();
  const having = (key: "add" | "change" | "clear") =>
    rows.flatMap(([path, row]) => (row[key] ? [{ path, outcome: row[key] }] : []));
  const full = (path: string) => {
    const { baseArgs } = table.rows[path]!;
    return baseArgs ? { ...fixture.minimal, ...baseArgs } : fixture.full;
  };

  async function expectChange(from: Properties, to: Properties, path: string, { calls, ...outcome }: Outcome) {
    const step = outcome.step === "update" && calls.length === 0 ? expected("stepWithoutCall") : outcome.step;
    const resource = await fixture.createResource(from);
    fixture.stack.next();
    const replaces = step === "replace" ? [path] : [];
    expect(await resource.preview(to)).toEqual({ step, replaces, changed: [path.split(".")[0]] });
    expect(fixture.takeRequests()).toEqual([]);
    expect(await resource.up(to)).toBe(step);
    expect(fixture.takeRequests()).toEqual(calls);
    if (step !== "same") return fixture.expectSettled(resource, to);
    await resource.refresh();
    expect((await resource.preview(to)).step).toBe("same");
  }

  describe("one argument at a time", () => {
    test("every argument is covered", () => {
      const names = (key: "add" | "change" | "clear") => having(key).map(({ path }) => path);
      expect(names("add").sort()).toEqual(optional);
      expect(names("clear").sort()).toEqual(optional);
      expect(names("change").sort()).toEqual(paths.filter((path) => !fieldAt(definition, path).module).sort());
    });

    for (const { path, outcome } of having("add")) {
      fixture.testOf(path)(`${path} added`, () => {
        const from = removeAt(fixture.minimalArgs(path), path);
        return expectChange(from, setAt(from, path, getAt(table.full, path)), path, outcome);
      });
    }

    for (const { path, outcome } of having("change")) {
      fixture.testOf(path)(`${path} changed`, () =>
        expectChange(full(path), setAt(full(path), path, table.rows[path]!.other), path, outcome),
      );
    }

    for (const { path, outcome } of having("clear")) {
      fixture.testOf(path)(`${path} removed`, () =>
        expectChange(full(path), removeAt(full(path), path), path, outcome),
      );
    }

    for (const path of paths.filter((each) => fieldAt(definition, each).required)) {
      test(`${path} is required`, async () => {
        expect(await errorOf(fixture.resource().up(removeAt(fixture.full, path)))).toBe(`${path} is required`);
        expect(fixture.takeRequests()).toEqual([]);
      });
    }
  });
}
