/** docs/secrets.md names everything that is secret, or may be. */

import { isSecretSetting, settingNames } from "../../src/base/settings";
import { agentCommands, definitions } from "../../src/definitions";
import type { Field } from "../../src/definitions/fields/field";
import { read } from "./pages";

/** The names of secret fields; of those in which only a part is secret, that part's name. */
const secretNames = (fields: Record<string, Partial<Field>>): string[] =>
  Object.entries(fields).flatMap(([name, { secret, sensitive, module }]) =>
    module
      ? secretNames(module.fields)
      : typeof sensitive === "function"
        ? ["config"]
        : secret || sensitive
          ? [name]
          : [],
  );

test("the page has every secret field and setting", () => {
  const fields = [...definitions, ...agentCommands].flatMap((each) =>
    secretNames({ ...each.fields, ...each.computed }),
  );
  const names = [...new Set([...fields, ...settingNames.filter(isSecretSetting)])];
  expect(names).toEqual(expect.arrayContaining(["token", "clientSecret", "add", "metadata", "config", "apiKey"]));
  const page = read("docs/secrets.md");
  expect(names.filter((name) => !new RegExp(`\`(\\w+[.:])*${name}\``).test(page))).toEqual([]);
});
