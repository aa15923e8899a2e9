/**
 * What every resource must do, tested with its definition and a table of its requests. A resource's own test file has
 * the table, and the tests that only that resource needs.
 * Promises: "A quiet preview", "Few requests".
 */
import type { Definition } from "../../../src/definitions/definition";
import { test } from "../../support/engine/testedProvider";
import { testEachArgument } from "./arguments";
import { testDrift } from "./drift";
import { testEquivalence } from "./equivalence";
import { Fixture } from "./fixture";
import { testGetAndImport } from "./import";
import { testInvalidInput } from "./input";
import { testLifecycle } from "./lifecycle";
import { testRejections } from "./rejections";
import { testReplacement } from "./replace";
import { getAt, type Table } from "./table";
import { testUnknowns } from "./unknowns";

export { argumentRows, type Call, moduleTable, replaces, rowsOf, same, updates } from "./table";

export function suite(definition: Definition, table: Table): Fixture {
  const fixture = new Fixture(definition, table);

  test("every argument has a row in the table and a value", () => {
    const { rows, paths } = fixture;
    expect(rows.map(([path]) => path).sort()).toEqual([...paths].sort());
    expect(paths.filter((path) => getAt(table.full, path) === undefined)).toEqual([]);
  });

  testLifecycle(fixture);
  testEachArgument(fixture);
  testDrift(fixture);
  testEquivalence(fixture);
  testReplacement(fixture);
  testGetAndImport(fixture);
  testUnknowns(fixture);
  testRejections(fixture);
  testInvalidInput(fixture);

  return fixture;
}
