/**
 * What every resource must do, over its definition and a table that says what its requests look like: a resource's
 * own test file states the table, and holds what only that resource has.
 */
import type { Definition } from "../../../src/definitions/definition";
import { argumentByArgument } from "./arguments";
import { basic } from "./basic";
import { changedByOthers } from "./drift";
import { getAndImport } from "./import";
import { badInput } from "./input";
import { quietness } from "./quiet";
import { refusals } from "./refusals";
import { replacement } from "./replace";
import { Stage } from "./stage";
import { at, type Table } from "./table";
import { notKnownYet } from "./unknown";

export { refusal, told } from "./stage";
export { type Call, replaces, same, updates } from "./table";

export function suite(definition: Definition, table: Table): Stage {
  const stage = new Stage(definition, table);

  test("every argument has a row in the table, and a value", () => {
    const { rows, paths } = stage;
    expect(rows.map(([path]) => path).sort()).toEqual([...paths].sort());
    expect(paths.filter((path) => at(table.full, path) === undefined)).toEqual([]);
  });

  basic(stage);
  argumentByArgument(stage);
  changedByOthers(stage);
  quietness(stage);
  replacement(stage);
  getAndImport(stage);
  notKnownYet(stage);
  refusals(stage);
  badInput(stage);

  return stage;
}
