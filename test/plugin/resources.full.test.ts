/** The tests of every resource, with the plugin. */
import { commands, definitions } from "../../src/definitions";
import { testWithPlugin } from "./withPlugin";

const names = [...definitions, ...commands].map(({ type }) => type[0]!.toLowerCase() + type.slice(1));

testWithPlugin(...[...names, "rules"].map((name) => `resources/${name}.test`));
