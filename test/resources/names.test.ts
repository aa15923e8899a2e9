/**
 * The public names: programs, states and stack configurations use them, so none may be removed or changed by accident.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import * as tunnel from "pulumi-tunnel-edge";
import { settingNames } from "../../src/base/settings";
import { agentCommands, definitions } from "../../src/definitions";
import type { Fields } from "../../src/definitions/fields/field";

const file = resolve(__dirname, "../states/names.json");

const namesIn = (fields: Fields): string[] =>
  Object.entries(fields).flatMap(([name, { module, required, replaces, secret }]) => {
    const traits = Object.entries({ required, replaces, secret }).flatMap(([trait, has]) => (has ? [trait] : []));
    const inner = module ? namesIn(module.fields).map((each) => `${name}.${each}`) : [];
    return [[name, ...traits].join(" "), ...inner];
  });

test("every public name is recorded in test/states/names.json; removing or changing one breaks programs", () => {
  const resources = [...definitions, ...agentCommands].map(({ type, fields, computed }) => {
    return [type, { arguments: namesIn(fields).sort(), outputs: Object.keys(computed).sort() }] as const;
  });
  const names = {
    exports: Object.keys(tunnel).sort(),
    settings: [...settingNames].sort(),
    resources: Object.fromEntries(resources),
  };
  if (process.env["RECORD_STATE"] !== undefined) writeFileSync(file, `${JSON.stringify(names, null, 2)}\n`);
  expect(names).toEqual(JSON.parse(readFileSync(file, "utf8")));
});
