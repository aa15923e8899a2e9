/**
 * Where a resource must be listed so that it is tested. Tests that loop over these lists, or over the definitions,
 * need nothing else; the compiler and these tests name the rest.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentCommands, definitions } from "../../src/definitions";
import type { Definition } from "../../src/definitions/definition";
import { validArgs } from "../support/data/arguments";
import { samples } from "../support/data/samples";
import { root } from "../support/root";

const objects = definitions.map(({ type }) => type);
const resources = [...objects, ...agentCommands.map(({ type }) => type)];
const hasSecret = ({ fields, computed }: Definition) =>
  [...Object.values(fields), ...Object.values(computed)].some((field) => (field as { secret?: true }).secret);
const withSecrets = definitions.filter(hasSecret).map(({ type }) => type);
/** The resources that a file of tests names. */
function listNamed(file: string, among = resources): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return among.filter((type) => new RegExp(`\\b${type}\\b`).test(text));
}

const { resources: named } = JSON.parse(readFileSync(join(root, "test/states/names.json"), "utf8"));

test.each<[file: string, wanted: string[], listed: string[]]>([
  ["test/support/data/samples.ts", objects, samples.map(({ type }) => type)],
  ["test/support/data/arguments.ts", resources, Object.keys(validArgs)],
  ["test/states/names.json (record it with `npm run record`)", resources, Object.keys(named)],
])("%s lists every resource", (_, wanted, listed) => {
  expect([...new Set(listed)].sort()).toEqual([...wanted].sort());
});

test("test/cli/secrets.test.ts has every resource with a secret", () => {
  expect(listNamed("test/cli/secrets.test.ts", withSecrets)).toEqual(withSecrets);
});

/** After a kill, a module is found by its path, and an object only by its unique value. */
const kindOf = (definition: Definition) =>
  definition.kind === "module" ? "module" : definition.unique ? "object with a unique value" : "object";

test("test/cli/killed.full.test.ts has a module, an object, and an object with a unique value", () => {
  const killed = definitions.filter(({ type }) => listNamed("test/cli/killed.full.test.ts").includes(type));
  expect(new Set(killed.map(kindOf))).toEqual(new Set(definitions.map(kindOf)));
});

test("test/resources has a file for every resource, which runs the suite that objects share", () => {
  const nameOf = (type: string) => type[0]!.toLowerCase() + type.slice(1);
  const pathOf = (type: string) => join(root, `test/resources/${nameOf(type)}.test.ts`);
  expect(resources.filter((type) => !existsSync(pathOf(type)))).toEqual([]);
  const runsSuite = (type: string) => readFileSync(pathOf(type), "utf8").includes(`suite(${nameOf(type)}, `);
  expect(objects.filter((type) => !runsSuite(type))).toEqual([]);
});
